/* Ways out of the folder of a process: the file `outside` has the path of a folder in which there is a file `secret`. Nothing
   may be read or changed there. Another program replaces `swap`, a folder, by a link to that folder, and `turn`, a file, by a
   link to the secret, again and again. */
#define _GNU_SOURCE
#include "../suite.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int n_found;

static void look(int file) {
  char text[8] = "";
  if (file < 0) return;
  if (read(file, text, 6) == 6 && !memcmp(text, "secret", 6)) n_found++;
  close(file);
}

/* Tries what there is with a path to the secret. */
static void attack(const char *secret) {
  struct stat status;
  struct timespec times[2] = {{1, 0}, {2, 0}};
  char text[100];
  look(open(secret, O_RDONLY));
  look(open(secret, O_RDWR));
  int file = open(secret, O_WRONLY | O_TRUNC);
  if (file >= 0) n_found += write(file, "lost", 4) == 4, close(file);
  n_found += !stat(secret, &status) && status.st_size == 6;
  n_found += !access(secret, R_OK) + !chmod(secret, 0777) + !truncate(secret, 1) + !utimensat(AT_FDCWD, secret, times, 0);
  n_found += linkat(AT_FDCWD, secret, AT_FDCWD, "taken", AT_SYMLINK_FOLLOW) == 0;
  if (readlink(secret, text, sizeof text) < 0) {
    n_found += !rename(secret, "taken") + !link(secret, "taken") + !unlink(secret);
  }
}

/* Makes things at a path that may lead to the folder outside. */
static void make(const char *folder) {
  char path[5000];
  DIR *entries = opendir(folder);
  if (entries) {
    for (struct dirent *entry; (entry = readdir(entries));) n_found += !strcmp(entry->d_name, "secret");
    closedir(entries);
  }
  sprintf(path, "%s/made", folder);
  close(open(path, O_WRONLY | O_CREAT, 0644)), unlink(path);
  if (!mkdir(path, 0755)) rmdir(path);
  if (!symlink("x", path)) unlink(path);
  close(open("own", O_WRONLY | O_CREAT, 0644));
  if (!link("own", path)) unlink(path);
  if (!rename("own", path)) unlink(path);
  chmod(folder, 0755);
}

/* Reads and changes a file that may be a link by then. */
static void change(const char *path) {
  struct timespec times[2] = {{1, 0}, {2, 0}};
  look(open(path, O_RDONLY));
  look(open(path, O_RDWR | O_CREAT, 0644));
  int file = open(path, O_WRONLY | O_TRUNC);
  if (file >= 0 && write(file, "lost", 4) == 4) close(file);
  chmod(path, 0777), truncate(path, 1), utimensat(AT_FDCWD, path, times, 0);
  if (!linkat(AT_FDCWD, path, AT_FDCWD, "taken", AT_SYMLINK_FOLLOW)) look(open("taken", O_RDONLY)), unlink("taken");
}

static void way(const char *target, const char *name) {
  char path[5000];
  if (symlink(target, name)) { printf("no link to %s\n", target); return; }
  make(name);
  sprintf(path, "%s/secret", name);
  attack(path);
  sprintf(path, "%s/../%s/secret", name, strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
  attack(path);
  sprintf(path, "%s/secret", target);
  unlink(name);
  if (symlink(path, name)) return;
  attack(name);
  sprintf(path, "%s/new", target);
  unlink(name);
  if (symlink(path, name)) return;
  close(open(name, O_WRONLY | O_CREAT, 0644));
  mkdir(name, 0755);
  unlink(name);
}

int run_escapes(void) {
  char outside[1000] = "", path[5000], last[1000];
  int file = open("outside", O_RDONLY);
  read(file, outside, sizeof outside - 1);
  const char *base = strrchr(outside, '/') + 1;
  way(outside, "absolute");
  sprintf(path, "../%s", base), way(path, "beside");
  sprintf(path, "../../../../../../../..%s", outside), way(path, "far");
  sprintf(path, "/..%s", outside), way(path, "root");
  sprintf(path, "//./%s", outside), way(path, "slashes");
  sprintf(path, "swap/../../%s", base), way(path, "through");
  sprintf(path, "/proc/self/cwd/../%s", base), way(path, "proc");
  strcpy(last, outside);
  for (int i = 0; i < 45; i++) {
    sprintf(path, "chain%d", i);
    symlink(last, path), attack(path), make(path);
    strcpy(last, path);
  }
  /* A folder that is moved under a descriptor has no more above it than before. */
  mkdir("deep", 0755), mkdir("deep/er", 0755);
  int folder = open("deep/er", O_RDONLY);
  rename("deep/er", "high");
  sprintf(path, "../../../%s/secret", base);
  look(openat(folder, path, O_RDONLY));
  fchdir(folder);
  attack(path);
  chdir("/");
  for (int i = 0; i < 3000; i++) {
    look(open("swap/secret", O_RDONLY));
    change("turn");
    if (i % 3 == 0) make("swap");
    if (i % 50 == 0) attack("swap/secret");
  }
  printf("found %d\n", n_found);
  return n_found > 0;
}
