/* y = a x on CP2, with arrays of the user:
 * cp2 run scale.elf --load x=x.npy --load a=a.npy --store y=y.npy:float32:shape=256. */
#include "cp2.h"
#include "runtime.h"
#include "scale_kernel.h"

CP2_OBJECT("scale.o")

enum { NUMBERS = 256, WORDS = NUMBERS / 2, BEATS = WORDS / 2 / CP2_SECTIONS };
float x[NUMBERS] __attribute__((aligned(64))), y[NUMBERS] __attribute__((aligned(64)));
/* In both halves of a word; the channel brings two words at a time. */
float a = 2;
static float factor[4] __attribute__((aligned(64)));
static struct cp2_descriptor queue[2] __attribute__((aligned(64)));

int main(void) {
  struct cp2_pattern every[CP2_SECTIONS], share[CP2_SECTIONS];
  uint16_t arguments[] = {WORDS / CP2_SECTIONS};
  cp2_load(0, scale, sizeof scale / sizeof *scale);
  cp2_all(every);
  cp2_dealt(share, 1);
  for (unsigned i = 0; i < 4; i++) factor[i] = a;
  queue[0] = cp2_get(cp2_rows(physical(factor), 2, 0, 1), cp2_linear(4096, 1), every);
  queue[1] = cp2_get(cp2_rows(physical(x), WORDS, 0, 1), cp2_interleaved(0, BEATS), share);
  dma_stop_after(queue + 1);
  dma_start(queue);
  dma_wait();
  cp2_start(0, arguments, 1);
  cp2_wait();
  queue[0] = cp2_put(cp2_rows(physical(y), WORDS, 0, 1), cp2_linear(2048, BEATS), 1);
  dma_stop_after(queue);
  dma_start(queue);
  dma_wait();
  return 0;
}
