/* NPB MG of class S in single precision, driven from C: four V-cycles with all operators on CP2, grid by grid, as the
 * procedure of the Rust host in its plain form (programs/procedures/src/multigrid). Prints where residual and solution lie, the
 * norm of the residual, and what it took. */
#include "mg_pages.h"
#include "report.h"
#include "runtime.h"

enum { LEVELS = 5, POINTS = 1 << LEVELS, CYCLES = 4, CHARGES = 10 };
enum { FINEST = LEVELS - 1, MOST_PAGES = 128, MOST_DESCRIPTORS = 2048 };

/* The finest grid is the last of each. */
static struct mg_grid u[LEVELS], r[LEVELS], v;
static float *v_points;

/* The residual of u = 0 to the next coarser grid, a V-cycle with that of what it makes, and the last V-cycle. */
enum { DESCENT, CYCLE, LAST, PLANS };
static struct mg_plan plans[PLANS];

static int take_grid(struct mg_grid *grid, unsigned n, float **points) {
  void *place = allocate(mg_bytes(n));
  if (!place) return 0;
  memset(place, 0, mg_bytes(n));
  *grid = (struct mg_grid){n, physical(place)};
  if (points) *points = place;
  return 1;
}

static int take_grids(void) {
  for (unsigned k = 0; k < LEVELS; k++)
    if (!take_grid(u + k, 2u << k, 0) || !take_grid(r + k, 2u << k, 0)) return 0;
  return take_grid(&v, POINTS, &v_points);
}

/* NPB's numbers, times 2^46. */
static uint64_t next(void) {
  static uint64_t state = 314159265;
  return state = state * 1220703125 & ((1ull << 46) - 1);
}

struct charge { uint64_t value; unsigned place; };

/* Keeps the least of what it is given, in ascending order. */
static void keep(struct charge *kept, unsigned *count, struct charge charge) {
  unsigned at = *count;
  while (at && charge.value < kept[at - 1].value) at--;
  if (at == CHARGES) return;
  if (*count < CHARGES) ++*count;
  for (unsigned k = *count - 1; k > at; k--) kept[k] = kept[k - 1];
  kept[at] = charge;
}

/* A value at a point of v and at all faces that it is too. */
static void set_charge(unsigned place, float value) {
  int n = POINTS, x = (int)place % n, y = (int)place / n % n, z = (int)place / (n * n);
  for (int at_z = z - n; at_z < n + 2; at_z += n)
    for (int at_y = y - n; at_y < n + 2; at_y += n)
      for (int at_x = x - n; at_x < n + 4; at_x += n)
        if (at_z >= -2 && at_y >= -2 && at_x >= -4) v_points[(mg_point(&v, at_x, at_y, at_z) - v.at) / 4] = value;
}

/* +1 where the random field is largest, -1 where it is least. */
static void make_charges(void) {
  static struct charge least[CHARGES], largest[CHARGES];
  unsigned n_least = 0, n_largest = 0;
  for (unsigned place = 0; place < POINTS * POINTS * POINTS; place++) {
    uint64_t value = next();
    keep(least, &n_least, (struct charge){value, place});
    keep(largest, &n_largest, (struct charge){~value, place});
  }
  for (unsigned k = 0; k < n_least; k++) set_charge(least[k].place, -1);
  for (unsigned k = 0; k < n_largest; k++) set_charge(largest[k].place, 1);
}

/* The residual of the finest grid, and its projection unless it is the last one. */
static int plan_descent(struct mg_plan *plan, int is_last) {
  return mg_plan(plan, MG_RESID, u + FINEST, &v, r + FINEST) &&
         (is_last || mg_plan(plan, MG_PROJ, r + FINEST, r + FINEST, r + FINEST - 1));
}

static int plan_cycle(struct mg_plan *plan, int is_last) {
  int is_done = 1;
  for (unsigned k = FINEST - 1; k; k--) is_done &= mg_plan(plan, MG_PROJ, r + k, r + k, r + k - 1);
  is_done &= mg_plan(plan, MG_SMOOTH0, r, r, u);
  for (unsigned k = 1; k < FINEST; k++) {
    is_done &= mg_plan(plan, MG_INTERP0, u + k - 1, u + k, u + k);
    is_done &= mg_plan(plan, MG_RESID, u + k, r + k, r + k);
    is_done &= mg_plan(plan, MG_SMOOTH, r + k, u + k, u + k);
  }
  is_done &= mg_plan(plan, MG_INTERP, u + FINEST - 1, u + FINEST, u + FINEST);
  is_done &= mg_plan(plan, MG_RESID, u + FINEST, &v, r + FINEST);
  is_done &= mg_plan(plan, MG_SMOOTH, r + FINEST, u + FINEST, u + FINEST);
  return is_done && plan_descent(plan, is_last);
}

static int make_plans(void) {
  for (unsigned k = 0; k < PLANS; k++) {
    struct mg_plan *plan = plans + k;
    plan->pages = allocate(MOST_PAGES * sizeof *plan->pages);
    plan->descriptors = allocate(MOST_DESCRIPTORS * sizeof *plan->descriptors);
    plan->queue = allocate(MOST_DESCRIPTORS * sizeof *plan->queue);
    if (!plan->pages || !plan->descriptors || !plan->queue) return 0;
    plan->most_pages = MOST_PAGES;
    plan->most_descriptors = MOST_DESCRIPTORS;
    if (!(k == DESCENT ? plan_descent(plan, 0) : plan_cycle(plan, k == LAST))) return 0;
    mg_end_plan(plan);
  }
  return 1;
}

static void run(const struct mg_plan *plan) { cp2_run_queue(plan->pages, plan->n_pages, plan->queue); }

/* The points of a grid without faces, x fastest. */
static float *gathered(const struct mg_grid *grid) {
  float *points = allocate(POINTS * POINTS * POINTS * 4), *to = points;
  for (int z = 0; points && z < POINTS; z++)
    for (int y = 0; y < POINTS; y++, to += POINTS)
      memcpy(to, (const void *)(0xffffffff80000000 | mg_point(grid, 0, y, z)), POINTS * 4);
  return points;
}

static double norm(const float *points) {
  double sum = 0;
  for (unsigned k = 0; k < POINTS * POINTS * POINTS; k++) sum += (double)points[k] * points[k];
  sum /= POINTS * POINTS * POINTS;
  __asm__("sqrt.d %0, %0" : "+f"(sum));
  return sum;
}

int main(void) {
  if (!take_grids()) return 1;
  make_charges();
  uint64_t begin = cycles();
  mg_load_kernels();
  if (!make_plans()) return 1;
  uint64_t ready = cycles();
  run(plans + DESCENT);
  for (unsigned k = 1; k < CYCLES; k++) run(plans + CYCLE);
  run(plans + LAST);
  uint64_t end = cycles();
  float *residual = gathered(r + FINEST), *solution = gathered(u + FINEST);
  if (!residual || !solution) return 1;
  print_value("residual", physical(residual));
  print_value("solution", physical(solution));
  print_value("norm_times_1e15", (uint64_t)(norm(residual) * 1e15));
  print_value("pages", plans[DESCENT].n_pages + (CYCLES - 1) * plans[CYCLE].n_pages + plans[LAST].n_pages);
  print_value("plan", ready - begin);
  print_value("cycles", end - ready);
  return 0;
}
