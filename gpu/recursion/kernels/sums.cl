// Searches of a task whose values are sums: a work-item adds up what the steps of its contexts give, and frames have nothing that returns. The frame
// on top is in registers. A frame whose last inner call is made goes on as that call. With FUSED a pass of the loop is the step that calls and
// the first step of the call, so that a call that ends at once takes one pass and no room; FUSED holds where first steps never call.
//
// WORDS(EACH) has EACH(place, name) for the words of a frame on which steps hang, FRAME of them.
#if IN_LOCAL
#define STACK(of, at, word) stack[((at) * FRAME + (word)) * ITEMS + (of)]
#else
#define STACK(of, at, word) stack[(at) * FRAME + (word)]
#endif

// Passes between two moments at which work-items of a group share frames.
#ifndef SHARED_AFTER
#define SHARED_AFTER 16
#endif

// Times of sharing before a group looks whether to give its frames back, and after which it looks again.
#define GIVES_AFTER 64
#define LOOKS_EVERY 4
// Times of sharing after which a group gives its frames back in any case: groups without work may not have begun yet.
#define GIVES_AT_LAST 4096

// Passes between two looks of a work-item whether to give calls back.
#define LOOKED 16

#define KEEP(word, name) STACK(item, depth, word) = name;
#define BACK(word, name) name = STACK(item, depth, word);
#define TAKE(word, name) name = STACK(giver, place, word);
#define FETCH(word, name) name = frames[(long)at * FRAME + (word)];
#define GIVE(word, name) given[(long)place * FRAME + (word)] = name;

struct lane {
    uint fields[FIELDS];
    uint state;
};

// Solves the contexts from `first` up to `last`, or with `is_given` the frames of these numbers. With GIVES groups whose work-items are busy
// while half of the groups are not give what is left to do as frames, and end. With UNWINDS a work-item that is busy while half of all are not
// makes no more calls but gives them as contexts, GIVEN_ROOM at most, while it ends its frames; its arrays are right for each of them.
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
    struct lane lane;
    uint own[OWN + 1], arguments[FIELDS], value;
    ulong sum = 0, nodes = 0, passes = 0;
    // Frames of the stack are those from `base` up to `depth`. A context begins where `is_new`.
    int base = 0, depth = 0, at = first_context(first, &last);
    bool is_new = true, is_busy = at < last;
#if UNWINDS
    // Whether calls are given back, and whether there is no room for more.
    bool gives = false, is_full = false;
#endif
#if SHARES
    local int givers[ITEMS], bases[ITEMS], counts[2];
    for (int turn = 1;; turn++) {
        for (int pass = 0; pass < SHARED_AFTER && is_busy; pass++) {
#else
    while (is_busy) {
#endif
        uint action = CALLS | LAST;
#if GIVES
        const bool is_context = is_new && !is_given;
        if (is_new && is_given) { WORDS(FETCH) }
#else
        const bool is_context = is_new;
#endif
        is_new = false;
#if UNWINDS
        if (passes % LOOKED == 0 && passes >= GIVES_AFTER * LOOKED && !is_full) {
            gives = control[TAKEN] >= last && (passes >= GIVES_AT_LAST * LOOKED || 2 * control[IDLE] >= (int)get_global_size(0));
        }
        const bool may_give = gives && !is_context;
#endif
        if (is_context) {
            global const uint *context = contexts + (long)at * CONTEXT;
            for (int i = 0; i < PARAMETERS; i++) arguments[i] = context[i];
            for (int i = 0; i < OWN; i++) own[i] = context[PARAMETERS + i];
        } else {
            action = visit(&lane.state, 0, lane.fields, arguments, &value, own, shared);
            sum += value;
        }
        passes++;
        bool is_over = action & DONE, is_given_back = false;
#if UNWINDS
        if (may_give && (action & CALLS)) {
            const int slot = atomic_inc(control + GIVEN);
            is_given_back = slot < GIVEN_ROOM;
            if (is_given_back) {
                global uint *context = given + (long)slot * CONTEXT;
                for (int i = 0; i < PARAMETERS; i++) context[i] = arguments[i];
                for (int i = 0; i < OWN; i++) context[PARAMETERS + i] = own[i];
                is_over = action & LAST;
            } else {
                gives = false;
                is_full = true;
            }
        }
#endif
        if ((action & CALLS) && !is_given_back) {
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
                    WORDS(KEEP)
                    depth++;
                }
                lane = child;
            }
            is_over = !is_entered && (action & LAST);
        }
        if (is_over) {
            if (depth > base) {
                depth--;
                WORDS(BACK)
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
            const int giver = givers[rank], place = bases[rank];
            WORDS(TAKE)
            is_new = false;
            is_busy = true;
        }
        if (gives && rank < wanted) base++;
        // A frame is taken before its place is used again.
        barrier(CLK_LOCAL_MEM_FENCE);
#if GIVES
        if (turn < GIVES_AFTER || turn % LOOKS_EVERY != 0) continue;
        if (item == 0) {
            // Nothing is left to take, so that no context stays behind.
            counts[0] = (turn >= GIVES_AT_LAST || 2 * control[IDLE] >= (int)get_num_groups(0)) && control[TAKEN] >= last;
            counts[1] = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // A context that was taken and not begun is no frame yet.
        if (is_busy && is_new) counts[1] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!counts[0] || counts[1]) continue;
        break;
#endif
    }
#else
    }
#endif
#if UNWINDS
    atomic_inc(control + IDLE);
#endif
#if GIVES
    if (item == 0) atomic_inc(control + IDLE);
    if (is_busy) {
        int place = atomic_add(control + GIVEN, depth - base + 1);
        WORDS(GIVE)
        for (int kept = base; kept < depth; kept++) {
            place++;
            for (int word = 0; word < FRAME; word++) given[(long)place * FRAME + word] = STACK(item, kept, word);
        }
    }
#endif
    total(parts, sum, nodes, passes, work);
}
