/* A monitor for the bare machine and for the board malta of qemu: commands from the console change memory, the TLB and
 * registers, run code up to its next exception, and print what came of it. All numbers are hexadecimal.
 *
 *   w ADDRESS WORD...              store words from a virtual address on
 *   d ADDRESS                      print a doubleword
 *   r NUMBER VALUE                 register of the code that runs next
 *   g ADDRESS STATUS               run code with this Status up to its next exception
 *   e INDEX MASK HI LO0 LO1        write an entry of the TLB
 *   t INDEX                        print an entry of the TLB
 *   p HI                           search the TLB
 *   z MASK HI LO0 LO1 WIRED        write an entry by tlbwr, print whether its number is right, and put back what was there
 *   i DELAY STATUS CAUSE WAIT      let the timer run out in so many counts, waiting by a loop or by `wait`
 *   c REGISTER VALUE               write a register of coprocessor 0, and print what it reads
 *   q                              end
 *
 * Where the architecture leaves a value open it is not printed; the reasons stand there. */
#include "runtime.h"

#define UART ((volatile uint8_t *)0xffffffffb80003f8)

/* Cause without the lines of the board's devices. */
#define LINES 0xffff83ffu

struct state {
  uint64_t registers[32], hi, lo, pc, status, vector, stack, cp0[32];
};
struct state state;

extern void enter(void);
extern char vectors[], vectors_end[];

static char read_char(void) {
  while (!(UART[5] & 1)) {}
  return (char)UART[0];
}

static char text[1024];
static const char *next;

static void read_line(void) {
  unsigned n = 0;
  for (char c = read_char(); c && c != '\n'; c = read_char())
    if (n + 1 < sizeof text) text[n++] = c;
  text[n] = 0;
  next = text;
}

static int is_over(void) {
  while (*next == ' ') next++;
  return !*next;
}

static uint64_t number(void) {
  uint64_t value = 0;
  for (is_over(); *next && *next != ' '; next++) value = value << 4 | (unsigned)(*next <= '9' ? *next - '0' : *next - 'a' + 10);
  return value;
}

static void told(const char *name, uint64_t value) {
  print_char(' ');
  print(name);
  print_char(' ');
  print_hex(value);
}

static void settle_timer(void) { WRITE_CP0(11, count() - 1); }

/* A store may change code. */
static void synchronize(uint64_t address) {
  __asm__ volatile("sync\n\tcache 0x15, 0(%0)\n\tcache 0x10, 0(%0)" : : "r"(address & ~15ul) : "memory");
}

static void words(void) {
  volatile uint32_t *place = (volatile uint32_t *)number();
  for (; !is_over(); place++) {
    *place = (uint32_t)number();
    synchronize((uint64_t)place);
  }
}

static void run(void) {
  struct state before;
  state.pc = number();
  state.status = number();
  settle_timer();
  before = state;
  enter();
  const uint64_t *cp0 = state.cp0;
  unsigned code = (unsigned)cp0[13] >> 2 & 31;
  int is_tlb = code >= 1 && code <= 3;
  told("vector", state.vector);
  told("epc", cp0[14]);
  told("status", cp0[12] & 0xffffffff);
  /* The number of a coprocessor belongs to one exception alone. */
  told("cause", cp0[13] & LINES & (code == 11 ? 0xffffffff : 0xcfffffff));
  told("error", cp0[30]);
  if (is_tlb || code == 4 || code == 5) told("bad", cp0[8]);
  /* An address error leaves open what these say of pages. */
  told("high", (code == 4 || code == 5 ? cp0[10] & 0xff : cp0[10]) & ~cp0[5]);
  told("context", is_tlb ? cp0[4] : cp0[4] & ~0x7ffffful);
  told("xcontext", is_tlb ? cp0[20] : cp0[20] & ~0x1fffffffful);
  uint64_t frame = cp0[5] >> 13 << 6;
  told("low0", cp0[2] & ~frame);
  told("low1", cp0[3] & ~frame);
  told("mask", cp0[5]);
  told("wired", cp0[6]);
  /* A search that fails leaves the number open. */
  told("index", cp0[0] >> 31 & 1 ? 0x80000000 : cp0[0]);
  if (state.hi != before.hi) told("hi", state.hi);
  if (state.lo != before.lo) told("lo", state.lo);
  for (unsigned i = 1; i < 32; i++)
    if (i != 26 && i != 27 && state.registers[i] != before.registers[i]) {
      print(" r");
      print_decimal(i);
      print_char(' ');
      print_hex(state.registers[i]);
    }
  if (code == 4 || code == 5) WRITE_CP0(10, cp0[10] & 0xff);
  WRITE_CP0(13, 0);
}

struct entry {
  uint64_t mask, high, low0, low1;
};

static struct entry read_entry(unsigned index) {
  WRITE_CP0(0, index);
  __asm__ volatile("ehb\n\ttlbr\n\tehb");
  return (struct entry){READ_CP0(5), READ_CP0(10), READ_CP0(2), READ_CP0(3)};
}

static void set_entry(struct entry entry) {
  WRITE_CP0(5, entry.mask);
  WRITE_CP0(10, entry.high);
  WRITE_CP0(2, entry.low0);
  WRITE_CP0(3, entry.low1);
}

static void write_entry(unsigned index, struct entry entry) {
  set_entry(entry);
  WRITE_CP0(0, index);
  __asm__ volatile("ehb\n\ttlbwi\n\tehb");
}

static int64_t probe(uint64_t high) {
  WRITE_CP0(10, high);
  __asm__ volatile("ehb\n\ttlbp\n\tehb");
  uint64_t index = READ_CP0(0);
  return index >> 31 & 1 ? -1 : (int64_t)index;
}

/* Bits that the size of the pages covers may be kept or not. */
static void print_entry(struct entry e) {
  uint64_t frame = e.mask >> 13 << 6;
  told("mask", e.mask);
  told("high", e.high & ~e.mask);
  told("low0", e.low0 & ~frame);
  told("low1", e.low1 & ~frame);
}

static struct entry entry_of_line(void) {
  struct entry e;
  e.mask = number();
  e.high = number();
  e.low0 = number();
  e.low1 = number();
  return e;
}

static void write_random(void) {
  static struct entry kept[48];
  uint64_t high = READ_CP0(10);
  for (unsigned i = 0; i < 48; i++) kept[i] = read_entry(i);
  struct entry entry = entry_of_line();
  uint64_t wired = number();
  WRITE_CP0(6, wired);
  set_entry(entry);
  __asm__ volatile("ehb\n\ttlbwr\n\tehb");
  int64_t index = probe(entry.high);
  told("is free", index >= (int64_t)wired && index < 48);
  if (index >= 0) {
    print_entry(read_entry((unsigned)index));
    write_entry((unsigned)index, kept[index]);
  }
  set_entry((struct entry){0, high, 0, 0});
  WRITE_CP0(0, 0);
  WRITE_CP0(6, 0);
}

/* b ., nop; and wait, b ., nop. */
static const uint32_t waits[2][4] = {{0x1000ffff, 0, 0, 0}, {0x42000020, 0x1000ffff, 0, 0}};

static void timer(void) {
  uint64_t delay = number(), status = number(), cause = number(), is_wait = number();
  volatile uint32_t *place = (volatile uint32_t *)0xffffffff80f00000;
  for (unsigned i = 0; i < 4; i++) place[i] = waits[is_wait][i];
  synchronize((uint64_t)place);
  WRITE_CP0(13, cause);
  uint32_t compare = count() + (uint32_t)delay;
  WRITE_CP0(11, compare);
  uint64_t is_early = READ_CP0(13) >> 15 & 1;
  if (status & 1 && status >> 15 & 1) {
    state.pc = (uint64_t)place;
    state.status = status;
    enter();
    told("vector", state.vector);
    /* It may come in a delay slot, and has no coprocessor. */
    told("cause", state.cp0[13] & LINES & 0x4fffffff);
    told("status", state.cp0[12] & 0xffffffff);
    told("place", state.cp0[14] - (uint64_t)place <= 8);
  } else
    while ((int32_t)(count() - compare) < 100) {}
  told("early", is_early);
  told("reached", (int32_t)(count() - compare) >= 0);
  told("pending", READ_CP0(13) >> 15 & 1);
  settle_timer();
  told("written", READ_CP0(13) >> 15 & 1);
  WRITE_CP0(13, 0);
}

#define EACH(R) R(2) R(3) R(4) R(5) R(6) R(10) R(12) R(13) R(14) R(20) R(30)

static void change(void) {
  uint64_t n = number(), value = number();
  switch (n) {
#define ONE(R)              \
  case R:                   \
    WRITE_CP0(R, value);    \
    value = READ_CP0(R);    \
    break;
    EACH(ONE)
  }
  WRITE_CP0(12, 0x24000080);
  WRITE_CP0(13, 0);
  WRITE_CP0(6, 0);
  /* The pages of the last miss. */
  if (n == 4) value &= ~0x7ffffful;
  if (n == 20) value &= ~0x1fffffffful;
  told("reads", value);
}

int main(void) {
  static const unsigned offsets[] = {0, 0x80, 0x180, 0x200};
  size_t bytes = (size_t)(vectors_end - vectors) / 4;
  for (unsigned i = 0; i < 4; i++) {
    memcpy((char *)0xffffffff80000000 + offsets[i], vectors + i * bytes, bytes);
    synchronize(0xffffffff80000000 + offsets[i]);
    synchronize(0xffffffff80000010 + offsets[i]);
  }
  WRITE_CP0(12, 0x24000080);
  WRITE_CP0(13, 0);
  WRITE_CP0(6, 0);
  for (unsigned i = 0; i < 48; i++) write_entry(i, (struct entry){0, 0xffffffff80000000 + i * 8192ul, 0, 0});
  settle_timer();
  for (;;) {
    print("\n> ");
    read_line();
    is_over();
    switch (*next ? *next++ : 'q') {
    case 'w': words(); break;
    case 'd': told("is", *(volatile uint64_t *)number()); break;
    case 'r': { uint64_t n = number() & 31; state.registers[n] = number(); break; }
    case 'g': run(); break;
    case 'e': { unsigned index = (unsigned)number(); write_entry(index, entry_of_line()); break; }
    case 't': print_entry(read_entry((unsigned)number())); break;
    case 'p': told("entry", (uint64_t)probe(number())); break;
    case 'z': write_random(); break;
    case 'i': timer(); break;
    case 'c': change(); break;
    default: print("end\n"); return 0;
    }
  }
}
