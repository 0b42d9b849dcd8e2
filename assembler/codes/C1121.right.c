void differences(int N, float b[N], const float a[N + 1]) {
  for (int i = 0; i < N; i++)
    b[i] = a[i + 1];
}
