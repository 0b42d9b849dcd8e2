/* Memory, end and small numbers of C programs. */
#ifndef STDLIB_H
#define STDLIB_H
#include <stddef.h>

enum { EXIT_SUCCESS = 0, EXIT_FAILURE = 1 };
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void free(void *place);
_Noreturn void exit(int code);
_Noreturn void abort(void);
int abs(int value);
long labs(long value);
int atoi(const char *text);
#endif
