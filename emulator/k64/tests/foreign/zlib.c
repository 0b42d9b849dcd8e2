/* Packs and unpacks data by zlib: `zlib TIMES LENGTH`. */
#include "data.h"
#include <stdio.h>
#include <string.h>
#include <zlib.h>

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  size_t length = strtoul(argv[2], 0, 10);
  unsigned char *from = data(length), *packed = malloc(compressBound(length)), *to = malloc(length);
  unsigned long sum = 0;
  for (int times = atoi(argv[1]); times > 0; times--) {
    uLongf n_packed = compressBound(length), n = length;
    if (compress2(packed, &n_packed, from, length, 6) != Z_OK) return 1;
    if (uncompress(to, &n, packed, n_packed) != Z_OK || n != length || memcmp(from, to, n)) return 1;
    sum += n_packed + crc32(0, packed, n_packed) + adler32(0, to, n);
    from[times] ^= 1;
  }
  printf("%lu\n", sum);
  return 0;
}
