/* Pages and faces as the procedure of the Rust host has them (programs/procedures/src/multigrid). mg_kernels.h has the kernels,
 * and how grids are cut into the blocks of four sections, one above the other along z. */
#include "mg_pages.h"
#include "runtime.h"

struct mg_block { unsigned n1, n2, n3; };
/* How a grid of n points along an axis is cut: registers 0 to 3 are places in local memory. */
struct mg_cut {
  unsigned n;
  struct mg_block block;
  unsigned stack;
  uint16_t registers[9];
};
struct mg_kernel {
  const struct cp2_run *runs;
  unsigned n_runs, address;
  /* The largest block, and the faces that are read before and behind it. */
  struct mg_block frame;
  unsigned before, behind, takes_plain;
  /* Points of the result for two of the operand. */
  unsigned scale;
  const uint64_t *constants;
  unsigned n_constants;
  const struct mg_cut *cuts;
  unsigned n_cuts;
};
#include "mg_kernels.h"

enum { LEFT = 4, FACES = 2, POINT = 4, BEAT = 16, BANK_WORDS = 4096 };
/* Blocks that are smaller than the frame of their kernel are loaded with rows of what follows them. */
enum { ROWS_BEHIND = 16 };

static unsigned row_bytes(unsigned n) { return (n + 2 * LEFT + 3) / 4 * 4 * POINT; }
static unsigned plane_bytes(unsigned n) { return row_bytes(n) * (n + 2 * FACES); }

unsigned mg_bytes(unsigned n) {
  return row_bytes(n) * ((n + 2 * FACES) * (n + 2 * FACES) + ROWS_BEHIND);
}

uint32_t mg_point(const struct mg_grid *grid, int x, int y, int z) {
  int place = (z + FACES) * (int)plane_bytes(grid->n) + (y + FACES) * (int)row_bytes(grid->n) + (x + LEFT) * POINT;
  return grid->at + (uint32_t)place;
}

void mg_load_kernels(void) {
  for (unsigned k = 0; k < MG_OPERATORS; k++)
    cp2_load_runs(mg_kernels[k].address, mg_kernels[k].runs, mg_kernels[k].n_runs);
}

static int has_room(const struct mg_plan *plan) {
  enum { MOST_OF_A_PAGE = 64 };
  return plan->n_pages < plan->most_pages && plan->n_descriptors + MOST_OF_A_PAGE < plan->most_descriptors;
}

static void add(struct mg_plan *plan, struct cp2_descriptor descriptor) {
  plan->descriptors[plan->n_descriptors++] = descriptor;
}

static struct cp2_memory walk(uint32_t from, unsigned beats, unsigned rows, unsigned row, unsigned planes, unsigned plane) {
  struct cp2_memory walk = {from, beats, {(int32_t)row, rows}, {(int32_t)plane, planes}};
  return walk;
}

static struct cp2_local rows_at(unsigned base, unsigned beats, unsigned step, unsigned rows) {
  struct cp2_local walk = {(uint16_t)base, {2, (uint16_t)beats}, {(uint16_t)step, (uint16_t)rows}};
  return walk;
}

/* A page: its kernel and cut, its half of local memory, where its first block begins, and its blocks. */
struct place {
  const struct mg_kernel *kernel;
  const struct mg_cut *cut;
  struct mg_block frame_of, block_of;
  unsigned bank, x, y, z, stack;
};

/* The same block in the grid of the results. */
static struct mg_block outer(const struct mg_kernel *kernel, struct mg_block block) {
  struct mg_block of = {block.n1 * kernel->scale / 2, block.n2 * kernel->scale / 2, block.n3 * kernel->scale / 2};
  return of;
}
static int outer_place(const struct place *p, unsigned at) { return (int)(at * p->kernel->scale / 2); }

/* The block of a section with its faces. */
static void get_faced(struct mg_plan *plan, const struct place *p, const struct mg_grid *grid, unsigned section) {
  const struct mg_kernel *k = p->kernel;
  struct cp2_pattern only[CP2_SECTIONS];
  unsigned around = k->before + k->behind, beats = (p->cut->block.n1 + 4 * around + 3) / 4;
  unsigned rows = k->frame.n2 + around, planes = p->cut->block.n3 + around;
  unsigned base = p->bank * BANK_WORDS + 2 * (1 - k->before);
  int x = (int)p->x - 4 * (int)k->before, y = (int)p->y - (int)k->before;
  int z = (int)(p->z + section * p->cut->block.n3) - (int)k->before;
  cp2_only(only, section);
  add(plan, cp2_get(walk(mg_point(grid, x, y, z), beats, rows, row_bytes(grid->n), planes, plane_bytes(grid->n)),
                    rows_at(base, beats, k->frame.n1 / 2 + 4, rows * planes), only));
}

/* Blocks without faces to all sections, in one go if their planes lie in local memory as they do in the grid. */
static void get_plain(struct mg_plan *plan, const struct place *p, const struct mg_grid *grid) {
  struct cp2_pattern patterns[CP2_SECTIONS];
  unsigned beats = (p->block_of.n1 + 3) / 4, base = p->bank * BANK_WORDS + p->cut->registers[1];
  unsigned rows = p->frame_of.n2, n3 = p->block_of.n3;
  struct cp2_local local = rows_at(base, beats, p->frame_of.n1 / 2, rows * n3);
  int x = outer_place(p, p->x), y = outer_place(p, p->y), z = outer_place(p, p->z);
  int is_whole = p->block_of.n2 == rows;
  for (unsigned s = 0; s < (is_whole ? 1 : p->stack); s++) {
    if (is_whole) cp2_dealt(patterns, beats * rows * n3);
    else cp2_only(patterns, s);
    unsigned planes = is_whole ? p->stack * n3 : n3;
    uint32_t from = mg_point(grid, x, y, z + (int)(s * n3));
    add(plan, cp2_get(walk(from, beats, rows, row_bytes(grid->n), planes, plane_bytes(grid->n)), local, patterns));
  }
}

/* Results of all sections to a place of a grid, so many beats of each row from the one at `first` on. */
static void put(struct mg_plan *plan, const struct place *p, const struct mg_grid *grid, int to_x, unsigned first, unsigned beats) {
  int y = outer_place(p, p->y), z = outer_place(p, p->z);
  unsigned base = p->bank * BANK_WORDS + p->cut->registers[2] + 2 * first;
  unsigned n2 = p->block_of.n2, n3 = p->block_of.n3, words = p->frame_of.n1 / 2;
  /* The last beat of a row of two points has another row's behind them. */
  unsigned mask = p->block_of.n1 % 4 ? 0xc : 0;
  int is_whole = n2 == p->frame_of.n2;
  for (unsigned k = 0; k < (is_whole ? 1 : n3); k++) {
    unsigned row = row_bytes(grid->n), plane = plane_bytes(grid->n);
    uint32_t to = mg_point(grid, to_x, y, z + (int)k);
    struct cp2_memory memory =
        is_whole ? walk(to, beats, n2, row, n3 * p->stack, plane) : walk(to, beats, n2, row, p->stack, n3 * plane);
    struct cp2_local local = rows_at(base + k * words * p->frame_of.n2, beats, words, is_whole ? n2 * n3 : n2);
    struct cp2_descriptor descriptor = cp2_put(memory, local, 0);
    dma_mask_row_ends(&descriptor, mask);
    add(plan, descriptor);
  }
}

/* Faces along x go with the pages of an operator where rows are whole beats. */
static int go_with_pages(const struct mg_grid *grid) { return grid->n > 2; }

static void put_all(struct mg_plan *plan, const struct place *p, const struct mg_grid *grid) {
  unsigned beats = (p->block_of.n1 + 3) / 4;
  int x = outer_place(p, p->x);
  put(plan, p, grid, x, 0, beats);
  if (!go_with_pages(grid)) return;
  if (x == 0) put(plan, p, grid, (int)grid->n, 0, 1);
  if ((unsigned)x + p->block_of.n1 == grid->n) put(plan, p, grid, -4, beats - 1, 1);
}

/* Faces along x of a grid of two points: a row is one beat, whose first word has both. */
static void put_pairs(struct mg_plan *plan, const struct mg_grid *grid) {
  struct cp2_pattern first[CP2_SECTIONS], words[CP2_SECTIONS];
  unsigned row = row_bytes(grid->n), plane = plane_bytes(grid->n);
  struct cp2_memory right = walk(mg_point(grid, 0, 0, 0), 1, 2, row, 2, plane);
  struct cp2_memory left = walk(mg_point(grid, -4, 0, 0), 1, 2, row, 2, plane);
  struct cp2_local beats = cp2_linear(0, 4);
  /* First words behind their own place, second ones where they disturb nothing. */
  struct cp2_local shifted = {1, {16, 2}, {2, 4}};
  cp2_only(first, 0);
  cp2_only(words, 0);
  words[0].outer = 1;
  struct cp2_descriptor again = cp2_get(right, shifted, words);
  dma_get_words(&again);
  add(plan, cp2_get(right, beats, first));
  add(plan, again);
  add(plan, cp2_put(right, beats, 0));
  add(plan, cp2_put(left, beats, 0));
}

/* Copies rows of memory through local memory, which has room for all of them. */
static void copy(struct mg_plan *plan, uint32_t from, uint32_t to, unsigned beats, unsigned pitch, unsigned rows) {
  struct cp2_pattern patterns[CP2_SECTIONS];
  struct cp2_memory source = cp2_rows(from, 2 * beats, pitch / 8, rows), target = cp2_rows(to, 2 * beats, pitch / 8, rows);
  unsigned all = beats * rows;
  if (all % CP2_SECTIONS == 0) {
    unsigned share = all / CP2_SECTIONS;
    cp2_dealt(patterns, 1);
    add(plan, cp2_get(source, cp2_interleaved(0, share), patterns));
    add(plan, cp2_put(target, cp2_linear(0, share), 1));
    return;
  }
  cp2_only(patterns, 0);
  add(plan, cp2_get(source, cp2_linear(0, all), patterns));
  add(plan, cp2_put(target, cp2_linear(0, all), 0));
}

/* The faces of a result: along x those that did not go with the pages, then rows along y, then planes along z with
 * what the ones before have made. */
static void put_faces(struct mg_plan *plan, const struct mg_grid *grid) {
  int n = (int)grid->n;
  unsigned row = row_bytes(grid->n), plane = plane_bytes(grid->n), beats = row / BEAT;
  if (!go_with_pages(grid)) put_pairs(plan, grid);
  copy(plan, mg_point(grid, -4, 0, 0), mg_point(grid, -4, n, 0), FACES * beats, plane, grid->n);
  copy(plan, mg_point(grid, -4, n - FACES, 0), mg_point(grid, -4, -FACES, 0), FACES * beats, plane, grid->n);
  unsigned rows = FACES * (grid->n + 2 * FACES);
  copy(plan, mg_point(grid, -4, -FACES, 0), mg_point(grid, -4, -FACES, n), beats, row, rows);
  copy(plan, mg_point(grid, -4, -FACES, n - FACES), mg_point(grid, -4, -FACES, -FACES), beats, row, rows);
}

/* The transfers from `first` on. */
static void take(const struct mg_plan *plan, unsigned first, const struct cp2_descriptor **to, unsigned *count) {
  *to = plan->descriptors + first;
  *count = plan->n_descriptors - first;
}

static void add_page(struct mg_plan *plan, const struct place *p, unsigned number, const struct mg_grid *grids[3]) {
  const struct mg_kernel *k = p->kernel;
  struct cp2_page page = {.kernel = k->address, .n_arguments = 9};
  for (unsigned i = 0; i < 9; i++) page.arguments[i] = (uint16_t)(p->cut->registers[i] + (i < 4 ? p->bank * BANK_WORDS : 0));
  /* The first page of an operator needs what the ones before have stored, faces included. */
  unsigned first = number ? plan->n_descriptors : plan->tail;
  if (number < 2) {
    struct cp2_pattern all[CP2_SECTIONS];
    cp2_all(all);
    add(plan, cp2_get(cp2_rows(physical(k->constants), k->n_constants, 0, 1),
                      cp2_linear(page.arguments[3], k->n_constants / 2), all));
  }
  for (unsigned s = 0; s < p->stack; s++) get_faced(plan, p, grids[0], s);
  if (k->takes_plain) get_plain(plan, p, grids[1]);
  if (number) take(plan, first, &page.load, &page.n_load);
  else take(plan, first, &page.prepare, &page.n_prepare);
  first = plan->n_descriptors;
  put_all(plan, p, grids[2]);
  take(plan, first, &page.unload, &page.n_unload);
  plan->pages[plan->n_pages++] = page;
}

int mg_plan(struct mg_plan *plan, enum mg_operator which, const struct mg_grid *faced, const struct mg_grid *plain,
            const struct mg_grid *result) {
  const struct mg_kernel *kernel = mg_kernels + which;
  const struct mg_cut *cut = kernel->cuts, *end = cut + kernel->n_cuts;
  const struct mg_grid *grids[3] = {faced, plain, result};
  while (cut != end && cut->n != faced->n) cut++;
  if (cut == end) return 0;
  struct place p = {.kernel = kernel, .cut = cut, .frame_of = outer(kernel, kernel->frame), .block_of = outer(kernel, cut->block)};
  unsigned n = faced->n, number = 0;
  for (p.z = 0; p.z < n; p.z += cut->block.n3 * cut->stack)
    for (p.y = 0; p.y < n; p.y += cut->block.n2)
      for (p.x = 0; p.x < n; p.x += cut->block.n1, number++) {
        unsigned left = (n - p.z) / cut->block.n3;
        p.stack = left < cut->stack ? left : cut->stack;
        p.bank = number % 2;
        if (!has_room(plan)) return 0;
        add_page(plan, &p, number, grids);
      }
  plan->tail = plan->n_descriptors;
  put_faces(plan, result);
  return 1;
}

void mg_end_plan(struct mg_plan *plan) {
  struct cp2_page *last = plan->pages + plan->n_pages - 1;
  if (!plan->n_pages) return;
  last->n_unload += plan->n_descriptors - plan->tail;
  cp2_queue_pages(plan->pages, plan->n_pages, plan->queue);
}
