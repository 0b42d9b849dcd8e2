void sums(int N, int M, float s[N], const float a[N][M]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      #pragma loops map(i)
      s[i] += a[i][j];
}
