#include <stdio.h>
#include <stdint.h>
int main(void) {
  uint64_t x = 88172645463325252ull, s = 0;
  for (long i = 0; i < 100000000; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; s += x & 255; }
  printf("%llu\n", (unsigned long long)s);
  return 0;
}
