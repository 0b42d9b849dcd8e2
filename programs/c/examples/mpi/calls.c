/* Every call of MPI that libmpi has, with what each rank got, and conversions of printf. The same under every MPI, for any number of
 * ranks that is a power of two. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* A line of each rank, which rank 0 prints in order. */
static void tell(const char *name, const char *text) {
  char line[200];
  if (rank) {
    MPI_Send(text, (int)strlen(text) + 1, MPI_CHAR, 0, 99, MPI_COMM_WORLD);
    return;
  }
  printf("%s\n  0: %s\n", name, text);
  for (int from = 1; from < size; from++) {
    MPI_Recv(line, sizeof line, MPI_CHAR, from, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("  %d: %s\n", from, line);
  }
}

static void ordered_requests(void) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, out[4], in[4] = {0}, count;
  char text[200];
  MPI_Request requests[8];
  MPI_Status statuses[8], last;
  for (int k = 0; k < 4; k++) out[k] = 10 * rank + k;
  for (int k = 0; k < 4; k++) MPI_Irecv(in + k, 1, MPI_INT, before, 3, MPI_COMM_WORLD, requests + k);
  for (int k = 0; k < 4; k++) MPI_Isend(out + k, 1, MPI_INT, next, 3, MPI_COMM_WORLD, requests + 4 + k);
  /* The last receive first: the others were asked for before it. */
  MPI_Wait(requests + 3, &last);
  MPI_Waitall(8, requests, statuses);
  MPI_Get_count(statuses + 1, MPI_INT, &count);
  sprintf(text, "%d %d %d %d from %d tag %d count %d null %d", in[0], in[1], in[2], in[3], last.MPI_SOURCE, last.MPI_TAG, count,
          requests[3] == MPI_REQUEST_NULL);
  tell("requests", text);
}

static void own_and_nobody(void) {
  char text[200];
  double a[3] = {1.5, 2.5, rank}, b[5] = {0};
  int count, none = 77;
  MPI_Status status;
  MPI_Request request;
  MPI_Irecv(b, 5, MPI_DOUBLE, rank, 4, MPI_COMM_WORLD, &request);
  MPI_Send(a, 3, MPI_DOUBLE, rank, 4, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MPI_Send(&none, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Recv(&none, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  sprintf(text, "%g %g %g count %d from nobody %d %d", b[0], b[1], b[2], count, none, status.MPI_SOURCE == MPI_PROC_NULL);
  tell("messages to oneself and to nobody", text);
}

static void empty_and_short(void) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, count, bytes;
  short out[3] = {(short)rank, -1, 300}, in[9] = {0};
  MPI_Status status;
  char text[200];
  MPI_Sendrecv(0, 0, MPI_INT, next, 5, 0, 0, MPI_INT, before, 5, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Sendrecv(out, 3, MPI_SHORT, next, 6, in, 9, MPI_SHORT, before, 6, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_SHORT, &bytes);
  sprintf(text, "%d, then %d: %d %d %d", count, bytes, in[0], in[1], in[2]);
  tell("empty and short messages", text);
}

static void spreads(void) {
  char text[200];
  int sum = 0;
  for (int root = 0; root < size; root++) {
    long values[2] = {rank == root ? 1000L * root : -1, rank == root ? 7L << 40 : 0};
    MPI_Bcast(values, 2, MPI_LONG, root, MPI_COMM_WORLD);
    sum += (int)values[0] + (int)(values[1] >> 40);
  }
  sprintf(text, "%d", sum);
  tell("MPI_Bcast", text);
  int own[2] = {rank, rank * rank}, *all = calloc(2 * (size_t)size, sizeof *all), at = 0;
  MPI_Allgather(own, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
  for (int k = 0; k < 2 * size && at < 150; k++) at += sprintf(text + at, "%d ", all[k]);
  tell("MPI_Allgather", text);
  int root = size - 1;
  MPI_Gather(own + 1, 1, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD);
  at = 0;
  text[0] = 0;
  for (int k = 0; rank == root && k < size; k++) at += sprintf(text + at, "%d ", all[k]);
  tell("MPI_Gather", text);
  for (int k = 0; k < 2 * size; k++) all[k] = rank == root ? 5 * k : 0;
  MPI_Scatter(all, 2, MPI_INT, own, 2, MPI_INT, root, MPI_COMM_WORLD);
  sprintf(text, "%d %d", own[0], own[1]);
  tell("MPI_Scatter", text);
  int *to = calloc((size_t)size, sizeof *to);
  for (int k = 0; k < size; k++) all[k] = 10 * rank + k;
  MPI_Alltoall(all, 1, MPI_INT, to, 1, MPI_INT, MPI_COMM_WORLD);
  at = 0;
  for (int k = 0; k < size; k++) at += sprintf(text + at, "%d ", to[k]);
  tell("MPI_Alltoall", text);
  free(all);
  free(to);
}

static void folds(void) {
  char text[200];
  int own[3] = {rank + 1, -rank, 6 << rank % 3}, to[9][3];
  MPI_Allreduce(own, to[0], 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(own, to[1], 3, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
  MPI_Allreduce(own, to[2], 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(own, to[3], 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(own, to[4], 3, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  MPI_Allreduce(own, to[5], 3, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  MPI_Allreduce(own, to[6], 3, MPI_INT, MPI_BAND, MPI_COMM_WORLD);
  MPI_Allreduce(own, to[7], 3, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
  MPI_Allreduce(own, to[8], 3, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
  int at = 0;
  for (int k = 0; k < 9; k++) at += sprintf(text + at, "%d %d %d; ", to[k][0], to[k][1], to[k][2]);
  tell("MPI_Allreduce", text);
  double value = 0.1 * (rank + 1), sum = -1;
  unsigned long large = 1ul << (60 - rank), largest = 0;
  unsigned small = 4000000000u + (unsigned)rank, least = 0;
  float narrow = 1.0f / (float)(rank + 3);
  MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, size - 1, MPI_COMM_WORLD);
  MPI_Reduce(&large, &largest, 1, MPI_UNSIGNED_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&small, &least, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &narrow, 1, MPI_FLOAT, MPI_PROD, MPI_COMM_WORLD);
  sprintf(text, "%.12g %lu %u %.6g", rank == size - 1 ? sum : 0, largest, least, narrow);
  tell("MPI_Reduce", text);
}

static void conversions(void) {
  static const double numbers[] = {0, -0.0, 1, -2.5, 0.1, 1e-5, 123456.789, 1e100, 5e-324, 1.7976931348623157e308, 2.0 / 3,
                                   999999.5, 0.00012345678, 1e15, 1e16, 0.5, 1.5, 2.5, 9.995, 1e22, 4.9e-5};
  printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.3d] [%8.3d]\n", 42, 42, 42, 42, 42, 42, 7, -7);
  printf("[%u] [%x] [%#X] [%o] [%08x] [%lu] [%ld] [%lld] [%zu]\n", 4000000000u, 48879u, 48879u, 8u, 255u, ~0ul, -(1l << 62), -5ll,
         sizeof numbers);
  printf("[%s] [%8s] [%-8s] [%.2s] [%c] [%%] [%hd] [%hhu] [%*d] [%-*d] [%.*f]\n", "text", "right", "left", "short", 'c', 70000, 300,
         6, 42, 6, 42, 2, 3.14159);
  for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    double x = numbers[k];
    printf("%f|%.0f|%.3f|%12.4f|%-12.2f|%+.1f|%e|%.0e|%.3E|%15.6e|%g|%.3g|%.10g|%G|%#.8g|%.17g\n", x, x, x, x, x, x, x, x, x, x, x, x, x,
           x, x, x);
  }
  printf("%f %F %e %g %5.1f|%-8f|\n", 1.0 / 0.0, -1.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0);
  unsigned long state = 88172645463325252ul;
  for (int k = 0; k < 40; k++) {
    double x;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    unsigned long bits = (state & ~(2047ul << 52)) | (900 + state % 300) << 52;
    memcpy(&x, &bits, sizeof x);
    printf("%.17g %.6f %.12e %g %.1f\n", x, x, x, x, x);
  }
}

int main(int argc, char **argv) {
  int is_begun, bytes, length;
  char name[MPI_MAX_PROCESSOR_NAME > 256 ? MPI_MAX_PROCESSOR_NAME : 256];
  MPI_Initialized(&is_begun);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_processor_name(name, &length);
  MPI_Type_size(MPI_UNSIGNED_SHORT, &bytes);
  if (rank == 0) printf("%d arguments, begun before %d, name %d, tick %d, short %d\n", argc, is_begun, length > 0, MPI_Wtick() > 0, bytes);
  MPI_Initialized(&is_begun);
  if (rank == 0) printf("begun %d\n", is_begun);
  ordered_requests();
  own_and_nobody();
  empty_and_short();
  spreads();
  folds();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) conversions();
  MPI_Finalize();
  return 0;
}
