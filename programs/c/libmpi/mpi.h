/* The part of MPI that programs of several emulated processors have (specs/src/procedures/programs.md). What the same program
 * under another MPI could do beyond this is refused by the compiler, with the reason. */
#ifndef MPI_H
#define MPI_H

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Op;
typedef int MPI_Request;
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR, bytes;
} MPI_Status;

#define MPI_COMM_WORLD ((MPI_Comm)0x4d01)
#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_IN_PLACE ((void *)-1)
enum { MPI_SUCCESS = 0, MPI_PROC_NULL = -2, MPI_UNDEFINED = -32766, MPI_MAX_PROCESSOR_NAME = 32 };

/* In the order of their names in mpi.c. */
enum {
  MPI_DATATYPE_NULL = 0x4d20,
  MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_BYTE, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT, MPI_UNSIGNED,
  MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_INT32_T, MPI_UINT32_T, MPI_INT64_T, MPI_UINT64_T,
  MPI_FLOAT, MPI_DOUBLE, MPI_TYPES_END
};
#define MPI_LONG_LONG_INT MPI_LONG_LONG
enum { MPI_OP_NULL = 0x4d40, MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_OPS_END };

int MPI_Init(int *argc, char ***argv);
int MPI_Initialized(int *flag);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Get_processor_name(char *name, int *length);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);
int MPI_Type_size(MPI_Datatype type, int *size);
double MPI_Wtime(void);
double MPI_Wtick(void);

int MPI_Send(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Recv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Sendrecv(const void *from, int send_count, MPI_Datatype send_type, int to, int send_tag, void *into, int count,
                 MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *place, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Gather(const void *from, int send_count, MPI_Datatype send_type, void *to, int count, MPI_Datatype type, int root,
               MPI_Comm comm);
int MPI_Allgather(const void *from, int send_count, MPI_Datatype send_type, void *to, int count, MPI_Datatype type,
                  MPI_Comm comm);
int MPI_Scatter(const void *from, int send_count, MPI_Datatype send_type, void *to, int count, MPI_Datatype type, int root,
                MPI_Comm comm);
int MPI_Alltoall(const void *from, int send_count, MPI_Datatype send_type, void *to, int count, MPI_Datatype type,
                 MPI_Comm comm);

/* Not there: the compiler tells why. */
#define MPI_REFUSED_(reason) __attribute__((error(reason)))
#define MPI_TIMING_ "what a program receives must not depend on time here: a receive names its source and its tag"
#define MPI_WORLD_ "there is one communicator here, MPI_COMM_WORLD"
#define MPI_TYPES_ "data are contiguous here: pack them into a buffer of a basic type"
int mpi_any_source(void) MPI_REFUSED_("MPI_ANY_SOURCE: " MPI_TIMING_);
int mpi_any_tag(void) MPI_REFUSED_("MPI_ANY_TAG: " MPI_TIMING_);
#define MPI_ANY_SOURCE mpi_any_source()
#define MPI_ANY_TAG mpi_any_tag()
int MPI_Probe() MPI_REFUSED_(MPI_TIMING_);
int MPI_Iprobe() MPI_REFUSED_(MPI_TIMING_);
int MPI_Test() MPI_REFUSED_("whether a message has come must not decide what a program does here: use MPI_Wait");
int MPI_Testall() MPI_REFUSED_("whether messages have come must not decide what a program does here: use MPI_Waitall");
int MPI_Waitany() MPI_REFUSED_("which message came first must not decide what a program does here: use MPI_Waitall");
int MPI_Waitsome() MPI_REFUSED_("which messages came first must not decide what a program does here: use MPI_Waitall");
int MPI_Ssend() MPI_REFUSED_("sends are buffered here and do not wait for the receiver: use MPI_Send");
int MPI_Comm_dup() MPI_REFUSED_(MPI_WORLD_);
int MPI_Comm_split() MPI_REFUSED_(MPI_WORLD_);
int MPI_Comm_create() MPI_REFUSED_(MPI_WORLD_);
int MPI_Cart_create() MPI_REFUSED_(MPI_WORLD_ ": compute the ranks of neighbours");
int MPI_Type_contiguous() MPI_REFUSED_(MPI_TYPES_);
int MPI_Type_vector() MPI_REFUSED_(MPI_TYPES_);
int MPI_Type_create_subarray() MPI_REFUSED_(MPI_TYPES_);
int MPI_Win_create() MPI_REFUSED_("there are messages here, and no windows of memory");
#endif
