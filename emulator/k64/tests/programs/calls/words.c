/* Bytes of arguments and environment, as numbers. */
#include "../suite.h"
#include <stdio.h>

extern char **environ;

static void tell(const char *what, char **texts) {
  for (; *texts; texts++) {
    printf("%s:", what);
    for (const char *c = *texts; *c; c++) printf(" %02x", *c & 0xff);
    putchar('\n');
  }
}

int run_words(char **arguments) {
  tell("argument", arguments);
  tell("environment", environ);
  return 0;
}
