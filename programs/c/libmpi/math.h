/* What the FPU computes exactly as every other: roots, signs, whole numbers. */
#ifndef MATH_H
#define MATH_H

#define M_PI 3.14159265358979323846
static inline double fabs(double x) { return __builtin_fabs(x); }
static inline float fabsf(float x) { return __builtin_fabsf(x); }
static inline double sqrt(double x) {
  __asm__("sqrt.d %0, %1" : "=f"(x) : "f"(x));
  return x;
}
static inline float sqrtf(float x) {
  __asm__("sqrt.s %0, %1" : "=f"(x) : "f"(x));
  return x;
}
static inline double fmax(double a, double b) { return b > a || a != a ? b : a; }
static inline double fmin(double a, double b) { return b < a || a != a ? b : a; }
static inline float fmaxf(float a, float b) { return b > a || a != a ? b : a; }
static inline float fminf(float a, float b) { return b < a || a != a ? b : a; }
#endif
