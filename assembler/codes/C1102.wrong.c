void shift(int N, float b[N], const float a[N]) {
  for (int i = 010; i < N; i++)
    b[i] = a[i - 8];
}
