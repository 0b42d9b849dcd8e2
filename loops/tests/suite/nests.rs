//! Nests with known answers.

/// Product of polynomials of degree N.
pub(crate) const POLYNOMIAL: &str = "
void polynomial(int N, float C[2 * N + 1], const float A[N + 1], const float B[N + 1]) {
  for (int i = 0; i <= N; i++)
    for (int k = 0; k <= N; k++) {
      if (i == 0 || k == 0) C[i - k + N] = A[i] * B[-k + N];
      if (i != 0 && k != 0) C[i - k + N] = C[i - k + N] + A[i] * B[-k + N];
    }
}";

pub(crate) const PRODUCT: &str = "
void product(int N, float C[N][N], const float A[N][N], const float B[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}";

pub(crate) const PRODUCT_FROM_ZERO: &str = "
void product(int N, float C[N][N], const float A[N][N], const float B[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      C[i][j] = 0.0f;
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}";

/// Block of Floyd-Warshall whose rows and columns are disjoint from those of the k block.
pub(crate) const FLOYD_BLOCK: &str = "
#pragma loops assume(r >= 1 && k0 >= 0 && i0 >= k0 + r && j0 >= k0 + r && i0 + r <= n && j0 + r <= n)
void block(int n, int r, int k0, int i0, int j0, float a[n][n]) {
  for (int k = k0; k < k0 + r; k++)
    for (int i = i0; i < i0 + r; i++)
      for (int j = j0; j < j0 + r; j++)
        a[i][j] = fminf(a[i][j], a[i][k] + a[k][j]);
}";

pub(crate) const FLOYD_ROWS: &str = "
#pragma loops assume(r >= 1 && k0 >= 0 && j0 >= k0 + r && k0 + r <= n && j0 + r <= n)
void block(int n, int r, int k0, int j0, float a[n][n]) {
  for (int k = k0; k < k0 + r; k++)
    for (int i = k0; i < k0 + r; i++)
      for (int j = j0; j < j0 + r; j++)
        a[i][j] = fminf(a[i][j], a[i][k] + a[k][j]);
}";

pub(crate) const FLOYD_COLUMNS: &str = "
#pragma loops assume(r >= 1 && k0 >= 0 && i0 >= k0 + r && k0 + r <= n && i0 + r <= n)
void block(int n, int r, int k0, int i0, float a[n][n]) {
  for (int k = k0; k < k0 + r; k++)
    for (int i = i0; i < i0 + r; i++)
      for (int j = k0; j < k0 + r; j++)
        a[i][j] = fminf(a[i][j], a[i][k] + a[k][j]);
}";

pub(crate) const FLOYD: &str = "
void floyd(int n, float a[n][n]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        a[i][j] = fminf(a[i][j], a[i][k] + a[k][j]);
}";

pub(crate) const FIVE_POINTS: &str = "
void stencil(int N, float b[N + 2][N + 2], const float a[N + 2][N + 2]) {
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++)
      b[i][j] = 0.2f * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}";

pub(crate) const FIVE_POINTS_IN_TIME: &str = "
void jacobi(int T, int N, float a[N + 2][N + 2], float b[N + 2][N + 2]) {
  for (int t = 0; t < T; t++) {
    for (int i = 1; i <= N; i++)
      for (int j = 1; j <= N; j++)
        b[i][j] = 0.2f * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i <= N; i++)
      for (int j = 1; j <= N; j++)
        a[i][j] = b[i][j];
  }
}";

pub(crate) const THREE_POINTS_IN_TIME: &str = "
void jacobi(int T, int N, float a[N + 2], float b[N + 2]) {
  for (int t = 0; t < T; t++) {
    for (int i = 1; i <= N; i++)
      b[i] = 0.5f * (a[i - 1] + a[i + 1]);
    for (int i = 1; i <= N; i++)
      a[i] = b[i];
  }
}";

pub(crate) const SHIFTED: &str = "
void shifted(int N, float a[N + 1], float b[N + 1], const float f[N + 1]) {
  for (int i = 1; i <= N; i++) {
    a[i] = f[i];
    b[i] = a[i - 1];
  }
}";

pub(crate) const TWO_NEIGHBOURS: &str = "
void neighbours(int N, float a[N + 1], float b[N], const float f[N + 1]) {
  for (int i = 0; i <= N; i++)
    a[i] = f[i];
  for (int i = 0; i < N; i++)
    b[i] = a[i] + a[i + 1];
}";

pub(crate) const MATRIX_VECTOR: &str = "
void times(int N, int M, float y[N], const float A[N][M], const float x[M]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      y[i] += A[i][j] * x[j];
}";

pub(crate) const FIR: &str = "
void fir(int N, int K, float y[N], const float h[K], const float x[N + K]) {
  for (int n = 0; n < N; n++)
    for (int k = 0; k < K; k++)
      y[n] += h[k] * x[n - k + K - 1];
}";

pub(crate) const TRIANGULAR: &str = "
void solve(int N, float x[N], const float L[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
}";

pub(crate) const TRIANGULAR_RIGHT_SIDES: &str = "
void solve(int N, int M, float x[N][M], const float L[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++)
      for (int r = 0; r < M; r++)
        x[i][r] -= L[i][j] * x[j][r];
}";

pub(crate) const TRANSPOSE: &str = "
void transpose(int N, int M, float b[M][N], const float a[N][M]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      b[j][i] = a[i][j];
}";

pub(crate) const TRANSPOSE_IN_PLACE: &str = "
void transpose(int N, float a[N][N], float t[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++) {
      t[i][j] = a[i][j];
      a[i][j] = a[j][i];
      a[j][i] = t[i][j];
    }
}";

pub(crate) const SWAP_THROUGH_A_SCALAR: &str = "
void swap(int N, float a[N], float b[N]) {
  float t;
  for (int i = 0; i < N; i++) {
    t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}";

pub(crate) const ANTI_ONLY: &str = "
void shift(int N, float a[N + 1]) {
  for (int i = 0; i < N; i++)
    a[i] = a[i + 1];
}";

pub(crate) const OUTPUT_ONLY: &str = "
void last(int N, int M, float z[N], const float A[N][M]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      z[i] = A[i][j];
}";

pub(crate) const DIAGONAL: &str = "
void diagonal(int N, float a[N + 1][N + 1]) {
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++)
      a[i][j] = a[i - 1][j - 1] + 1.0f;
}";

pub(crate) const KNIGHT: &str = "
#pragma loops assume(N >= 4)
void knight(int N, float a[N + 1][N + 2]) {
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++)
      a[i][j + 1] = a[i - 1][j - 1] + 1.0f;
}";

pub(crate) const TRIANGLE_COLUMNS: &str = "
void columns(int N, float a[N + 2][N + 1]) {
  for (int i = 0; i <= N; i++)
    for (int j = 0; j <= i; j++)
      a[i + 1][j] = a[i][j] + 1.0f;
}";

pub(crate) const EVERY_SECOND: &str = "
void second(int N, float a[N], const float c[N]) {
  for (int i = 2; i < N; i++)
    a[i] = a[i - 2] + c[i];
}";

pub(crate) const SUM: &str = "
void sum(int N, float s[1], const float x[N]) {
  for (int i = 0; i < N; i++)
    s[0] += x[i];
}";

pub(crate) const LU: &str = "
void lu(int N, float a[N][N]) {
  for (int k = 0; k < N; k++) {
    for (int i = k + 1; i < N; i++)
      a[i][k] /= a[k][k];
    for (int i = k + 1; i < N; i++)
      for (int j = k + 1; j < N; j++)
        a[i][j] -= a[i][k] * a[k][j];
  }
}";

/// Floyd-Warshall with the row and the column of the step before the others, which they tie together.
pub(crate) const FLOYD_IN_PARTS: &str = "
void floyd(int n, float a[n][n]) {
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++)
      if (j != k)
        a[k][j] = fminf(a[k][j], a[k][k] + a[k][j]);
    for (int i = 0; i < n; i++)
      if (i != k)
        a[i][k] = fminf(a[i][k], a[i][k] + a[k][k]);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (i != k && j != k)
          a[i][j] = fminf(a[i][j], a[i][k] + a[k][j]);
  }
}";
