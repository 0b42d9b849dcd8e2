// What the drivers share. Before this text stand the sizes of the task:
//
// FIELDS words of a frame, PARAMETERS of them given by a call; OWN words of arrays that each lane has; CONTEXT words of a context, its
// parameters and then the arrays. ROOM frames of a stack, the one on top included. ITEMS work-items are a group. With QUEUE a work-item
// takes the next context that nobody has taken, with BLOCKS those of a contiguous share, else every one that it comes to by going on by
// the number of all work-items.
//
// A step gives bits: CALLS, the inner call is the LAST one, the call is DONE.
enum { CALLS = 1, LAST = 2, DONE = 4 };

// Words of `control`: contexts that were taken; the context behind which none is needed; stacks that overflowed, and of one of them
// work-item, group and depth; whether the solution was written; groups without work, and frames that
// others have given back.
enum { TAKEN, STOP, OVERFLOWS, LANE, GROUP, DEPTH, CLAIMED, IDLE, GIVEN };

// Stacks keep all frames but the one on top, which is in registers.
#define KEPT (ROOM > 1 ? ROOM - 1 : 1)

// Returns the number of the first context of a work-item of those from `first` up to `last`, and sets `last` to the end of its own.
static inline int first_context(int first, int *last) {
#if BLOCKS
    const int items = get_global_size(0), all = *last - first, each = all / items + (all % items > 0);
    const int own = first + (int)min((long)get_global_id(0) * each, (long)all);
    *last = min(own + each, *last);
    return own;
#else
    return first + (int)get_global_id(0);
#endif
}

// Returns the number of the context that a work-item takes next, after `before`.
static inline int next_context(int before, volatile global int *control) {
#if QUEUE
    return atomic_inc(control + TAKEN);
#elif BLOCKS
    return before + 1;
#else
    return before + (int)get_global_size(0);
#endif
}

// Notes that the stack of this work-item has no room for a call at a depth.
static inline void overflows(volatile global int *control, int depth) {
    if (atomic_inc(control + OVERFLOWS) == 0) {
        control[LANE] = get_global_id(0);
        control[GROUP] = get_group_id(0);
        control[DEPTH] = depth;
    }
}

// Adds what the work-items of a group have, sum, nodes and passes, into `work`, four words a group: sum, nodes, most passes of a
// work-item, and all passes.
static inline void total(local ulong *parts, ulong sum, ulong nodes, ulong passes, global ulong *work) {
    const int item = get_local_id(0);
    local ulong *own = parts + 4 * item;
    own[0] = sum;
    own[1] = nodes;
    own[2] = own[3] = passes;
    for (int step = 1; step < ITEMS; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item % (2 * step) == 0 && item + step < ITEMS) {
            local ulong *other = own + 4 * step;
            own[0] += other[0];
            own[1] += other[1];
            own[2] = max(own[2], other[2]);
            own[3] += other[3];
        }
    }
    if (item == 0) {
        for (int i = 0; i < 4; i++) work[4 * get_group_id(0) + i] = own[i];
    }
}
