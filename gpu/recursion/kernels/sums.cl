// Searches of a task whose values are sums: a work-item adds up what the steps of its contexts give, and frames have nothing that returns. The frame
// on top is in registers. A frame whose last inner call is made goes on as that call. With FUSED a pass of the loop is the step that calls and
// the first step of the call, so that a call that ends at once takes one pass and no room; FUSED holds where first steps never call.
//
// SAVE and RESTORE copy the words of a frame on which steps hang, FRAME of them, to and from a place of a stack.
#if IN_LOCAL
#define STACK(of, at, word) stack[((at) * FRAME + (word)) * ITEMS + (of)]
#else
#define STACK(of, at, word) stack[(at) * FRAME + (word)]
#endif

// Passes between two moments at which work-items of a group share frames.
#ifndef SHARED_AFTER
#define SHARED_AFTER 16
#endif

struct lane {
    uint fields[FIELDS];
    uint state;
};

// Solves the contexts from `first` up to `last`.
kernel void search(int first, int last, global const uint *contexts, global const uint *shared, volatile global int *control,
                   global uint *values, global uint *solution, global ulong *work) {
    local ulong parts[4 * ITEMS];
#if IN_LOCAL
    local uint stack[KEPT * FRAME * ITEMS];
#else
    uint stack[KEPT * FRAME];
#endif
    const int item = get_local_id(0);
    struct lane lane;
    uint own[OWN + 1], arguments[FIELDS], value;
    ulong sum = 0, nodes = 0, passes = 0;
    // Frames of the stack are those from `base` up to `depth`. A context begins where `is_new`.
    int base = 0, depth = 0, at = first + (int)get_global_id(0);
    bool is_new = true, is_busy = at < last;
#if SHARES
    local int givers[ITEMS], bases[ITEMS], counts[2];
    for (;;) {
        for (int pass = 0; pass < SHARED_AFTER && is_busy; pass++) {
#else
    while (is_busy) {
#endif
        uint action = CALLS | LAST;
        if (is_new) {
            global const uint *context = contexts + (long)at * CONTEXT;
            for (int i = 0; i < PARAMETERS; i++) arguments[i] = context[i];
            for (int i = 0; i < OWN; i++) own[i] = context[PARAMETERS + i];
            is_new = false;
        } else {
            action = visit(&lane.state, 0, lane.fields, arguments, &value, own, shared);
            sum += value;
        }
        passes++;
        bool is_over = action & DONE;
        if (action & CALLS) {
            nodes++;
            struct lane child;
            for (int i = 0; i < FIELDS; i++) child.fields[i] = i < PARAMETERS ? arguments[i] : 0;
            child.state = 0;
            bool is_entered = true;
#if FUSED
            is_entered = !(enter(&child.state, 0, child.fields, arguments, &value, own, shared) & DONE);
            sum += value;
#endif
            if (is_entered) {
                if (!(action & LAST)) {
                    if (depth + 1 >= ROOM) {
                        overflows(control, depth + 1);
                        is_busy = false;
                        break;
                    }
                    SAVE(item, depth)
                    depth++;
                }
                lane = child;
            }
            is_over = !is_entered && (action & LAST);
        }
        if (is_over) {
            if (depth > base) {
                depth--;
                RESTORE(item, depth)
            } else {
                base = depth = 0;
                is_new = true;
                if (at < last) at = next_context(at, control);
                is_busy = at < last;
            }
        }
#if SHARES
        }
        // Work-items without work take the oldest frame of others, each of another one.
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0) counts[0] = counts[1] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        int rank = ITEMS;
        const bool gives = is_busy && depth > base;
        if (gives) {
            rank = atomic_inc(counts);
            givers[rank] = item;
            bases[rank] = base;
        } else if (!is_busy) {
            rank = atomic_inc(counts + 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int offered = counts[0], wanted = counts[1];
        if (wanted == ITEMS) break;
        if (!is_busy && rank < offered) {
            RESTORE(givers[rank], bases[rank])
            is_new = false;
            is_busy = true;
        }
        if (gives && rank < wanted) base++;
        // A frame is taken before its place is used again.
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#else
    }
#endif
    total(parts, sum, nodes, passes, work);
}
