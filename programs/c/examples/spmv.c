/* A sparse product driven from C: the matrix is converted to slices as the procedure of the Rust host does it
 * (programs/kernels/src/sparse/packed.rs, programs/procedures/src/sparse), and CP2 multiplies page by page, beside the vector in
 * local memory. Prints where the product lies and what it took. spmv_kernels.h has the kernel. */
#include "cp2.h"
#include "report.h"
#include "runtime.h"
#include "spmv_kernels.h"

enum { ROWS = 1024, COLUMNS = 1024, SLICES = ROWS / SPMV_HEIGHT, LEAST = 40, MORE = 41 };
/* A group is four elements of a row; a section has so many rows of a slice. */
enum { GROUP = 4, SECTION_ROWS = SPMV_HEIGHT / CP2_SECTIONS };
/* Words of each section: the vector, results of a slice, a group of all rows with values and columns. */
enum { VECTOR = COLUMNS / 2, RESULTS = SECTION_ROWS / 2, PART = RESULTS + 2, UNIT = 3 * SECTION_ROWS, BURST = 16 };
enum { LOCAL = 8192, PLACE = (LOCAL - VECTOR) / 4 * 2, CAPACITY = (LOCAL - VECTOR - 4 * BURST) / 4 * 2 };
enum { MAX_PAGES = 32, STEPS = 8 };

/* The matrix by rows, in ascending columns. */
static unsigned starts[ROWS + 1], columns[ROWS * (LEAST + MORE)];
static float values[ROWS * (LEAST + MORE)];
static unsigned groups[SLICES];
/* Slices of a page. */
struct share { unsigned first, count, units; };
static struct share shares[MAX_PAGES];

static struct cp2_descriptor descriptors[4 * MAX_PAGES] __attribute__((aligned(64)));
static struct cp2_descriptor queue[4 * MAX_PAGES] __attribute__((aligned(64)));
static struct cp2_page pages[MAX_PAGES];

static uint64_t state = 1;
static uint64_t next(void) { return state = state * 6364136223846793005u + 1442695040888963407u; }
static float next_float(void) { return (float)(next() >> 40) * (1.0f / 8388608.0f) - 1.0f; }

/* Rows of 40 to 80 elements, one in each of as many shares of the columns. */
static void make_matrix(void) {
  unsigned n = 0;
  for (unsigned i = 0; i < ROWS; i++) {
    unsigned count = LEAST + (unsigned)(next() >> 33) % MORE;
    starts[i] = n;
    for (unsigned k = 0; k < count; k++) {
      unsigned from = k * COLUMNS / count, share = (k + 1) * COLUMNS / count - from;
      columns[n] = from + (unsigned)(next() >> 33) % share;
      values[n++] = next_float();
    }
  }
  starts[ROWS] = n;
}

/* Groups of the longest row of each slice. */
static void count_groups(void) {
  for (unsigned slice = 0; slice < SLICES; slice++) {
    unsigned most = 1;
    for (unsigned i = slice * SPMV_HEIGHT; i < (slice + 1) * SPMV_HEIGHT; i++) {
      unsigned n = (starts[i + 1] - starts[i] + GROUP - 1) / GROUP;
      if (n > most) most = n;
    }
    groups[slice] = most;
  }
}

/* Deals slices to pages, the first of which has at most `shortest` words; the number of pages, 0 if a slice fits none. */
static unsigned deal(unsigned shortest) {
  unsigned n = 0, room = 0;
  for (unsigned slice = 0; slice < SLICES; slice++) {
    unsigned words = PART + groups[slice] * UNIT;
    if (words > CAPACITY) return 0;
    if (!n || words > room) {
      if (n == MAX_PAGES) return 0;
      room = n ? CAPACITY : shortest;
      shares[n++] = (struct share){slice, 0, 0};
    }
    room = words < room ? room - words : 0;
    shares[n - 1].count++;
    shares[n - 1].units += groups[slice];
  }
  return n;
}

/* With a first page as short as the number of pages allows: nothing is computed while it is loaded. */
static unsigned deal_short_first(void) {
  unsigned whole = deal(CAPACITY);
  for (unsigned step = 1; step < STEPS; step++)
    if (deal(CAPACITY * step / STEPS) == whole) return whole;
  return deal(CAPACITY);
}

/* Four elements of a row from a group on: values, and places in the vector with bit 15 for even columns. */
static uint64_t put_group(unsigned row, unsigned group, float *to) {
  uint64_t places = 0;
  for (unsigned i = 0; i < GROUP; i++) {
    unsigned at = starts[row] + group * GROUP + i;
    int is_there = at < starts[row + 1];
    unsigned column = is_there ? columns[at] : 0;
    to[i] = is_there ? values[at] : 0;
    places = places << 16 | column / 2 | (column % 2 ? 0 : 0x8000);
  }
  return places;
}

/* What a page holds for the sections, beat by beat: values of every row and group, then places. */
static void put_own(const struct share *share, float *to_values, uint64_t *to_places) {
  unsigned at = 0;
  for (unsigned slice = share->first; slice < share->first + share->count; slice++)
    for (unsigned group = 0; group < groups[slice]; group++)
      for (unsigned r = 0; r < SECTION_ROWS; r++, at++)
        for (unsigned s = 0; s < CP2_SECTIONS; s++) {
          unsigned row = slice * SPMV_HEIGHT + r / GROUP * GROUP * CP2_SECTIONS + s * GROUP + r % GROUP;
          uint64_t places = put_group(row, group, to_values + (at * CP2_SECTIONS + s) * GROUP);
          to_places[at / 2 * 2 * CP2_SECTIONS + 2 * s + at % 2] = places;
        }
}

/* A page in memory, and how it comes and goes. `y` takes the results of all rows. */
static int make_page(unsigned number, uint32_t x, uint32_t y, struct cp2_descriptor **free) {
  const struct share *share = shares + number;
  struct cp2_pattern all[CP2_SECTIONS], one[CP2_SECTIONS];
  unsigned results = share->count * RESULTS, common = results + 2 * share->count;
  unsigned n = share->units * SECTION_ROWS, own = (3 * n + BURST - 1) / BURST * BURST;
  uint64_t *shared = allocate(common * 8), *dealt = allocate(own * CP2_SECTIONS * 8);
  if (!shared || !dealt) return 0;
  memset(shared, 0, common * 8);
  memset(dealt, 0, own * CP2_SECTIONS * 8);
  /* The kernel does two rows in a pass. */
  for (unsigned k = 0; k < share->count; k++) shared[results + 2 * k] = groups[share->first + k] * SECTION_ROWS / 2;
  put_own(share, (float *)dealt, dealt + 2 * n * CP2_SECTIONS);
  unsigned place = VECTOR + number % 2 * PLACE, values_at = place + common;
  cp2_all(all);
  cp2_dealt(one, 1);
  struct cp2_page page = {.kernel = SPMV_PRODUCT_ADDRESS,
                          .n_arguments = 5,
                          .arguments = {(uint16_t)values_at, (uint16_t)(values_at + 2 * n), (uint16_t)place,
                                        (uint16_t)(place + results), (uint16_t)share->count}};
  if (!number) {
    page.prepare = *free;
    page.n_prepare = 1;
    *(*free)++ = cp2_get(cp2_rows(x, VECTOR, 0, 1), cp2_linear(0, VECTOR / 2), all);
  }
  page.load = *free;
  page.n_load = 2;
  *(*free)++ = cp2_get(cp2_rows(physical(shared), common, 0, 1), cp2_linear(place, common / 2), all);
  *(*free)++ = cp2_get(cp2_rows(physical(dealt), own * CP2_SECTIONS, 0, 1), cp2_interleaved(values_at, own / 2), one);
  page.unload = *free;
  page.n_unload = 1;
  uint32_t to = y + share->first * RESULTS * CP2_SECTIONS * 8;
  *(*free)++ = cp2_put(cp2_rows(to, results * CP2_SECTIONS, 0, 1), cp2_linear(place, results / 2), 1);
  pages[number] = page;
  return 1;
}

int main(void) {
  float *x = allocate(COLUMNS * 4), *y = allocate(ROWS * 4);
  struct cp2_descriptor *free = descriptors;
  if (!x || !y) return 1;
  make_matrix();
  for (unsigned i = 0; i < COLUMNS; i++) x[i] = next_float();
  uint64_t begin = cycles();
  count_groups();
  unsigned count = deal_short_first();
  if (!count) return 1;
  for (unsigned k = 0; k < count; k++)
    if (!make_page(k, physical(x), physical(y), &free)) return 1;
  cp2_load_runs(SPMV_PRODUCT_ADDRESS, spmv_product, sizeof spmv_product / sizeof *spmv_product);
  uint64_t ready = cycles();
  cp2_run_pages(pages, count, queue);
  uint64_t end = cycles();
  print_value("y", physical(y));
  print("checksum ");
  print_hex(checksum((const uint32_t *)y, ROWS));
  print_char('\n');
  print_value("pages", count);
  print_value("convert", ready - begin);
  print_value("product", end - ready);
  return 0;
}
