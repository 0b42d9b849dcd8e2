/* Heat in a plate of 64 x 48 points with fixed edges: rows are dealt out, each step exchanges the rows at the borders, and the
 * largest change is found by all. Rank 0 prints the plate's sums by rows, which do not depend on the number of ranks. An argument
 * is the number of steps. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 48, COLUMNS = 64 };
typedef float row[COLUMNS];

static int first_of(int rank, int size) { return ROWS * rank / size; }

/* One step; returns the largest change. */
static float step(row *to, row *from, int rows, int is_top, int is_bottom) {
  float largest = 0;
  for (int y = 1; y <= rows; y++)
    for (int x = 0; x < COLUMNS; x++) {
      int is_edge = x == 0 || x == COLUMNS - 1 || (is_top && y == 1) || (is_bottom && y == rows);
      to[y][x] = is_edge ? from[y][x] : 0.25f * ((from[y - 1][x] + from[y + 1][x]) + (from[y][x - 1] + from[y][x + 1]));
      largest = fmaxf(largest, fabsf(to[y][x] - from[y][x]));
    }
  return largest;
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int steps = argc > 1 ? atoi(argv[1]) : 60;
  int first = first_of(rank, size), rows = first_of(rank + 1, size) - first;
  int above = rank ? rank - 1 : MPI_PROC_NULL, below = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  row *plate = calloc((size_t)rows + 2, sizeof(row)), *other = calloc((size_t)rows + 2, sizeof(row));
  if (!plate || !other) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int x = 0; x < COLUMNS; x++)
    if (rank == 0) plate[1][x] = 100.0f * (float)x / COLUMNS;
  float change = 0;
  for (int k = 0; k < steps; k++) {
    MPI_Request requests[4];
    MPI_Irecv(plate[0], COLUMNS, MPI_FLOAT, above, 1, MPI_COMM_WORLD, requests);
    MPI_Irecv(plate[rows + 1], COLUMNS, MPI_FLOAT, below, 2, MPI_COMM_WORLD, requests + 1);
    MPI_Isend(plate[1], COLUMNS, MPI_FLOAT, above, 2, MPI_COMM_WORLD, requests + 2);
    MPI_Isend(plate[rows], COLUMNS, MPI_FLOAT, below, 1, MPI_COMM_WORLD, requests + 3);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    float own = step(other, plate, rows, rank == 0, rank == size - 1);
    row *last = plate;
    plate = other;
    other = last;
    MPI_Allreduce(&own, &change, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
  }
  double sums[ROWS] = {0};
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < COLUMNS; x++) sums[first + y] += plate[y + 1][x];
  double all[ROWS];
  MPI_Reduce(sums, all, ROWS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("largest change %.9g\n", change);
    for (int y = 0; y < ROWS; y += 6) printf("row %2d %15.8f\n", y, all[y]);
  }
  free(plate);
  free(other);
  MPI_Finalize();
  return 0;
}
