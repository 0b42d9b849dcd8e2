// Recursive searches of the control processor, to be compared with those of lanes on CP2. What `compile OUTPUT -DNAME... examples/search.c`
// makes does one of these, or nothing without a name, which is what the time of starting is:
//   -DBOARD=8 -DQUEENS=8   placements of queens
//   -DROUNDS=8             sum of a tree of width 4 and 5 levels, a value being so many rounds of xorshift32; with -DFIND=1000 the place in
//                          preorder of a node that is searched for, where values are not asked for
//   -DFIBONACCI=15         a number of Fibonacci, each call making two
//   -DLINKED               makes such a tree in memory, with the values of its nodes; with -DWALKED it is summed then
//   -DCOVER                ways to cover 6 x 5 cells with dominoes
//   -DPUZZLE='"..3.1........4.2"'   solutions of a puzzle of 4 or 9 rows, by the first empty cell, or with -DFEWEST by that which fewest
//                          numbers fit
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

#ifdef FIBONACCI
// The compiler would make a loop of one of the calls.
__attribute__((noinline, noclone, optimize("no-optimize-sibling-calls"))) static unsigned fibonacci(unsigned n) {
    nodes++;
    return n <= 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2);
}
#endif

#ifdef FIND
// Nodes that are seen up to the one that is searched for, or all; whether it is there is the highest bit.
enum { FOUND = 1u << 31 };
static unsigned find(unsigned node, unsigned level) {
    nodes++;
    if (node == FIND) return 1 | FOUND;
    unsigned seen = 1;
    for (unsigned i = 1; level < 5 && i <= 4; i++) {
        unsigned inner = find(4 * node + i, level + 1);
        seen += inner & ~FOUND;
        if (inner & FOUND) return seen | FOUND;
    }
    return seen;
}
#elif defined ROUNDS
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

#ifdef LINKED
enum { WIDTH = 4, NODES = 1365 };
static struct node {
    unsigned value, children;
    struct node *first;
} tree[NODES];

static void build(void) {
    for (unsigned i = 0; i < NODES; i++) {
        unsigned first = WIDTH * i + 1;
        tree[i] = (struct node){i + 1, first < NODES ? WIDTH : 0, first < NODES ? tree + first : 0};
    }
}

#ifdef WALKED
static unsigned walk(const struct node *node) {
    nodes++;
    unsigned x = node->value;
    for (unsigned i = 0; i < node->children; i++) x += walk(node->first + i);
    return x;
}
#endif
#endif

#ifdef PUZZLE
enum { CELLS = sizeof PUZZLE - 1, BASE = CELLS == 16 ? 2 : 3, SIDE = BASE * BASE };
static unsigned char grid[CELLS];
static unsigned rows[SIDE], columns[SIDE], blocks[SIDE];

static unsigned fitting(int cell) {
    int row = cell / SIDE, column = cell % SIDE;
    return ~(rows[row] | columns[column] | blocks[row / BASE * BASE + column / BASE]) & ((1u << SIDE) - 1);
}

static void turn(int cell, unsigned number) {
    int row = cell / SIDE, column = cell % SIDE;
    rows[row] ^= number;
    columns[column] ^= number;
    blocks[row / BASE * BASE + column / BASE] ^= number;
}

static unsigned sudoku(int begin) {
    nodes++;
    int cell = begin;
#ifdef FEWEST
    int fewest = SIDE + 1;
    cell = CELLS;
    for (int other = 0; other < CELLS; other++) {
        if (grid[other]) continue;
        int count = 0;
        for (unsigned left = fitting(other); left; left &= left - 1) count++;
        if (count < fewest) {
            fewest = count;
            cell = other;
        }
    }
#else
    while (cell < CELLS && grid[cell]) cell++;
#endif
    if (cell == CELLS) return 1;
    unsigned found = 0;
    for (unsigned left = fitting(cell); left; left &= left - 1) {
        unsigned number = left & -left;
        turn(cell, number);
        grid[cell] = 1;
        found += sudoku(cell);
        grid[cell] = 0;
        turn(cell, number);
    }
    return found;
}

static unsigned solutions(void) {
    for (int cell = 0; cell < CELLS; cell++) {
        if (PUZZLE[cell] == '.') continue;
        grid[cell] = 1;
        turn(cell, 1u << (PUZZLE[cell] - '1'));
    }
    return sudoku(0);
}
#endif

#ifdef COVER
enum { ACROSS = 6, DOWN = 5 };
// A row for each domino on the board, a bit for each cell.
static unsigned dominoes[2 * ACROSS * DOWN], count;

static unsigned covers(unsigned covered) {
    nodes++;
    unsigned left = ~covered & ((1u << (ACROSS * DOWN)) - 1), found = 0;
    if (left == 0) return 1;
    for (unsigned i = 0; i < count; i++)
        if ((dominoes[i] & left & -left) && !(dominoes[i] & covered)) found += covers(covered | dominoes[i]);
    return found;
}

static unsigned tilings(void) {
    for (unsigned cell = 0; cell < ACROSS * DOWN; cell++) {
        if (cell % ACROSS + 1 < ACROSS) dominoes[count++] = 3u << cell;
        if (cell + ACROSS < ACROSS * DOWN) dominoes[count++] = 1u << cell | 1u << (cell + ACROSS);
    }
    return covers(0);
}
#endif

int main(void) {
#ifdef LINKED
    build();
#endif
#ifdef WALKED
    result = walk(tree);
#endif
#ifdef PUZZLE
    result = solutions();
#endif
#ifdef COVER
    result = tilings();
#endif
#ifdef QUEENS
    result = queens(0, QUEENS, 0, 0, 0);
#endif
#ifdef FIBONACCI
    result = fibonacci(FIBONACCI);
#endif
#ifdef FIND
    result = find(0, 0);
#elif defined ROUNDS
    result = tree(0, 0);
#endif
    return nodes == 0 && result != 0;
}
