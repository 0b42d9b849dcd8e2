/* What gdb is shown: C with local variables, and a kernel of CP2. */
#include "cp2.h"
#include "runtime.h"

static unsigned sum_of_squares(unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 1; i <= n; i++)
    sum += i * i;
  return sum;
}

/* gdb_kernel.s, from bundle 16 on. */
static unsigned run_kernel(unsigned argument) {
  static const uint64_t bundles[] = {0x10040005, 0, 0x864000, 0x4000003, 0};
  uint16_t arguments[2] = {7, (uint16_t)argument};
  cp2_load(16, bundles, 5);
  cp2_start(16, arguments, 2);
  return (unsigned)cp2_wait();
}

int main(void) {
  unsigned sum = sum_of_squares(5);
  unsigned code = run_kernel(sum);
  *(volatile uint32_t *)0xffffffff98000000 = code;
  return 0;
}
