/* Every rank has a board: CP2 scales numbers that the channel brings to local memory, the ranks pass them on around a ring, and CP2
 * of the next one scales them again. Under another MPI the processor does what CP2 does here. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 256 };
static float x[NUMBERS] __attribute__((aligned(64))), y[NUMBERS] __attribute__((aligned(64)));

#ifdef __mips__
#include "cp2.h"
#include "runtime.h"
#include "scale_kernel.h"

CP2_OBJECT("scale.o")

enum { WORDS = NUMBERS / 2, BEATS = WORDS / 2 / CP2_SECTIONS };
static float factor[4] __attribute__((aligned(64)));
static struct cp2_descriptor queue[2] __attribute__((aligned(64)));

static void begin(void) { cp2_load(0, scale, sizeof scale / sizeof *scale); }

static void multiply(float by) {
  struct cp2_pattern every[CP2_SECTIONS], share[CP2_SECTIONS];
  uint16_t arguments[] = {WORDS / CP2_SECTIONS};
  cp2_all(every);
  cp2_dealt(share, 1);
  for (unsigned k = 0; k < 4; k++) factor[k] = by;
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
}
#else
static void begin(void) {}

static void multiply(float by) {
  for (int k = 0; k < NUMBERS; k++) y[k] = by * x[k];
}
#endif

/* FNV-1a of the bits. */
static unsigned long checksum(void) {
  unsigned long sum = 0xcbf29ce484222325;
  for (int k = 0; k < NUMBERS; k++) {
    uint32_t bits;
    memcpy(&bits, y + k, sizeof bits);
    sum = (sum ^ bits) * 0x100000001b3;
  }
  return sum;
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  begin();
  for (int k = 0; k < NUMBERS; k++) x[k] = (float)(k + 1) / (float)(rank + 3);
  for (int step = 0; step < size; step++) {
    multiply(1 + 1 / (float)(rank + 7));
    MPI_Sendrecv(y, NUMBERS, MPI_FLOAT, next, step, x, NUMBERS, MPI_FLOAT, before, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  multiply(0.5f);
  unsigned long own = checksum(), all[64];
  MPI_Gather(&own, 1, MPI_UNSIGNED_LONG, all, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
  for (int from = 0; rank == 0 && from < size; from++) printf("rank %d: %016lx\n", from, all[from]);
  MPI_Finalize();
  return 0;
}
