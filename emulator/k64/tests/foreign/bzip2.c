/* Packs and unpacks data by bzip2: `bzip2 TIMES LENGTH`. */
#include "data.h"
#include <bzlib.h>
#include <stdio.h>
#include <string.h>

/* The library without input and output wants this of its caller. */
void bz_internal_error(int code) { exit(code & 127); }

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  unsigned length = strtoul(argv[2], 0, 10), most = length + length / 64 + 1000;
  unsigned char *from = data(length), *packed = malloc(most), *to = malloc(length);
  unsigned long sum = 0;
  for (int times = atoi(argv[1]); times > 0; times--) {
    unsigned n_packed = most, n = length;
    if (BZ2_bzBuffToBuffCompress((char *)packed, &n_packed, (char *)from, length, 9, 0, 0)) return 1;
    if (BZ2_bzBuffToBuffDecompress((char *)to, &n, (char *)packed, n_packed, 0, 0)) return 1;
    if (n != length || memcmp(from, to, n)) return 1;
    for (unsigned i = 0; i < n_packed; i++) sum = sum * 31 + packed[i];
    from[times] ^= 1;
  }
  printf("%lu\n", sum);
  return 0;
}
