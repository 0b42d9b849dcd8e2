/* A page scheme as tables: arrays, transfers, calls of kernels, and the steps in which a host goes through them.
 * `cp2 kernels run FILE --emit c` writes such tables. */
#ifndef SCHEME_H
#define SCHEME_H
#include "cp2.h"

/* An array as pages have it: elements of 32 or 64 bits with others around it, and gaps between its rows. */
enum cp2_packing { CP2_PAIRS, CP2_HIGH, CP2_LOW, CP2_BOTH };
enum cp2_edge { CP2_ZERO, CP2_WRAP, CP2_NEAREST };
struct cp2_axis { uint32_t size, before, behind; int32_t step; };
struct cp2_array {
  void *plain;  /* element by element; the last index varies fastest */
  void *placed; /* from the first element around the array on */
  const struct cp2_axis *axes;
  uint8_t n_axes, element, packing, edge; /* element: bytes of one in `plain`, 4 or 8 */
};
/* Fills `placed` from `plain`, also around the array. */
void cp2_place(const struct cp2_array *array);
/* Fills `plain` from `placed`. */
void cp2_collect(const struct cp2_array *array);

/* A transfer of the channel. Its memory begins so many bytes behind the begin of a place. */
enum cp2_transfer_kind { CP2_NOTHING, CP2_GET, CP2_GET_WORDS, CP2_PUT };
struct cp2_transfer {
  uint8_t kind, waits, place;     /* waits: until the host releases the channel */
  uint8_t flow, mask, end_mask;   /* of a PUT: beats of a section in turn; points of beats that stay as they are */
  struct cp2_memory memory;
  struct cp2_local local;
  const struct cp2_pattern *patterns; /* of a GET, one for each section */
};

/* What the host sends to CP2 to run a kernel; `inverse`: of transforms. */
struct cp2_call { const uint64_t *bundles; unsigned count, inverse; };
/* Calls that are made while the channel moves data. */
struct cp2_step { unsigned moves, count; const struct cp2_call *calls; };

/* Puts transfers into a queue, the last of which stops the channel. */
void cp2_queue_transfers(const struct cp2_transfer *transfers, unsigned count, void *const *places, struct cp2_descriptor *queue);
/* Goes through the steps; the channel has the queue. */
void cp2_run_steps(const struct cp2_step *steps, unsigned count, const struct cp2_descriptor *queue);
#endif
