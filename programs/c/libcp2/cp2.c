/* CP2 by its instructions, the channel by its registers. */
#include "cp2.h"

/* Bundles whose only operation is in the exchange slot; the operand is in the lowest bits. */
enum { RUNI = 0x0a, SETI = 0x20, JUMPI = 0x28, START_DMA = 0x2f };
static uint64_t exchange(unsigned code, unsigned operand) { return (uint64_t)code << 23 | operand; }
static uint64_t set_register(unsigned number, uint16_t value) { return exchange(SETI, number << 17 | value); }

enum { STATUS_RUN = 1, STATUS_EMPTY = 4 };

static inline void store_bundle(const uint64_t *bundle) {
  __asm__ volatile("ldc2 $0, 0(%0)" : : "r"(bundle) : "memory");
}

void cp2_load_runs(unsigned address, const struct cp2_run *runs, unsigned count) {
  cp2_execute(exchange(JUMPI, address));
  for (unsigned r = 0; r < count; r++)
    for (const uint64_t *bundle = runs[r].bundles, *end = bundle + runs[r].count; bundle != end; bundle++)
      store_bundle(bundle);
}

void cp2_load(unsigned address, const uint64_t *bundles, unsigned count) {
  struct cp2_run run = {bundles, count};
  cp2_load_runs(address, &run, 1);
}

/* STATUS tells of a bundle two cycles after it was sent, and of a kernel three cycles after its bundle was taken; in
 * between it looks as if nothing were to do. A read of a register takes longer than that. */
static void settle(void) { (void)cp2_status(); }

void cp2_start(unsigned address, const uint16_t *arguments, unsigned count) {
  for (unsigned i = 0; i < count; i++) cp2_execute(set_register(i, arguments[i]));
  cp2_execute(exchange(RUNI, address));
  settle();
}

/* Until the FIFO is empty and no kernel runs. */
static int is_busy(uint64_t status) {
  return (status & STATUS_RUN) || !(status & STATUS_EMPTY);
}

uint64_t cp2_wait(void) {
  while (is_busy(cp2_status())) {}
  return cp2_stop_code();
}

struct cp2_memory cp2_rows(uint32_t base, unsigned words, unsigned pitch, unsigned rows) {
  unsigned beats = words / 2, burst = beats < 32 ? beats : 32;
  while (beats % burst) burst--;
  struct cp2_memory walk = {base, burst, {(int32_t)burst * 16, beats / burst}, {(int32_t)pitch * 8, rows}};
  return walk;
}

struct cp2_local cp2_linear(unsigned base, unsigned beats) {
  struct cp2_local walk = {(uint16_t)base, {2, (uint16_t)beats}, {0, 1}};
  return walk;
}

struct cp2_local cp2_interleaved(unsigned base, unsigned beats) {
  struct cp2_local walk = {(uint16_t)base, {0, CP2_SECTIONS}, {2, (uint16_t)beats}};
  return walk;
}

void cp2_all(struct cp2_pattern patterns[CP2_SECTIONS]) {
  for (unsigned s = 0; s < CP2_SECTIONS; s++) patterns[s] = (struct cp2_pattern){0, 0, 1, 2};
}

void cp2_dealt(struct cp2_pattern patterns[CP2_SECTIONS], unsigned beats) {
  for (unsigned s = 0; s < CP2_SECTIONS; s++) {
    struct cp2_pattern pattern = {(uint16_t)(2 * beats * s), 2, (uint16_t)beats, (uint16_t)(2 * beats * CP2_SECTIONS)};
    patterns[s] = pattern;
  }
}

void cp2_only(struct cp2_pattern patterns[CP2_SECTIONS], unsigned section) {
  /* No beat has an odd number, and in single words none comes so far. */
  for (unsigned s = 0; s < CP2_SECTIONS; s++) patterns[s] = (struct cp2_pattern){s == section ? 0 : 0xffff, 0, 1, s == section ? 2 : 0};
}

enum { PUT = 0, GET = 2 };

static struct cp2_descriptor transfer(uint64_t type, struct cp2_memory memory, struct cp2_local local) {
  uint64_t sx = (uint64_t)(memory.x.step >> 2) & 0x3fffff, sy = (uint64_t)(memory.y.step >> 2) & 0x3fffff;
  struct cp2_descriptor d = {{
      1ull << 63 | type << 57 | 1ull << 47 | (uint64_t)memory.burst << 41 | memory.base,
      sx << 42 | 1ull << 39 | (uint64_t)memory.x.count << 12 | sy >> 10,
      (uint64_t)memory.y.count << 44 | (sy & 0x3ff) << 34 | (uint64_t)local.base << 16 | local.x.step,
      (uint64_t)local.x.count << 48 | (uint64_t)local.y.step << 32 | (uint64_t)local.y.count << 16 | 1 << 13,
      0, 0, 0, 0}};
  return d;
}

struct cp2_descriptor cp2_get(struct cp2_memory memory, struct cp2_local local, const struct cp2_pattern patterns[CP2_SECTIONS]) {
  struct cp2_descriptor d = transfer(GET, memory, local);
  for (unsigned s = 0; s < CP2_SECTIONS; s++) {
    const struct cp2_pattern *p = patterns + s;
    d.word[4 + s] = (uint64_t)p->base << 48 | (uint64_t)p->inner << 32 | (uint64_t)p->run << 16 | p->outer;
  }
  return d;
}

struct cp2_descriptor cp2_put(struct cp2_memory memory, struct cp2_local local, unsigned flow) {
  struct cp2_descriptor d = transfer(PUT, memory, local);
  d.word[0] |= (uint64_t)flow << 32;
  return d;
}

void dma_get_words(struct cp2_descriptor *get) { get->word[0] |= 1ull << 32; }
void dma_mask_row_ends(struct cp2_descriptor *put, unsigned mask) { put->word[4] |= (uint64_t)mask << 56; }

void dma_stop_after(struct cp2_descriptor *descriptor) { descriptor->word[0] |= 1ull << 61; }
void dma_wait_before(struct cp2_descriptor *descriptor) { descriptor->word[0] |= 1ull << 60; }

/* Registers of the channel, in the uncached segment. */
#define DMA(offset) (*(volatile uint32_t *)(0xffffffffbff00000 + (offset)))
enum { CTRL = 0, STATUS = 4, DADDR = 8, CURDSC = 0x10, BASEADDR = 0x1008 };
enum { DMA_BUSY = 1, DMA_WAITING = 2 };

void dma_start(const struct cp2_descriptor *queue) {
  __asm__ volatile("sync" : : : "memory");
  DMA(BASEADDR) = (uint32_t)(uintptr_t)queue & 0x1fffffff;
  DMA(DADDR) = 0;
  DMA(CURDSC) = 0;
  DMA(CTRL) = 1;
}

void dma_release(void) {
  cp2_execute(exchange(START_DMA, 0));
  settle();
  /* The channel waits until the bundle has left the FIFO. */
  while (is_busy(cp2_status())) {}
}

void dma_wait(void) {
  while ((DMA(STATUS) & (DMA_BUSY | DMA_WAITING)) == DMA_BUSY) {}
}

/* What is moved at once, and the page that is computed meanwhile. */
static unsigned append(struct cp2_descriptor *queue, unsigned at, const struct cp2_descriptor *from, unsigned count) {
  for (unsigned i = 0; i < count; i++) queue[at + i] = from[i];
  return at + count;
}

/* Ends a step of the queue: the channel waits before all but the first. */
static unsigned close_step(struct cp2_descriptor *queue, unsigned first, unsigned end) {
  if (end > first && first > 0) dma_wait_before(queue + first);
  return end;
}

/* The queue of all steps: of each page, a step in which CP2 stands still if there is something to prepare, then one
 * in which it computes. */
unsigned cp2_queue_pages(const struct cp2_page *pages, unsigned count, struct cp2_descriptor *queue) {
  unsigned n = 0, n_unloaded = 0;
  for (unsigned k = 0; k < count; k++) {
    unsigned first = n;
    if (k == 0 || pages[k].n_prepare) {
      for (; n_unloaded < k; n_unloaded++) n = append(queue, n, pages[n_unloaded].unload, pages[n_unloaded].n_unload);
      n = append(queue, n, pages[k].prepare, pages[k].n_prepare);
      if (k == 0) n = append(queue, n, pages[k].load, pages[k].n_load);
      first = close_step(queue, first, n);
    }
    for (; n_unloaded < k; n_unloaded++) n = append(queue, n, pages[n_unloaded].unload, pages[n_unloaded].n_unload);
    if (k + 1 < count) n = append(queue, n, pages[k + 1].load, pages[k + 1].n_load);
    close_step(queue, first, n);
  }
  unsigned first = n;
  for (; n_unloaded < count; n_unloaded++) n = append(queue, n, pages[n_unloaded].unload, pages[n_unloaded].n_unload);
  close_step(queue, first, n);
  if (n) dma_stop_after(queue + n - 1);
  return n;
}

void cp2_run_queue(const struct cp2_page *pages, unsigned count, const struct cp2_descriptor *queue) {
  if (!count) return;
  dma_start(queue);
  dma_wait();
  unsigned n_unloaded = 0;
  for (unsigned k = 0; k < count; k++) {
    const struct cp2_page *page = pages + k;
    int moves = 0;
    if (k && page->n_prepare) {
      dma_release();
      dma_wait();
      n_unloaded = k;
    }
    for (; n_unloaded < k; n_unloaded++) moves |= pages[n_unloaded].n_unload != 0;
    if (k + 1 < count) moves |= pages[k + 1].n_load != 0;
    if (moves) dma_release();
    cp2_start(page->kernel, page->arguments, page->n_arguments);
    cp2_wait();
    if (moves) dma_wait();
  }
  dma_release();
  dma_wait();
}

void cp2_run_pages(const struct cp2_page *pages, unsigned count, struct cp2_descriptor *queue) {
  if (cp2_queue_pages(pages, count, queue)) cp2_run_queue(pages, count, queue);
}
