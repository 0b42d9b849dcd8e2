/* Conditions that a program holds; one that does not hold ends it. May be included again with NDEBUG or without. */
#include "stdio.h"
#include "stdlib.h"
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
  ((condition) ? (void)0 : (printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition), abort()))
#endif
