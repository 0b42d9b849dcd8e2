/* Descriptors: pipes, what waits for them, copies, flags, vectors, and files in memory. */
#define _GNU_SOURCE
#include "../suite.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void told(const char *what, long result) {
  printf("%s: %ld", what, result);
  if (result < 0) printf(" %s", strerrorname_np(errno));
  putchar('\n');
}

#define TELL(call) (errno = 0, told(#call, call))
#define FLAGS (O_ACCMODE | O_APPEND | O_NONBLOCK)

static void *volatile nowhere = (void *)8;
static volatile int n_parts = 2000, below_zero = -1;
static int n_signals;
static void handler(int number) { n_signals += number == SIGPIPE || number == SIGALRM; }

static void pipes(int *ends) {
  static char block[70000];
  char text[100] = "";
  struct stat status;
  TELL(pipe2(ends, O_NONBLOCK | O_CLOEXEC));
  TELL(read(ends[0], text, 10));
  TELL(write(ends[1], "hello, pipe", 11));
  TELL(read(ends[0], text, 5));
  TELL(read(ends[0], text + 5, 50));
  printf("%s\n", text);
  TELL(write(ends[0], "x", 1));
  TELL(read(ends[1], text, 1));
  TELL(lseek(ends[0], 0, SEEK_SET));
  TELL(pread(ends[0], text, 1, 0));
  TELL(ftruncate(ends[1], 0));
  TELL(fstat(ends[0], &status));
  printf("pipe %d\n", S_ISFIFO(status.st_mode));
  TELL(fcntl(ends[0], F_GETFD));
  TELL(fcntl(ends[0], F_GETFL) & FLAGS);
  TELL(fcntl(ends[1], F_GETFL) & FLAGS);
  TELL(fcntl(ends[1], F_GETPIPE_SZ));
  TELL(write(ends[1], block, sizeof block));
  TELL(write(ends[1], block, 1));
  TELL(read(ends[0], block, 4096));
  TELL(write(ends[1], block, 4096));
  TELL(read(ends[0], block, sizeof block));
  TELL(pipe2(nowhere, 0));
}

static void ready(int *ends) {
  struct pollfd asked[3] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}, {-1, POLLIN, 0}};
  struct timespec begin, end, moment = {0, 20000000}, none = {0, 0};
  TELL(poll(asked, 3, 0));
  printf("%x %x %x\n", asked[0].revents, asked[1].revents, asked[2].revents);
  TELL(poll(asked, 1, 0));
  clock_gettime(CLOCK_MONOTONIC, &begin);
  TELL(poll(asked, 1, 30));
  TELL(ppoll(asked, 1, &moment, 0));
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("waited %d\n", (end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000 >= 49);
  fd_set reads, writes;
  FD_ZERO(&reads);
  FD_ZERO(&writes);
  FD_SET(ends[0], &reads);
  FD_SET(ends[1], &writes);
  struct timeval time = {0, 10000};
  TELL(select(ends[1] + 1, &reads, &writes, 0, &time));
  printf("%d %d\n", !!FD_ISSET(ends[0], &reads), !!FD_ISSET(ends[1], &writes));
  FD_SET(ends[0], &reads);
  TELL(select(ends[1] + 1, &reads, 0, 0, &time));
  printf("%d\n", !!FD_ISSET(ends[0], &reads));
  TELL(write(ends[1], "x", 1));
  FD_SET(ends[0], &reads);
  TELL(pselect(ends[1] + 1, &reads, 0, 0, &none, 0));
  TELL(poll(asked, 2, -1));
  printf("%x %x\n", asked[0].revents, asked[1].revents);
  TELL(select(0, 0, 0, 0, &time));
  FD_ZERO(&reads);
  FD_SET(40, &reads);
  TELL(select(41, &reads, 0, 0, &time));
  asked[0].fd = 40;
  TELL(poll(asked, 1, 0));
  printf("%x\n", asked[0].revents);
  asked[0].fd = ends[0];
  int file = open("data", O_RDWR | O_CREAT, 0644);
  struct pollfd plain = {file, POLLIN | POLLOUT, 0};
  TELL(poll(&plain, 1, -1));
  printf("%x\n", plain.revents);
  close(file);
  TELL(close(ends[1]));
  TELL(poll(asked, 1, -1));
  printf("%x\n", asked[0].revents);
  char byte;
  TELL(read(ends[0], &byte, 1));
  TELL(read(ends[0], &byte, 1));
  TELL(poll(asked, 1, -1));
  printf("%x\n", asked[0].revents);
  TELL(close(ends[0]));
  TELL(close(ends[0]));
}

static void broken(void) {
  int ends[2];
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGPIPE, &action, 0);
  sigaction(SIGALRM, &action, 0);
  TELL(pipe(ends));
  struct pollfd asked = {ends[1], POLLOUT, 0};
  TELL(close(ends[0]));
  TELL(poll(&asked, 1, 0));
  printf("%x\n", asked.revents);
  TELL(write(ends[1], "x", 1));
  printf("%d\n", n_signals);
  close(ends[1]);
  /* An alarm ends a wait. */
  TELL(pipe(ends));
  asked = (struct pollfd){ends[0], POLLIN, 0};
  alarm(1);
  TELL(poll(&asked, 1, 5000));
  printf("%d\n", n_signals);
  alarm(1);
  TELL(read(ends[0], &asked, 1));
  struct timespec time = {3, 0}, left = {0, 0};
  alarm(1);
  TELL(nanosleep(&time, &left));
  printf("%d %d\n", (int)(left.tv_sec == 1 || left.tv_sec == 2), n_signals);
  close(ends[0]), close(ends[1]);
}

static void copies(void) {
  char text[32] = "";
  int file = open("data", O_RDWR | O_CREAT | O_TRUNC, 0644);
  TELL(write(file, "0123456789", 10));
  int copy = dup(file);
  TELL(lseek(copy, 4, SEEK_SET));
  TELL(read(file, text, 2));
  printf("%s\n", text);
  TELL(dup2(file, file) == file);
  TELL(dup2(file, 30));
  TELL(dup3(file, 31, O_CLOEXEC));
  TELL(dup3(file, file, 0));
  TELL(dup3(file, 32, 7));
  TELL(dup2(99, 33));
  TELL(dup2(file, -1));
  TELL(fcntl(30, F_GETFD));
  TELL(fcntl(31, F_GETFD));
  TELL(fcntl(31, F_SETFD, 0));
  TELL(fcntl(31, F_GETFD));
  TELL(fcntl(file, F_DUPFD, 40));
  TELL(fcntl(file, F_DUPFD_CLOEXEC, 40));
  TELL(fcntl(41, F_GETFD));
  TELL(fcntl(file, F_DUPFD, -1));
  TELL(fcntl(file, F_GETFL) & FLAGS);
  TELL(fcntl(30, F_SETFL, O_APPEND));
  TELL(fcntl(file, F_GETFL) & FLAGS);
  TELL(lseek(file, 0, SEEK_SET));
  TELL(write(file, "end", 3));
  TELL(lseek(file, 0, SEEK_CUR));
  TELL(fcntl(file, F_SETFL, 0));
  TELL(fcntl(99, F_GETFL));
  TELL(fcntl(file, 77, 0));
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  TELL(fcntl(file, F_SETLK, &lock));
  TELL(fcntl(file, F_GETLK, &lock));
  printf("%d\n", lock.l_type == F_UNLCK);
  TELL(close_range(30, 50, 0));
  TELL(fcntl(30, F_GETFD));
  TELL(close(copy));
  TELL(isatty(file));
  close(file);
}

static void vectors(void) {
  char first[4] = "", second[20] = "";
  int file = open("data", O_RDWR), out = open("out", O_RDWR | O_CREAT | O_TRUNC, 0644);
  struct iovec parts[2] = {{first, 3}, {second, 19}}, whole[2] = {{"ab", 2}, {"cde", 3}};
  TELL(readv(file, parts, 2));
  printf("%s %s\n", first, second);
  TELL(preadv(file, parts, 2, 5));
  printf("%s %.5s\n", first, second);
  TELL(writev(out, whole, 2));
  TELL(pwritev(out, whole, 2, 3));
  TELL(preadv2(out, parts, 2, 0, 0));
  printf("%s %.5s\n", first, second);
  TELL(readv(file, parts, n_parts));
  parts[1].iov_len = -1;
  TELL(readv(file, parts, 2));
  TELL(pread(file, nowhere, 5, 0));
  TELL(lseek(file, 0, SEEK_SET));
  TELL(sendfile(out, file, 0, 4));
  TELL(lseek(file, 0, SEEK_CUR));
  off_t offset = 6;
  TELL(sendfile(out, file, &offset, 100));
  printf("%ld\n", (long)offset);
  memset(second, 0, sizeof second);
  TELL(pread(out, second, 19, 5));
  printf("%s\n", second);
  close(file), close(out);
}

static void mappings(void) {
  int file = open("data", O_RDWR), writer = open("data", O_WRONLY), folder = open(".", O_RDONLY);
  char *bytes = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0), text[8] = "";
  printf("%.13s %d\n", bytes, bytes[13]);
  bytes[0] = 'X';
  TELL(pread(file, text, 3, 0));
  printf("%s\n", text);
  TELL(munmap(bytes, 4096));
  TELL(mmap(0, 4096, PROT_READ, MAP_PRIVATE, file, 1) == MAP_FAILED ? -1 : 0);
  TELL(mmap(0, 4096, PROT_READ, MAP_PRIVATE, writer, 0) == MAP_FAILED ? -1 : 0);
  TELL(mmap(0, 4096, PROT_READ, MAP_PRIVATE, folder, 0) == MAP_FAILED ? -1 : 0);
  TELL(mmap(0, 4096, PROT_READ, MAP_PRIVATE, 99, 0) == MAP_FAILED ? -1 : 0);
  TELL(mmap(0, 0, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED ? -1 : 0);
  char *plain = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  strcpy(plain, "plain");
  TELL(madvise(plain, 8192, MADV_NORMAL));
  printf("%s\n", plain);
  TELL(msync(plain, 8192, MS_SYNC));
  TELL(mlock(plain, 100));
  TELL(madvise(plain + 1, 10, MADV_NORMAL));
  plain = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  plain[5000] = 7;
  TELL(madvise(plain, 8192, MADV_DONTNEED));
  printf("%d\n", plain[5000]);
  TELL(munmap(plain, 8192));
  TELL(msync(plain, 8192, MS_SYNC));
  close(file), close(writer), close(folder);
}

/* What memory and a file have of each other. */
static void common(void) {
  static char text[20000];
  int file = open("common", O_RDWR | O_CREAT | O_TRUNC, 0644), reader = open("common", O_RDONLY);
  TELL(ftruncate(file, 9000));
  char *first = mmap(0, 12288, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  char *second = mmap(0, 4096, PROT_READ, MAP_SHARED, reader, 4096);
  strcpy(first, "in memory"), strcpy(first + 4090, "across pages");
  TELL(pread(reader, text, 9, 0));
  printf("%s, %s\n", text, second);
  TELL(pwrite(file, "in the file", 11, 100));
  printf("%s\n", first + 100);
  TELL(mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, reader, 0) == MAP_FAILED ? -1 : 0);
  TELL(mprotect(second, 4096, PROT_READ | PROT_WRITE));
  TELL(mprotect(first, 4096, PROT_NONE));
  TELL(pwrite(file, "hidden", 6, 0));
  TELL(mprotect(first, 4096, PROT_READ | PROT_WRITE));
  printf("%s\n", first);
  /* Bytes behind the end of the file are not of the file. */
  strcpy(first + 8995, "cut here");
  TELL(msync(first, 12288, MS_SYNC));
  TELL(lseek(file, 0, SEEK_END));
  TELL(madvise(first, 4096, MADV_DONTNEED));
  printf("%s\n", first);
  first[4200] = 'm';
  TELL(munmap(first + 4096, 4096));
  first[0] = 'H', first[8200] = 'e';
  TELL(close(file));
  TELL(munmap(first, 4096));
  TELL(munmap(first + 8192, 4096));
  TELL(munmap(second, 4096));
  TELL(read(reader, text, sizeof text));
  printf("%.6s %.8s %c %c %.5s\n", text, text + 4090, text[4200], text[8200], text + 8995);
  file = open("common", O_RDWR);
  char *last = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 4096);
  strcpy(last, "at the end");
  close(file), close(reader);
}

/* Stores to shared memory go to their places, in a file with O_APPEND too, and between two mappings of a file. */
static void places(void) {
  char text[40] = "";
  int file = open("places", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0644), other = open("places", O_RDWR);
  TELL(write(file, "0123456789", 10));
  char *first = mmap(0, 10, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  char *second = mmap(0, 10, PROT_READ | PROT_WRITE, MAP_SHARED, other, 0);
  first[5] = 'A';
  TELL(pread(file, text, 39, 0));
  printf("%s, %s\n", text, second);
  TELL(write(file, "end", 3));
  TELL(fcntl(other, F_SETFL, O_APPEND));
  second[1] = 'B', second[7] = 'C', first[3] = 'D';
  getpid();
  printf("%s, %s\n", first, second);
  TELL(pread(other, text, 39, 0));
  printf("%s\n", text);
  /* Each change is seen, however soon it comes after the last one. */
  for (int i = 0; i < 3; i++) {
    TELL(fcntl(other, F_SETFL, 0));
    TELL(pwrite(other, "xyz" + i, 1, 0));
    printf("%c%c\n", first[0], second[0]);
  }
  TELL(ftruncate(file, 4));
  TELL(ftruncate(file, 10));
  printf("%s, %d\n", first, second[5]);
  TELL(munmap(first, 10));
  TELL(munmap(second, 10));
  close(file), close(other);
}

/* Arguments that cannot be. */
static void unusual(void) {
  int ends[2], file = open("data", O_RDWR), size = 0;
  TELL(pipe(ends));
  TELL(write(ends[1], "abc", 3));
  TELL(ioctl(ends[0], FIONREAD, &size));
  printf("%d\n", size);
  lseek(file, 2, SEEK_SET);
  TELL(ioctl(file, FIONREAD, &size));
  printf("%d\n", size);
  TELL(ioctl(file, FIONREAD, nowhere));
  TELL(fchmod(ends[0], 0600));
  TELL(fcntl(file, F_GETOWN));
  TELL(fcntl(file, F_GETLEASE));
  close(ends[0]);
  TELL(write(ends[1], "", 0));
  TELL(posix_fadvise(file, 0, 0, POSIX_FADV_WILLNEED));
  TELL(posix_fadvise(file, 0, 0, 99) == EINVAL);
  TELL(posix_fadvise(file, 0, -1, 0) == EINVAL);
  TELL(posix_fadvise(ends[1], 0, 0, 0) == ESPIPE);
  TELL(sync_file_range(file, 0, 0, 7));
  TELL(sync_file_range(file, 0, 0, 99));
  TELL(sync_file_range(file, -1, 0, 7));
  TELL(sync_file_range(ends[1], 0, 0, 7));
  close(ends[1]), close(file);
  char *plain = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TELL(msync(plain, 4096, MS_SYNC | MS_ASYNC));
  TELL(msync(plain, 4096, 8));
  TELL(msync(plain + 1, 4096, MS_SYNC));
  TELL(mprotect(plain, 4096, 99));
  TELL(mprotect(plain + 1, 4096, PROT_READ));
  TELL(mmap(0, 4096, PROT_READ, MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
  TELL(mmap(0, 1L << 50, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
  TELL(mmap(0, -1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
  TELL(mmap((void *)1, 4096, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
  TELL(munmap(plain, 8192));
  /* A wish, one that cannot be, and a mapping in the way of the next ones. */
  char *wish = mmap((void *)0x100000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("%p\n", wish);
  *wish = 'w';
  char *other = mmap((void *)0x100000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("%d\n", other != wish && other != MAP_FAILED);
  char *room = mmap(0, 0x40000, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(room, 0x40000);
  char *fixed = mmap(room + 0x8000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  *fixed = 'f';
  for (int i = 0; i < 20; i++) memset(mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 'm', 8192);
  printf("%c %c\n", *wish, *fixed);
  char *moved = mremap(wish, 4096, 1 << 20, MREMAP_MAYMOVE);
  printf("%c %d\n", moved[0], moved[8192]);
  TELL(mremap(moved, 1 << 20, 4096, 0) == moved);
}

static void system_of(void) {
  struct utsname name;
  struct sysinfo info;
  struct rusage usage;
  struct rlimit limit;
  char bytes[300] = "";
  TELL(uname(&name));
  printf("%s %s\n", name.sysname, name.machine);
  TELL(sysinfo(&info));
  printf("%d\n", info.totalram * info.mem_unit >= info.freeram * info.mem_unit && info.freeram);
  TELL(getrusage(RUSAGE_SELF, &usage));
  TELL(getrusage(7, &usage));
  TELL(getrlimit(RLIMIT_NOFILE, &limit));
  printf("%d\n", limit.rlim_cur >= 64);
  TELL(getrlimit(99, &limit));
  TELL(getrandom(bytes, 300, 0));
  TELL(getrandom(bytes, 10, 99));
  TELL(getrandom(bytes, 10, GRND_NONBLOCK));
  TELL(waitpid(-1, 0, 0));
  TELL(waitpid(-1, 0, 0x40));
  siginfo_t info_of_child;
  TELL(waitid(P_ALL, 0, &info_of_child, WEXITED));
  TELL(waitid(P_ALL, 0, &info_of_child, 0));
  TELL(waitid(99, 0, &info_of_child, WEXITED));
  TELL(waitid(P_PID, 0, &info_of_child, WEXITED));
  TELL(getpriority(99, 0));
  TELL(getgroups(below_zero, 0));
  TELL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, 0, 8));
  TELL(syscall(SYS_tkill, 0, SIGUSR1));
  TELL(syscall(SYS_tgkill, -1, 1, 0));
  TELL(getppid() >= 0);
  TELL(sysconf(_SC_NPROCESSORS_ONLN) > 0);
  struct timespec time = {0, 1000};
  TELL(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, 0));
  TELL(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, 0));
  TELL(clock_gettime(77, &time));
  time.tv_nsec = -1;
  TELL(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, 0));
}

int run_channels(void) {
  int ends[2];
  pipes(ends);
  ready(ends);
  broken();
  copies();
  vectors();
  mappings();
  common();
  places();
  unusual();
  system_of();
  return 0;
}
