/* Files below the folder that a process is given. */
#include "suite.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void tried(const char *path, int flags) {
  int file = open(path, flags, 0644);
  printf("%s: %s\n", path, file < 0 ? strerror(errno) : "open");
  if (file >= 0) close(file);
}

/* The entries of a folder, then its first one again. */
static void list(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) { printf("%s: %s\n", path, strerror(errno)); return; }
  printf("%s:", path);
  for (struct dirent *entry; (entry = readdir(folder));) printf(" %s %d", entry->d_name, entry->d_type);
  rewinddir(folder);
  printf(", %s\n", readdir(folder)->d_name);
  closedir(folder);
}

/* More entries than one call gives. */
static int many(void) {
  char name[300];
  int sum = 0, seen = 0;
  memset(name, 'x', 200);
  for (int i = 0; i < 400; i++) {
    sprintf(name + 200, "%d", i);
    int file = open(name, O_WRONLY | O_CREAT, 0644);
    if (file < 0 || close(file)) return -1;
  }
  DIR *folder = opendir(".");
  /* What is removed on the way hides nothing. */
  for (struct dirent *entry; (entry = readdir(folder));)
    if (entry->d_name[0] == 'x') sum += atoi(entry->d_name + 200), seen += !unlink(entry->d_name);
  closedir(folder);
  return seen == 400 ? sum : -2;
}

int run_files(void) {
  char text[64] = "", here[200];
  struct stat status;
  FILE *file = fopen("made.txt", "w+");
  if (!file) { printf("cannot make a file: %s\n", strerror(errno)); return 1; }
  fprintf(file, "line %d\nline %d\n", 1, 2);
  fseek(file, 7, SEEK_SET);
  printf("%s", fgets(text, sizeof text, file));
  fclose(file);
  stat("made.txt", &status);
  printf("%ld bytes, regular %d\n", (long)status.st_size, S_ISREG(status.st_mode));
  printf("%d %d %d %s\n", mkdir("folder", 0755), rename("made.txt", "folder/moved.txt"), chdir("folder"), getcwd(here, sizeof here));
  tried("moved.txt", O_RDONLY);
  tried("../folder/moved.txt", O_RDONLY);
  tried("../../../../../etc/passwd", O_RDONLY);
  tried("/etc/passwd", O_RDONLY);
  tried("/dev/null", O_RDONLY);
  tried("/link-out", O_RDONLY);
  tried("/link-out/secret", O_RDONLY);
  tried("/link-to-file", O_RDONLY);
  tried("/link-up/secret", O_RDONLY);
  tried("/link-new", O_WRONLY | O_CREAT);
  tried("/link-new", O_RDONLY | O_CREAT);
  tried("empty.txt", O_RDONLY | O_CREAT);
  tried("empty.txt", O_RDONLY | O_CREAT | O_EXCL);
  tried("/fifo", O_RDONLY);
  printf("%d %s\n", truncate("/fifo", 0), strerror(errno));
  tried("/proc/self/mem", O_RDONLY);
  printf("%d\n", rename("moved.txt", "/link-out/moved.txt"));
  list("/");
  list("/link-out");
  list("..");
  printf("%d\n", many());
  int found = lstat("/link-to-file", &status);
  printf("%d link %d\n", found, S_ISLNK(status.st_mode));
  printf("%d %d\n", stat("/link-to-file", &status), truncate("/link-to-file", 0));
  int first = open("moved.txt", O_RDONLY), copy = fcntl(first, F_DUPFD, 20);
  int cut = truncate("moved.txt", 7);
  printf("%d %d %d\n", copy, cut, (int)read(copy, text, sizeof text));
  int root = open("/", O_RDONLY | O_DIRECTORY);
  int done = fchdir(root);
  printf("%d %s\n", done, getcwd(here, sizeof here));
  tried("/nothing", O_RDONLY | O_DIRECTORY);
  printf("%d %d %d\n", mkdir("/link-out/new", 0755), rmdir("/link-out"), chdir("/link-out"));
  printf("%d %d\n", unlink("/folder/moved.txt"), unlink("/link-out/secret"));
  return 0;
}
