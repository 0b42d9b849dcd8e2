// Paths from a source as whole programs, each in a single work-group of ITEMS work-items with a word, 64 rows, each. Parents are row
// numbers from 1, 0 for none. `work` gets numbers of passes.

// Whether a condition holds for a work-item of the group; one barrier. `flags` has three places, all 0 before; `turn` counts the calls.
#define ANY(flags, turn, condition, result)                       \
    do {                                                          \
        if (condition) atomic_or(&flags[turn % 3], 1);            \
        if (get_local_id(0) == 0) flags[(turn + 1) % 3] = 0;      \
        barrier(CLK_LOCAL_MEM_FENCE);                             \
        result = flags[turn % 3];                                 \
        turn = (turn + 1) % 3;                                    \
    } while (0)

// The least row of the ones of the group, from 0; ITEMS * 64 if there is none. Two places of `least` that take turns.
#define FIRST(least, turn, word, result)                                                             \
    do {                                                                                             \
        if (word) atomic_min(&least[turn], 64 * (int)get_local_id(0) + lowest(word));                \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                \
        result = least[turn];                                                                        \
        turn ^= 1;                                                                                   \
        if (get_local_id(0) == 0) least[turn] = 64 * ITEMS;                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                \
    } while (0)

// Makes k the parent of the rows of a word.
static void adopt(global int *parent, ulong rows, int k) {
    int first = 64 * get_local_id(0);
    for (; rows; rows &= rows - 1) parent[first + lowest(rows)] = k + 1;
}

#ifdef H
// The rows of a word that get nearer by way of k, whose distance is `v`: ADDC, SETMIN and TMERGE in one. `band` has the weights of
// arcs from k; all ones are no arc. A sum that does not fit is never nearer.
static ulong relax(global const ulong *band, int words, ulong v, ulong *dist) {
    int w = get_local_id(0);
    ulong weight[H], none = ~0UL;
#pragma unroll
    for (int i = 0; i < H; i++) {
        weight[i] = w < words ? band[i * words + w] : ~0UL;
        none &= weight[i];
    }
    if (!~none) return 0UL;
    ulong carry = 0, less = 0;
#pragma unroll
    for (int i = H - 1; i >= 0; i--) {
        ulong t = weight[i], bit = v >> (H - 1 - i) & 1 ? ~0UL : 0UL, sum = t ^ bit ^ carry;
        carry = (t & bit) | (carry & (t ^ bit));
        less ^= (less ^ dist[i]) & (sum ^ dist[i]);
        weight[i] = sum;
    }
    ulong nearer = less & ~none & ~carry;
#pragma unroll
    for (int i = 0; i < H; i++) dist[i] ^= (dist[i] ^ weight[i]) & nearer;
    return nearer;
}

// The rows of z, of those of all work-items, whose distance is least.
static ulong nearest(local int *flags, int *turn, const ulong *dist, ulong z) {
#pragma unroll
    for (int i = 0; i < H; i++) {
        ulong zeros = z & ~dist[i];
        int is_some;
        ANY(flags, (*turn), zeros != 0, is_some);
        if (is_some) z = zeros;
    }
    return z;
}

// Number of a row of the word.
static ulong number_of(const ulong *dist, int bit) {
    ulong number = 0;
#pragma unroll
    for (int i = 0; i < H; i++) number = number << 1 | (dist[i] >> bit & 1);
    return number;
}

// All rows of `affected` one by one, and those that get nearer by way of them.
#define SPREAD(weights, words, dist, parent, affected, passes, is_nearest)                 \
    for (;;) {                                                                             \
        ulong z = affected;                                                                \
        int is_some, k;                                                                    \
        ANY(flags, turn, z != 0, is_some);                                                 \
        if (!is_some) break;                                                               \
        if (is_nearest) z = nearest(flags, &turn, dist, z);                                \
        FIRST(least, other, z, k);                                                         \
        if (k >> 6 == w) {                                                                 \
            affected &= ~(1UL << (k & 63));                                                \
            of_taken = number_of(dist, k & 63);                                            \
        }                                                                                  \
        barrier(CLK_LOCAL_MEM_FENCE);                                                      \
        ulong nearer = relax(weights + (size_t)k * H * words, words, of_taken, dist);      \
        affected |= nearer;                                                                \
        adopt(parent, nearer, k);                                                          \
        passes++;                                                                          \
    }

#define BEGIN                                                     \
    local int flags[3], least[2];                                 \
    local ulong of_taken;                                         \
    int w = get_local_id(0), turn = 0, other = 0, passes = 0;     \
    ulong dist[H], affected = 0;                                  \
    if (w < 3) flags[w] = 0;                                      \
    if (w < 2) least[w] = 64 * ITEMS;                             \
    barrier(CLK_LOCAL_MEM_FENCE);

// Shortest paths from row s. `work` gets the passes.
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void paths(global const ulong *weights, global ulong *distances, global int *parent, global int *work, int n, int words, int s) {
    BEGIN
    ulong rows = valid(w, n);
    if (s >> 6 == w) affected = 1UL << (s & 63);
#pragma unroll
    for (int i = 0; i < H; i++) dist[i] = rows & ~affected;
    for (int row = w; row < n; row += ITEMS) parent[row] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    SPREAD(weights, words, dist, parent, affected, passes, 1)
#pragma unroll
    for (int i = 0; i < H; i++)
        if (w < words) distances[i * words + w] = dist[i];
    if (w == 0) work[0] = passes;
}

// Inserts `count` arcs, tail, head and the two halves of the weight each, into a table of weights and its shortest paths; of arcs
// between the same rows the least weight stays. With `is_nearest` the nearest of the affected rows is taken next, else the
// first. `work` gets the passes, the arcs that changed a distance and the most passes of an arc.
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void insert_arcs(global ulong *weights, global ulong *distances, global int *parent, global int *work, int words,
                 global const int *arcs, int count, int is_nearest) {
    BEGIN
    local ulong of_tail;
    local int is_changed;
    const ulong none = H == 64 ? ~0UL : (1UL << (H & 63)) - 1;
    int changed = 0, most = 0;
#pragma unroll
    for (int i = 0; i < H; i++) dist[i] = w < words ? distances[i * words + w] : 0UL;
    for (int at = 0; at < count; at++) {
        int tail = arcs[4 * at], head = arcs[4 * at + 1], before = passes;
        ulong weight = (ulong)(uint)arcs[4 * at + 3] << 32 | (uint)arcs[4 * at + 2];
        ulong one = 1UL << (head & 63);
        global ulong *band = weights + (size_t)tail * H * words + (head >> 6);
        if (tail >> 6 == w) of_tail = number_of(dist, tail & 63);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (head >> 6 == w) {
            ulong old = 0, d = number_of(dist, head & 63);
#pragma unroll
            for (int i = 0; i < H; i++) old = old << 1 | (band[i * words] & one ? 1UL : 0UL);
            int is_less = weight < old;
            if (is_less)
                for (int i = 0; i < H; i++) {
                    ulong word = band[i * words];
                    band[i * words] = weight >> (H - 1 - i) & 1 ? word | one : word & ~one;
                }
            is_changed = is_less && of_tail != none && weight < none - of_tail && of_tail + weight < d;
            if (is_changed) {
                ulong sum = of_tail + weight;
#pragma unroll
                for (int i = 0; i < H; i++) dist[i] = sum >> (H - 1 - i) & 1 ? dist[i] | one : dist[i] & ~one;
                affected = one;
                parent[head] = tail + 1;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (is_changed) {
            SPREAD(weights, words, dist, parent, affected, passes, is_nearest)
            changed++;
            most = max(most, passes - before);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int i = 0; i < H; i++)
        if (w < words) distances[i * words + w] = dist[i];
    if (w == 0) {
        work[0] = passes;
        work[1] = changed;
        work[2] = most;
    }
}
#else
// The rows that s reaches, and a tree of how. Column i of `heads` lists the heads of arcs from i. `work` gets the passes.
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void reach(global const ulong *heads, global ulong *reached, global int *parent, global int *work, int n, int words, int s) {
    local int least[2];
    int w = get_local_id(0), other = 0, passes = 0;
    if (w < 2) least[w] = 64 * ITEMS;
    for (int row = w; row < n; row += ITEMS) parent[row] = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    ulong all = s >> 6 == w ? 1UL << (s & 63) : 0UL, next = all;
    for (;;) {
        int k;
        FIRST(least, other, next, k);
        if (k == 64 * ITEMS) break;
        if (k >> 6 == w) next &= ~(1UL << (k & 63));
        ulong fresh = w < words ? heads[(size_t)k * words + w] & ~all : 0UL;
        all |= fresh;
        next |= fresh;
        adopt(parent, fresh, k);
        passes++;
    }
    if (w < words) reached[w] = all;
    if (w == 0) work[0] = passes - 1;
}
#endif
