/* The two programs that the time of the processor is fitted to, without CP2: NPB MG of class S in double precision in
 * NPB's own form, held to NPB's value, and sparse products by rows (CSR). Prints cycles, and operations as [D] counts
 * them: tables B.7 and B.10. */
#include "runtime.h"

enum { LEVELS = 5, SIZE = 32, M = SIZE + 2, ITERATIONS = 4 };
static double *us[LEVELS + 1], *rs[LEVELS + 1], *v;
#define AT(x, k, j, i) x[((k) * m + (j)) * m + (i)]

/* Faces of a periodic grid. */
static void wrap(double *x, int n) {
  int m = n + 2;
  for (int k = 1; k <= n; k++)
    for (int j = 1; j <= n; j++) {
      AT(x, k, j, 0) = AT(x, k, j, n);
      AT(x, k, j, n + 1) = AT(x, k, j, 1);
    }
  for (int k = 1; k <= n; k++)
    for (int i = 0; i < m; i++) {
      AT(x, k, 0, i) = AT(x, k, n, i);
      AT(x, k, n + 1, i) = AT(x, k, 1, i);
    }
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      AT(x, 0, j, i) = AT(x, n, j, i);
      AT(x, n + 1, j, i) = AT(x, 1, j, i);
    }
}

static void resid(const double *u, const double *w, double *r, int n) {
  int m = n + 2;
  double u1[M], u2[M];
  for (int k = 1; k <= n; k++)
    for (int j = 1; j <= n; j++) {
      for (int i = 0; i < m; i++) {
        u1[i] = AT(u, k, j - 1, i) + AT(u, k, j + 1, i) + AT(u, k - 1, j, i) + AT(u, k + 1, j, i);
        u2[i] = AT(u, k - 1, j - 1, i) + AT(u, k - 1, j + 1, i) + AT(u, k + 1, j - 1, i) + AT(u, k + 1, j + 1, i);
      }
      for (int i = 1; i <= n; i++)
        AT(r, k, j, i) = AT(w, k, j, i) + 8.0 / 3 * AT(u, k, j, i) - 1.0 / 6 * (u2[i] + u1[i - 1] + u1[i + 1]) -
                         1.0 / 12 * (u2[i - 1] + u2[i + 1]);
    }
  wrap(r, n);
}

static void psinv(const double *r, double *u, int n) {
  int m = n + 2;
  double r1[M], r2[M];
  for (int k = 1; k <= n; k++)
    for (int j = 1; j <= n; j++) {
      for (int i = 0; i < m; i++) {
        r1[i] = AT(r, k, j - 1, i) + AT(r, k, j + 1, i) + AT(r, k - 1, j, i) + AT(r, k + 1, j, i);
        r2[i] = AT(r, k - 1, j - 1, i) + AT(r, k - 1, j + 1, i) + AT(r, k + 1, j - 1, i) + AT(r, k + 1, j + 1, i);
      }
      for (int i = 1; i <= n; i++)
        AT(u, k, j, i) += -3.0 / 8 * AT(r, k, j, i) + 1.0 / 32 * (AT(r, k, j, i - 1) + AT(r, k, j, i + 1) + r1[i]) -
                          1.0 / 64 * (r2[i] + r1[i - 1] + r1[i + 1]);
    }
  wrap(u, n);
}

/* To a grid of n points a side from one of 2n. */
static void rprj3(const double *r, double *s, int n) {
  int m = 2 * n + 2;
  double x1[M], y1[M];
  for (int k = 1; k <= n; k++)
    for (int j = 1; j <= n; j++) {
      int c = 2 * k, b = 2 * j;
      for (int i = 1; i <= 2 * n + 1; i += 2) {
        x1[i] = AT(r, c, b - 1, i) + AT(r, c, b + 1, i) + AT(r, c - 1, b, i) + AT(r, c + 1, b, i);
        y1[i] = AT(r, c - 1, b - 1, i) + AT(r, c + 1, b - 1, i) + AT(r, c - 1, b + 1, i) + AT(r, c + 1, b + 1, i);
      }
      for (int i = 1; i <= n; i++) {
        int a = 2 * i;
        double y2 = AT(r, c - 1, b - 1, a) + AT(r, c + 1, b - 1, a) + AT(r, c - 1, b + 1, a) + AT(r, c + 1, b + 1, a);
        double x2 = AT(r, c, b - 1, a) + AT(r, c, b + 1, a) + AT(r, c - 1, b, a) + AT(r, c + 1, b, a);
        s[(k * (n + 2) + j) * (n + 2) + i] = 0.5 * AT(r, c, b, a) + 0.25 * (AT(r, c, b, a - 1) + AT(r, c, b, a + 1) + x2) +
                                             0.125 * (x1[a - 1] + x1[a + 1] + y2) + 0.0625 * (y1[a - 1] + y1[a + 1]);
      }
    }
  wrap(s, n);
}

/* From a grid of n points a side to one of 2n. */
static void interp(const double *z, double *u, int n) {
  int m = n + 2, f = 2 * n + 2;
  double z1[M], z2[M], z3[M];
  for (int k = 0; k <= n; k++)
    for (int j = 0; j <= n; j++) {
      for (int i = 0; i < m; i++) {
        z1[i] = AT(z, k, j + 1, i) + AT(z, k, j, i);
        z2[i] = AT(z, k + 1, j, i) + AT(z, k, j, i);
        z3[i] = AT(z, k + 1, j + 1, i) + AT(z, k + 1, j, i) + z1[i];
      }
      double *row = u + (2 * k * f + 2 * j) * f;
      for (int i = 0; i <= n; i++) {
        row[2 * i] += AT(z, k, j, i);
        row[2 * i + 1] += 0.5 * (AT(z, k, j, i + 1) + AT(z, k, j, i));
      }
      for (int i = 0; i <= n; i++) {
        row[f + 2 * i] += 0.5 * z1[i];
        row[f + 2 * i + 1] += 0.25 * (z1[i] + z1[i + 1]);
      }
      for (int i = 0; i <= n; i++) {
        row[f * f + 2 * i] += 0.5 * z2[i];
        row[f * f + 2 * i + 1] += 0.25 * (z2[i] + z2[i + 1]);
      }
      for (int i = 0; i <= n; i++) {
        row[f * f + f + 2 * i] += 0.25 * z3[i];
        row[f * f + f + 2 * i + 1] += 0.125 * (z3[i] + z3[i + 1]);
      }
    }
}

static size_t bytes(int n) { return sizeof(double) * (size_t)((n + 2) * (n + 2) * (n + 2)); }

static void v_cycle(void) {
  for (int l = LEVELS; l > 1; l--) rprj3(rs[l], rs[l - 1], 1 << (l - 1));
  memset(us[1], 0, bytes(2));
  psinv(rs[1], us[1], 2);
  for (int l = 2; l <= LEVELS; l++) {
    int n = 1 << l;
    if (l < LEVELS) memset(us[l], 0, bytes(n));
    interp(us[l - 1], us[l], n / 2);
    resid(us[l], l < LEVELS ? rs[l] : v, rs[l], n);
    psinv(rs[l], us[l], n);
  }
}

static double whole(double x) { return (double)(int64_t)x; }
static double seed = 314159265;
static double random_number(void) {
  const double a = 1220703125, two23 = 8388608, two46 = two23 * two23;
  double a1 = whole(a / two23), a2 = a - two23 * a1, x1 = whole(seed / two23), x2 = seed - two23 * x1;
  double t = a1 * x2 + a2 * x1, z = t - two23 * whole(t / two23), s = two23 * z + a2 * x2;
  seed = s - two46 * whole(s / two46);
  return seed / two46;
}

/* One at the ten greatest of random numbers, minus one at the ten least. */
static void charges(void) {
  int m = M;
  double *x = rs[LEVELS];
  for (int k = 1; k <= SIZE; k++)
    for (int j = 1; j <= SIZE; j++)
      for (int i = 1; i <= SIZE; i++) AT(x, k, j, i) = random_number();
  for (int sign = 1; sign >= -1; sign -= 2)
    for (int count = 0; count < 10; count++) {
      double best = -2;
      int place = 0;
      for (int k = 1; k <= SIZE; k++)
        for (int j = 1; j <= SIZE; j++)
          for (int i = 1; i <= SIZE; i++) {
            int at = (k * m + j) * m + i;
            if (v[at] == 0 && sign * x[at] > best) {
              best = sign * x[at];
              place = at;
            }
          }
      v[place] = sign;
    }
  wrap(v, SIZE);
}

static void print_row(const char *name, uint64_t taken, uint64_t operations) {
  print(name);
  print(" cycles ");
  print_decimal((int64_t)taken);
  print(" operations ");
  print_decimal((int64_t)operations);
  print_char('\n');
}

static int run_mg(void) {
  for (int l = 1; l <= LEVELS; l++) {
    us[l] = allocate(bytes(1 << l));
    rs[l] = allocate(bytes(1 << l));
    memset(us[l], 0, bytes(1 << l));
    memset(rs[l], 0, bytes(1 << l));
  }
  v = allocate(bytes(SIZE));
  memset(v, 0, bytes(SIZE));
  charges();
  uint64_t begin = cycles();
  resid(us[LEVELS], v, rs[LEVELS], SIZE);
  for (int it = 0; it < ITERATIONS; it++) {
    v_cycle();
    resid(us[LEVELS], v, rs[LEVELS], SIZE);
  }
  print_row("mg S", cycles() - begin, 58 * ITERATIONS * SIZE * SIZE * SIZE);
  double sum = 0, expected = 0.5307707005734e-04;
  const double *r = rs[LEVELS];
  int m = M;
  for (int k = 1; k <= SIZE; k++)
    for (int j = 1; j <= SIZE; j++)
      for (int i = 1; i <= SIZE; i++) sum += AT(r, k, j, i) * AT(r, k, j, i);
  /* The norm is the root of the mean: squares are compared, to twice the error. */
  double error = sum / (SIZE * SIZE * SIZE) / (expected * expected) - 1;
  return !(error < 2e-8 && error > -2e-8);
}

static void multiply(const int *starts, const int *columns, const double *elements, int rows, const double *x, double *y) {
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int k = starts[i]; k < starts[i + 1]; k++) sum += elements[k] * x[columns[k]];
    y[i] = sum;
  }
}

/* A square matrix with so many elements a row, one in each of as many shares of the columns. */
static void run_spmv(const char *name, int rows, int per_row) {
  int count = rows * per_row, *starts = allocate(sizeof(int) * (size_t)(rows + 1));
  int *columns = allocate(sizeof(int) * (size_t)count);
  double *elements = allocate(sizeof(double) * (size_t)count);
  double *x = allocate(sizeof(double) * (size_t)rows), *y = allocate(sizeof(double) * (size_t)rows);
  for (int i = 0; i < rows; i++) {
    starts[i] = i * per_row;
    x[i] = random_number();
    for (int k = 0; k < per_row; k++) {
      int from = k * rows / per_row, share = (k + 1) * rows / per_row - from;
      columns[i * per_row + k] = from + (int)(random_number() * share);
      elements[i * per_row + k] = random_number();
    }
  }
  starts[rows] = count;
  multiply(starts, columns, elements, rows, x, y);
  uint64_t begin = cycles();
  multiply(starts, columns, elements, rows, x, y);
  print_row(name, cycles() - begin, 2 * (uint64_t)count);
}

int main(void) {
  cycles();
  int failed = run_mg();
  /* The order and number of elements of NPB CG's class S, then a fill of 0.06. */
  run_spmv("spmv S", 1400, 56);
  run_spmv("spmv 32", 32, 2);
  run_spmv("spmv 64", 64, 4);
  run_spmv("spmv 128", 128, 8);
  run_spmv("spmv 256", 256, 15);
  run_spmv("spmv 512", 512, 31);
  run_spmv("spmv 1024", 1024, 61);
  run_spmv("spmv 2048", 2048, 123);
  return failed;
}
