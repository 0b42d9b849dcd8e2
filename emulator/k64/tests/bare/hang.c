/* Waits for an interrupt that nobody sends. */
#include "runtime.h"

int main(void) {
  handle_exceptions();
  WRITE_CP0(12, (READ_CP0(12) & ~0xff00ul) | 1 << 11 | 1);
  __asm__ volatile("wait");
  return 0;
}
