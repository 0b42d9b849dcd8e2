/* The C library: sorting, variable arguments, long jumps, strings, memory, printing and scanning. */
#include "suite.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double total(const char *kinds, ...) {
  va_list list;
  double sum = 0;
  va_start(list, kinds);
  for (; *kinds; kinds++)
    sum += *kinds == 'i' ? va_arg(list, int) : *kinds == 'l' ? (double)va_arg(list, long) : va_arg(list, double);
  va_end(list);
  return sum;
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static jmp_buf place;
static void deep(int n) { if (n == 0) longjmp(place, 42); volatile double x = n; deep(n - 1); x += 1; }

struct big { long a[5]; double b; };
static struct big twice(struct big v) { for (int i = 0; i < 5; i++) v.a[i] *= 2; v.b *= 2; return v; }

int run_library(void) {
  printf("%g\n", total("iddlidiiddld", 1, 2.5, 3.25, 4L, 5, 6.5, 7, 8, 9.125, 10.5, 11L, 12.0));
  char *words[200];
  uint32_t seed = 1;
  for (int i = 0; i < 200; i++) {
    words[i] = malloc(16);
    for (int k = 0; k < 15; k++) { seed = seed * 1664525 + 1013904223; words[i][k] = 'a' + (seed >> 24) % 26; }
    words[i][(seed >> 20) % 15] = 0;
  }
  qsort(words, 200, sizeof *words, compare);
  for (int i = 0; i < 200; i += 40) printf("%s\n", words[i]);
  if (setjmp(place) == 0) deep(20); else printf("jumped\n");
  struct big v = {{1, 2, 3, 4, 5}, 1.5};
  v = twice(twice(v));
  printf("%ld %ld %g\n", v.a[0], v.a[4], v.b);
  char text[100];
  snprintf(text, sizeof text, "%5d|%-5s|%05x|%+.2f|%c|%%|%p|%zu", -42, "ab", 255, 3.14159, 'z', (void *)0x1234, sizeof text);
  printf("%s\n%s %zu\n", text, strstr(text, "|+"), strlen(text));
  int a; double b; char w[20];
  printf("%d", sscanf("17 2.5e3 word", "%d %lf %19s", &a, &b, w));
  printf(" %d %g %s\n", a, b, w);
  char *grown = malloc(1);
  for (size_t size = 1; size < 4000000; size *= 3) { grown = realloc(grown, size); grown[size - 1] = (char)size; }
  memset(grown, 7, 1000); memmove(grown + 3, grown, 900);
  printf("%d %d %s\n", grown[902], memcmp(grown, grown + 1, 500), strtok(strdup("a,b;c"), ",;"));
  printf("%lu %ld %g\n", strtoul("0xffffffffffffffff", 0, 16), strtol("-9223372036854775808", 0, 10), strtod("0x1.8p-3", 0));
  return 3;
}
