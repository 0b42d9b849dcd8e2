void copy(int N, float b[N], const float b[N]) {
  for (int i = 0; i < N; i++)
    b[i] = 0.0f;
}
