// Elementary operations, a kernel each, with a work-item for each 64-bit word unless it says something else. Values never
// change: an operation writes a new one.

// SET, CLR, MASK: ones in the first `position` positions.
kernel void mask(global ulong *to, int words, int position) {
    int w = get_global_id(0);
    if (w < words) to[w] = valid(w, position);
}

// and, or, xor, not: `operation` 0 to 3; `not` has no ones behind `length`.
kernel void logic(global const ulong *a, global const ulong *b, global ulong *to, int words, int operation, int length) {
    int w = get_global_id(0);
    if (w >= words) return;
    ulong x = a[w], y = b[w];
    to[w] = operation == 0 ? x & y : operation == 1 ? x | y : operation == 2 ? x ^ y : ~x & valid(w, length);
}

// Words from one array into another.
kernel void copy(global const ulong *from, int from_at, global ulong *to, int to_at, int words) {
    int w = get_global_id(0);
    if (w < words) to[to_at + w] = from[from_at + w];
}

// Y(i) written.
kernel void put_bit(global const ulong *from, global ulong *to, int words, int at, int bit) {
    int w = get_global_id(0);
    if (w >= words) return;
    ulong one = w == at >> 6 ? 1UL << (at & 63) : 0UL;
    to[w] = bit ? from[w] | one : from[w] & ~one;
}

// One level of FND and SOME: bit q of word w of the next level tells whether word 64 w + q of this level has a one. A work-group
// of 64 for each word of the next level.
kernel void fold(global const ulong *from, int from_at, global ulong *to, int to_at, int words) {
    local uint halves[2];
    int item = get_local_id(0), w = get_global_id(0);
    if (item < 2) halves[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (w < words && from[from_at + w]) atomic_or(&halves[item >> 5], 1u << (item & 31));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) to[to_at + get_group_id(0)] = (ulong)halves[1] << 32 | halves[0];
}

// FND from the folded levels, the highest first, which stand one behind the other from the lowest: the position from 1, or 0. A
// single work-item.
kernel void unfold(global const ulong *slice, int words, global const ulong *levels, int folds, global ulong *result) {
    int at = 0;
    for (int level = folds; level >= 0; level--) {
        int size = words, first = 0;
        for (int below = 0; below < level; below++) {
            if (below > 0) first += size;
            size = (size + 63) / 64;
        }
        ulong word = level ? levels[first + at] : slice[at];
        if (!word) {
            result[0] = 0;
            return;
        }
        at = 64 * at + lowest(word);
    }
    result[0] = at + 1;
}

// STEP and FRST after `unfold`: all ones but the first, or only the first.
kernel void divide(global const ulong *from, global ulong *to, int words, global const ulong *result, int is_first) {
    int w = get_global_id(0);
    if (w >= words) return;
    long at = (long)result[0] - 1;
    ulong one = at >= 0 && at >> 6 == w ? 1UL << (at & 63) : 0UL;
    to[w] = is_first ? from[w] & one : from[w] & ~one;
}

// First kernel of NUMB: the ones of the words of a work-group of 64.
kernel void number(global const ulong *from, int words, global ulong *sums) {
    local uint ones[64];
    int item = get_local_id(0), w = get_global_id(0);
    ones[item] = w < words ? (uint)popcount(from[w]) : 0u;
    for (int step = 32; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step) ones[item] += ones[item + step];
    }
    if (item == 0) sums[get_group_id(0)] = ones[0];
}

// Second kernel of NUMB: the sum of all work-groups of the first. One work-group of 64.
kernel void total(global const ulong *sums, int count, global ulong *result) {
    local ulong parts[64];
    int item = get_local_id(0);
    ulong sum = 0;
    for (int at = item; at < count; at += 64) sum += sums[at];
    parts[item] = sum;
    for (int step = 32; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step) parts[item] += parts[item + step];
    }
    if (item == 0) result[0] = parts[0];
}

// TRIM: `length` positions from `start` on.
kernel void trim(global const ulong *from, int from_words, int start, global ulong *to, int words, int length) {
    int w = get_global_id(0);
    if (w < words) to[w] = extract(from, from_words, start + 64 * w) & valid(w, length);
}

// REP: `part`, of `length` positions, in place of the positions from `start` on.
kernel void replace(global const ulong *from, global ulong *to, int words, global const ulong *part, int start, int length) {
    int w = get_global_id(0);
    if (w >= words) return;
    ulong inside = valid(w, start + length) & ~valid(w, start);
    ulong put = extract(part, (length + 63) / 64, 64 * w - start);
    to[w] = (from[w] & ~inside) | (put & inside);
}

// The bits of a word the other way round.
static ulong reversed(ulong x) {
    x = (x >> 1 & 0x5555555555555555UL) | (x & 0x5555555555555555UL) << 1;
    x = (x >> 2 & 0x3333333333333333UL) | (x & 0x3333333333333333UL) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0fUL) | (x & 0x0f0f0f0f0f0f0f0fUL) << 4;
    x = (x >> 8 & 0x00ff00ff00ff00ffUL) | (x & 0x00ff00ff00ff00ffUL) << 8;
    x = (x >> 16 & 0x0000ffff0000ffffUL) | (x & 0x0000ffff0000ffffUL) << 16;
    return x >> 32 | x << 32;
}

// ADD of words as numbers, whose most significant bit is the first: the carry of the last word goes to the one before. `result` is 1
// if the sum does not fit. A single work-item.
kernel void add(global const ulong *a, global const ulong *b, global ulong *to, int words, global ulong *result) {
    ulong carry = 0;
    for (int w = words - 1; w >= 0; w--) {
        ulong x = reversed(a[w]), y = reversed(b[w]);
        ulong sum = x + y + carry;
        carry = carry ? sum <= x : sum < x;
        to[w] = reversed(sum);
    }
    result[0] = carry;
}

// LESS of words as numbers. A single work-item.
kernel void less(global const ulong *a, global const ulong *b, int words, global ulong *result) {
    ulong is_less = 0;
    for (int w = 0; w < words; w++) {
        ulong different = a[w] ^ b[w];
        if (different) {
            is_less = b[w] >> lowest(different) & 1;
            break;
        }
    }
    result[0] = is_less;
}

// ROW read: a work-group of 64 for each word of the row, a work-item for each column.
kernel void row(global const ulong *table, int words, int columns, int at, global ulong *to) {
    local uint halves[2];
    int item = get_local_id(0), column = get_global_id(0);
    if (item < 2) halves[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (column < columns && table[column * words + (at >> 6)] >> (at & 63) & 1)
        atomic_or(&halves[item >> 5], 1u << (item & 31));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) to[get_group_id(0)] = (ulong)halves[1] << 32 | halves[0];
}

// ROW written: a work-item for each column.
kernel void put_row(global ulong *table, int words, int columns, int at, global const ulong *from) {
    int column = get_global_id(0);
    if (column >= columns) return;
    ulong one = 1UL << (at & 63), old = table[column * words + (at >> 6)];
    table[column * words + (at >> 6)] = from[column >> 6] >> (column & 63) & 1 ? old | one : old & ~one;
}
