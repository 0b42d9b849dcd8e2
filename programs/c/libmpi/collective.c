/* What all ranks do together, out of messages between two of them. A sum goes up a tree in which ranks r and r + 1 are added
 * first, then r and r + 2, and so on; so it does not depend on time. */
#include "mpi.h"
#include "stdlib.h"
#include "string.h"
#include "unit.h"

/* Tags that programs have not, one for each kind of call. */
enum { BARRIER = 1 << 23, BCAST, REDUCE, GATHER, SCATTER, ALLTOALL };

static int rank(void) { return (int)MESSAGE_UNIT->rank; }
static int ranks(void) { return (int)MESSAGE_UNIT->ranks; }

static void take_all(void *to, uint32_t bytes, int from, uint32_t tag) {
  uint32_t came = mpi_take(to, bytes, from, tag);
  if (came != bytes) mpi_refuse("rank %d gave %u bytes, and %u are asked for", from, (unsigned)came, (unsigned)bytes);
}

/* From the root down the tree, with ranks counted from the root on. */
static void spread(void *place, uint32_t bytes, int root, uint32_t tag) {
  int n = ranks(), here = (rank() - root + n) % n, step = 1;
  while (step < n && !(here & step)) step *= 2;
  if (here) take_all(place, bytes, (here - step + root) % n, tag);
  for (step /= 2; step; step /= 2)
    if (here + step < n) mpi_put(place, bytes, (here + step + root) % n, tag);
}

#define FOLD_NUMBERS(T)                                                                                      \
  static void fold_##T(T *to, const T *from, int count, MPI_Op op) {                                         \
    for (int k = 0; k < count; k++) {                                                                        \
      T a = to[k], b = from[k];                                                                              \
      to[k] = op == MPI_SUM ? a + b : op == MPI_PROD ? a * b : op == MPI_MAX ? (b > a ? b : a) : b < a ? b : a; \
    }                                                                                                        \
  }
#define FOLD_BITS(T)                                                                  \
  FOLD_NUMBERS(T)                                                                     \
  static void fold_bits_##T(T *to, const T *from, int count, MPI_Op op) {             \
    for (int k = 0; k < count; k++) {                                                 \
      T a = to[k], b = from[k];                                                       \
      to[k] = op == MPI_LAND ? a && b : op == MPI_LOR ? a || b                        \
            : op == MPI_BAND ? (T)(a & b) : op == MPI_BOR ? (T)(a | b) : (T)(a ^ b);  \
    }                                                                                 \
  }
FOLD_BITS(int32_t)
FOLD_BITS(uint32_t)
FOLD_BITS(int64_t)
FOLD_BITS(uint64_t)
FOLD_NUMBERS(float)
FOLD_NUMBERS(double)

static void check_op(MPI_Datatype type, MPI_Op op) {
  mpi_type_bytes(type);
  if (op <= MPI_OP_NULL || op >= MPI_OPS_END) mpi_refuse("%d is no operation of this MPI", op);
  if (type < MPI_INT) mpi_refuse("elements of %s are not folded by this MPI; use MPI_INT", mpi_type_name(type));
  if (op >= MPI_LAND && (type == MPI_FLOAT || type == MPI_DOUBLE))
    mpi_refuse("an operation on bits and truths does not take %s", mpi_type_name(type));
}

static void fold(void *to, const void *from, int count, MPI_Datatype type, MPI_Op op) {
  int is_bits = op >= MPI_LAND;
  switch (type) {
    case MPI_INT: case MPI_INT32_T: (is_bits ? fold_bits_int32_t : fold_int32_t)(to, from, count, op); return;
    case MPI_UNSIGNED: case MPI_UINT32_T: (is_bits ? fold_bits_uint32_t : fold_uint32_t)(to, from, count, op); return;
    case MPI_FLOAT: fold_float(to, from, count, op); return;
    case MPI_DOUBLE: fold_double(to, from, count, op); return;
    case MPI_LONG: case MPI_LONG_LONG: case MPI_INT64_T:
      (is_bits ? fold_bits_int64_t : fold_int64_t)(to, from, count, op); return;
    default: (is_bits ? fold_bits_uint64_t : fold_uint64_t)(to, from, count, op);
  }
}

/* Folds the elements of all ranks in the root, which has its own in `to`; the others need room there too. */
static void fold_up(void *to, int count, MPI_Datatype type, MPI_Op op, int root) {
  int n = ranks(), here = (rank() - root + n) % n, step = 1;
  uint32_t bytes = mpi_bytes(to, count, type);
  void *other = n > 1 ? malloc(bytes + 1) : 0;
  if (n > 1 && !other) mpi_refuse("there is no memory for %u bytes", (unsigned)bytes);
  for (; step < n && !(here & step); step *= 2)
    if (here + step < n) {
      take_all(other, bytes, (here + step + root) % n, REDUCE);
      fold(to, other, count, type, op);
    }
  if (here) mpi_put(to, bytes, (here - step + root) % n, REDUCE);
  free(other);
}

int MPI_Barrier(MPI_Comm comm) {
  NOTE_CALL("MPI_Barrier");
  mpi_check(comm);
  int n = ranks(), here = rank(), step = 1;
  for (; step < n && !(here & step); step *= 2)
    if (here + step < n) take_all(0, 0, here + step, BARRIER);
  if (here) mpi_put(0, 0, here - step, BARRIER);
  spread(0, 0, 0, BARRIER);
  return MPI_SUCCESS;
}

int MPI_Bcast(void *place, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  NOTE_CALL("MPI_Bcast");
  mpi_check(comm);
  mpi_check_rank(root);
  spread(place, mpi_bytes(place, count, type), root, BCAST);
  return MPI_SUCCESS;
}

int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  NOTE_CALL("MPI_Reduce");
  mpi_check(comm);
  mpi_check_rank(root);
  check_op(type, op);
  uint32_t bytes = mpi_bytes(rank() == root ? to : from, count, type);
  if (rank() == root) {
    if (from != MPI_IN_PLACE) memcpy(to, from, mpi_bytes(from, count, type));
    fold_up(to, count, type, op, root);
    return MPI_SUCCESS;
  }
  void *own = malloc(bytes + 1);
  if (!own) mpi_refuse("there is no memory for %u bytes", (unsigned)bytes);
  memcpy(own, from, bytes);
  fold_up(own, count, type, op, root);
  free(own);
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  NOTE_CALL("MPI_Allreduce");
  mpi_check(comm);
  check_op(type, op);
  uint32_t bytes = mpi_bytes(to, count, type);
  if (from != MPI_IN_PLACE) memcpy(to, from, mpi_bytes(from, count, type));
  fold_up(to, count, type, op, 0);
  spread(to, bytes, 0, REDUCE);
  return MPI_SUCCESS;
}

/* The part of a rank in an array of the parts of all. */
static char *part(const void *all, int of, uint32_t bytes) { return (char *)(uintptr_t)all + (uintptr_t)of * bytes; }

static void gather(const void *from, uint32_t sent, void *to, int count, MPI_Datatype type, int root) {
  if (rank() != root) {
    mpi_put(from, sent, root, GATHER);
    return;
  }
  uint32_t bytes = mpi_bytes(to, count, type);
  if (from != MPI_IN_PLACE && sent != bytes) mpi_refuse("it gives %u bytes and takes %u", (unsigned)sent, (unsigned)bytes);
  if (from != MPI_IN_PLACE) memcpy(part(to, root, bytes), from, bytes);
  for (int other = 0; other < ranks(); other++)
    if (other != root) take_all(part(to, other, bytes), bytes, other, GATHER);
}

int MPI_Gather(const void *from, int send_count, MPI_Datatype send_type, void *to, int count, MPI_Datatype type, int root,
               MPI_Comm comm) {
  NOTE_CALL("MPI_Gather");
  mpi_check(comm);
  mpi_check_rank(root);
  int in_place = rank() == root && from == MPI_IN_PLACE;
  gather(from, in_place ? 0 : mpi_bytes(from, send_count, send_type), to, count, type, root);
  return MPI_SUCCESS;
}

int MPI_Allgather(const void *from, int send_count, MPI_Datatype send_type, void *to, int count, MPI_Datatype type,
                  MPI_Comm comm) {
  NOTE_CALL("MPI_Allgather");
  mpi_check(comm);
  uint32_t bytes = mpi_bytes(to, count, type);
  if (from == MPI_IN_PLACE)
    gather(rank() ? part(to, rank(), bytes) : from, bytes, to, count, type, 0);
  else
    gather(from, mpi_bytes(from, send_count, send_type), to, count, type, 0);
  spread(to, bytes * (uint32_t)ranks(), 0, GATHER);
  return MPI_SUCCESS;
}

int MPI_Scatter(const void *from, int send_count, MPI_Datatype send_type, void *to, int count, MPI_Datatype type, int root,
                MPI_Comm comm) {
  NOTE_CALL("MPI_Scatter");
  mpi_check(comm);
  mpi_check_rank(root);
  if (rank() != root) {
    take_all(to, mpi_bytes(to, count, type), root, SCATTER);
    return MPI_SUCCESS;
  }
  uint32_t bytes = mpi_bytes(from, send_count, send_type);
  for (int other = 0; other < ranks(); other++)
    if (other != root) mpi_put(part(from, other, bytes), bytes, other, SCATTER);
  if (to != MPI_IN_PLACE) {
    uint32_t own = mpi_bytes(to, count, type);
    if (own != bytes) mpi_refuse("it gives %u bytes and takes %u", (unsigned)bytes, (unsigned)own);
    memcpy(to, part(from, root, bytes), bytes);
  }
  return MPI_SUCCESS;
}

int MPI_Alltoall(const void *from, int send_count, MPI_Datatype send_type, void *to, int count, MPI_Datatype type,
                 MPI_Comm comm) {
  NOTE_CALL("MPI_Alltoall");
  mpi_check(comm);
  int n = ranks(), here = rank();
  uint32_t sent = mpi_bytes(from, send_count, send_type), bytes = mpi_bytes(to, count, type);
  if (sent != bytes) mpi_refuse("it gives %u bytes and takes %u", (unsigned)sent, (unsigned)bytes);
  for (int k = 1; k < n; k++) mpi_put(part(from, (here + k) % n, sent), sent, (here + k) % n, ALLTOALL);
  memcpy(part(to, here, bytes), part(from, here, bytes), bytes);
  for (int k = 1; k < n; k++) take_all(part(to, (here - k + n) % n, bytes), bytes, (here - k + n) % n, ALLTOALL);
  return MPI_SUCCESS;
}
