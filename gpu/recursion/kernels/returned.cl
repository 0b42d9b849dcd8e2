// Searches of a task whose calls return values: each work-item takes contexts and solves them one by one with a stack of its own.
#define FRAME (FIELDS + 1)
// Steps after which a work-item asks whether it is to stop.
#define CHECKED 64
#if IN_LOCAL
#define STACK(frame, word) stack[((frame) * FRAME + (word)) * ITEMS + item]
#else
#define STACK(frame, word) stack[(frame) * FRAME + (word)]
#endif

// Solves the contexts from `first` up to `last`. `solution` has the arrays of the work-item that was the first to end the search.
kernel void search(int first, int last, global const uint *contexts, global const uint *shared, volatile global int *control,
                   global uint *values, global uint *solution, global ulong *work, int is_given,
                   global const uint *frames, global uint *given) {
    local ulong parts[4 * ITEMS];
#if IN_LOCAL
    local uint stack[KEPT * FRAME * ITEMS];
#else
    uint stack[KEPT * FRAME];
#endif
    const int item = get_local_id(0);
    uint own[OWN + 1], fields[FIELDS], arguments[FIELDS], state = 0, returned = 0, value = 0;
    ulong calls = 0, steps = 0;
    int depth = -1, at = first_context(first, &last);
    while (at < last) {
        if (depth < 0) {
            // A context begins.
            global const uint *context = contexts + (long)at * CONTEXT;
            for (int i = 0; i < FIELDS; i++) fields[i] = i < PARAMETERS ? context[i] : 0;
            for (int i = 0; i < OWN; i++) own[i] = context[PARAMETERS + i];
            state = returned = depth = 0;
            calls++;
        }
#if STOPS
        if (steps % CHECKED == 0 && at > control[STOP]) break;
#endif
        const uint action = visit(&state, returned, fields, arguments, &value, own, shared);
        steps++;
        if (action & DONE) {
            if (--depth < 0) {
                values[at] = value;
#if STOPS
                if (value & STOP_MASK) {
                    atomic_min(control + STOP, STOPS_IN_ORDER ? at : -1);
                    if (atomic_inc(control + CLAIMED) == 0) {
                        for (int i = 0; i < OWN; i++) solution[i] = own[i];
                    }
                }
#endif
                at = next_context(at, control);
            } else {
                for (int i = 0; i < FIELDS; i++) fields[i] = STACK(depth, i);
                state = STACK(depth, FIELDS);
                returned = value;
            }
        } else if (action & CALLS) {
            if (depth + 1 == ROOM) {
                overflows(control, depth + 1);
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
    total(parts, 0, calls, steps, work);
}
