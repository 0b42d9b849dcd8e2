/* A Linux program for gdb: arguments, watchpoints, a signal with a handler, a fault. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

volatile long total;
volatile int seen;
char text[64] __attribute__((aligned(64)));

static void on_signal(int number) { seen = number; }

static long fill(int n) {
  for (int i = 0; i < n; i++) total += i;
  return total;
}

int main(int argc, char **argv) {
  fill(argc + 1);
  memcpy(text + 3, argv[1], strlen(argv[1]));
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  printf("%s %ld %d\n", text + 3, total, seen);
  fflush(stdout);
  raise(SIGUSR1);
  *(volatile int *)(total - 6) = 1;
  return 0;
}
