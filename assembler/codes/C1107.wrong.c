void even(int N, float a[2 * N]) {
  for (int i = 0; i < 2 * N; i += 2)
    a[i] = 0.0f;
}
