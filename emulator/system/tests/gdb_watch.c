/* What watchpoints see: counts in memory, parts of unaligned words, an atomic sequence, a register of the channel. */
#include "cp2.h"
#include "runtime.h"

volatile unsigned total;
volatile uint64_t cell;
volatile char bytes[64] __attribute__((aligned(64)));
uint64_t pair[2];

static void fill(unsigned n) {
  for (unsigned i = 0; i < n; i++) total += i;
}

static uint64_t parts(uint64_t value) {
  /* Bytes 3 to 10. */
  __asm__ volatile("sdl %0, 3(%1)\n\tsdr %0, 10(%1)" : : "r"(value), "r"(bytes) : "memory");
  uint64_t loaded = 0;
  __asm__ volatile("ldl %0, 3(%1)\n\tldr %0, 10(%1)" : "+r"(loaded) : "r"(bytes) : "memory");
  return loaded;
}

static uint64_t add(uint64_t n) {
  uint64_t done;
  __asm__ volatile("lld %0, 0(%1)\n\tdaddu %0, %0, %2\n\tscd %0, 0(%1)" : "=&r"(done) : "r"(&cell), "r"(n) : "memory");
  return done;
}

static void store_pair(uint64_t value) {
  __asm__ volatile("sd %0, 0(%1)\n\tsd %0, 8(%1)" : : "r"(value), "r"(pair) : "memory");
}

static int is_idle(void) { return !(*(volatile uint32_t *)0xffffffffbff00008 & 1); }

int main(void) {
  fill(4);
  parts(0x1122334455667788);
  add(5);
  store_pair(7);
  return is_idle();
}
