/* Loads programs of CP2: bundles through the FIFO, words of local memory through the channel. */
#include "program.h"
#include "runtime.h"

static _Noreturn void refuse(const struct cp2_program *program, unsigned address, const char *why, unsigned number) {
  print("cp2: the program ");
  print(program->name);
  print(" cannot be loaded to bundle ");
  print_decimal(address);
  print(": ");
  print(why);
  print_decimal(number);
  print("\n");
  exit(1);
}

static void check(const struct cp2_program *program, unsigned address) {
  const struct cp2_part *last = program->parts + program->n_parts - 1;
  unsigned first = program->parts->address, end = address + (last->address - first) + last->count;
  if (program->is_fixed && address != first) refuse(program, address, "it runs only where it was assembled, at bundle ", first);
  if (address >= program->memory || end > program->memory)
    refuse(program, address, "it would end beyond instruction memory, whose bundles are ", program->memory);
}

static void load_words(const struct cp2_words *words) {
  static struct cp2_descriptor get __attribute__((aligned(64)));
  struct cp2_pattern patterns[CP2_SECTIONS];
  struct cp2_local walk = {(uint16_t)words->address, {1, (uint16_t)words->count}, {0, 1}};
  for (unsigned s = 0; s < CP2_SECTIONS; s++) {
    /* All words but one that fills the last beat; or none, for no word has such a number. */
    struct cp2_pattern taken = {0, 1, (uint16_t)words->count, 0x8000}, none = {0xffff, 0, 1, 0};
    patterns[s] = words->section < 0 || (unsigned)words->section == s ? taken : none;
  }
  get = cp2_get(cp2_rows(physical(words->words), (words->count + 1) & ~1u, 0, 1), walk, patterns);
  dma_get_words(&get);
  dma_stop_after(&get);
  dma_start(&get);
  dma_wait();
}

void cp2_load_program(const struct cp2_program *program, unsigned address) {
  check(program, address);
  int64_t distance = (int64_t)address - program->parts->address;
  const struct cp2_move *move = program->moves, *end = move + program->n_moves;
  unsigned first = 0;
  for (unsigned p = 0; p < program->n_parts; p++) {
    const struct cp2_part *part = program->parts + p;
    unsigned to = (unsigned)(part->address + distance);
    cp2_load(to, part->bundles, part->count);
    for (; distance && move != end && move->bundle < first + part->count; move++) {
      unsigned number = move->bundle - first;
      uint64_t moved = part->bundles[number] + ((uint64_t)distance << move->bit);
      cp2_load(to + number, &moved, 1);
    }
    first += part->count;
  }
  for (unsigned w = 0; w < program->n_words; w++) load_words(program->words + w);
}

uint64_t cp2_argument(const char *name, int64_t value, int64_t min, int64_t max, int64_t multiple) {
  if (value >= min && value <= max && value % multiple == 0) return (uint64_t)value;
  print("cp2: the argument ");
  print(name);
  print(" is ");
  print_decimal(value);
  print("; the kernel takes ");
  print_decimal(min);
  print(" to ");
  print_decimal(max);
  if (multiple != 1) {
    print(", multiples of ");
    print_decimal(multiple);
  }
  print("\n");
  exit(1);
}
