/* Properties of files in the current folder: rights, times, lengths. */
#define _GNU_SOURCE
#include "../suite.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

static void told(const char *what, long result) {
  printf("%s: %ld", what, result);
  if (result < 0) printf(" %s", strerrorname_np(errno));
  putchar('\n');
}

#define TELL(call) (errno = 0, told(#call, call))

static void mode(const char *path) {
  struct stat status;
  if (lstat(path, &status)) printf("%s: no status\n", path);
  else printf("%s: mode %o\n", path, status.st_mode);
}

static void times_of(const char *path) {
  struct stat status;
  if (lstat(path, &status)) { printf("%s: no status\n", path); return; }
  printf("%s: %ld.%09ld %ld.%09ld\n", path, (long)status.st_atim.tv_sec, status.st_atim.tv_nsec, (long)status.st_mtim.tv_sec,
         status.st_mtim.tv_nsec);
}

static void rights(void) {
  printf("%o\n", umask(022) == 022 ? 0 : 0);
  close(open("a", O_WRONLY | O_CREAT, 0666));
  printf("%o\n", umask(077));
  close(open("b", O_WRONLY | O_CREAT, 0666));
  mkdir("c", 0777);
  printf("%o\n", umask(0));
  close(open("d", O_WRONLY | O_CREAT, 0666));
  mkdir("e", 01777);
  close(creat("f", 0604));
  printf("%o\n", umask(022));
  for (const char *name = "abcdef"; *name; name++) mode((char[]){*name, 0});
  TELL(symlink("a", "link"));
  TELL(chmod("a", 0640));
  mode("a");
  TELL(chmod("link", 0600));
  mode("a");
  TELL(fchmodat(AT_FDCWD, "b", 0444, 0));
  mode("b");
  int file = open("d", O_RDWR), folder = open("e", O_RDONLY);
  TELL(fchmod(file, 0123));
  mode("d");
  TELL(fchmod(folder, 0700));
  mode("e");
  TELL(fchmodat(folder, "../f", 0555, 0));
  mode("f");
  TELL(chmod("nothing", 0600));
  TELL(chmod("a/", 0600));
  TELL(chmod("e/.", 0711));
  mode("e");
  TELL(fchmod(99, 0600));
  TELL(chown("a", -1, -1));
  TELL(access("a", F_OK));
  TELL(access("a", X_OK));
  TELL(access("e", X_OK));
  TELL(access("nothing", F_OK));
  TELL(access("a", 8));
  close(file), close(folder);
}

static void clocks(void) {
  struct timespec times[2] = {{1000000000, 123456789}, {1100000000, 987654321}};
  struct timeval micros[2] = {{1200000000, 111111}, {1300000000, 222222}};
  struct utimbuf seconds = {1400000000, 1500000000};
  TELL(utimensat(AT_FDCWD, "a", times, 0));
  times_of("a");
  TELL(utimes("a", micros));
  times_of("a");
  TELL(utime("a", &seconds));
  times_of("a");
  times[0].tv_nsec = UTIME_OMIT, times[1].tv_sec = 7, times[1].tv_nsec = 8;
  TELL(utimensat(AT_FDCWD, "link", times, 0));
  times_of("a");
  times[0] = (struct timespec){5, 6};
  TELL(utimensat(AT_FDCWD, "link", times, AT_SYMLINK_NOFOLLOW));
  times_of("link");
  times_of("a");
  int file = open("b", O_RDONLY), folder = open("e", O_RDONLY);
  TELL(futimens(file, times));
  times_of("b");
  TELL(futimens(folder, times));
  times_of("e");
  TELL(futimesat(folder, "../a", micros));
  times_of("a");
  times[0].tv_nsec = 1000000000;
  TELL(utimensat(AT_FDCWD, "a", times, 0));
  micros[0].tv_usec = -1;
  TELL(utimes("a", micros));
  TELL(utimensat(AT_FDCWD, "nothing", 0, 0));
  times[0].tv_nsec = times[1].tv_nsec = UTIME_OMIT;
  TELL(utimensat(AT_FDCWD, "nothing", times, 0));
  TELL(syscall(SYS_utimensat, AT_FDCWD, 0, 0, 0));
  TELL(utimensat(AT_FDCWD, "a", 0, 0x4000));
  struct stat before, after;
  stat("b", &before);
  TELL(utimensat(AT_FDCWD, "b", 0, 0));
  stat("b", &after);
  printf("now %d\n", after.st_mtim.tv_sec > before.st_mtim.tv_sec);
  times[0] = times[1] = (struct timespec){-100, 1};
  TELL(utimensat(AT_FDCWD, "b", times, 0));
  close(file), close(folder);
}

static void locked(const char *what, int file, int command, int kind, off_t start, off_t length) {
  struct flock lock = {.l_type = (short)kind, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
  errno = 0;
  told(what, fcntl(file, command, &lock));
  if (command == F_GETLK || command == F_OFD_GETLK)
    printf("%d %ld %ld %d\n", lock.l_type, (long)lock.l_start, (long)lock.l_len, lock.l_pid > 0 ? 1 : lock.l_pid);
}

/* Locks of open files, and of the process. */
static void locks(void) {
  int file = open("locks", O_RDWR | O_CREAT, 0644), other = open("locks", O_RDWR), folder = open("e", O_RDONLY);
  int reader = open("locks", O_RDONLY), writer = open("locks", O_WRONLY), again = open("e", O_RDONLY), copy = dup(file);
  TELL(flock(file, LOCK_EX | LOCK_NB));
  TELL(flock(other, LOCK_EX | LOCK_NB));
  TELL(flock(copy, LOCK_SH | LOCK_NB));
  TELL(flock(reader, LOCK_SH | LOCK_NB));
  TELL(flock(file, LOCK_UN));
  TELL(flock(folder, LOCK_EX | LOCK_NB));
  TELL(flock(again, LOCK_SH | LOCK_NB));
  locked("to write, for reading", reader, F_SETLK, F_WRLCK, 0, 0);
  locked("to read, for writing", writer, F_SETLK, F_RDLCK, 0, 0);
  locked("before the file", file, F_SETLK, F_WRLCK, -1, 0);
  locked("no kind", file, F_SETLK, 7, 0, 0);
  locked("of one", file, F_OFD_SETLK, F_WRLCK, 10, 10);
  locked("of the same", copy, F_OFD_SETLK, F_WRLCK, 15, 10);
  locked("of another", other, F_OFD_SETLK, F_RDLCK, 24, 1);
  locked("of another, behind", other, F_OFD_SETLK, F_WRLCK, 25, 0);
  locked("of another, before", other, F_OFD_SETLK, F_RDLCK, 10, -3);
  locked("asked", other, F_OFD_GETLK, F_RDLCK, 0, 0);
  locked("asked of the same", file, F_OFD_GETLK, F_RDLCK, 10, 5);
  locked("of the process", other, F_SETLK, F_RDLCK, 12, 1);
  locked("asked of the process", other, F_GETLK, F_WRLCK, 12, 1);
  locked("in the middle", copy, F_OFD_SETLK, F_UNLCK, 12, 2);
  locked("of the process", other, F_SETLK, F_RDLCK, 12, 1);
  locked("asked before", reader, F_OFD_GETLK, F_RDLCK, 11, 0);
  locked("asked behind", reader, F_OFD_GETLK, F_RDLCK, 14, 5);
  locked("asked within", reader, F_OFD_GETLK, F_WRLCK, 12, 2);
  close(writer);
  locked("closed", reader, F_OFD_GETLK, F_WRLCK, 12, 2);
  close(file);
  locked("open still", reader, F_OFD_GETLK, F_WRLCK, 11, 1);
  close(copy);
  locked("closed", reader, F_OFD_GETLK, F_WRLCK, 11, 1);
  close(other), close(reader), close(folder), close(again);
}

/* The current folder and descriptors by empty paths, and arguments that cannot be. */
static void empty_paths(void) {
  struct stat status, same;
  struct statx extended;
  int folder = open("e", O_RDONLY);
  TELL(fstatat(folder, "", &status, AT_EMPTY_PATH));
  TELL(fstatat(AT_FDCWD, "", &status, AT_EMPTY_PATH));
  TELL(stat(".", &same));
  printf("%d\n", status.st_ino == same.st_ino);
  TELL(fstatat(AT_FDCWD, "", &status, 0));
  TELL(statx(AT_FDCWD, "", AT_EMPTY_PATH, STATX_INO, &extended));
  printf("%d\n", extended.stx_ino == same.st_ino);
  TELL(statx(AT_FDCWD, "a", 0x6000, STATX_INO, &extended));
  TELL(statx(AT_FDCWD, "a", 0, 1U << 31, &extended));
  TELL(fchownat(AT_FDCWD, "", -1, -1, AT_EMPTY_PATH));
  TELL(fchownat(folder, "", -1, -1, AT_EMPTY_PATH));
  TELL(fchownat(99, "", -1, -1, AT_EMPTY_PATH));
  TELL(open("e", O_RDONLY | O_TRUNC));
  close(folder);
}

static void lengths(void) {
  struct stat status;
  char text[8] = "";
  int file = open("long", O_RDWR | O_CREAT, 0644), reader = open("long", O_RDONLY);
  TELL(ftruncate(file, 10000));
  TELL(fstat(file, &status));
  printf("%ld bytes, %d\n", (long)status.st_size, status.st_nlink == 1);
  TELL(ftruncate(file, -1));
  TELL(ftruncate(reader, 10));
  TELL(ftruncate(99, 10));
  TELL(truncate("long", 5));
  TELL(truncate("long", -5));
  TELL(truncate("e", 5));
  TELL(truncate("long/", 5));
  TELL(truncate("nothing", 5));
  TELL(lseek(file, 0, SEEK_END));
  TELL(lseek(file, -6, SEEK_CUR));
  TELL(lseek(file, 3, 9));
  TELL(lseek(file, -1, SEEK_SET));
  TELL(lseek(99, 0, SEEK_SET));
  TELL(write(reader, "x", 1));
  int writer = open("long", O_WRONLY);
  TELL(read(writer, text, 1));
  TELL(pwrite(writer, "abc", 3, 1));
  TELL(pread(reader, text, 8, 0));
  printf("%d %s %d\n", text[0], text + 1, text[4]);
  TELL(pread(reader, text, 8, -1));
  TELL(pread(reader, text, 8, 100));
  TELL(posix_fallocate(file, 0, 4096));
  TELL(fstat(file, &status));
  printf("%ld bytes\n", (long)status.st_size);
  TELL(lseek(file, 0x7fffffffffffffff, SEEK_SET) >= 0 || errno == EINVAL);
  TELL(pwrite(file, "x", 1, 0x7fffffffffffffff));
  TELL(fsync(file));
  TELL(fdatasync(99));
  TELL(flock(file, LOCK_EX | LOCK_NB));
  TELL(flock(file, 77));
  close(file), close(reader), close(writer);
}

int run_properties(void) {
  rights();
  clocks();
  locks();
  empty_paths();
  lengths();
  return 0;
}
