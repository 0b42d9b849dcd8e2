void transpose(int N, float b[N][N], const float a[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[j][i] = a[i][j];
}
