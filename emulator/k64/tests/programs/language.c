/* The language, in the manner of a conformance suite: a case is a function that is 1 if the language is as it should
 * be; those that are not are named. */
#include "suite.h"
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What the compiler must not know. */
static volatile int zero, one = 1, minus = -1;
static int calls;
static int called(int value) { calls++; return value; }

static int promotions(void) {
  unsigned char c = 255;
  signed char s = (signed char)(127 + one);
  unsigned short h = 65535;
  unsigned u = (unsigned)minus;
  return c + one == 256 && s == -128 && h * one > 0 && (u > 0) && !(minus < (int)zero - 1) && (minus > 1u) && -1L < 1u;
}
static int conversions(void) {
  double d = 3.99 * one;
  float f = 16777217 * one;
  long long l = (long long)-2.5 * one;
  _Bool b = 0.1 * one;
  return (int)d == 3 && (int)-d == -3 && f == 16777216.0f && l == -2 && b == 1 && (bool)(double)zero == 0 &&
         (uint8_t)(300 * one) == 44 && (int64_t)(uint32_t)minus == 4294967295LL && (uint64_t)minus == UINT64_MAX;
}
static int order(void) {
  calls = 0;
  int a = called(zero) && called(1), b = called(one) || called(0), c = zero ? called(1) : called(2);
  int d = (called(1), called(5));
  return !a && b && c == 2 && d == 5 && calls == 5;
}
static int operators(void) {
  int i = 5 * one, a[4] = {1, 2, 3, 4}, *p = a;
  int b = i++, c = *p++, d = --i;
  c += *++p;
  b ^= c <<= 2;
  return b == (5 ^ 16) && c == 16 && d == 5 && i == 5 && p == a + 2 && p[-1] == 2 && 1 [p] == 4 && &a[3] - p == 1 && -7 / (2 * one) == -3 &&
         -7 % (2 * one) == -1 && (~zero & 0xf0) == 240 && (minus >> 1) == -1 && (unsigned)minus >> 31 == 1;
}
static int loops(void) {
  int sum = 0, k = 0;
  for (int i = 0, j = 10 * one; i < j; i++, j--) { if (i == 2) continue; if (i == 4) break; sum += i * j; }
  do k++; while (k < 7 * one);
  while (k --> 3) sum += k;
again:
  if (sum++ < 60) goto again;
  return sum == 61 && k == 2;
}
static int in_switch(int n) {
  int r = 0;
  switch (n) {
  case -5 ... -2: r = 1; break;
  case 0: r += 2; /* on */
  case 1: r += 4; break;
  case 1000000: r = 9; break;
  default: r = 7;
  case 3: r += 20;
  }
  return r;
}
static int switches(void) {
  unsigned at = (unsigned)(7 * one);
  unsigned n = 0;
  /* Duff. */
  switch (at % 4) { do { case 0: n++; case 3: n++; case 2: n++; case 1: n++; } while (n < at); }
  return in_switch(-3 * one) == 1 && in_switch(zero) == 6 && in_switch(one) == 4 && in_switch(3 * one) == 20 &&
         in_switch(1000000 * one) == 9 && in_switch(99 * one) == 27 && n == 7;
}
struct pair { int x; struct { char name[3]; union { float f; uint32_t u; }; } in; };
static struct pair table[] = {[2] = {.x = 7, .in = {.name = "ab", .u = 0x3f800000}}, [0] = {1, {{'z'}, {2.5f}}}};
static int initializers(void) {
  int a[] = {[5] = 1, 2, [1] = 8}, m[2][3] = {{1}, {4, 5}};
  struct pair p = {.in.f = -1.5f, .x = 3 * one}, *q = &(struct pair){.x = p.x + 1};
  char text[] = "ab" "cd", full[3] = "xyz";
  return sizeof a == 7 * sizeof *a && a[6] == 2 && a[1] == 8 && !a[0] && m[0][2] == 0 && m[1][1] == 5 && q->x == 4 &&
         p.in.u == 0xbfc00000 && table[2].in.f == 1.0f && table[1].x == 0 && sizeof text == 5 && full[2] == 'z' && sizeof table == 36;
}
static struct pair changed(struct pair p) { p.x *= 10; p.in.name[1] = '!'; return p; }
struct one_double { double d; };
struct two_floats { float a, b; };
struct mixed { float a; double b; };
static struct one_double half(struct one_double v) { v.d /= 2; return v; }
static struct two_floats swapped(struct two_floats v) { return (struct two_floats){v.b, v.a}; }
static struct mixed negated(int k, struct mixed v, double w) { return (struct mixed){-v.a * (float)k, -v.b * w}; }
static int structures(void) {
  struct pair p = {4 * one, {"uv", {0}}}, q = changed(p);
  struct two_floats f = swapped((struct two_floats){1.5f, 2.5f * (float)one});
  struct mixed m = negated(2, (struct mixed){1.25f, 8}, 0.5 * one);
  return p.x == 4 && q.x == 40 && q.in.name[1] == '!' && p.in.name[1] == 'v' && half((struct one_double){9}).d == 4.5 &&
         f.a == 2.5f && f.b == 1.5f && m.a == -2.5f && m.b == -4;
}
struct bits { signed a : 3; unsigned b : 4, : 0, c : 31; uint64_t d : 35; _Bool e : 1; };
static int bit_fields(void) {
  struct bits v = {0};
  v.a = 3 * one; v.a += 1; v.b = (unsigned)(17 * one) & 15; v.c = (unsigned)minus & 0x7fffffff; v.d = 1ull << 34; v.d *= 2 * (unsigned)one; v.e = (2 * one) != 0;
  v.c++;
  return v.a == -4 && v.b == 1 && v.c == 0 && v.d == 0 && v.e == 1;
}
static int recursion(int n) { return n < 2 ? n : recursion(n - 1) + recursion(n - 2); }
static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static double many(int a, double b, float c, long d, short e, char f, double g, unsigned h, double i, float j, int k, double l) {
  return a + b * 2 + c * 3 + (double)d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11 + l * 12;
}
static int functions(void) {
  int (*const f[])(int) = {called, recursion};
  double (*g)(int, double, float, long, short, char, double, unsigned, double, float, int, double) = many;
  return f[one](15) == 610 && ackermann(2, 5 * one) == 13 && f[zero](4) == 4 &&
         g(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 * one, 12) == 650;
}
static int variable(int n) {
  int a[n][n + 1], sum = 0;
  for (int i = 0; i < n; i++) for (int k = 0; k <= n; k++) a[i][k] = i * k;
  for (int i = 0; i < n; i++) sum += a[i][n];
  return sizeof a == (size_t)n * ((size_t)n + 1) * sizeof(int) ? sum : -1;
}
static int arrays(void) {
  char text[20] = "kernel";
  const char *end = strchr(text, 'n');
  long grid[3][4][5];
  for (int i = 0; i < 60; i++) (&grid[0][0][0])[i] = i * one;
  return variable(6 * one) == 90 && end - text == 3 && grid[2][3][4] == 59 && *(*(*(grid + 1) + 2) + 3) == 33 && sizeof grid[0] == 20 * sizeof(long);
}
static int statics(void) { static int n = 40; return n += one; }
static int storage(void) {
  int first = statics(), hidden = 1;
  { int hidden = 2 * one; first += hidden; }
  return first == 43 && statics() == 42 && hidden == 1;
}
static int limits(void) {
  long long most = LLONG_MAX * one;
  return CHAR_BIT == 8 && sizeof(long) == 8 && sizeof(void *) == 8 && (unsigned long long)most + 1 == 1ull << 63 && INT_MIN == -INT_MAX - 1 &&
         *(const unsigned char *)&one == 0 && UINT_MAX + (unsigned)one == 0 && (char)(128 * one) == -128;
}
#define STRING(x) #x
#define JOINED(a, b) a##b
#define LAST(first, ...) (0, __VA_ARGS__)
static int preprocessor(void) {
  int JOINED(va, lue) = 6 * one;
  return !strcmp(STRING(a + "b"), "a + \"b\"") && value == 6 && LAST(1, 2, 3 * one) == 3 && __LINE__ > 100 && _Generic(1.0f, float: 1, default: 0);
}

int run_language(void) {
  static const struct { const char *name; int (*is_right)(void); } cases[] = {
      {"promotions", promotions}, {"conversions", conversions}, {"order", order}, {"operators", operators}, {"loops", loops},
      {"switches", switches}, {"initializers", initializers}, {"structures", structures}, {"bit fields", bit_fields},
      {"functions", functions}, {"arrays", arrays}, {"storage", storage}, {"limits", limits}, {"preprocessor", preprocessor},
  };
  int wrong = 0;
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    int is_right = cases[i].is_right();
    printf("%s %d\n", cases[i].name, is_right);
    wrong += !is_right;
  }
  return wrong;
}
