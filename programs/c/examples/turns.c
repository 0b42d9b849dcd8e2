/* Kernels that take turns at one place of instruction memory; the third lies elsewhere than its source says, and makes a
 * fault. */
#include "cp2.h"
#include "runtime.h"
#include "turns_first_kernel.h"
#include "turns_second_kernel.h"
#include "turns_third_kernel.h"

CP2_OBJECT("turns_first.o")
CP2_OBJECT("turns_second.o")

static void load(unsigned address, const uint64_t *bundles, unsigned size) {
  cp2_load(address, bundles, size / sizeof *bundles);
}

static void start(unsigned address) {
  uint16_t arguments[] = {8};
  cp2_start(address, arguments, 1);
}

static void wait(void) {
  print_decimal((int64_t)cp2_wait());
  print("\n");
}

/* Sends bundles for address 0 while a kernel runs; the processor waits when the FIFO is full. Of two entries that are taken
 * one behind the other, the second finds the PC before a jump. */
static void queue(const uint64_t *bundles, unsigned size) {
  const uint64_t jump_to_0 = 0x28ull << 23;
  cp2_execute(jump_to_0);
  cp2_execute(0);
  for (unsigned i = 0; i < size / sizeof *bundles; i++) __asm__ volatile("ldc2 $0, 0(%0)" : : "r"(bundles + i) : "memory");
}

int main(void) {
  load(0, turns_first, sizeof turns_first);
  start(0);
  queue(turns_second, sizeof turns_second);
  start(0);
  wait();
  load(0, turns_first, sizeof turns_first);
  start(0);
  wait();
  load(16, turns_third, sizeof turns_third);
  start(16);
  wait();
  return 0;
}
