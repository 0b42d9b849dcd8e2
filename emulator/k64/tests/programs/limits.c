/* What a process may have of memory, from files too. */
#include "suite.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int run_limits(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  printf("stack %lu\n", (unsigned long)limit.rlim_cur);
  /* Together they reach the stack, though each is refused. */
  for (int i = 0; i < 5; i++) {
    void *place = mmap(0, 200ul << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    puts(place == MAP_FAILED ? strerror(errno) : "mapped");
  }
  puts(mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? strerror(errno) : "mapped");
  int file = open("large", O_RDWR | O_CREAT, 0644);
  if (ftruncate(file, 256l << 30)) return 1;
  printf("file: %s\n", mmap(0, 256ul << 30, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED ? strerror(errno) : "mapped");
  return 0;
}
