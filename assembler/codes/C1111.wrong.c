void copy(int N, const float b[N], const float a[N]) {
  for (int i = 0; i < N; i++)
    b[i] = a[i];
}
