// Searches of a task: each work-item takes contexts and solves them one by one with a stack of its own. The text of the task, `step` and
// the sizes, stands before this one:
//
// FIELDS words of a frame, PARAMETERS of them given by a call; OWN words of arrays that each lane has; ROOM frames of a stack; CONTEXT
// words of a context, its parameters and then the arrays. ITEMS work-items are a group. With QUEUE a work-item takes the next
// context that nobody has taken, else every one that it comes to by going on by the number of all work-items.
#define FRAME (FIELDS + 1)
#if IN_LOCAL
#define STACK(frame, word) stack[((frame) * FRAME + (word)) * ITEMS + item]
#else
#define STACK(frame, word) stack[(frame) * FRAME + (word)]
#endif

// Returns the number of the context that a work-item takes next, after `before`.
static inline int next_context(int before, global int *taken) {
#if QUEUE
    return atomic_inc(taken);
#else
    return before < 0 ? (int)get_global_id(0) : before + (int)get_global_size(0);
#endif
}

// `taken` counts the contexts that were taken, and behind it stands how many stacks overflowed. `work` has the calls and steps of
// each work-item.
kernel void search(int count, global const uint *contexts, global const uint *shared, global int *taken, global uint *values,
                   global ulong *work) {
#if IN_LOCAL
    local uint stack[ROOM * FRAME * ITEMS];
#else
    uint stack[ROOM * FRAME];
#endif
    const int item = get_local_id(0);
    uint own[OWN + 1], fields[FIELDS], arguments[FIELDS], state = 0, returned = 0, value = 0;
    ulong calls = 0, steps = 0;
    int depth = -1, at = next_context(-1, taken);
    while (at < count) {
        if (depth < 0) {
            // A context begins.
            global const uint *context = contexts + (long)at * CONTEXT;
            for (int i = 0; i < FIELDS; i++) fields[i] = i < PARAMETERS ? context[i] : 0;
            for (int i = 0; i < OWN; i++) own[i] = context[PARAMETERS + i];
            state = returned = depth = 0;
            calls++;
        }
        const int action = step(&state, returned, fields, arguments, &value, own, shared);
        steps++;
        if (action == DONE) {
            if (--depth < 0) {
                values[at] = value;
                at = next_context(at, taken);
            } else {
                for (int i = 0; i < FIELDS; i++) fields[i] = STACK(depth, i);
                state = STACK(depth, FIELDS);
                returned = value;
            }
        } else if (action == CALLS) {
            if (depth + 1 == ROOM) {
                atomic_inc(taken + 1);
                break;
            }
            for (int i = 0; i < FIELDS; i++) STACK(depth, i) = fields[i];
            STACK(depth, FIELDS) = state;
            for (int i = 0; i < FIELDS; i++) fields[i] = i < PARAMETERS ? arguments[i] : 0;
            state = returned = 0;
            depth++;
            calls++;
        }
    }
    work[2 * get_global_id(0)] = calls;
    work[2 * get_global_id(0) + 1] = steps;
}
