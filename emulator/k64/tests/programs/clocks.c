/* Time: sleeping lets the clocks go on, and takes none of the processor's time. */
#include "suite.h"
#include <stdio.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int run_clocks(void) {
  double begin = now(CLOCK_MONOTONIC), busy = now(CLOCK_PROCESS_CPUTIME_ID);
  struct timespec part = {0, 60000000}, wrong = {0, 1000000000}, at;
  printf("%d %d\n", usleep(50000), nanosleep(&part, 0));
  clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_nsec += 100000000;
  if (at.tv_nsec >= 1000000000) at.tv_nsec -= 1000000000, at.tv_sec++;
  printf("%d %d\n", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, 0), nanosleep(&wrong, 0));
  double slept = now(CLOCK_MONOTONIC) - begin;
  printf("slept %d\n", slept >= 0.21 && slept < 20);
  /* In the past. */
  at.tv_sec -= 10;
  printf("%d\n", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, 0));
  printf("worked %d\n", now(CLOCK_PROCESS_CPUTIME_ID) - busy < 0.2);
  struct tms used;
  clock_t before = times(&used);
  printf("%d %d %d\n", before != (clock_t)-1, used.tms_utime >= 0, sysconf(_SC_CLK_TCK) == 100);
  volatile unsigned sum = 0;
  clock_t start = clock();
  for (unsigned i = 0; i < 3000000; i++) sum += i;
  printf("%d\n", clock() > start);
  return (int)time(0) == 0;
}
