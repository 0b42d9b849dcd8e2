/* What the examples tell of their runs. */
#ifndef REPORT_H
#define REPORT_H
#include "runtime.h"

/* A line with a name and a number. */
static inline void print_value(const char *name, uint64_t value) {
  print(name);
  print_char(' ');
  print_decimal((int64_t)value);
  print_char('\n');
}

/* FNV-1a, a word at a time. */
static inline uint64_t checksum(const uint32_t *words, unsigned count) {
  uint64_t sum = 0xcbf29ce484222325;
  for (unsigned i = 0; i < count; i++) sum = (sum ^ words[i]) * 0x100000001b3;
  return sum;
}
#endif
