/* Multigrid as NPB MG of class S has it, in double precision: four V-cycles on a periodic grid of 32 points along an axis. The grid
 * is halved along z, y and x in turn. Faces of blocks are exchanged along x, then y, then z, so that edges and corners come along;
 * levels whose blocks would be smaller than two points are done by rank 0 alone. Any power of two of ranks up to 64. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 5, POINTS = 1 << LEVELS, CYCLES = 4, CHARGES = 10 };

/* A block of a grid with a layer of points around it, x fastest. */
struct grid {
  int m[3], is_whole;
  double *at;
};

static int rank, size, parts[3] = {1, 1, 1}, place[3];
/* By the exponents of points along an axis, 1 and more; whole grids below `shared`. */
static struct grid u[LEVELS + 1], r[LEVELS + 1], v;
static int shared;

static size_t points_of(const struct grid *g) { return (size_t)(g->m[0] + 2) * (g->m[1] + 2) * (g->m[2] + 2); }

/* Point of the block; from -1 to m along each axis. */
static double *point(const struct grid *g, int x, int y, int z) {
  return g->at + (x + 1) + (size_t)(g->m[0] + 2) * ((y + 1) + (size_t)(g->m[1] + 2) * (z + 1));
}

static void take(struct grid *g, int n, int is_whole) {
  for (int axis = 0; axis < 3; axis++) g->m[axis] = is_whole ? n : n / parts[axis];
  g->is_whole = is_whole;
  g->at = calloc(points_of(g), sizeof *g->at);
  if (!g->at) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void clear(struct grid *g) { memset(g->at, 0, points_of(g) * sizeof *g->at); }

static int neighbour(int axis, int step) {
  int at[3] = {place[0], place[1], place[2]};
  at[axis] = (at[axis] + step + parts[axis]) % parts[axis];
  return at[0] + parts[0] * (at[1] + parts[1] * at[2]);
}

/* Copies the layer of points at a place of an axis from the grid to a buffer, or back; returns how many they are. */
static int layer(const struct grid *g, int axis, int at, double *buffer, int is_back) {
  int low[3] = {-1, -1, -1}, high[3] = {g->m[0] + 1, g->m[1] + 1, g->m[2] + 1}, count = 0;
  low[axis] = at;
  high[axis] = at + 1;
  for (int z = low[2]; z < high[2]; z++)
    for (int y = low[1]; y < high[1]; y++)
      for (int x = low[0]; x < high[0]; x++, count++) {
        double *p = point(g, x, y, z);
        if (is_back) *p = buffer[count];
        else buffer[count] = *p;
      }
  return count;
}

/* Gives the layers around a block the points of its neighbours. */
static void exchange(const struct grid *g) {
  static double out[2][(POINTS + 2) * (POINTS + 2)], in[2][(POINTS + 2) * (POINTS + 2)];
  for (int axis = 0; axis < 3; axis++) {
    int last = g->m[axis] - 1, count = layer(g, axis, 0, out[0], 0);
    layer(g, axis, last, out[1], 0);
    if (g->is_whole || parts[axis] == 1) {
      layer(g, axis, last + 1, out[0], 1);
      layer(g, axis, -1, out[1], 1);
      continue;
    }
    MPI_Request requests[4];
    int below = neighbour(axis, -1), above = neighbour(axis, 1), tag = 2 * axis;
    MPI_Irecv(in[0], count, MPI_DOUBLE, above, tag, MPI_COMM_WORLD, requests);
    MPI_Irecv(in[1], count, MPI_DOUBLE, below, tag + 1, MPI_COMM_WORLD, requests + 1);
    MPI_Isend(out[0], count, MPI_DOUBLE, below, tag, MPI_COMM_WORLD, requests + 2);
    MPI_Isend(out[1], count, MPI_DOUBLE, above, tag + 1, MPI_COMM_WORLD, requests + 3);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    layer(g, axis, last + 1, in[0], 1);
    layer(g, axis, -1, in[1], 1);
  }
}

/* Sums of the 6 neighbours by faces, the 12 by edges, the 8 by corners of a point. */
static void neighbours(const struct grid *g, int x, int y, int z, double sums[3]) {
  size_t dy = (size_t)g->m[0] + 2, dz = dy * ((size_t)g->m[1] + 2);
  const double *p = point(g, x, y, z), *a = p - dz, *b = p + dz;
  sums[0] = ((p[-1] + p[1]) + (p[-dy] + p[dy])) + (*a + *b);
  double edges = ((p[-dy - 1] + p[-dy + 1]) + (p[dy - 1] + p[dy + 1]));
  sums[1] = (edges + ((a[-1] + a[1]) + (b[-1] + b[1]))) + ((a[-dy] + a[dy]) + (b[-dy] + b[dy]));
  sums[2] = ((a[-dy - 1] + a[-dy + 1]) + (a[dy - 1] + a[dy + 1])) + ((b[-dy - 1] + b[-dy + 1]) + (b[dy - 1] + b[dy + 1]));
}

#define EACH_POINT(g)                  \
  for (int z = 0; z < (g)->m[2]; z++)  \
    for (int y = 0; y < (g)->m[1]; y++) \
      for (int x = 0; x < (g)->m[0]; x++)

/* to = right - A of */
static void residual(const struct grid *of, const struct grid *right, const struct grid *to) {
  EACH_POINT(to) {
    double sums[3];
    neighbours(of, x, y, z, sums);
    double product = (-8.0 / 3.0 * *point(of, x, y, z) + 1.0 / 6.0 * sums[1]) + 1.0 / 12.0 * sums[2];
    *point(to, x, y, z) = *point(right, x, y, z) - product;
  }
  exchange(to);
}

/* to = to + S of */
static void smooth(const struct grid *of, const struct grid *to) {
  EACH_POINT(to) {
    double sums[3];
    neighbours(of, x, y, z, sums);
    *point(to, x, y, z) += (-3.0 / 8.0 * *point(of, x, y, z) + 1.0 / 32.0 * sums[0]) + -1.0 / 64.0 * sums[1];
  }
  exchange(to);
}

/* The residual on the grid of half the points. */
static void project(const struct grid *of, const struct grid *to) {
  EACH_POINT(to) {
    double sums[3];
    int fx = 2 * x + 1, fy = 2 * y + 1, fz = 2 * z + 1;
    neighbours(of, fx, fy, fz, sums);
    *point(to, x, y, z) = (0.5 * *point(of, fx, fy, fz) + 0.25 * sums[0]) + (0.125 * sums[1] + 0.0625 * sums[2]);
  }
}

/* to = to + the coarse grid between its points, in the layer around the block too, for which the coarse layer has all points. */
static void interpolate(const struct grid *of, const struct grid *to) {
  for (int z = -1; z <= to->m[2]; z++)
    for (int y = -1; y <= to->m[1]; y++)
      for (int x = -1; x <= to->m[0]; x++) {
        double sum = 0;
        int n = 0;
        for (int cz = (z - 1) >> 1; cz <= z >> 1; cz++)
          for (int cy = (y - 1) >> 1; cy <= y >> 1; cy++)
            for (int cx = (x - 1) >> 1; cx <= x >> 1; cx++, n++) sum += *point(of, cx, cy, cz);
        *point(to, x, y, z) += sum / n;
      }
}

/* Where rank 0 has a block of a whole grid: copies it there from a buffer. */
static void put_block(const struct grid *whole, int owner, const double *block, const int m[3]) {
  int first[3] = {owner % parts[0] * m[0], owner / parts[0] % parts[1] * m[1], owner / parts[0] / parts[1] * m[2]};
  for (int z = 0; z < m[2]; z++)
    for (int y = 0; y < m[1]; y++)
      for (int x = 0; x < m[0]; x++) *point(whole, first[0] + x, first[1] + y, first[2] + z) = *block++;
}

/* Projects to the finest level of rank 0 alone: all give it their blocks. */
static void gather(int level) {
  struct grid block = {.m = {r[level + 1].m[0] / 2, r[level + 1].m[1] / 2, r[level + 1].m[2] / 2}};
  size_t count = (size_t)block.m[0] * block.m[1] * block.m[2];
  block.at = calloc(points_of(&block), sizeof *block.at);
  double *own = calloc(count, sizeof *own), *all = calloc(count * size, sizeof *all), *to = own;
  if (!block.at || !own || !all) MPI_Abort(MPI_COMM_WORLD, 1);
  project(r + level + 1, &block);
  EACH_POINT(&block) *to++ = *point(&block, x, y, z);
  MPI_Gather(own, (int)count, MPI_DOUBLE, all, (int)count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int owner = 0; rank == 0 && owner < size; owner++) put_block(r + level, owner, all + count * owner, block.m);
  if (rank == 0) exchange(r + level);
  free(block.at);
  free(own);
  free(all);
}

/* The solution of rank 0 to all, who interpolate from their parts of it. */
static void deal_out(int level) {
  const struct grid *whole = u + level, *fine = u + level + 1;
  MPI_Bcast(whole->at, (int)points_of(whole), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  struct grid block = {.m = {fine->m[0] / 2, fine->m[1] / 2, fine->m[2] / 2}};
  block.at = calloc(points_of(&block), sizeof *block.at);
  if (!block.at) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int z = -1; z <= block.m[2]; z++)
    for (int y = -1; y <= block.m[1]; y++)
      for (int x = -1; x <= block.m[0]; x++)
        *point(&block, x, y, z) = *point(whole, place[0] * block.m[0] + x, place[1] * block.m[1] + y, place[2] * block.m[2] + z);
  interpolate(&block, fine);
  free(block.at);
}

/* Solution and residual of a level from those of the one below. */
static void rise(int level) {
  int is_finest = level == LEVELS;
  if (!is_finest) clear(u + level);
  if (level == shared && level > 1) deal_out(level - 1);
  else interpolate(u + level - 1, u + level);
  residual(u + level, is_finest ? &v : r + level, r + level);
  smooth(r + level, u + level);
}

static void cycle(void) {
  for (int level = LEVELS; level > 1; level--) {
    if (level == shared) gather(level - 1);
    else if (level > shared || rank == 0) project(r + level, r + level - 1), exchange(r + level - 1);
  }
  if (rank == 0 || shared == 1) {
    clear(u + 1);
    smooth(r + 1, u + 1);
  }
  for (int level = 2; level <= LEVELS; level++)
    if (level >= shared || rank == 0) rise(level);
}

/* NPB's numbers, times 2^46. */
static unsigned long next(void) {
  static unsigned long state = 314159265;
  return state = state * 1220703125 & ((1ul << 46) - 1);
}

struct charge { unsigned long value; int at; };

/* Keeps the least of what it is given, in ascending order. */
static void keep(struct charge *kept, int *count, struct charge charge) {
  int at = *count;
  while (at && charge.value < kept[at - 1].value) at--;
  if (at == CHARGES) return;
  if (*count < CHARGES) ++*count;
  for (int k = *count - 1; k > at; k--) kept[k] = kept[k - 1];
  kept[at] = charge;
}

static void set_charge(int at, double value) {
  int all[3] = {at % POINTS, at / POINTS % POINTS, at / POINTS / POINTS};
  for (int axis = 0; axis < 3; axis++) {
    all[axis] -= place[axis] * v.m[axis];
    if (all[axis] < 0 || all[axis] >= v.m[axis]) return;
  }
  *point(&v, all[0], all[1], all[2]) = value;
}

/* +1 where the random field is largest, -1 where it is least. */
static void make_charges(void) {
  struct charge least[CHARGES], largest[CHARGES];
  int n_least = 0, n_largest = 0;
  for (int at = 0; at < POINTS * POINTS * POINTS; at++) {
    unsigned long value = next();
    keep(least, &n_least, (struct charge){value, at});
    keep(largest, &n_largest, (struct charge){~value, at});
  }
  for (int k = 0; k < CHARGES; k++) set_charge(least[k].at, -1), set_charge(largest[k].at, 1);
  exchange(&v);
}

static void print_norm(const char *name) {
  double sum = 0, largest = 0, all, most;
  EACH_POINT(r + LEVELS) {
    double value = *point(r + LEVELS, x, y, z);
    sum += value * value;
    largest = fmax(largest, fabs(value));
  }
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&largest, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double norm = sqrt(all / ((double)POINTS * POINTS * POINTS));
  if (rank == 0) printf("%s norm %.13e largest %.17g\n", name, norm, most);
}

/* Deals out the grid; 0 if so many ranks are none that it can be dealt out to. */
static int decompose(void) {
  int axis = 2, left = size;
  for (; left > 1 && left % 2 == 0; left /= 2, axis = (axis + 2) % 3) parts[axis] *= 2;
  place[0] = rank % parts[0], place[1] = rank / parts[0] % parts[1], place[2] = rank / parts[0] / parts[1];
  for (shared = size == 1 ? 1 : 2; (1 << shared) < 2 * parts[2]; shared++) {}
  return left == 1 && shared < LEVELS;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!decompose()) {
    if (rank == 0) printf("%d ranks are no power of two up to 64\n", size);
    MPI_Finalize();
    return 2;
  }
  take(&v, POINTS, 0);
  for (int level = 1; level <= LEVELS; level++)
    take(u + level, 1 << level, level < shared), take(r + level, 1 << level, level < shared);
  make_charges();
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  residual(u + LEVELS, &v, r + LEVELS);
  print_norm("begin");
  for (int k = 0; k < CYCLES; k++) {
    cycle();
    residual(u + LEVELS, &v, r + LEVELS);
  }
  print_norm("end");
  double time = MPI_Wtime() - begin;
  if (rank == 0 && time <= 0) printf("no time went by\n");
  MPI_Finalize();
  return 0;
}
