/* Corner cases of integers: overflow, division, shifts, conversions, bit fields, unaligned data. */
#include "suite.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const int64_t values[] = {0, 1, -1, 2, -2, 7, -7, 255, 32767, -32768, 65535, INT32_MAX, INT32_MIN,
    4294967295LL, 4294967296LL, -4294967296LL, INT64_MAX, INT64_MIN, 0x123456789abcdefLL, -0x123456789abcdefLL};
enum { N = sizeof values / sizeof *values };

struct fields { unsigned a : 3; int b : 5; unsigned c : 17; int64_t d : 40; uint64_t e : 24; };
struct __attribute__((packed)) unaligned { char c; int32_t w; char d; int64_t l; int16_t h; };

static uint64_t sum;
static void mix(uint64_t x) { sum = (sum ^ x) * 0x100000001b3u; sum ^= sum >> 29; }

static void pair(int64_t a, int64_t b) {
  uint64_t x = a, y = b;
  int32_t i = (int32_t)a, j = (int32_t)b;
  uint32_t u = (uint32_t)a, v = (uint32_t)b;
  mix(x + y); mix(x - y); mix(x * y); mix(u + v); mix(u * v);
  mix((uint64_t)((__int128)a * b >> 64)); mix((uint64_t)((unsigned __int128)x * y >> 64));
  mix(a < b); mix(x < y); mix(i < j); mix(u < v);
  mix((uint64_t)i * (uint64_t)j); mix((uint64_t)u * v);
  if (b && !(a == INT64_MIN && b == -1)) { mix(a / b); mix(a % b); }
  if (y) { mix(x / y); mix(x % y); mix((uint64_t)(((unsigned __int128)x << 32) / y)); }
  if (j && !(i == INT32_MIN && j == -1)) { mix(i / j); mix(i % j); }
  if (v) { mix(u / v); mix(u % v); }
  mix(x << (y & 63)); mix(x >> (y & 63)); mix(a >> (y & 63));
  mix(u << (v & 31)); mix(u >> (v & 31)); mix(i >> (v & 31));
  mix(x ? __builtin_clzll(x) : 64); mix(u ? __builtin_ctz(u) : 32); mix(__builtin_popcountll(x));
  mix(__builtin_bswap64(x)); mix(__builtin_bswap32(u)); mix((int8_t)a); mix((int16_t)a); mix((uint16_t)a);
  int64_t r; mix(__builtin_add_overflow(a, b, &r)); mix(r); mix(__builtin_mul_overflow(i, j, &i)); mix(i);
}

int run_integers(void) {
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) pair(values[i], values[j]);
  printf("pairs %016" PRIx64 "\n", sum);
  struct fields f = {0};
  struct unaligned p;
  char bytes[sizeof p];
  for (int i = 0; i < N; i++) {
    int64_t x = values[i];
    f.a = x; f.b = x >> 3; f.c = x >> 5; f.d = x; f.e = x >> 7;
    p.c = x; p.w = x; p.d = x >> 8; p.l = x; p.h = x >> 4;
    memcpy(bytes, &p, sizeof p);
    for (unsigned k = 0; k < sizeof p; k++) mix(bytes[k]);
    mix(f.a); mix(f.b); mix(f.c); mix(f.d); mix(f.e); mix(p.w); mix(p.l); mix(p.h);
  }
  printf("fields %016" PRIx64 "\n", sum);
  printf("%d %d %lld %lld\n", -7 / 2, -7 % 2, (long long)INT64_MIN / 3, (long long)INT64_MIN % 3);
  return (int)(sum & 127);
}
