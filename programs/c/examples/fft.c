/* Long FFTs driven from C: N = N1 N2 in two passes over memory, as the procedure of the Rust host
 * (programs/procedures/src/fft/long.rs), page by page in three places of local memory. Prints where the transforms lie and what
 * they took. fft_kernels.h has the kernels. */
#include "cp2.h"
#include "fft_kernels.h"
#include "report.h"
#include "runtime.h"

enum { POINTS = FFT_N1 * FFT_N2, VECTORS = 2, PAGE_WORDS = 2048, BANK_WORDS = 4096 };
/* Columns of a page in the first pass, rows of a page in the second. */
enum { COLUMNS = CP2_SECTIONS * PAGE_WORDS / FFT_N1, ROWS = CP2_SECTIONS * PAGE_WORDS / FFT_N2 };
enum { BLOCKS = FFT_N2 / COLUMNS, GROUPS = FFT_N1 / ROWS };
enum { MAX_PAGES = 64 };

static uint32_t array, middle, table;
static struct cp2_descriptor descriptors[8 * MAX_PAGES] __attribute__((aligned(64)));
static struct cp2_descriptor queue[8 * MAX_PAGES] __attribute__((aligned(64)));
static struct cp2_page pages[MAX_PAGES];

/* Sine and cosine of 0 to 2 pi: the difference from a multiple of pi / 2 in two parts, then polynomials. */
static void sine_and_cosine(double x, double *sine, double *cosine) {
  int n = (int)(x * 0.63661977236758134308 + 0.5);
  double r = x - n * 1.57079632673412561417, t = r, w = n * 6.07710050630396597660e-11;
  r = t - w;
  w = n * 2.02226624879595063154e-21 - ((t - r) - w);
  double y = r - w, tail = (r - y) - w, z = y * y;
  double s = 8.33333333332248946124e-03 +
             z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  double v = z * y;
  s = y - ((z * (0.5 * tail - v * s) - tail) - v * -1.66666666666666324348e-01);
  double c = z * (4.16666666666666019037e-02 +
                  z * (-1.38888888888741095749e-03 +
                       z * (2.48015872894767294178e-05 +
                            z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  double half = 0.5 * z, one = 1.0 - half;
  c = one + (((1.0 - one) - half) + (z * c - y * tail));
  switch (n & 3) {
  case 0: *sine = s, *cosine = c; break;
  case 1: *sine = c, *cosine = -s; break;
  case 2: *sine = -s, *cosine = -c; break;
  default: *sine = -c, *cosine = s; break;
  }
}

/* exp(-2 pi i j k / N) block by block, section by section, as the results of the first pass lie. */
static void make_factors(float *to) {
  const double turn = 6.28318530717958647692 / POINTS;
  for (unsigned block = 0; block < BLOCKS; block++)
    for (unsigned section = 0; section < CP2_SECTIONS; section++)
      for (unsigned local = 0; local < COLUMNS / CP2_SECTIONS; local++) {
        unsigned j = block * COLUMNS + local / 2 * 2 * CP2_SECTIONS + section * 2 + local % 2;
        for (unsigned k = 0; k < FFT_N1; k++) {
          double sine, cosine;
          sine_and_cosine(turn * (j * k % POINTS), &sine, &cosine);
          *to++ = (float)cosine;
          *to++ = (float)-sine;
        }
      }
}

/* Numbers from -1 to 1. */
static void make_input(float *to) {
  uint64_t state = 1;
  for (unsigned i = 0; i < 2 * POINTS * VECTORS; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    *to++ = (float)(state >> 40) * (1.0f / 8388608.0f) - 1.0f;
  }
}

/* The results of a block go to [group][column][row of the group]: pairs of columns, section by section. */
static unsigned put_groups(struct cp2_descriptor *to, unsigned place, unsigned block, unsigned vector) {
  const unsigned row_bytes = ROWS * 8, at_once = ROWS <= 32 ? 2 : 1;
  unsigned n = 0;
  for (unsigned group = 0; group < GROUPS; group++)
    for (unsigned odd = 0; odd < 2 / at_once; odd++) {
      unsigned column = group * FFT_N2 + block * COLUMNS;
      struct cp2_memory memory = {middle + vector * POINTS * 8 + column * row_bytes + odd * row_bytes,
                                  at_once * ROWS / 2,
                                  {2 * CP2_SECTIONS * row_bytes, COLUMNS / CP2_SECTIONS / 2},
                                  {2 * row_bytes, CP2_SECTIONS}};
      struct cp2_local local = {(uint16_t)(place + group * ROWS + odd * FFT_N1),
                                {2, ROWS / 2},
                                {(uint16_t)(2 / at_once * FFT_N1), COLUMNS / CP2_SECTIONS / 2 * at_once}};
      to[n++] = cp2_put(memory, local, 0);
    }
  return n;
}

static void first_pass(void) {
  struct cp2_pattern one[CP2_SECTIONS], share[CP2_SECTIONS];
  struct cp2_descriptor *free = descriptors;
  cp2_dealt(one, 1);
  cp2_dealt(share, PAGE_WORDS / 2);
  for (unsigned k = 0; k < BLOCKS * VECTORS; k++) {
    unsigned block = k / VECTORS, vector = k % VECTORS;
    unsigned input = (3 - k % 3) % 3 * PAGE_WORDS, output = (3 - (k + 2) % 3) % 3 * PAGE_WORDS, factors = 3 * PAGE_WORDS;
    struct cp2_page page = {.kernel = FFT_FIRST_ADDRESS,
                            .n_arguments = 4,
                            .arguments = {(uint16_t)input, (uint16_t)output, COLUMNS / CP2_SECTIONS / 2 - 1, (uint16_t)factors}};
    page.prepare = free;
    if (!vector) {
      uint32_t from = table + block * PAGE_WORDS * CP2_SECTIONS * 8;
      *free++ = cp2_get(cp2_rows(from, PAGE_WORDS * CP2_SECTIONS, 0, 1), cp2_linear(factors, PAGE_WORDS / 2), share);
      page.n_prepare = 1;
    }
    page.load = free;
    page.n_load = 1;
    *free++ = cp2_get(cp2_rows(array + (vector * POINTS + block * COLUMNS) * 8, COLUMNS, FFT_N2, FFT_N1),
                      cp2_interleaved(input, PAGE_WORDS / 2), one);
    page.unload = free;
    page.n_unload = put_groups(free, output, block, vector);
    free += page.n_unload;
    pages[k] = page;
  }
  cp2_load_runs(FFT_FIRST_ADDRESS, fft_first, sizeof fft_first / sizeof *fft_first);
  cp2_run_pages(pages, BLOCKS * VECTORS, queue);
}

static void second_pass(void) {
  struct cp2_pattern one[CP2_SECTIONS];
  struct cp2_descriptor *free = descriptors;
  cp2_dealt(one, 1);
  for (unsigned k = 0; k < GROUPS * VECTORS; k++) {
    unsigned group = k % GROUPS, vector = k / GROUPS;
    unsigned input = k % 2 * BANK_WORDS, output = input + PAGE_WORDS;
    uint32_t from = middle + (vector * POINTS + group * PAGE_WORDS * CP2_SECTIONS) * 8;
    uint32_t to = array + (vector * POINTS + group * ROWS) * 8;
    struct cp2_page page = {.kernel = FFT_SECOND_ADDRESS,
                            .n_arguments = 3,
                            .arguments = {(uint16_t)input, (uint16_t)output, ROWS / CP2_SECTIONS / 2 - 1}};
    page.load = free;
    page.n_load = 1;
    *free++ = cp2_get(cp2_rows(from, PAGE_WORDS * CP2_SECTIONS, 0, 1), cp2_interleaved(input, PAGE_WORDS / 2), one);
    page.unload = free;
    page.n_unload = 1;
    *free++ = cp2_put(cp2_rows(to, ROWS, FFT_N1, FFT_N2), cp2_linear(output, PAGE_WORDS / 2), 1);
    pages[k] = page;
  }
  cp2_load_runs(FFT_SECOND_ADDRESS, fft_second, sizeof fft_second / sizeof *fft_second);
  cp2_run_pages(pages, GROUPS * VECTORS, queue);
}

int main(void) {
  float *input = allocate(POINTS * VECTORS * 8), *factors = allocate(POINTS * 8);
  void *between = allocate(POINTS * VECTORS * 8);
  if (!input || !factors || !between) return 1;
  array = physical(input);
  table = physical(factors);
  middle = physical(between);
  make_input(input);
  make_factors(factors);
  uint64_t begin = cycles();
  first_pass();
  uint64_t half = cycles();
  second_pass();
  uint64_t end = cycles();
  print_value("array", array);
  print("checksum ");
  print_hex(checksum((const uint32_t *)input, 2 * POINTS * VECTORS));
  print_char('\n');
  print_value("first", half - begin);
  print_value("second", end - half);
  return 0;
}
