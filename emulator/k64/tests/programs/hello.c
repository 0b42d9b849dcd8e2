#include <stdio.h>
#include <math.h>
int main(int argc, char **argv) {
  printf("hello %d %s\n", argc, argv[argc - 1]);
  for (int i = 1; i < 5; i++) printf("%d %.17g %g %a\n", i, sqrt((double)i), exp(i * 0.1), sin(i));
  return 7;
}
