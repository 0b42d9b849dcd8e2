/* What a program on the bare machine has: console, exit, time, memory, exceptions. */
#ifndef RUNTIME_H
#define RUNTIME_H
#include <stddef.h>
#include <stdint.h>

/* Console. */
void print_char(char c);
void print(const char *text);
/* Hexadecimal without leading zeros. */
void print_hex(uint64_t value);
void print_decimal(int64_t value);

/* Ends the run with the lowest eight bits. */
_Noreturn void exit(int code);

/* Count of coprocessor 0: half the cycles, modulo 2^32. */
uint32_t count(void);
/* Cycles since the first call, even; to be called at least every 2^33 cycles. */
uint64_t cycles(void);

/* Memory that is never given back, aligned to 64 KiB; 0 if there is none left below 256 MiB. */
void *allocate(size_t bytes);
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

/* The physical address of what the linker or allocate gave. */
static inline uint32_t physical(const void *place) { return (uint32_t)(uintptr_t)place & 0x1fffffff; }

/* Registers at an exception; handlers may change epc and the registers. They do not compute with floating point. */
struct frame {
  uint64_t pad, at, v[2], a[8], t[4], t8, t9, gp, ra, sp, hi, lo, cause, epc, bad_address;
};
/* The program's own, called once exceptions are handled. */
void on_exception(struct frame *frame);
/* From now on exceptions go to on_exception; before they end the run. */
void handle_exceptions(void);

#define READ_CP0(register)                                                       \
  __extension__({ uint64_t value_; __asm__ volatile("dmfc0 %0, $" #register : "=r"(value_)); value_; })
#define WRITE_CP0(register, value) \
  __asm__ volatile("dmtc0 %0, $" #register "\n\tehb" : : "r"((uint64_t)(value)) : "memory")
#endif
