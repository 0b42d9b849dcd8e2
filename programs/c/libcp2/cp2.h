/* CP2 and its DMA channel from C on the control processor: load kernels, pass arguments, queue transfers, start, wait,
 * and the page scheme. Addresses of memory are physical (runtime.h); local memory counts in words of 64 bits. */
#ifndef CP2_H
#define CP2_H
#include <stdint.h>

enum { CP2_SECTIONS = 4 };

/* Registers by number. */
#define CP2_READ(register) \
  __extension__({ uint64_t value_; __asm__ volatile("dmfc2 %0, $" #register : "=r"(value_) : : "memory"); value_; })
#define CP2_WRITE(register, value) \
  __asm__ volatile("dmtc2 %0, $" #register : : "r"((uint64_t)(value)) : "memory")
#define CP2_COMM 1
#define CP2_CONTROL 2
#define CP2_STATUS 3
#define CP2_STOPCODE 5

/* Executes a bundle through the FIFO; the processor waits while it is full. */
static inline void cp2_execute(uint64_t bundle) { CP2_WRITE(0, bundle); }
static inline uint64_t cp2_status(void) { return CP2_READ(3); }
/* Why the last kernel stopped; takes its interrupt back. */
static inline uint64_t cp2_stop_code(void) { return CP2_READ(5); }
/* Register 2 is CONTROL; its bit 15, I, selects inverse transforms. */
static inline void cp2_set_control(uint64_t value) { CP2_WRITE(2, value); }
static inline uint64_t cp2_control(void) { return CP2_READ(2); }

/* Keeps an object of cp2, such as scale.o, with the program, so that `cp2 run` tells kernels, labels and lines of its
 * bundles. It takes no memory of the program. The assembler looks for the file in the folders of -I. */
#define CP2_OBJECT(file) \
  __asm__(".pushsection .cp2.object." file ",\"\",@progbits\n\t.incbin \"" file "\"\n\t.popsection");

/* Bundles to instruction memory from an address on; CP2 is idle. */
void cp2_load(unsigned address, const uint64_t *bundles, unsigned count);
/* The same of bundles that lie in several places of memory, in this order. */
struct cp2_run { const uint64_t *bundles; unsigned count; };
void cp2_load_runs(unsigned address, const struct cp2_run *runs, unsigned count);
/* Sets the general registers g0, g1, ... and starts a kernel. */
void cp2_start(unsigned address, const uint16_t *arguments, unsigned count);
/* Waits until the kernel has stopped; its stop code. */
uint64_t cp2_wait(void);

/* A step in memory in bytes and how often it is taken; runs of `burst` beats of 16 bytes are contiguous. */
struct cp2_memory {
  uint32_t base;
  unsigned burst;
  struct { int32_t step; uint32_t count; } x, y;
};
/* The same in local memory, one step for each beat. */
struct cp2_local {
  uint16_t base;
  struct { uint16_t step, count; } x, y;
};
/* Which beats a section takes: numbers of their first words. */
struct cp2_pattern { uint16_t base, inner, run, outer; };
/* What the channel executes. */
struct cp2_descriptor { uint64_t word[8]; };

/* Rows of words in bursts of at most 32 beats; `pitch` words from row to row. */
struct cp2_memory cp2_rows(uint32_t base, unsigned words, unsigned pitch, unsigned rows);
/* Consecutive words, beat by beat. */
struct cp2_local cp2_linear(unsigned base, unsigned beats);
/* The same place for each section in turn, `beats` times. */
struct cp2_local cp2_interleaved(unsigned base, unsigned beats);
/* Every section takes all beats. */
void cp2_all(struct cp2_pattern patterns[CP2_SECTIONS]);
/* Beats are dealt to the sections, so many at a time. */
void cp2_dealt(struct cp2_pattern patterns[CP2_SECTIONS], unsigned beats);

/* One section takes all beats. */
void cp2_only(struct cp2_pattern patterns[CP2_SECTIONS], unsigned section);

/* Transfers from and to memory; the next descriptor follows. `flow`: beats of a section before the next one, 0 all. */
struct cp2_descriptor cp2_get(struct cp2_memory memory, struct cp2_local local, const struct cp2_pattern patterns[CP2_SECTIONS]);
struct cp2_descriptor cp2_put(struct cp2_memory memory, struct cp2_local local, unsigned flow);

/* A transfer from memory takes its beats in single words, each with a step in local memory of its own. */
void dma_get_words(struct cp2_descriptor *get);
/* A transfer to memory leaves points of the last beat of each row as they are: bit 0 the first in memory. */
void dma_mask_row_ends(struct cp2_descriptor *put, unsigned mask);

/* Starts the channel with descriptors in memory, the last of which stops it. */
void dma_start(const struct cp2_descriptor *queue);
/* Lets the channel go on that waits; CP2 is idle. */
void dma_release(void);
/* Waits until the channel is idle or waits for a release. */
void dma_wait(void);
/* The last descriptor of a queue stops the channel; one may wait for a release before it. */
void dma_stop_after(struct cp2_descriptor *descriptor);
void dma_wait_before(struct cp2_descriptor *descriptor);

/* What is in local memory at once. While CP2 computes a page, the channel unloads the one before and loads the next;
 * transfers to prepare a page are done while CP2 stands still. */
struct cp2_page {
  const struct cp2_descriptor *prepare, *load, *unload;
  unsigned n_prepare, n_load, n_unload;
  unsigned kernel, n_arguments;
  uint16_t arguments[16];
};
/* Puts the descriptors of pages into a queue, which is room for all of them; how many they are. The channel begins with
 * the first one, so the first page has to prepare or load something. */
unsigned cp2_queue_pages(const struct cp2_page *pages, unsigned count, struct cp2_descriptor *queue);
/* Runs pages whose descriptors are in a queue, which stays as it is and can be run again. */
void cp2_run_queue(const struct cp2_page *pages, unsigned count, const struct cp2_descriptor *queue);
/* Both. */
void cp2_run_pages(const struct cp2_page *pages, unsigned count, struct cp2_descriptor *queue);
#endif
