/* What ends a run with an error: the number of ranks says which error. */
#include <mpi.h>
#include <stdio.h>
#include "unit.h"

enum {
  RING = 2, TRUNCATED, NO_RANK, UNFINISHED, FAULT, NO_TYPE, UNRECEIVED, ABORTED, ENDLESS, NO_BARRIER, NO_TAG, ITSELF, NOT_WAITED,
  TWICE, NO_MEMORY, NO_REQUEST, NO_PEER, CODES, EARLY
};
static int rank, size, numbers[8];

/* All wait for the one before them. */
static void ring(void) {
  MPI_Recv(numbers, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(numbers, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
}

static void truncated(void) {
  if (rank == 1) MPI_Send(numbers, 8, MPI_INT, 2, 9, MPI_COMM_WORLD);
  if (rank == 2) MPI_Recv(numbers, 4, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A store where nothing is; the pointer is volatile, so the compiler does not see it. */
static void fault(void) {
  int *volatile nowhere = (int *)8;
  if (rank == 4) *nowhere = 1;
}

static void endless(void) {
  volatile int is_on = rank == 3;
  while (is_on) {}
}

/* Past the checks of libmpi. */
static void ask(uint32_t peer, uint32_t place, uint32_t start) {
  MESSAGE_UNIT->peer = peer;
  MESSAGE_UNIT->place = place;
  MESSAGE_UNIT->size = 4096;
  MESSAGE_UNIT->start = start;
}

static void do_wrong(void) {
  MPI_Request request;
  switch (size) {
    case RING: ring(); return;
    case TRUNCATED: truncated(); return;
    case NO_RANK: if (rank == 3) MPI_Send(numbers, 1, MPI_INT, 4, 0, MPI_COMM_WORLD); return;
    case FAULT: fault(); return;
    case NO_TYPE: if (rank == 5) MPI_Bcast(numbers, 1, 1234, 0, MPI_COMM_WORLD); return;
    case UNRECEIVED: if (rank == 6) MPI_Send(numbers, 2, MPI_INT, 7, 11, MPI_COMM_WORLD); return;
    case ABORTED: if (rank == 2) MPI_Abort(MPI_COMM_WORLD, 17); return;
    case ENDLESS: endless(); return;
    case NO_BARRIER: if (rank) MPI_Barrier(MPI_COMM_WORLD); return;
    case NO_TAG: if (rank == 9) MPI_Send(numbers, 1, MPI_INT, 0, -3, MPI_COMM_WORLD); return;
    case ITSELF: if (rank == 1) MPI_Recv(numbers, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); return;
    case NOT_WAITED: if (rank == 0) MPI_Irecv(numbers, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request); return;
    case TWICE: if (rank == 0) MPI_Init(0, 0); return;
    case NO_MEMORY: if (rank == 1) ask(0, 0x0ffff800, UNIT_SEND); return;
    case NO_REQUEST: if (rank == 1) ask(0, 0, 77); return;
    case NO_PEER: if (rank == 1) ask(99, 0x100000, UNIT_RECEIVE); return;
    default: return;
  }
}

int main(int argc, char **argv) {
  if (MESSAGE_UNIT->ranks == EARLY) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("rank %d begins\n", rank);
  do_wrong();
  if (size == UNFINISHED && rank == 1) return 3;
  MPI_Finalize();
  return size == CODES && rank > 4 ? rank : 0;
}
