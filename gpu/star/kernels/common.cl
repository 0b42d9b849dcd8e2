// What the texts of all kernels begin with. A slice or a word is an array of 64-bit words: position i is bit (i - 1) mod 64, from
// the least significant, of word (i - 1) div 64; bits above the last position are 0. A table is its columns one behind the
// other. Positions, rows and columns count from 0 in kernels.

// Bits of word w that a vector of so many positions has.
static inline ulong valid(int w, int length) {
    int rest = length - 64 * w;
    return rest >= 64 ? ~0UL : rest <= 0 ? 0UL : (1UL << rest) - 1;
}

// Number of the lowest bit of a word that is not 0.
static inline int lowest(ulong word) { return (int)popcount((word & (~word + 1)) - 1); }

// The 64 bits from position `start` on, which may be negative; 0 outside of the array.
static inline ulong extract(global const ulong *bits, int words, int start) {
    int w = start >> 6, shift = start & 63;
    ulong low = w >= 0 && w < words ? bits[w] : 0UL;
    ulong high = w + 1 >= 0 && w + 1 < words ? bits[w + 1] : 0UL;
    return shift ? low >> shift | high << (64 - shift) : low;
}
