/* The message unit of a board: registers by which a processor sends and receives. */
#ifndef UNIT_H
#define UNIT_H
#include "runtime.h"

/* In the uncached segment. */
struct message_unit {
  uint32_t rank, ranks, cycles_per_us, note, peer, tag, place, size, start;
};
#define MESSAGE_UNIT ((volatile struct message_unit *)0xffffffffb8000800)
enum { UNIT_SEND = 1, UNIT_RECEIVE, UNIT_BEGIN, UNIT_END, UNIT_REFUSE };

/* The last call of the program, for whoever tells of errors: name, and the instruction behind the call. */
struct call_note {
  uint32_t name, caller;
};
extern struct call_note mpi_call;
#define NOTE_CALL(function) \
  (mpi_call.name = physical(function), mpi_call.caller = (uint32_t)(uintptr_t)__builtin_return_address(0))

/* Ends the run of all processors with a sentence. */
_Noreturn void mpi_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Messages to and from other ranks, by tags that programs have not. */
void mpi_put(const void *from, uint32_t bytes, int to, uint32_t tag);
uint32_t mpi_take(void *to, uint32_t room, int from, uint32_t tag);
/* Checks arguments of a call: the bytes of so many elements, and a rank. */
uint32_t mpi_bytes(const void *place, int count, int type);
void mpi_check(int comm);
void mpi_check_rank(int rank);
uint32_t mpi_type_bytes(int type);
const char *mpi_type_name(int type);
#endif
