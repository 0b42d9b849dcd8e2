/* A message around the ring of all ranks, to which each adds itself; then all pass on what they have to the next, at once. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, size, token = 0;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double begin = MPI_Wtime();
  if (rank == 0) MPI_Send(&token, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
  MPI_Recv(&token, 1, MPI_INT, before, 7, MPI_COMM_WORLD, &status);
  if (rank) {
    token += rank;
    MPI_Send(&token, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
  } else {
    printf("around %d ranks: %d, from rank %d with tag %d\n", size, token, status.MPI_SOURCE, status.MPI_TAG);
  }
  int passed = 100 * rank, sum = 0;
  for (int step = 0; step < size; step++) {
    int came;
    MPI_Sendrecv(&passed, 1, MPI_INT, next, step, &came, 1, MPI_INT, before, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    passed = came;
    sum += came;
  }
  int is_later = MPI_Wtime() > begin, all_later;
  MPI_Reduce(&is_later, &all_later, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
  printf("rank %d has seen %d\n", rank, sum);
  if (rank == 0) printf("time went on for all: %d\n", all_later);
  MPI_Finalize();
  return 0;
}
