/* Programs of CP2 as `cp2 asm --emit c` writes them: bundles, the words that the source gives to local memory, and what
 * changes with the place of the bundles. */
#ifndef CP2_PROGRAM_H
#define CP2_PROGRAM_H
#include "cp2.h"

/* A kernel: the address of its first bundle for which it was assembled, and its bundles. */
struct cp2_part { unsigned address, count; const uint64_t *bundles; };
/* A bundle with the address of a bundle in it: its number among all of the program, and the lowest bit of the address. */
struct cp2_move { unsigned bundle, bit; };
/* Words of local memory from an address on, of a section or with -1 of all. Behind an odd number one more can be read. */
struct cp2_words { int section; unsigned address, count; const uint64_t *words; };

struct cp2_program {
  const char *name;
  const struct cp2_part *parts;
  unsigned n_parts;
  const struct cp2_move *moves;
  unsigned n_moves;
  const struct cp2_words *words;
  unsigned n_words;
  /* Bundles of instruction memory of the core for which it was assembled. */
  unsigned memory;
  /* Whether it runs only where it was assembled: more than addresses depends on the place. */
  int is_fixed;
};

/* Loads a program so that its first kernel begins at an address of instruction memory, with all addresses in it, and its
 * words to local memory, by the channel. CP2 and the channel are idle. Where the program cannot run at that address, the
 * run ends with a message and code 1. */
void cp2_load_program(const struct cp2_program *program, unsigned address);

/* The value of an argument, as `seti` takes it. It is from `min` to `max` and a multiple of `multiple`; else the run ends
 * with a message and code 1. */
uint64_t cp2_argument(const char *name, int64_t value, int64_t min, int64_t max, int64_t multiple);
#endif
