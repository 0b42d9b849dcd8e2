void zero(int N, float a[N]) {
  int i;
  for (i = 0; i < N; i++)
    a[i] = 0.0f;
}
