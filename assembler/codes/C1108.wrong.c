void zero(int N, float a[N]) {
  int i;
  while (i < N)
    a[i++] = 0.0f;
}
