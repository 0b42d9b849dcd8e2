/* Bytes that pack well: most are those of a few thousand places before, the others are of 64 values. */
#include <stdlib.h>

static unsigned char *data(size_t length) {
  unsigned char *bytes = malloc(length);
  unsigned state = 1;
  for (size_t i = 0; i < length; i++) {
    state = state * 1103515245u + 12345u;
    int is_copy = i > 4000 && (state >> 28) != 0;
    bytes[i] = is_copy ? bytes[i - 1 - (state >> 20) % 4000] : (state >> 16) & 63;
  }
  return bytes;
}
