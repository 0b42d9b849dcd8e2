/* An integer loop, to tell speeds by. */
#include "suite.h"
#include <stdint.h>
#include <stdio.h>

int run_loop(void) {
  uint64_t x = 88172645463325252u, sum = 0;
  for (long i = 0; i < 100000000; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; sum += x & 255; }
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
