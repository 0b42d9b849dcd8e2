/* Signals: handlers, what is held back and what is ignored, alarms, faults, and calls that are about them. */
#define _GNU_SOURCE
#include "suite.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t count, last;
static volatile double before = 1.5;
static sigjmp_buf away;

static void counted(int number) { count++, last = number; }

static void nested(int number) {
  count += 10;
  if (number == SIGUSR1) raise(SIGUSR2);
  count += 100;
}

static void told(int number, siginfo_t *info, void *context) {
  printf("signal %d, told %d, code %d, own %d\n", number, info->si_signo, info->si_code <= 0, info->si_pid == getpid());
}

static void fault(int number, siginfo_t *info, void *context) {
  printf("fault %d, code %d, address %p\n", number, info->si_code, info->si_addr);
  siglongjmp(away, 1);
}

static void set(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  if (sigaction(number, &action, 0)) printf("sigaction %d: %s\n", number, strerror(errno));
}

static void faults(void) {
  struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGSEGV, &action, 0);
  if (!sigsetjmp(away, 1)) *(volatile int *)0x1000 = 1;
  if (!sigsetjmp(away, 1)) printf("%d\n", *(volatile int *)0x2004);
  static const int constant = 3;
  if (!sigsetjmp(away, 1)) *(volatile int *)&constant = 4;
  signal(SIGSEGV, SIG_DFL);
}

int run_signals(void) {
  struct sigaction old;
  set(SIGUSR1, counted, 0);
  printf("%d %d", raise(SIGUSR1), kill(getpid(), SIGUSR1));
  printf(" %d %d\n", count, last == SIGUSR1);
  printf("%d %d\n", sigaction(SIGUSR1, 0, &old), old.sa_handler == counted);
  /* Numbers of the FPU and other registers are as before a handler. */
  double sum = 0;
  for (int i = 0; i < 50; i++) sum += before * i, raise(SIGUSR1), sum /= 1.25;
  printf("%d %.17g\n", count, sum);
  set(SIGUSR1, nested, 0), set(SIGUSR2, nested, 0), count = 0;
  raise(SIGUSR1);
  printf("nested %d\n", count);
  sigset_t one, none, waiting;
  sigemptyset(&one), sigemptyset(&none), sigaddset(&one, SIGUSR2);
  set(SIGUSR2, counted, 0), count = 0;
  sigprocmask(SIG_BLOCK, &one, &none);
  raise(SIGUSR2), raise(SIGUSR2);
  sigpending(&waiting);
  printf("held back %d, %d %d", count, sigismember(&waiting, SIGUSR2), sigismember(&waiting, SIGUSR1));
  sigprocmask(SIG_SETMASK, &none, 0);
  printf(", then %d\n", count);
  set(SIGUSR2, SIG_IGN, 0);
  printf("ignored %d %d\n", raise(SIGUSR2), kill(getpid(), SIGCHLD));
  set(SIGUSR2, counted, SA_RESETHAND), count = 0;
  raise(SIGUSR2);
  sigaction(SIGUSR2, 0, &old);
  printf("once %d %d %x\n", count, old.sa_handler == SIG_DFL, (unsigned)old.sa_flags);
  struct sigaction action = {.sa_sigaction = told, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, 0);
  raise(SIGUSR1), kill(getpid(), SIGUSR1);
  errno = 0;
  printf("%d %s", kill(99999999, SIGUSR1), strerror(errno)), errno = 0;
  printf(", %d %s", kill(getpid(), 500), strerror(errno)), errno = 0;
  printf(", %d %d\n", kill(getpid(), 0), sigaction(SIGKILL, &action, 0));
  set(SIGALRM, counted, 0), count = 0;
  printf("%u", alarm(100));
  printf(" %d", alarm(0) > 98);
  struct itimerval soon = {{0, 0}, {0, 20000}}, left;
  setitimer(ITIMER_REAL, &soon, 0);
  printf(" %d %d\n", pause(), count);
  setitimer(ITIMER_REAL, &soon, 0);
  getitimer(ITIMER_REAL, &left);
  struct timespec second = {1, 0}, rest = {0, 0};
  int slept = nanosleep(&second, &rest);
  printf("%d %d %d %d\n", left.it_value.tv_usec > 0, slept, rest.tv_sec == 0 && rest.tv_nsec > 800000000, count);
  setitimer(ITIMER_REAL, &soon, 0);
  for (count = 0; !count;) ;
  printf("in the middle %d\n", count);
  faults();
  fflush(stdout);
  signal(SIGTERM, SIG_DFL);
  return raise(SIGUSR1) + 3;
}
