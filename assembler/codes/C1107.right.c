void even(int N, float a[2 * N]) {
  for (int i = 0; i < N; i++)
    a[2 * i] = 0.0f;
}
