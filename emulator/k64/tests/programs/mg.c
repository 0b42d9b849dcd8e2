/* Multigrid in the manner of NPB MG, class S: 32^3, four iterations, verified with NPB's value. */
#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 5, SIZE = 32 };
static double *us[LEVELS + 1], *rs[LEVELS + 1], *v;
#define AT(x, k, j, i) x[((k) * m + (j)) * m + (i)]

static void wrap(double *x, int n) {
  int m = n + 2;
  for (int k = 1; k <= n; k++) for (int j = 1; j <= n; j++) { AT(x, k, j, 0) = AT(x, k, j, n); AT(x, k, j, n + 1) = AT(x, k, j, 1); }
  for (int k = 1; k <= n; k++) for (int i = 0; i < m; i++) { AT(x, k, 0, i) = AT(x, k, n, i); AT(x, k, n + 1, i) = AT(x, k, 1, i); }
  for (int j = 0; j < m; j++) for (int i = 0; i < m; i++) { AT(x, 0, j, i) = AT(x, n, j, i); AT(x, n + 1, j, i) = AT(x, 1, j, i); }
}

static void sums(const double *x, int m, int k, int j, double *faces, double *edges) {
  for (int i = 0; i < m; i++) {
    faces[i] = AT(x, k, j - 1, i) + AT(x, k, j + 1, i) + AT(x, k - 1, j, i) + AT(x, k + 1, j, i);
    edges[i] = AT(x, k - 1, j - 1, i) + AT(x, k - 1, j + 1, i) + AT(x, k + 1, j - 1, i) + AT(x, k + 1, j + 1, i);
  }
}

static void residual(const double *u, const double *w, double *r, int n) {
  int m = n + 2;
  double f[SIZE + 2], e[SIZE + 2];
  for (int k = 1; k <= n; k++) for (int j = 1; j <= n; j++) {
    sums(u, m, k, j, f, e);
    for (int i = 1; i <= n; i++)
      AT(r, k, j, i) = AT(w, k, j, i) + 8.0 / 3 * AT(u, k, j, i) - 1.0 / 6 * (e[i] + f[i - 1] + f[i + 1]) - 1.0 / 12 * (e[i - 1] + e[i + 1]);
  }
  wrap(r, n);
}

static void smooth(const double *r, double *u, int n) {
  int m = n + 2;
  double f[SIZE + 2], e[SIZE + 2];
  for (int k = 1; k <= n; k++) for (int j = 1; j <= n; j++) {
    sums(r, m, k, j, f, e);
    for (int i = 1; i <= n; i++)
      AT(u, k, j, i) += -3.0 / 8 * AT(r, k, j, i) + 1.0 / 32 * (AT(r, k, j, i - 1) + AT(r, k, j, i + 1) + f[i]) - 1.0 / 64 * (e[i] + f[i - 1] + f[i + 1]);
  }
  wrap(u, n);
}

static void restrict_(const double *fine, double *coarse, int n) {
  double f[SIZE + 2], e[SIZE + 2];
  for (int k = 1; k <= n; k++) for (int j = 1; j <= n; j++) {
    int m = 2 * n + 2;
    sums(fine, m, 2 * k, 2 * j, f, e);
    double line[SIZE + 2];
    for (int i = 1; i <= n; i++) {
      int c = 2 * i;
      line[i] = 0.5 * AT(fine, 2 * k, 2 * j, c) + 0.25 * (AT(fine, 2 * k, 2 * j, c - 1) + AT(fine, 2 * k, 2 * j, c + 1) + f[c]) + 0.125 * (e[c] + f[c - 1] + f[c + 1]) + 0.0625 * (e[c - 1] + e[c + 1]);
    }
    m = n + 2;
    for (int i = 1; i <= n; i++) AT(coarse, k, j, i) = line[i];
  }
  wrap(coarse, n);
}

static double coarse_at(const double *x, int n, int k, int j, int i) {
  int m = n + 2, k2 = (k + 1) / 2, j2 = (j + 1) / 2, i2 = (i + 1) / 2;
  k /= 2; j /= 2; i /= 2;
  return 0.125 * (AT(x, k, j, i) + AT(x, k, j, i2) + AT(x, k, j2, i) + AT(x, k, j2, i2) + AT(x, k2, j, i) + AT(x, k2, j, i2) + AT(x, k2, j2, i) + AT(x, k2, j2, i2));
}

static void interpolate(const double *coarse, double *fine, int n) {
  int m = 2 * n + 2;
  for (int k = 1; k <= 2 * n; k++) for (int j = 1; j <= 2 * n; j++) for (int i = 1; i <= 2 * n; i++)
    AT(fine, k, j, i) += coarse_at(coarse, n, k, j, i);
  wrap(fine, 2 * n);
}

static size_t bytes(int n) { return sizeof(double) * (n + 2) * (n + 2) * (n + 2); }

static void cycle(void) {
  for (int l = LEVELS; l > 1; l--) restrict_(rs[l], rs[l - 1], 1 << (l - 1));
  memset(us[1], 0, bytes(2));
  smooth(rs[1], us[1], 2);
  for (int l = 2; l <= LEVELS; l++) {
    int n = 1 << l;
    if (l < LEVELS) memset(us[l], 0, bytes(n));
    interpolate(us[l - 1], us[l], n / 2);
    residual(us[l], l < LEVELS ? rs[l] : v, rs[l], n);
    smooth(rs[l], us[l], n);
  }
}

static double seed = 314159265;
static double random_(void) {
  const double a = 1220703125, two23 = 8388608, two46 = two23 * two23;
  double a1 = floor(a / two23), a2 = a - two23 * a1, x1 = floor(seed / two23), x2 = seed - two23 * x1;
  double t = a1 * x2 + a2 * x1, z = t - two23 * floor(t / two23), s = two23 * z + a2 * x2;
  seed = s - two46 * floor(s / two46);
  return seed / two46;
}

/* One at the ten greatest of random numbers, minus one at the ten least. */
static void charges(void) {
  int m = SIZE + 2;
  for (int k = 1; k <= SIZE; k++) for (int j = 1; j <= SIZE; j++) for (int i = 1; i <= SIZE; i++) AT(rs[LEVELS], k, j, i) = random_();
  for (int sign = 1; sign >= -1; sign -= 2)
    for (int count = 0; count < 10; count++) {
      double best = -2;
      size_t place = 0;
      for (int k = 1; k <= SIZE; k++) for (int j = 1; j <= SIZE; j++) for (int i = 1; i <= SIZE; i++) {
        size_t at = ((size_t)k * m + j) * m + i;
        if (v[at] == 0 && sign * rs[LEVELS][at] > best) { best = sign * rs[LEVELS][at]; place = at; }
      }
      v[place] = sign;
    }
  wrap(v, SIZE);
}

int run_mg(void) {
  for (int l = 1; l <= LEVELS; l++) { us[l] = calloc(1, bytes(1 << l)); rs[l] = calloc(1, bytes(1 << l)); }
  v = calloc(1, bytes(SIZE));
  charges();
  residual(us[LEVELS], v, rs[LEVELS], SIZE);
  for (int it = 0; it < 4; it++) { cycle(); residual(us[LEVELS], v, rs[LEVELS], SIZE); }
  double sum = 0;
  int m = SIZE + 2;
  for (int k = 1; k <= SIZE; k++) for (int j = 1; j <= SIZE; j++) for (int i = 1; i <= SIZE; i++) sum += AT(rs[LEVELS], k, j, i) * AT(rs[LEVELS], k, j, i);
  double norm = sqrt(sum / ((double)SIZE * SIZE * SIZE)), expected = 0.5307707005734e-04;
  printf("norm %.13e error %.1e\n", norm, fabs(norm - expected) / expected);
  return !(fabs(norm - expected) / expected < 1e-8);
}
