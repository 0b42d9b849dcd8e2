/* One file for all programs, because each has the C library in it: `suite NAME`. */
#include "suite.h"
#include <stdio.h>
#include <string.h>

static const struct { const char *name; int (*run)(void); } programs[] = {
    {"integers", run_integers}, {"floats", run_floats}, {"library", run_library}, {"files", run_files},
    {"mg", run_mg}, {"cg", run_cg}, {"loop", run_loop}, {"limits", run_limits}, {"language", run_language},
    {"clocks", run_clocks}, {"signals", run_signals}, {"names", run_names}, {"properties", run_properties},
    {"channels", run_channels}, {"escapes", run_escapes}, {"restarts", run_restarts}, {"stacks", run_stacks},
    {"disarm", run_disarm}, {"overflow", run_overflow},
};

int main(int argc, char **argv) {
  if (argc > 2 && !strcmp(argv[1], "words")) return run_words(argv + 2);
  for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++)
    if (argc == 2 && !strcmp(argv[1], programs[i].name)) return programs[i].run();
  fprintf(stderr, "no such program\n");
  return 2;
}
