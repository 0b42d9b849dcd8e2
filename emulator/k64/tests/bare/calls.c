/* What the compiler calls by itself: libgcc, memmove, memcmp. */
#include "runtime.h"

/* What the compiler must not know. */
static volatile uint64_t one = 1;
struct large { char text[300]; unsigned number; };
static struct large places[3];

static void line(uint64_t value) {
  print_hex(value);
  print_char('\n');
}

static int is_same(const struct large *a, const struct large *b) { return !memcmp(a, b, sizeof *a); }

int main(void) {
  unsigned __int128 wide = (unsigned __int128)(0x123456789abcdef * one) << 64 | 5;
  line((uint64_t)(wide / (0x1234567 * one)));
  line((uint64_t)(wide % (0x1234567 * one)));
  line(__builtin_bswap64(0x0102030405060708 * one));
  line((uint64_t)__builtin_popcountll(0xff00ff * one));
  line((uint64_t)((double)one * 1.8e19));
  volatile long double precise = 1.5L;
  precise = precise * 3 + 1;
  line((uint64_t)(precise * 100));
  places[1].number = 5;
  memmove(places, places + 1, 2 * sizeof *places);
  line(places[0].number);
  memmove(places + 1, places, 2 * sizeof *places);
  line((uint64_t)is_same(places, places + 1) << 1 | (uint64_t)is_same(places + 1, places + 2));
  line(memcmp("kernel", "kerner", 6) < 0);
  return 0;
}
