void copy(int N, float *b, const float a[N]) {
  for (int i = 0; i < N; i++)
    b[i] = a[i];
}
