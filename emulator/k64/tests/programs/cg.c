/* Conjugate gradients in the manner of NPB CG, class S: order 1400, fifteen iterations, verified with NPB's value. */
#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1400, NONZER = 7, NITER = 15 };
#define SHIFT 10.0
#define RCOND 0.1

static double seed = 314159265;
static double random_(void) {
  const double a = 1220703125, two23 = 8388608, two46 = two23 * two23;
  double a1 = floor(a / two23), a2 = a - two23 * a1, x1 = floor(seed / two23), x2 = seed - two23 * x1;
  double t = a1 * x2 + a2 * x1, z = t - two23 * floor(t / two23), s = two23 * z + a2 * x2;
  seed = s - two46 * floor(s / two46);
  return seed / two46;
}

static int starts[N + 1], *columns;
static double *elements;

/* A sum of outer products of sparse random vectors, with a shifted diagonal. */
static void make(void) {
  double *dense = calloc((size_t)N * N, sizeof *dense), size = 1, ratio = pow(RCOND, 1.0 / N);
  for (int i = 0; i < N; i++) {
    double value[NONZER + 1];
    int place[NONZER + 1], count = 0, has = 0;
    while (count < NONZER) {
      double element = random_(), at = random_();
      int where = (int)(2048 * at) + 1, is_new = where <= N;
      for (int k = 0; k < count; k++) is_new &= place[k] != where - 1;
      if (is_new) { value[count] = element; place[count++] = where - 1; }
    }
    for (int k = 0; k < count; k++) if (place[k] == i) { value[k] = 0.5; has = 1; }
    if (!has) { value[count] = 0.5; place[count++] = i; }
    for (int k = 0; k < count; k++) for (int l = 0; l < count; l++) {
      double product = value[l] * (size * value[k]);
      if (place[l] == place[k] && place[k] == i) product += RCOND - SHIFT;
      dense[(size_t)place[k] * N + place[l]] += product;
    }
    size *= ratio;
  }
  int n = 0;
  for (size_t k = 0; k < (size_t)N * N; k++) n += dense[k] != 0;
  columns = malloc(n * sizeof *columns); elements = malloc(n * sizeof *elements);
  n = 0;
  for (int i = 0; i < N; i++) {
    starts[i] = n;
    for (int j = 0; j < N; j++) if (dense[(size_t)i * N + j] != 0) { columns[n] = j; elements[n++] = dense[(size_t)i * N + j]; }
  }
  starts[N] = n;
  free(dense);
}

static void multiply(const double *x, double *y) {
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int k = starts[i]; k < starts[i + 1]; k++) sum += elements[k] * x[columns[k]];
    y[i] = sum;
  }
}

static double dot(const double *x, const double *y) { double sum = 0; for (int i = 0; i < N; i++) sum += x[i] * y[i]; return sum; }

static double x[N], z[N], p[N], q[N], r[N];
static void solve(void) {
  for (int i = 0; i < N; i++) { z[i] = 0; r[i] = p[i] = x[i]; }
  double rho = dot(r, r);
  for (int it = 0; it < 25; it++) {
    multiply(p, q);
    double alpha = rho / dot(p, q), old = rho;
    for (int i = 0; i < N; i++) { z[i] += alpha * p[i]; r[i] -= alpha * q[i]; }
    rho = dot(r, r);
    for (int i = 0; i < N; i++) p[i] = r[i] + rho / old * p[i];
  }
}

int run_cg(void) {
  double zeta = 0, expected = 8.5971775078648;
  random_();
  make();
  for (int i = 0; i < N; i++) x[i] = 1;
  for (int it = 0; it < NITER; it++) {
    solve();
    zeta = SHIFT + 1 / dot(x, z);
    double scale = 1 / sqrt(dot(z, z));
    for (int i = 0; i < N; i++) x[i] = scale * z[i];
  }
  printf("zeta %.13f error %.1e\n", zeta, fabs(zeta - expected) / expected);
  return !(fabs(zeta - expected) / expected < 1e-10);
}
