// Product of two polynomials of degree N: element d of C is the coefficient whose indices add up to d.
void polynomial(int N, float C[2 * N + 1], const float A[N + 1], const float B[N + 1]) {
  for (int i = 0; i <= N; i++)
    for (int k = 0; k <= N; k++) {
      if (i == 0 || k == 0)
        C[i - k + N] = A[i] * B[-k + N];
      if (i != 0 && k != 0)
        C[i - k + N] = C[i - k + N] + A[i] * B[-k + N];
    }
}
