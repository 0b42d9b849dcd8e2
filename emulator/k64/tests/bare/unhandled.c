/* A fault before exceptions are handled. */
#include "runtime.h"

int main(void) {
  print("before\n");
  print_hex(*(volatile uint32_t *)0xffffffff98000000);
  return 0;
}
