/* A transfer from where no memory is. */
#include "cp2.h"
#include "runtime.h"

int main(void) {
  static struct cp2_descriptor queue[1] __attribute__((aligned(64)));
  struct cp2_pattern share[CP2_SECTIONS];
  cp2_dealt(share, 1);
  queue[0] = cp2_get(cp2_rows(0xf0000000, 64, 0, 1), cp2_interleaved(0, 8), share);
  dma_stop_after(queue);
  print("before\n");
  dma_start(queue);
  dma_wait();
  print("behind\n");
  return 0;
}
