/* Text output of C programs. Standard output and standard error are the console. */
#ifndef STDIO_H
#define STDIO_H
#include <stdarg.h>
#include <stddef.h>

typedef struct text_stream FILE;
extern FILE *const stdout, *const stderr;
#define EOF (-1)

int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
int sprintf(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vprintf(const char *format, va_list values);
int vsnprintf(char *to, size_t size, const char *format, va_list values);
int puts(const char *text);
int putchar(int c);
int fputs(const char *text, FILE *stream);
int fputc(int c, FILE *stream);
int fflush(FILE *stream);
#endif
