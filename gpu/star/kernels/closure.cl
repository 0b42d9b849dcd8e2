// Transitive closure of a table P of n rows and columns, in place of its program: P(i, j) = 1 if a path leads from i to j. Column j
// lists from where j is reached.

#ifdef LANES
// One pivot k: each column that has it takes column k as well. Two numbers behind the table say which pivot is next, in turn: a
// launch reads the one and writes the other. So no argument changes from launch to launch, and there is only one, since a driver takes
// a launch the longer, the more arguments it has; sizes are N and WORDS. Each column has LANES work-items, which see the bit of the pivot
// alike: column k does not change, and a word that has the bit is written with it.
#define PIVOT(NAME, TURN)                                                                     \
    kernel void NAME(global ulong *p) {                                                       \
        global int *turn = (global int *)(p + N * WORDS);                                     \
        int at = get_global_id(0), j = at / LANES, k = turn[TURN];                            \
        if (at == 0) turn[1 - TURN] = k + 1;                                                  \
        if (j >= N || j == k || !(p[j * WORDS + (k >> 6)] >> (k & 63) & 1)) return;           \
        for (int w = at % LANES; w < WORDS; w += LANES) {                                     \
            ulong old = p[j * WORDS + w], all = old | p[k * WORDS + w];                       \
            if (all != old) p[j * WORDS + w] = all;                                           \
        }                                                                                     \
    }
PIVOT(pivot_even, 0)
PIVOT(pivot_odd, 1)

// What an arc from i to j adds, before anything is written: column i with i itself; and behind it, whether j is not reached from i
// yet. The arcs are pairs of numbers. A work-item for each word.
kernel void arc_begin(global const ulong *p, int words, global const int *arcs, int at, global ulong *added) {
    int w = get_global_id(0), i = arcs[2 * at], j = arcs[2 * at + 1];
    if (w < words) added[w] = p[i * words + w] | (w == i >> 6 ? 1UL << (i & 63) : 0UL);
    if (w == 0) added[words] = !(p[j * words + (i >> 6)] >> (i & 63) & 1);
}

// An arc to j: j, and each column that has j, takes what the arc adds. A work-group has LANES work-items for each column. It reads the
// bits of j before it writes.
kernel void arc_end(global ulong *p, int n, int words, global const int *arcs, int at, global const ulong *added) {
    local int has[ITEMS / LANES];
    int item = get_local_id(0), own = item / LANES, lane = item % LANES;
    int b = get_group_id(0) * (ITEMS / LANES) + own, j = arcs[2 * at + 1];
    if (lane == 0) has[own] = added[words] && b < n && (b == j || (p[b * words + (j >> 6)] >> (j & 63) & 1));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int w = lane; has[own] && w < words; w += LANES) {
        ulong old = p[b * words + w], all = old | added[w];
        if (all != old) p[b * words + w] = all;
    }
}
#endif

// Nothing: what is left of a launch then is the launch.
kernel void nothing() {}

#ifdef PIVOTS
// For each four vectors all 16 of their sums (method of the four Russians): sums[g][s] is the or of those of vectors 4 g to
// 4 g + 3 that s has. A vector is the TILE words of a work-group.
static void add_up(local ulong sums[PIVOTS / 4][16][TILE], local ulong vectors[PIVOTS][TILE], int item) {
    for (int at = item; at < PIVOTS * 4 * TILE; at += ITEMS) {
        int w = at % TILE, s = at / TILE % 16, g = at / TILE / 16;
        ulong sum = 0;
        for (int bit = 0; bit < 4; bit++) sum |= s >> bit & 1 ? vectors[4 * g + bit][w] : 0UL;
        sums[g][s][w] = sum;
    }
}

// The or of the vectors that `bits` has.
static ulong sum_of(local ulong sums[PIVOTS / 4][16][TILE], ulong bits, int w) {
    ulong sum = 0;
    for (int g = 0; g < PIVOTS / 4; g++) sum |= sums[g][bits >> 4 * g & 15][w];
    return sum;
}

// PIVOTS pivots, 32 or 64, from number PIVOTS block on, from table p into table q: first they are closed among each other in
// local memory, then each column takes those that it has, closed. A work-group has the rows of TILE words of `span` columns.
kernel void pivots(global const ulong *p, global ulong *q, int n, int words, int block, int span) {
    local ulong closed[PIVOTS];
    local ulong vectors[PIVOTS][TILE];
    local ulong sums[PIVOTS / 4][16][TILE];
    int item = get_local_id(0), first = PIVOTS * block, here = first >> 6, shift = first & 63;
    int tile = TILE * get_group_id(0), count = min(PIVOTS, n - first);
    const ulong all = PIVOTS == 64 ? ~0UL : (1UL << (PIVOTS & 63)) - 1;
    ulong mine = item < count ? p[(first + item) * words + here] >> shift & all : 0UL;
    if (item < PIVOTS) closed[item] = mine;
    for (int at = item; at < PIVOTS * TILE; at += ITEMS) {
        int m = at / TILE, w = tile + at % TILE;
        vectors[m][at % TILE] = m < count && w < words ? p[(first + m) * words + w] : 0UL;
    }
    for (int k = 0; k < count; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < count && item != k && (mine >> k & 1)) closed[item] = mine |= closed[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    add_up(sums, vectors, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int at = item; at < PIVOTS * TILE; at += ITEMS)
        vectors[at / TILE][at % TILE] |= sum_of(sums, closed[at / TILE], at % TILE);
    barrier(CLK_LOCAL_MEM_FENCE);
    add_up(sums, vectors, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    int begin = span * get_group_id(1), end = min(n, begin + span);
    for (int j = begin + item / TILE; j < end; j += ITEMS / TILE) {
        int w = tile + item % TILE;
        if (w < words)
            q[j * words + w] = p[j * words + w] | sum_of(sums, p[j * words + here] >> shift & all, item % TILE);
    }
}
#endif
