/* Page schemes as tables. */
#include "scheme.h"
#include "runtime.h"

/* The element of an array with which one around it is filled; -1 for none, which is 0. */
static int64_t within(int64_t index, uint32_t size, unsigned edge) {
  if (index >= 0 && index < (int64_t)size) return index;
  if (edge == CP2_WRAP) return (index % (int64_t)size + (int64_t)size) % (int64_t)size;
  if (edge == CP2_NEAREST) return index < 0 ? 0 : (int64_t)size - 1;
  return -1;
}

/* An element of 32 bits that has a word of its own lies in its high half, its low one, or both. */
static void store(const struct cp2_array *array, char *at, int64_t index) {
  if (array->element == 8) {
    *(uint64_t *)at = index < 0 ? 0 : ((const uint64_t *)array->plain)[index];
    return;
  }
  uint64_t value = index < 0 ? 0 : ((const uint32_t *)array->plain)[index];
  switch (array->packing) {
  case CP2_PAIRS: *(uint32_t *)at = (uint32_t)value; break;
  case CP2_HIGH: *(uint64_t *)at = value << 32; break;
  case CP2_LOW: *(uint64_t *)at = value; break;
  default: *(uint64_t *)at = value << 32 | value; break;
  }
}

static void load(const struct cp2_array *array, const char *at, int64_t index) {
  if (array->element == 8) ((uint64_t *)array->plain)[index] = *(const uint64_t *)at;
  else if (array->packing == CP2_PAIRS) ((uint32_t *)array->plain)[index] = *(const uint32_t *)at;
  else ((uint32_t *)array->plain)[index] = (uint32_t)(*(const uint64_t *)at >> (array->packing == CP2_LOW ? 0 : 32));
}

/* Goes along an axis and those behind it, filling what is around the array too. `at` is the place of the element 0 of the axis, `index` its number. */
static void place_axis(const struct cp2_array *array, unsigned axis, char *at, int64_t index) {
  const struct cp2_axis *of = array->axes + axis;
  for (int64_t i = -(int64_t)of->before; i < (int64_t)(of->size + of->behind); i++) {
    int64_t from = within(i, of->size, array->edge);
    int64_t next = index < 0 || from < 0 ? -1 : index * of->size + from;
    if (axis + 1 == array->n_axes) store(array, at + i * of->step, next);
    else place_axis(array, axis + 1, at + i * of->step, next);
  }
}

static void collect_axis(const struct cp2_array *array, unsigned axis, const char *at, int64_t index) {
  const struct cp2_axis *of = array->axes + axis;
  for (int64_t i = 0; i < (int64_t)of->size; i++) {
    if (axis + 1 == array->n_axes) load(array, at + i * of->step, index * of->size + i);
    else collect_axis(array, axis + 1, at + i * of->step, index * of->size + i);
  }
}

/* The place of the element 0 along every axis. */
static char *origin(const struct cp2_array *array) {
  int64_t before = 0;
  for (unsigned axis = 0; axis < array->n_axes; axis++) before += (int64_t)array->axes[axis].before * array->axes[axis].step;
  return (char *)array->placed + before;
}

void cp2_place(const struct cp2_array *array) { place_axis(array, 0, origin(array), 0); }
void cp2_collect(const struct cp2_array *array) { collect_axis(array, 0, origin(array), 0); }

/* A jump by a comparison, both of whose ways lead to the next descriptor, so that it moves nothing. */
static struct cp2_descriptor nothing(void) {
  struct cp2_descriptor d = {{1ull << 63 | 3ull << 57 | 3ull << 55, 1ull << 48 | 1ull << 32, 0, 0, 0, 0, 0, 0}};
  return d;
}

static struct cp2_descriptor descriptor(const struct cp2_transfer *transfer, void *const *places) {
  if (transfer->kind == CP2_NOTHING) return nothing();
  struct cp2_memory memory = transfer->memory;
  memory.base += physical(places[transfer->place]);
  if (transfer->kind == CP2_PUT) {
    struct cp2_descriptor put = cp2_put(memory, transfer->local, transfer->flow);
    put.word[4] |= (uint64_t)transfer->mask << 60;
    dma_mask_row_ends(&put, transfer->end_mask);
    return put;
  }
  struct cp2_descriptor get = cp2_get(memory, transfer->local, transfer->patterns);
  if (transfer->kind == CP2_GET_WORDS) dma_get_words(&get);
  return get;
}

void cp2_queue_transfers(const struct cp2_transfer *transfers, unsigned count, void *const *places, struct cp2_descriptor *queue) {
  for (unsigned i = 0; i < count; i++) {
    queue[i] = descriptor(transfers + i, places);
    if (transfers[i].waits) dma_wait_before(queue + i);
  }
  if (count) dma_stop_after(queue + count - 1);
}

static void run(const struct cp2_call *call) {
  const uint64_t inverse = 1 << 15, control = cp2_control();
  uint64_t wanted = call->inverse ? control | inverse : control & ~inverse;
  if (wanted != control) cp2_set_control(wanted);
  for (unsigned i = 0; i < call->count; i++) cp2_execute(call->bundles[i]);
  /* STATUS tells of a bundle later than it is sent; a read takes longer than that. */
  (void)cp2_status();
  cp2_wait();
}

void cp2_run_steps(const struct cp2_step *steps, unsigned count, const struct cp2_descriptor *queue) {
  for (unsigned i = 0; i < count; i++) {
    if (!i) dma_start(queue);
    else if (steps[i].moves) dma_release();
    for (unsigned k = 0; k < steps[i].count; k++) run(steps[i].calls + k);
    dma_wait();
  }
}
