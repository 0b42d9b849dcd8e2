/* Floating point in the manner of paranoia: radix, precision, rounding in four modes, flags, under- and overflow,
   conversions, NaNs, both precisions. */
#include "suite.h"
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#pragma STDC FENV_ACCESS ON

static uint64_t bits(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }
static uint32_t bitsf(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }

static void radix(void) {
  volatile double w = 1, z, y, one = 1;
  do { w = w + w; y = w + one; z = y - w; y = z - one; } while (-1 + fabs(y) < 0);
  volatile double r, p = 1;
  do { r = w + p; p = p + p; r = r - w; } while (r == 0);
  int digits = 0;
  w = 1;
  do { digits++; w = w * r; y = w + one; z = y - w; } while (z == 1);
  printf("radix %g digits %d\n", r, digits);
  volatile double e = 1, last = 1;
  while (e > 0) { last = e; e = e / 2; }
  printf("least %a\n", last);
}

static const double values[] = {0.0, -0.0, 1.0, -1.5, 1.0 / 3, 1e300, -1e300, 1e-300, 5e-324, DBL_MIN, DBL_MAX, 0.1, 0.7,
    2147483647.5, -2147483648.5, 9007199254740993.0, 1e19, INFINITY, -INFINITY, 16777217.0, 1e-40, 3e38, 4503599627370497.5};
enum { N = sizeof values / sizeof *values };

static void flags(const char *name, uint64_t result) {
  static uint64_t sum;
  sum = (sum ^ result) * 0x100000001b3u + (uint64_t)fetestexcept(FE_ALL_EXCEPT);
  if (name) printf("%s %016llx\n", name, (unsigned long long)sum);
  feclearexcept(FE_ALL_EXCEPT);
}

static void all(int mode, const char *name) {
  fesetround(mode);
  for (int i = 0; i < N; i++) {
    volatile double a = values[i];
    volatile float fa = (float)a;
    flags(0, bitsf(fa)); flags(0, bits(sqrt(a))); flags(0, bitsf(sqrtf(fa)));
    volatile double ra = rint(a);
    flags(0, bits(ra));
    if (fabs(a) < 2e9) { volatile int n = (int)a; flags(0, (uint64_t)n); }
    if (fabs(a) < 9e18) { volatile long n = (long)a; flags(0, (uint64_t)n); volatile double b = n + 1; flags(0, bits(b)); volatile float c = n; flags(0, bitsf(c)); }
    for (int j = 0; j < N; j++) {
      volatile double b = values[j];
      volatile float fb = (float)b;
      flags(0, 0);
      volatile double s = a + b, d = a - b, p = a * b, q = a / b;
      flags(0, bits(s) ^ bits(d) * 3 ^ bits(p) * 5 ^ bits(q) * 7);
      volatile float fs = fa + fb, fd = fa - fb, fp = fa * fb, fq = fa / fb;
      flags(0, bitsf(fs) ^ bitsf(fd) * 3ul ^ bitsf(fp) * 5ul ^ bitsf(fq) * 7ul);
      flags(0, (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | isunordered(a, b) << 4);
    }
  }
  flags(name, 0);
  fesetround(FE_TONEAREST);
}

int run_floats(void) {
  radix();
  all(FE_TONEAREST, "nearest"); all(FE_TOWARDZERO, "zero"); all(FE_UPWARD, "up"); all(FE_DOWNWARD, "down");
  volatile double zero = 0, nan = zero / zero;
  printf("nan %d %d inf %g %g\n", nan == nan, isnan(nan) != 0, 1 / zero, -1 / zero);
  for (double x = 0.1; x < 30; x *= 1.7)
    printf("%.17g %.17g %.17g %.17g %.17g\n", sin(x), exp(-x), log(x), pow(x, 1.3), atan2(x, 2));
  printf("%.3f %e %g %a %.0f %10.4Lf\n", 2.0005, 1e-310, 1e21, 0.1, 2.5, (long double)M_PI);
  return 0;
}
