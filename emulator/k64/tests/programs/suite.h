/* Programs of the suite: each prints what it finds and returns its exit code. */
#ifndef SUITE_H
#define SUITE_H
int run_integers(void);
int run_floats(void);
int run_library(void);
int run_files(void);
int run_mg(void);
int run_cg(void);
int run_loop(void);
int run_limits(void);
int run_language(void);
int run_clocks(void);
int run_signals(void);
int run_names(void);
int run_properties(void);
int run_channels(void);
int run_words(char **arguments);
int run_escapes(void);
int run_restarts(void);
int run_stacks(void);
int run_disarm(void);
int run_overflow(void);
#endif
