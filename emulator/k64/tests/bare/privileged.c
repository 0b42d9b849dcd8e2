/* Coprocessor 0 on the bare machine: exceptions, segments, the TLB, user mode, the timer. What it prints is the same
 * on another emulator's board with a core of release 1. */
#include "runtime.h"

static volatile uint64_t n_interrupts;
static uint64_t resume;
static char pages[4 * 4096] __attribute__((aligned(16384)));

static void line(const char *what, uint64_t value) {
  print(what);
  print_char(' ');
  print_hex(value);
  print_char('\n');
}

/* As one instruction each, which never stands in a delay slot. */
static uint64_t load(uint64_t address) {
  uint64_t value = 0;
  __asm__ volatile("lw %0, 0(%1)" : "+r"(value) : "r"(address) : "memory");
  return value;
}

static void store(uint64_t address, uint64_t value) {
  __asm__ volatile("sw %0, 0(%1)" : : "r"(value), "r"(address) : "memory");
}

void on_exception(struct frame *f) {
  unsigned code = f->cause >> 2 & 31;
  if (code == 0) {
    n_interrupts++;
    WRITE_CP0(11, count() + 1000000000);
    return;
  }
  line("exception", code);
  line(" delay slot", f->cause >> 31 & 1);
  if (code == 11) line(" coprocessor", f->cause >> 28 & 3);
  if (code < 6) line(" address", f->bad_address);
  if (code < 4) {
    line(" entry high", READ_CP0(10));
    line(" context", READ_CP0(4) & 0x7fffff);
  }
  if (resume && code == 9) {
    /* From user mode back to the kernel. */
    f->epc = resume;
    WRITE_CP0(12, READ_CP0(12) & ~0x10ul);
  } else f->epc += f->cause >> 31 & 1 ? 8 : 4;
}

static void exceptions(void) {
  static const uint64_t words[2] = {0x0123456789abcdef, 0xfedcba9876543210};
  uint64_t value = 1;
  __asm__ volatile("lw %0, 2(%1)" : "+r"(value) : "r"(words));
  line("kept", value);
  __asm__ volatile("sd %0, 4(%1)" : : "r"(value), "r"(words));
  __asm__ volatile("syscall");
  __asm__ volatile("break 7");
  __asm__ volatile("teq $0, $0");
  __asm__ volatile("add %0, %1, %1" : "=r"(value) : "r"(0x7fffffffl));
  __asm__ volatile(".word 0xec000000");
  __asm__ volatile(".set push\n.set noreorder\nbeq $0, $0, 1f\nlw $8, 1(%0)\n1: nop\n.set pop" : : "r"(words) : "$8");
  /* Without the FPU. */
  uint64_t status = READ_CP0(12);
  WRITE_CP0(12, status & ~(1ul << 29));
  __asm__ volatile("dmtc1 $0, $f0" : : : "$f0");
  WRITE_CP0(12, status);
  /* Invalid is enabled. */
  __asm__ volatile("ctc1 %0, $31\n\tdmtc1 $0, $f0\n\tdiv.d $f2, $f0, $f0\n\tctc1 $0, $31" : : "r"(0x800) : "$f0", "$f2");
}

static void segments(void) {
  uint64_t uncached = 0xffffffffa0000000 | physical(pages);
  uint64_t wide = 0x9000000000000000 | physical(pages);
  store(uncached, 0x1234);
  line("uncached", load(uncached));
  store(wide, load(wide) + 1);
  line("wide", load(uncached));
  uint64_t status = READ_CP0(12);
  WRITE_CP0(12, status & ~0x80ul);
  line("narrow", load(wide));
  WRITE_CP0(12, status);
}

/* Pairs of pages of 4 KiB. */
static void map(unsigned number, uint64_t address, uint64_t low0, uint64_t low1) {
  WRITE_CP0(5, 0);
  WRITE_CP0(10, address);
  WRITE_CP0(2, low0);
  WRITE_CP0(3, low1);
  WRITE_CP0(0, number);
  __asm__ volatile("tlbwi\n\tehb");
}

static uint64_t frame_of(const void *place, unsigned bits) { return (uint64_t)(physical(place) >> 12) << 6 | 2 << 3 | bits; }

static void tlb(void) {
  for (unsigned i = 0; i < 48; i++) map(i, 0xffffffff80000000 + i * 8192ul, 0, 0);
  store(0xffffffffa0000000 | physical(pages), 0x5555);
  line("missed", load(0x400000));
  map(5, 0x400000, frame_of(pages, 6), frame_of(pages + 4096, 2));
  line("hit", load(0x400000));
  store(0x400000, 0x6666);
  line("stored", load(0x400000));
  store(0x401000, 1);
  map(5, 0x400000, frame_of(pages, 6), frame_of(pages + 4096, 0));
  line("invalid", load(0x401000));
  WRITE_CP0(10, 0x400000);
  __asm__ volatile("tlbp\n\tehb");
  line("index", READ_CP0(0));
  WRITE_CP0(10, 0x402000);
  __asm__ volatile("tlbp\n\tehb");
  line("no index", READ_CP0(0) >> 31 & 1);
  /* Another address space. */
  map(6, 0x404001, frame_of(pages, 6), frame_of(pages, 6));
  WRITE_CP0(10, 2);
  line("another space", load(0x404000));
  WRITE_CP0(10, 1);
  line("space", load(0x404000));
  WRITE_CP0(0, 6);
  __asm__ volatile("tlbr\n\tehb");
  line("entry high", READ_CP0(10));
  line("entry low", READ_CP0(2));
  WRITE_CP0(10, 0);
}

/* A system call, a load from a kernel address, an operation of coprocessor 0; the last one comes back. */
static const uint32_t user_code[] = {
    0x0000000c, /* syscall */
    0x3c088010, /* lui $8, 0x8010 */
    0x8d080000, /* lw $8, ($8) */
    0x40086000, /* mfc0 $8, $12 */
    0x0000000d, /* break */
};

static void user_mode(void) {
  memcpy((void *)(0xffffffffa0000000 | physical(pages)), user_code, sizeof user_code);
  map(7, 0x10000, frame_of(pages, 7), frame_of(pages + 4096, 7));
  uint64_t status = READ_CP0(12);
  WRITE_CP0(14, 0x10000);
  WRITE_CP0(12, status | 0x12); /* user mode, behind eret */
  __asm__ volatile("dla $8, 1f\n\tsd $8, %0\n\teret\n1:" : "=m"(resume) : : "$8", "memory");
  WRITE_CP0(12, status);
  resume = 0;
  line("kernel", READ_CP0(12) & 0x1f);
}

static void timer(void) {
  WRITE_CP0(11, count() + 5000);
  WRITE_CP0(12, (READ_CP0(12) & ~0xff00ul) | 1 << 15 | 1);
  while (!n_interrupts) {}
  line("interrupts", n_interrupts);
  WRITE_CP0(11, count() + 500000);
  __asm__ volatile("wait");
  while (n_interrupts < 2) {}
  line("interrupts", n_interrupts);
  WRITE_CP0(12, READ_CP0(12) & ~1ul);
  /* Software raises one. */
  WRITE_CP0(13, 1 << 8);
  WRITE_CP0(12, READ_CP0(12) | 1 << 8);
  line("pending", READ_CP0(13) >> 8 & 1);
  WRITE_CP0(13, 0);
}

int main(void) {
  print("bare machine\n");
  handle_exceptions();
  exceptions();
  segments();
  tlb();
  user_mode();
  timer();
  return 42;
}
