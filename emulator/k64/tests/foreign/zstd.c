/* Packs and unpacks data by zstd: `zstd TIMES LENGTH`. */
#include "data.h"
#include <stdio.h>
#include <string.h>
#include <zstd.h>

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  size_t length = strtoul(argv[2], 0, 10), most = ZSTD_compressBound(length);
  unsigned char *from = data(length), *packed = malloc(most), *to = malloc(length);
  unsigned long sum = 0;
  for (int times = atoi(argv[1]); times > 0; times--) {
    size_t n = ZSTD_compress(packed, most, from, length, 5);
    if (ZSTD_isError(n) || ZSTD_decompress(to, length, packed, n) != length || memcmp(from, to, length)) return 1;
    for (size_t i = 0; i < n; i++) sum = sum * 31 + packed[i];
    from[times] ^= 1;
  }
  printf("%lu\n", sum);
  return 0;
}
