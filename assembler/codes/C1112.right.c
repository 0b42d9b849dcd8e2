void copy(int N, float b[N], const float a[N]) {
  #pragma loops forbid(expand)
  for (int i = 0; i < N; i++)
    b[i] = a[i];
}
