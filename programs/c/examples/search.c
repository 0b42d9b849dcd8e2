// Recursive searches of the control processor, to be compared with those of lanes on CP2: `compile OUTPUT -DBOARD=8 -DQUEENS=8
// examples/search.c` counts placements of queens, `-DROUNDS=8` sums a tree of width 4 and 5 levels whose nodes take so many rounds of
// xorshift32; with neither it does nothing, which is what the time of starting is.
static unsigned nodes;
volatile unsigned result;

#ifdef QUEENS
static unsigned queens(unsigned row, unsigned left, unsigned columns, unsigned rising, unsigned falling) {
    nodes++;
    if (left == 0) return 1;
    unsigned found = 0;
    if (BOARD - row > left) found += queens(row + 1, left, columns, rising << 1, falling >> 1);
    for (unsigned free = ~(columns | rising | falling) & ((1u << BOARD) - 1); free;) {
        unsigned queen = free & -free;
        free ^= queen;
        found += queens(row + 1, left - 1, columns | queen, (rising | queen) << 1, (falling | queen) >> 1);
    }
    return found;
}
#endif

#ifdef ROUNDS
static unsigned tree(unsigned node, unsigned level) {
    nodes++;
    unsigned x = node + 1;
    for (int i = 0; i < ROUNDS; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    for (unsigned i = 1; level < 5 && i <= 4; i++) x += tree(4 * node + i, level + 1);
    return x;
}
#endif

int main(void) {
#ifdef QUEENS
    result = queens(0, QUEENS, 0, 0, 0);
#endif
#ifdef ROUNDS
    result = tree(0, 0);
#endif
    return nodes == 0 && result != 0;
}
