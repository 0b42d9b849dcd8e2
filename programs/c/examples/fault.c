/* A kernel that runs past the end of instruction memory. */
#include "cp2.h"
#include "runtime.h"

int main(void) {
  static const uint64_t nothing[1];
  print("before\n");
  cp2_load(8191, nothing, 1);
  cp2_start(8191, 0, 0);
  cp2_wait();
  print("behind\n");
  return 0;
}
