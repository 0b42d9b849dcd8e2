// Procedures of the library as kernels. Group I has a critical operation in every column, whose truth stays on the device; groups II and
// III take the columns one after the other with a work-item for each word; group IV takes all columns at once.

// Column i of the comparand: of a table, or a bit of a word in all rows.
static inline ulong comparand(global const ulong *f, int words, int w, int i, int is_word) {
    if (is_word) return f[i >> 6] >> (i & 63) & 1 ? ~0UL : 0UL;
    return f[i * words + w];
}

// Group II: the rows of x that are equal to a comparand, less and greater, column 0 first.
kernel void compare(global const ulong *t, global const ulong *f, global const ulong *x, global ulong *equal, global ulong *less,
                    global ulong *greater, int words, int columns, int is_word) {
    int w = get_global_id(0);
    if (w >= words) return;
    ulong m = x[w], below = 0, above = 0;
    for (int i = 0; i < columns; i++) {
        ulong a = t[i * words + w], b = comparand(f, words, w, i, is_word), d = (a ^ b) & m;
        below |= d & b;
        above |= d & a;
        m ^= d;
    }
    equal[w] = m;
    less[w] = below;
    greater[w] = above;
}

// Group III: sums or differences in the rows of x, the last column first; other rows are 0, or what they were. `carries` has the
// rows of x whose result does not fit.
kernel void arithmetic(global const ulong *t, global const ulong *f, global const ulong *x, global ulong *results,
                       global ulong *carries, int words, int columns, int is_word, int is_difference, int is_kept) {
    int w = get_global_id(0);
    if (w >= words) return;
    ulong rows = x[w], carry = 0;
    for (int i = columns - 1; i >= 0; i--) {
        ulong a = t[i * words + w], b = comparand(f, words, w, i, is_word), p = a ^ b;
        results[i * words + w] = ((p ^ carry) & rows) | (is_kept ? a & ~rows : 0UL);
        carry = is_difference ? (~a & b) | (~p & carry) : (a & b) | (p & carry);
    }
    carries[w] = carry & rows;
}

// Group IV, a work-item for each word of each column: CLEAR 0, WCOPY 1, WMERGE 2, TCOPY 3, TMERGE 4. The kinds that keep rows
// change the table in place.
kernel void copying(global const ulong *from, int from_column, global const ulong *x, global ulong *to, int to_column, int words,
                    int kind) {
    int w = get_global_id(0), i = get_global_id(1);
    if (w >= words) return;
    global ulong *place = to + (to_column + i) * words + w;
    int bit = kind == 1 || kind == 2 ? from[i >> 6] >> (i & 63) & 1 : 0;
    ulong other = kind >= 3 ? from[(from_column + i) * words + w] : 0UL;
    if (kind == 0) *place = 0;
    if (kind == 1) *place = bit ? x[w] : 0UL;
    if (kind == 2) *place = bit ? *place | x[w] : *place & ~x[w];
    if (kind == 3) *place = other;
    if (kind == 4) *place ^= (*place ^ other) & x[w];
}

// Group I, all columns in one work-group of a work-item for each word: MIN, or MAX with `is_most`.
kernel void extreme(global const ulong *t, global const ulong *x, global ulong *z, int words, int columns, int is_most) {
    local int flags[3];
    int w = get_local_id(0), turn = 0;
    if (w < 3) flags[w] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong rows = w < words ? x[w] : 0UL, next = w < words ? t[w] : 0UL;
    for (int i = 0; i < columns; i++) {
        ulong column = next, y = rows & (is_most ? column : ~column);
        if (i + 1 < columns && w < words) next = t[(i + 1) * words + w];
        if (y) atomic_or(&flags[turn], 1);
        if (w == 0) flags[(turn + 1) % 3] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (flags[turn]) rows = y;
        turn = (turn + 1) % 3;
    }
    if (w < words) z[w] = rows;
}

// Group I for more rows, a launch for each column and one behind the last: `z` has the rows so far, `y` those of the column before,
// and `flags` its SOME, which is tested here.
kernel void extreme_step(global const ulong *t, global ulong *z, global ulong *y, global int *flags, int words, int column,
                         int columns, int is_most) {
    int w = get_global_id(0);
    if (w >= words) return;
    ulong rows = column > 0 && flags[column - 1] ? y[w] : z[w];
    z[w] = rows;
    if (column == columns) return;
    ulong bits = t[column * words + w], some = rows & (is_most ? bits : ~bits);
    y[w] = some;
    if (some) atomic_or(&flags[column], 1);
}
