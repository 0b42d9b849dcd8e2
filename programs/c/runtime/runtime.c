/* Console, exit, time, memory, exceptions on the bare machine. */
#include "runtime.h"

/* In the uncached segment. */
#define UART ((volatile uint8_t *)0xffffffffb80003f8)
#define EXIT ((volatile uint32_t *)0xffffffffb8000400)
/* What ends the emulator of another board, malta, which has no register for exits. */
#define MALTA_RESET ((volatile uint32_t *)0xffffffffbf000500)

void print_char(char c) {
  while (!(UART[5] & 0x20)) {}
  UART[0] = (uint8_t)c;
}

void print(const char *text) {
  while (*text) print_char(*text++);
}

static void print_number(uint64_t value, unsigned base) {
  char text[20];
  int n = 0;
  do text[n++] = "0123456789abcdef"[value % base];
  while (value /= base);
  while (n) print_char(text[--n]);
}

void print_hex(uint64_t value) { print_number(value, 16); }

void print_decimal(int64_t value) {
  if (value < 0) print_char('-');
  print_number(value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
}

void exit(int code) {
  *EXIT = (uint32_t)code;
  *MALTA_RESET = 0x42;
  for (;;) {}
}

uint32_t count(void) { return (uint32_t)READ_CP0(9); }

uint64_t cycles(void) {
  static uint64_t sum;
  static uint32_t last;
  static int is_running;
  uint32_t now = count();
  if (is_running) sum += 2 * (uint64_t)(uint32_t)(now - last);
  is_running = 1;
  last = now;
  return sum;
}

extern char heap_begin[];

void *allocate(size_t bytes) {
  static uintptr_t next;
  const uintptr_t end = 0xffffffff90000000u;
  if (!next) next = (uintptr_t)heap_begin;
  uintptr_t place = next;
  if (bytes > end - place) return 0;
  next = (place + bytes + 0xffff) & ~(uintptr_t)0xffff;
  return (void *)place;
}

void *memcpy(void *to, const void *from, size_t bytes) {
  char *t = to;
  const char *f = from;
  if (!(((uintptr_t)t | (uintptr_t)f) & 7))
    for (; bytes >= 8; bytes -= 8, t += 8, f += 8) *(uint64_t *)t = *(const uint64_t *)f;
  while (bytes--) *t++ = *f++;
  return to;
}

void *memset(void *to, int value, size_t bytes) {
  char *t = to;
  while (bytes--) *t++ = (char)value;
  return to;
}

/* The compiler may call these too. Each has a section of its own, which is left out where nobody does. */
__attribute__((section(".text.memmove"))) void *memmove(void *to, const void *from, size_t bytes) {
  char *t = to;
  const char *f = from;
  if ((uintptr_t)t - (uintptr_t)f >= bytes) return memcpy(to, from, bytes);
  while (bytes--) t[bytes] = f[bytes];
  return to;
}

__attribute__((section(".text.memcmp"))) int memcmp(const void *a, const void *b, size_t bytes) {
  const unsigned char *x = a, *y = b;
  for (; bytes; bytes--, x++, y++)
    if (*x != *y) return *x - *y;
  return 0;
}

extern char vector[], vector_end[];

__attribute__((weak)) void on_exception(struct frame *frame) {
  print("exception, cause ");
  print_hex(frame->cause & 0xffffffff);
  print(" at ");
  print_hex(frame->epc);
  print("\n");
  exit(255);
}

void handle_exceptions(void) {
  static const unsigned offsets[] = {0, 0x80, 0x180, 0x200};
  for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++)
    memcpy((char *)0xffffffff80000000 + offsets[i], vector, (size_t)(vector_end - vector));
  __asm__ volatile("sync");
  /* The instruction cache: hit, invalidate. */
  for (unsigned at = 0; at < 0x220; at += 16) __asm__ volatile("cache 0x10, 0(%0)" : : "r"(0xffffffff80000000 + at));
  WRITE_CP0(12, READ_CP0(12) & ~(1ul << 22));
}
