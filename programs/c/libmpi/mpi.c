/* Messages between two ranks: checks of arguments, requests, and what the message unit does for them. */
#include "mpi.h"
#include "stdarg.h"
#include "stdio.h"
#include "unit.h"

enum { MOST_TAG = (1 << 23) - 1, MOST_REQUESTS = 256, ARGUMENTS = 32, ARGUMENT_BYTES = 1024 };
enum { BEFORE, RUNNING, OVER };
enum { FREE, SENT, POSTED, RECEIVED, NOTHING };

struct request {
  int state, peer, tag;
  void *place;
  uint32_t room, bytes;
  /* Its place in the order of receives. */
  uint64_t number;
};

struct call_note mpi_call;
static int stage;
static struct request requests[MOST_REQUESTS];
static uint64_t n_posted, n_pending;

static const struct {
  const char *name;
  uint32_t bytes;
} types[] = {
  {"MPI_DATATYPE_NULL", 0}, {"MPI_CHAR", 1}, {"MPI_SIGNED_CHAR", 1}, {"MPI_UNSIGNED_CHAR", 1}, {"MPI_BYTE", 1},
  {"MPI_SHORT", 2}, {"MPI_UNSIGNED_SHORT", 2}, {"MPI_INT", 4}, {"MPI_UNSIGNED", 4}, {"MPI_LONG", 8},
  {"MPI_UNSIGNED_LONG", 8}, {"MPI_LONG_LONG", 8}, {"MPI_UNSIGNED_LONG_LONG", 8}, {"MPI_INT32_T", 4}, {"MPI_UINT32_T", 4},
  {"MPI_INT64_T", 8}, {"MPI_UINT64_T", 8}, {"MPI_FLOAT", 4}, {"MPI_DOUBLE", 8},
};

void mpi_refuse(const char *format, ...) {
  static char text[256];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  MESSAGE_UNIT->note = physical(&mpi_call);
  MESSAGE_UNIT->place = physical(text);
  MESSAGE_UNIT->start = UNIT_REFUSE;
  exit(255);
}

static int size(void) { return (int)MESSAGE_UNIT->ranks; }

void mpi_check(int comm) {
  if (stage == BEFORE) mpi_refuse("MPI_Init was not called before");
  if (stage == OVER) mpi_refuse("MPI_Finalize was called before");
  if (comm != MPI_COMM_WORLD) mpi_refuse("%d is no communicator; there is MPI_COMM_WORLD", comm);
}

void mpi_check_rank(int rank) {
  if (rank < 0 || rank >= size()) mpi_refuse("there is no rank %d; the run has the ranks 0 to %d", rank, size() - 1);
}

uint32_t mpi_type_bytes(int type) {
  if (type <= MPI_DATATYPE_NULL || type >= MPI_TYPES_END) mpi_refuse("%d is no datatype of this MPI", type);
  return types[type - MPI_DATATYPE_NULL].bytes;
}

const char *mpi_type_name(int type) { return types[type - MPI_DATATYPE_NULL].name; }

uint32_t mpi_bytes(const void *place, int count, int type) {
  uint64_t bytes = (uint64_t)mpi_type_bytes(type) * (unsigned)count;
  if (count < 0) mpi_refuse("the count is %d; it has to be 0 or more", count);
  if (bytes >> 28) mpi_refuse("%d elements of %s are more than 256 MiB", count, mpi_type_name(type));
  if (bytes && (!place || place == MPI_IN_PLACE)) mpi_refuse("the address of the data is none");
  return (uint32_t)bytes;
}

static void check_message(int comm, int peer, int tag) {
  mpi_check(comm);
  if (peer != MPI_PROC_NULL) mpi_check_rank(peer);
  if (tag < 0 || tag > MOST_TAG) mpi_refuse("the tag is %d; tags are from 0 to %d", tag, MOST_TAG);
}

void mpi_put(const void *from, uint32_t bytes, int to, uint32_t tag) {
  __asm__ volatile("" : : : "memory");
  MESSAGE_UNIT->peer = (uint32_t)to;
  MESSAGE_UNIT->tag = tag;
  MESSAGE_UNIT->place = physical(from);
  MESSAGE_UNIT->size = bytes;
  MESSAGE_UNIT->start = UNIT_SEND;
}

uint32_t mpi_take(void *to, uint32_t room, int from, uint32_t tag) {
  __asm__ volatile("" : : : "memory");
  MESSAGE_UNIT->peer = (uint32_t)from;
  MESSAGE_UNIT->tag = tag;
  MESSAGE_UNIT->place = physical(to);
  MESSAGE_UNIT->size = room;
  MESSAGE_UNIT->start = UNIT_RECEIVE;
  uint32_t bytes = MESSAGE_UNIT->size;
  __asm__ volatile("" : : : "memory");
  return bytes;
}

static struct request *new_request(MPI_Request *handle) {
  for (int k = 0; k < MOST_REQUESTS; k++)
    if (requests[k].state == FREE) {
      *handle = k + 1;
      return requests + k;
    }
  mpi_refuse("there are more than %d requests at once", MOST_REQUESTS);
}

/* Receives what was asked for first of a rank with a tag, up to a place in the order of receives. */
static void receive_until(int peer, int tag, uint64_t number) {
  while (n_pending) {
    struct request *first = 0;
    for (struct request *one = requests; one < requests + MOST_REQUESTS; one++)
      if (one->state == POSTED && one->peer == peer && one->tag == tag && one->number <= number &&
          (!first || one->number < first->number))
        first = one;
    if (!first) return;
    first->bytes = mpi_take(first->place, first->room, peer, (uint32_t)tag);
    first->state = RECEIVED;
    n_pending--;
  }
}

static void set_status(MPI_Status *status, int source, int tag, uint32_t bytes) {
  if (status) *status = (MPI_Status){source, tag, MPI_SUCCESS, (int)bytes};
}

/* Status of a receive from nobody, as the standard has it. */
static void set_empty(MPI_Status *status) { set_status(status, MPI_PROC_NULL, -1, 0); }

static void receive(void *to, uint32_t room, int from, int tag, MPI_Status *status) {
  if (from == MPI_PROC_NULL) {
    set_empty(status);
    return;
  }
  receive_until(from, tag, UINT64_MAX);
  set_status(status, from, tag, mpi_take(to, room, from, (uint32_t)tag));
}

static void finish(MPI_Request *handle, MPI_Status *status) {
  if (*handle == MPI_REQUEST_NULL) {
    set_empty(status);
    return;
  }
  struct request *request = requests + (*handle - 1);
  if (*handle < 0 || *handle > MOST_REQUESTS || request->state == FREE) mpi_refuse("%d is no request", *handle);
  if (request->state == POSTED) receive_until(request->peer, request->tag, request->number);
  if (request->state == RECEIVED)
    set_status(status, request->peer, request->tag, request->bytes);
  else
    set_empty(status);
  request->state = FREE;
  *handle = MPI_REQUEST_NULL;
}

/* The arguments of the run, which come as texts one behind the other. */
static void take_arguments(int *argc, char ***argv) {
  static char name[] = "program", texts[ARGUMENT_BYTES];
  static char *words[ARGUMENTS + 2] = {name};
  MESSAGE_UNIT->place = physical(texts);
  MESSAGE_UNIT->size = sizeof texts;
  MESSAGE_UNIT->start = UNIT_BEGIN;
  char *at = texts, *end = texts + MESSAGE_UNIT->size;
  __asm__ volatile("" : : : "memory");
  int count = 1;
  while (at < end && count <= ARGUMENTS) {
    words[count++] = at;
    while (*at++) {}
  }
  if (at < end) mpi_refuse("there are more than %d arguments", ARGUMENTS);
  if (argc) *argc = count;
  if (argv) *argv = words;
}

int MPI_Init(int *argc, char ***argv) {
  MESSAGE_UNIT->note = physical(&mpi_call);
  NOTE_CALL("MPI_Init");
  if (stage != BEFORE) mpi_refuse("MPI_Init was called before");
  stage = RUNNING;
  take_arguments(argc, argv);
  cycles();
  return MPI_SUCCESS;
}

int MPI_Initialized(int *flag) {
  *flag = stage != BEFORE;
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  NOTE_CALL("MPI_Finalize");
  mpi_check(MPI_COMM_WORLD);
  for (int k = 0; n_pending && k < MOST_REQUESTS; k++)
    if (requests[k].state == POSTED)
      mpi_refuse("a receive from rank %d with tag %d was not waited for", requests[k].peer, requests[k].tag);
  MESSAGE_UNIT->start = UNIT_END;
  stage = OVER;
  return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int code) {
  NOTE_CALL("MPI_Abort");
  mpi_check(comm);
  mpi_refuse("the program ends the run with code %d", code);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  NOTE_CALL("MPI_Comm_rank");
  mpi_check(comm);
  *rank = (int)MESSAGE_UNIT->rank;
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *of) {
  NOTE_CALL("MPI_Comm_size");
  mpi_check(comm);
  *of = size();
  return MPI_SUCCESS;
}

int MPI_Get_processor_name(char *name, int *length) {
  *length = sprintf(name, "processor %d", (int)MESSAGE_UNIT->rank);
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
  NOTE_CALL("MPI_Get_count");
  int bytes = (int)mpi_type_bytes(type);
  *count = status->bytes % bytes ? MPI_UNDEFINED : status->bytes / bytes;
  return MPI_SUCCESS;
}

int MPI_Type_size(MPI_Datatype type, int *bytes) {
  NOTE_CALL("MPI_Type_size");
  *bytes = (int)mpi_type_bytes(type);
  return MPI_SUCCESS;
}

double MPI_Wtime(void) { return (double)cycles() / ((double)MESSAGE_UNIT->cycles_per_us * 1e6); }

double MPI_Wtick(void) { return 2 / ((double)MESSAGE_UNIT->cycles_per_us * 1e6); }

int MPI_Send(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  NOTE_CALL("MPI_Send");
  check_message(comm, to, tag);
  uint32_t bytes = mpi_bytes(from, count, type);
  if (to != MPI_PROC_NULL) mpi_put(from, bytes, to, (uint32_t)tag);
  return MPI_SUCCESS;
}

int MPI_Recv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  NOTE_CALL("MPI_Recv");
  check_message(comm, from, tag);
  receive(to, mpi_bytes(to, count, type), from, tag, status);
  return MPI_SUCCESS;
}

int MPI_Sendrecv(const void *from, int send_count, MPI_Datatype send_type, int to, int send_tag, void *into, int count,
                 MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  NOTE_CALL("MPI_Sendrecv");
  check_message(comm, to, send_tag);
  check_message(comm, source, tag);
  uint32_t bytes = mpi_bytes(from, send_count, send_type), room = mpi_bytes(into, count, type);
  if (to != MPI_PROC_NULL) mpi_put(from, bytes, to, (uint32_t)send_tag);
  receive(into, room, source, tag, status);
  return MPI_SUCCESS;
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  NOTE_CALL("MPI_Isend");
  check_message(comm, to, tag);
  uint32_t bytes = mpi_bytes(from, count, type);
  *new_request(request) = (struct request){.state = SENT};
  if (to != MPI_PROC_NULL) mpi_put(from, bytes, to, (uint32_t)tag);
  return MPI_SUCCESS;
}

int MPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  NOTE_CALL("MPI_Irecv");
  check_message(comm, from, tag);
  uint32_t room = mpi_bytes(to, count, type);
  int is_posted = from != MPI_PROC_NULL;
  n_pending += (unsigned)is_posted;
  *new_request(request) = (struct request){is_posted ? POSTED : NOTHING, from, tag, to, room, 0, n_posted++};
  return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  NOTE_CALL("MPI_Wait");
  mpi_check(MPI_COMM_WORLD);
  finish(request, status);
  return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request all[], MPI_Status statuses[]) {
  NOTE_CALL("MPI_Waitall");
  mpi_check(MPI_COMM_WORLD);
  for (int k = 0; k < count; k++) finish(all + k, statuses ? statuses + k : MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}
