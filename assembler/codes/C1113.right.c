void far(int N, float a[N]) {
  for (int i = 0; i < N - 2000000000; i++)
    a[i] = 0.0f;
}
