/* CP2 by its instructions: registers, the FIFO when it is full, interrupts at its stop and at the end of a transfer,
 * memory that both see. */
#include "cp2.h"
#include "runtime.h"

static volatile unsigned n_stops, n_transfers;
static volatile uint64_t stop_code;

#define DMA(offset) (*(volatile uint32_t *)(0xffffffffbff00000 + (offset)))

void on_exception(struct frame *f) {
  unsigned code = f->cause >> 2 & 31, lines = f->cause >> 8 & 0xff;
  if (code) {
    print("exception ");
    print_hex(code);
    print(" coprocessor ");
    print_hex(f->cause >> 28 & 3);
    print("\n");
    f->epc += 4;
    return;
  }
  if (lines & 1 << 3) {
    stop_code = cp2_stop_code();
    n_stops++;
  }
  if (lines & 1 << 2) {
    (void)DMA(0x0c); /* CONFIG says that a read of INT clears the causes */
    n_transfers++;
  }
}

static void line(const char *what, uint64_t value) {
  print(what);
  print_char(' ');
  print_hex(value);
  print_char('\n');
}

/* Runs for longer than the processor takes to fill the FIFO, its caches empty. */
enum { NOP_BUNDLES = 1024 };
static uint64_t kernel[NOP_BUNDLES + 2];
static uint64_t source[64] __attribute__((aligned(4096))), result[64] __attribute__((aligned(4096)));

static void transfer(uint32_t from, int asks) {
  static struct cp2_descriptor queue[2] __attribute__((aligned(64)));
  struct cp2_pattern share[CP2_SECTIONS];
  cp2_dealt(share, 1);
  queue[0] = cp2_get(cp2_rows(from, 64, 0, 1), cp2_interleaved(0, 8), share);
  queue[1] = cp2_put(cp2_rows(physical(result), 64, 0, 1), cp2_linear(0, 8), 1);
  if (asks) queue[1].word[0] |= 1ull << 62;
  dma_stop_after(queue + 1);
  dma_start(queue);
}

int main(void) {
  handle_exceptions();
  for (unsigned i = 0; i < NOP_BUNDLES; i++) kernel[i] = 0;
  kernel[NOP_BUNDLES] = 0x04000007; /* stopi 7 */
  cp2_load(0x100, kernel, NOP_BUNDLES + 2);
  CP2_WRITE(1, 0x0123456789abcdef);
  line("comm", CP2_READ(1));
  int32_t low, high;
  __asm__ volatile("mfc2 %0, $1\n\tmfc2 %1, $17" : "=r"(low), "=r"(high));
  line("low", (uint64_t)low);
  line("high", (uint64_t)high);
  __asm__ volatile("mtc2 %0, $31\n\tmtc2 %1, $1" : : "r"(0x11112222), "r"(0x33334444));
  line("two words", CP2_READ(1));
  static const uint32_t word = 0x55556666;
  __asm__ volatile("lwc2 $31, %0\n\tmtc2 %1, $1" : : "m"(word), "r"(0x77778888));
  line("buffer from memory", CP2_READ(1));
  line("idle", cp2_status());
  /* A kernel, whose end is polled. */
  cp2_start(0x100, 0, 0);
  line("code", cp2_wait());
  /* A full FIFO: while a kernel runs nothing is taken. */
  cp2_start(0x100, 0, 0);
  unsigned n = 0, full;
  do {
    cp2_execute(0);
    n++;
    __asm__ volatile(".set push\n.set noreorder\nbc2t 1f\nli %0, 1\nli %0, 0\n1: .set pop" : "=r"(full));
  } while (!full && n < 1000);
  line("entries", n);
  cp2_execute(0); /* waits for the kernel's end */
  line("behind it", cp2_status() & 1);
  __asm__ volatile(".set push\n.set noreorder\nbc2f 1f\nli %0, 1\nli %0, 0\n1: .set pop" : "=r"(full));
  line("room", full);
  cp2_wait();
  /* The same by interrupts. */
  WRITE_CP0(12, (READ_CP0(12) & ~0xff00ul) | 1 << 10 | 1 << 11 | 1);
  cp2_stop_code();
  unsigned before = n_stops;
  cp2_start(0x100, 0, 0);
  while (n_stops == before) __asm__ volatile("wait");
  line("stop", stop_code);
  DMA(0x1004) = 4;
  DMA(0x1010) = 2;
  for (unsigned i = 0; i < 64; i++) source[i] = i * 0x0101010101010101;
  transfer(physical(source), 1);
  while (!n_transfers) __asm__ volatile("wait");
  unsigned wrong = 0;
  for (unsigned i = 0; i < 64; i++) wrong += result[i] != source[i];
  line("wrong", wrong);
  /* What was in this processor's memory before is not taken for what the channel has written. */
  for (unsigned i = 0; i < 64; i++) source[i] = ~source[i];
  transfer(physical(source), 0);
  dma_wait();
  for (unsigned i = 0; i < 64; i++) wrong += result[i] != source[i];
  line("wrong", wrong);
  /* Memory beyond the hole. */
  volatile uint64_t *upper = (volatile uint64_t *)0x9000000020000000;
  for (unsigned i = 0; i < 64; i++) upper[i] = i << 7;
  transfer(0x20000000, 0);
  dma_wait();
  for (unsigned i = 0; i < 64; i++) wrong += result[i] != i << 7;
  line("wrong", wrong);
  line("interrupts", n_transfers);
  /* Without coprocessor 2. */
  WRITE_CP0(12, READ_CP0(12) & ~(1ul << 30));
  __asm__ volatile("dmfc2 $8, $3" : : : "$8");
  WRITE_CP0(12, READ_CP0(12) | 1ul << 30);
  cp2_start(0x100, 0, 0);
  return (int)cp2_wait() - 7;
}
