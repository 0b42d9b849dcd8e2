/* The alternate stack of signals. */
#define _GNU_SOURCE
#include "../suite.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif
static char room[65536] __attribute__((aligned(16))), other[65536];
static sigjmp_buf away;
static volatile int depth;

static int is_on(const void *place, const char *stack) {
  return (uintptr_t)place - (uintptr_t)stack < sizeof room;
}

static void set(int number, void (*handler)(int, siginfo_t *, void *), int flags) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, 0);
}

static void stack(const char *name, const void *start, size_t size, int flags) {
  stack_t new = {.ss_sp = (void *)start, .ss_size = size, .ss_flags = flags}, old;
  memset(&old, 0x55, sizeof old), errno = 0;
  int answer = sigaltstack(&new, &old);
  printf("%s: %d %s", name, answer, strerror(errno));
  if (!answer) printf(", before %d%d, %zu, %d", old.ss_sp == room, old.ss_sp == other, old.ss_size, old.ss_flags);
  sigaltstack(0, &old);
  printf(", now %d%d, %zu, %d\n", old.ss_sp == room, old.ss_sp == other, old.ss_size, old.ss_flags);
}

static void within(int number, siginfo_t *info, void *context) {
  char local;
  stack_t *of_frame = &((ucontext_t *)context)->uc_stack;
  printf("handler %d: on %d%d, frame %d %zu\n", number == SIGUSR1, is_on(&local, room), is_on(&local, other),
         of_frame->ss_sp == room, of_frame->ss_size);
  stack("within", other, sizeof other, 0);
  if (number == SIGUSR1) raise(SIGUSR2);
}

static void overflown(int number, siginfo_t *info, void *context) {
  char local;
  printf("overflow %d, on %d\n", number == SIGSEGV, is_on(&local, room));
  siglongjmp(away, 1);
}

static __attribute__((noinline)) int deep(int n) {
  volatile char much[4096];
  much[n & 4095] = (char)n;
  return deep(n + 1) + much[n & 4095];
}

int run_stacks(void) {
  stack("small", room, 2047, 0);
  stack("flags", room, sizeof room, 4);
  stack("off", room, sizeof room, SS_DISABLE);
  set(SIGUSR1, within, SA_ONSTACK), set(SIGUSR2, within, SA_ONSTACK);
  raise(SIGUSR1);
  stack("none", 0, 0, SS_DISABLE);
  stack("on", room, sizeof room, SS_ONSTACK);
  stack("again", room, sizeof room, 0);
  errno = 0;
  printf("%d %s", sigaltstack((void *)8, 0), strerror(errno)), errno = 0;
  printf(", %d %s", sigaltstack(0, (void *)8), strerror(errno));
  printf(", %d\n", sigaltstack(0, 0));
  /* The second handler stays on the stack that the first is on. */
  raise(SIGUSR1);
  stack("behind", room, sizeof room, 0);
  set(SIGUSR1, within, 0), set(SIGUSR2, within, SA_ONSTACK);
  raise(SIGUSR2);
  stack("moved", room, sizeof room, 0);
  set(SIGSEGV, overflown, SA_ONSTACK);
  for (volatile int i = 0; i < 2; i++)
    if (!sigsetjmp(away, 1)) printf("%d\n", deep(0));
  stack("least", room, 8192, 0);
  set(SIGUSR2, overflown, SA_ONSTACK);
  if (!sigsetjmp(away, 1)) raise(SIGUSR2);
  stack("off", 0, 0, SS_DISABLE);
  return 0;
}

static void disarmed(int number, siginfo_t *info, void *context) {
  char local;
  stack_t own = {.ss_sp = other, .ss_size = sizeof other}, old;
  sigaltstack(0, &old);
  printf("within: on it %d, flags %x, size %zu", is_on(&local, room), (unsigned)old.ss_flags, old.ss_size);
  printf(", set %d\n", sigaltstack(&own, 0));
}

static void plain(int number, siginfo_t *info, void *context) {
  char local;
  printf("none: on it %d\n", is_on(&local, room));
}

int run_disarm(void) {
  stack_t new = {.ss_sp = room, .ss_size = sizeof room, .ss_flags = (int)SS_AUTODISARM}, old;
  printf("set %d", sigaltstack(&new, 0));
  sigaltstack(0, &old);
  printf(", flags %x\n", (unsigned)old.ss_flags);
  set(SIGUSR1, disarmed, SA_ONSTACK);
  raise(SIGUSR1);
  sigaltstack(0, &old);
  printf("behind: flags %x, size as before %d\n", (unsigned)old.ss_flags, old.ss_size == sizeof room);
  raise(SIGUSR1);
  new.ss_flags = (int)(SS_AUTODISARM | SS_DISABLE);
  sigaltstack(&new, 0), sigaltstack(0, &old);
  printf("off: flags %x, size %zu\n", (unsigned)old.ss_flags, old.ss_size);
  set(SIGUSR1, plain, SA_ONSTACK);
  raise(SIGUSR1);
  return 0;
}

static void again(int number, siginfo_t *info, void *context) {
  if (++depth < 1000) raise(SIGUSR1);
  printf("%d\n", depth);
}

int run_overflow(void) {
  stack_t new = {.ss_sp = room, .ss_size = 16384};
  sigaltstack(&new, 0);
  /* The handler of SIGSEGV has no room either. */
  set(SIGSEGV, overflown, 0), set(SIGUSR1, again, SA_ONSTACK | SA_NODEFER);
  raise(SIGUSR1);
  return 0;
}
