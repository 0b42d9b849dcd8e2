/* Names in the current folder: what is made, linked, renamed and removed, and which error tells that it is not. */
#define _GNU_SOURCE
#include "../suite.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Prints the result of a call, and the error by its name. */
static void told(const char *what, long result) {
  printf("%s: %ld", what, result);
  if (result < 0) printf(" %s", strerrorname_np(errno));
  putchar('\n');
}

#define TELL(call) (errno = 0, told(#call, call))

static int opened(const char *path, int flags) {
  int file = open(path, flags, 0644);
  if (file >= 0) close(file);
  return file < 0 ? -1 : 0;
}

static void made(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || write(file, text, strlen(text)) < 0) printf("cannot make %s\n", path);
  close(file);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }

/* Lists a folder by name, bytes that are no text as numbers. */
static void list(const char *path) {
  char *names[100];
  int n = 0;
  DIR *folder = opendir(path);
  if (!folder) { told(path, -1); return; }
  for (struct dirent *entry; (entry = readdir(folder)) && n < 100;) asprintf(&names[n++], "%s %d", entry->d_name, entry->d_type);
  closedir(folder);
  qsort(names, n, sizeof *names, by_name);
  printf("%s:", path);
  for (int i = 0; i < n; i++) {
    printf(" [");
    for (const char *c = names[i]; *c; c++) *c & 0x80 ? printf("\\%o", *c & 0xff) : putchar(*c);
    putchar(']');
  }
  putchar('\n');
}

static void slashes(void) {
  TELL(opened("file/", O_RDONLY));
  TELL(opened("file/", O_WRONLY | O_CREAT));
  TELL(opened("file/.", O_RDONLY));
  TELL(opened("file/x", O_RDONLY));
  TELL(opened("file/..", O_RDONLY));
  TELL(opened("folder/", O_RDONLY));
  TELL(opened("folder/", O_WRONLY));
  TELL(opened("new/", O_WRONLY | O_CREAT));
  TELL(opened("new/", O_RDONLY));
  TELL(opened("folder/../file", O_RDONLY));
  TELL(opened("nothing/../file", O_RDONLY));
  TELL(opened("", O_RDONLY));
  TELL(opened(".", O_RDONLY));
  TELL(opened(".//folder///", O_RDONLY | O_DIRECTORY));
  TELL(opened("file", O_RDONLY | O_DIRECTORY));
  TELL(opened("file", O_WRONLY | O_CREAT | O_EXCL));
  TELL(opened("folder", O_RDONLY | O_CREAT));
  TELL(mkdir("slash/", 0755));
  TELL(mkdir("slash", 0755));
  TELL(mkdir("file/", 0755));
  TELL(mkdir(".", 0755));
  TELL(rmdir("slash/."));
  TELL(rmdir("slash/.."));
  TELL(rmdir("slash/"));
  TELL(rmdir("file"));
  TELL(rmdir("nothing"));
  TELL(unlink("file/"));
  TELL(unlink("folder"));
  TELL(unlink("folder/"));
  TELL(unlink("."));
  TELL(unlink("nothing"));
}

static void links(void) {
  char text[64];
  struct stat status;
  TELL(symlink("file", "to-file"));
  TELL(symlink("folder", "to-folder"));
  TELL(symlink("nothing", "to-nothing"));
  TELL(symlink("loop-b", "loop-a"));
  TELL(symlink("loop-a", "loop-b"));
  TELL(symlink("folder/", "to-slash"));
  TELL(symlink("file", "to-file"));
  TELL(symlink("", "to-empty"));
  TELL(symlink("file", "new/"));
  TELL(symlink("file", "folder/"));
  TELL(symlink("../file", "folder/up"));
  TELL(symlink("b\xff\xfe", "bytes"));
  TELL(readlink("to-file", text, sizeof text));
  TELL(readlink("to-file", text, 2));
  TELL(readlink("to-file", text, 0));
  TELL(readlink("bytes", text, sizeof text));
  printf("%o %o\n", text[1] & 0xff, text[2] & 0xff);
  TELL(readlink("file", text, sizeof text));
  TELL(readlink("to-folder/", text, sizeof text));
  TELL(readlink("nothing", text, sizeof text));
  TELL(opened("to-file", O_RDONLY));
  TELL(opened("to-file", O_RDONLY | O_NOFOLLOW));
  TELL(opened("to-file/", O_RDONLY));
  TELL(opened("to-folder/up", O_RDONLY));
  TELL(opened("to-slash", O_RDONLY));
  TELL(opened("to-folder/../file", O_RDONLY));
  TELL(opened("to-nothing", O_RDONLY));
  TELL(opened("to-nothing", O_RDONLY | O_CREAT | O_EXCL));
  TELL(opened("to-nothing", O_WRONLY | O_CREAT));
  TELL(unlink("nothing"));
  TELL(opened("loop-a", O_RDONLY));
  TELL(opened("loop-a/x", O_RDONLY));
  TELL(opened("loop-a", O_WRONLY | O_CREAT));
  TELL(stat("loop-a", &status));
  TELL(lstat("loop-a", &status));
  printf("link %d, %ld bytes\n", S_ISLNK(status.st_mode), (long)status.st_size);
  TELL(lstat("to-folder/", &status));
  printf("folder %d\n", S_ISDIR(status.st_mode));
  TELL(lstat("to-file/", &status));
  TELL(rmdir("to-folder"));
  TELL(rmdir("to-folder/"));
  TELL(unlink("to-folder/"));
  TELL(mkdir("to-nothing", 0755));
  TELL(link("file", "second"));
  TELL(link("file", "second"));
  TELL(link("folder", "third"));
  TELL(link("nothing", "third"));
  TELL(link("to-file", "link-of-link"));
  TELL(lstat("link-of-link", &status));
  printf("link %d\n", S_ISLNK(status.st_mode));
  TELL(linkat(AT_FDCWD, "to-file", AT_FDCWD, "link-of-file", AT_SYMLINK_FOLLOW));
  TELL(stat("second", &status));
  printf("%d links\n", (int)status.st_nlink);
  TELL(link("file", "new/"));
  TELL(link("file/", "fourth"));
}

static void renames(void) {
  TELL(rename("second", "renamed"));
  TELL(rename("second", "renamed"));
  TELL(rename("renamed", "folder"));
  TELL(rename("folder", "renamed"));
  TELL(rename("folder", "folder/inside"));
  TELL(rename("renamed", "new/"));
  TELL(rename("renamed/", "new"));
  TELL(rename("folder", "other/"));
  TELL(rename("other/", "folder"));
  TELL(rename(".", "here"));
  TELL(rename("folder", ".."));
  TELL(mkdir("full", 0755));
  made("full/x", "x");
  TELL(rename("folder", "full"));
  TELL(rmdir("full"));
  TELL(renameat2(AT_FDCWD, "renamed", AT_FDCWD, "file", RENAME_NOREPLACE));
  TELL(renameat2(AT_FDCWD, "full", AT_FDCWD, "file", RENAME_EXCHANGE));
  TELL(renameat2(AT_FDCWD, "full", AT_FDCWD, "file", RENAME_EXCHANGE));
  TELL(unlink("full/x"));
  TELL(unlinkat(AT_FDCWD, "full", AT_REMOVEDIR));
}

static void lengths(void) {
  static char name[300], path[5000];
  memset(name, 'n', 256);
  TELL(opened(name, O_WRONLY | O_CREAT));
  TELL(mkdir(name, 0755));
  TELL(symlink("file", name));
  name[255] = 0;
  TELL(opened(name, O_WRONLY | O_CREAT));
  TELL(unlink(name));
  for (int i = 0; i < 4094; i += 2) memcpy(path + i, "./", 2);
  memcpy(path + 4090, "file", 5);
  TELL(opened(path, O_RDONLY));
  memcpy(path + 4090, ".//file", 8);
  TELL(opened(path, O_RDONLY));
  memset(path, 't', 4095), path[4095] = 0;
  TELL(symlink(path, "long"));
  TELL(unlink("long"));
  path[4095] = 't', path[4096] = 0;
  TELL(symlink(path, "long"));
}

static void bytes(void) {
  char here[100];
  TELL(mkdir("caf\xe9", 0755));
  TELL(chdir("caf\xe9"));
  char *end = getcwd(here, sizeof here) ? strrchr(here, '/') : "";
  printf("%zu %o\n", strlen(end), end[4] & 0xff);
  made("\xff\x01", "text");
  TELL(opened("\xff\x01", O_RDONLY));
  TELL(opened("../caf\xe9/\xff\x01", O_RDONLY));
  list(".");
  TELL(getcwd(here, 3) ? 0 : -1);
  TELL(unlink("\xff\x01"));
  TELL(rmdir("../caf\xe9"));
  TELL(getcwd(here, sizeof here) ? 0 : -1);
  TELL(opened("x", O_WRONLY | O_CREAT));
  TELL(opened("..", O_RDONLY));
  TELL(chdir(".."));
}

static void descriptors(void) {
  int folder = open("folder", O_RDONLY | O_DIRECTORY), file = open("file", O_RDONLY);
  TELL(openat(folder, "up", O_RDONLY) > 0);
  TELL(openat(folder, "..", O_RDONLY) > 0);
  TELL(openat(file, "up", O_RDONLY));
  TELL(openat(99, "up", O_RDONLY));
  TELL(openat(99, "", O_RDONLY));
  TELL(mkdirat(folder, "sub", 0755));
  TELL(symlinkat("sub", folder, "to-sub"));
  TELL(faccessat(folder, "to-sub/..", F_OK, 0));
  TELL(renameat(folder, "sub", AT_FDCWD, "sub"));
  TELL(faccessat(folder, "to-sub", F_OK, 0));
  TELL(linkat(AT_FDCWD, "file", folder, "hard", 0));
  TELL(unlinkat(folder, "hard", AT_REMOVEDIR));
  TELL(unlinkat(folder, "hard", 0));
  TELL(unlinkat(folder, "to-sub", 0));
  TELL(unlinkat(AT_FDCWD, "sub", 0));
  TELL(rmdir("sub"));
  TELL(fchdir(file));
  TELL(fchdir(folder));
  TELL(opened("up", O_RDONLY));
  TELL(chdir(".."));
  TELL(chdir("file"));
  TELL(chdir("nothing"));
  TELL(chdir("to-folder"));
  TELL(chdir(".."));
  /* A folder that was removed is empty. */
  TELL(mkdir("gone", 0755));
  int gone = open("gone", O_RDONLY);
  TELL(rmdir("gone"));
  TELL(openat(gone, "x", O_WRONLY | O_CREAT, 0644));
  TELL(mknod("node", S_IFREG | 0600, 0));
  TELL(mknod("node", S_IFREG | 0600, 0));
  TELL(unlink("node"));
}

int run_names(void) {
  made("file", "text");
  TELL(mkdir("folder", 0755));
  slashes();
  links();
  renames();
  lengths();
  bytes();
  descriptors();
  list(".");
  list("folder");
  return 0;
}
