/* Files below the folder that a process is given. */
#include "suite.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void tried(const char *path, int flags) {
  int file = open(path, flags, 0644);
  printf("%s: %s\n", path, file < 0 ? strerror(errno) : "open");
  if (file >= 0) close(file);
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
  tried("/proc/self/mem", O_RDONLY);
  printf("%d\n", rename("moved.txt", "/link-out/moved.txt"));
  printf("%d %d\n", unlink("moved.txt"), unlink("/link-out/secret"));
  return 0;
}
