void rows(int N, int M, float b[N][M], const float a[N][M]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      b[i][j] = a[i][j];
}
