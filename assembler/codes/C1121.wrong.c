void differences(int N, float b[N], const float a[N]) {
  for (int i = 0; i < N; i++)
    b[i] = a[i + 1];
}
