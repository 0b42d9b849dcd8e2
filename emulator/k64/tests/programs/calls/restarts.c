/* Calls that a handler ends: which begin anew with SA_RESTART, and which are EINTR all the same. */
#define _GNU_SOURCE
#include "../suite.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t count, last;
static int ends[2];
static char bytes[1 << 17];

static void soon(void) {
  struct itimerval timer = {{0, 0}, {0, 10000}};
  setitimer(ITIMER_REAL, &timer, 0);
}

/* The third time it gives what the call waits for. */
static void giver(int number) {
  if (++count < last) soon();
  else if (write(ends[1], "given", 5) != 5) count = -1000;
}

static void taker(int number) {
  char taken[3 * 4096];
  if (++count < last) soon();
  else if (read(ends[0], taken, sizeof taken) != sizeof taken) count = -1000;
}

static void set(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, 0);
}

static void counted(int number) { count++; }

static void origin(int number, siginfo_t *info, void *context) {
  printf("%d from the %s\n", number == SIGALRM, info->si_code == SI_KERNEL ? "kernel" : info->si_code == SI_TKILL ? "thread" : info->si_code == SI_USER ? "process" : "?");
}

static void begin(int times) { count = 0, last = times, errno = 0, soon(); }

static void told(const char *name, long answer) {
  printf("%s: %ld, %s, %d\n", name, answer, answer < 0 ? strerror(errno) : "done", (int)count);
}

static void reads(int flags) {
  char text[32] = {0};
  struct iovec parts[3] = {{text, 2}, {text + 2, 1}, {text + 3, 20}};
  set(SIGALRM, giver, flags);
  int times = flags & SA_RESTART ? 3 : 1;
  begin(times), told("read", read(ends[0], text, sizeof text));
  if (!(flags & SA_RESTART)) told("read", read(ends[0], text, sizeof text));
  printf("%s\n", text), memset(text, 0, sizeof text);
  begin(times), told("readv", readv(ends[0], parts, 3));
  if (!(flags & SA_RESTART)) told("readv", readv(ends[0], parts, 3));
  printf("%s\n", text);
  /* No wait behind the first bytes. */
  begin(1), told("write", write(ends[1], "abc", 3)), told("readv", readv(ends[0], parts, 3));
  struct itimerval none = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &none, 0);
}

static void fill(void) {
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  while (write(ends[1], bytes, 4096) > 0) ;
  fcntl(ends[1], F_SETFL, 0);
}

static void drain(void) {
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  while (read(ends[0], bytes, sizeof bytes) > 0) ;
  fcntl(ends[0], F_SETFL, 0);
}

static void writes(int flags) {
  struct iovec parts[2] = {{bytes, 1000}, {bytes, 3000}};
  set(SIGALRM, taker, flags);
  int times = flags & SA_RESTART ? 3 : 1;
  fill(), begin(times), told("write", write(ends[1], bytes, 4096));
  fill(), begin(times), told("writev", writev(ends[1], parts, 2));
  /* What had room is written, and nothing begins anew. */
  set(SIGALRM, counted, flags);
  drain(), fill();
  told("taken", read(ends[0], bytes, 3 * 4096));
  begin(1), told("long write", write(ends[1], bytes, 5 * 4096));
  drain();
}

static void waits(int flags) {
  struct timespec second = {1, 0}, until;
  struct timeval long_time = {1, 0};
  struct pollfd descriptor = {ends[0], POLLIN, 0};
  fd_set set_of;
  sigset_t none;
  sigemptyset(&none);
  set(SIGALRM, counted, flags);
  begin(1), told("pause", pause());
  begin(1), told("sigsuspend", sigsuspend(&none));
  begin(1), told("nanosleep", nanosleep(&second, 0));
  clock_gettime(CLOCK_MONOTONIC, &until), until.tv_sec++;
  begin(1), errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0), told("clock_nanosleep", -(errno != 0));
  begin(1), told("poll", poll(&descriptor, 1, 1000));
  begin(1), told("poll for ever", poll(&descriptor, 1, -1));
  begin(1), told("ppoll", ppoll(&descriptor, 1, &second, &none));
  FD_ZERO(&set_of);
  FD_SET(ends[0], &set_of);
  begin(1), told("select", select(ends[0] + 1, &set_of, 0, 0, &long_time));
  FD_ZERO(&set_of);
  FD_SET(ends[0], &set_of);
  begin(1), told("select for ever", select(ends[0] + 1, &set_of, 0, 0, 0));
  FD_ZERO(&set_of);
  FD_SET(ends[0], &set_of);
  begin(1), told("pselect", pselect(ends[0] + 1, &set_of, 0, 0, &second, &none));
}

int run_restarts(void) {
  if (pipe(ends)) return 1;
  const int flags[] = {0, SA_RESTART};
  for (int i = 0; i < 2; i++) reads(flags[i]), writes(flags[i]), waits(flags[i]);
  /* A signal that does nothing ends no wait, whether it came before or with the set of the wait. */
  sigset_t child, none;
  sigemptyset(&none), sigemptyset(&child), sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, 0), raise(SIGCHLD);
  begin(1), told("sigsuspend", sigsuspend(&none));
  sigprocmask(SIG_UNBLOCK, &child, 0), raise(SIGCHLD);
  begin(1), told("pause", pause());
  struct sigaction action = {.sa_sigaction = origin, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, 0), sigaction(SIGALRM, &action, 0);
  raise(SIGUSR1), kill(getpid(), SIGUSR1);
  soon(), pause();
  return 0;
}
