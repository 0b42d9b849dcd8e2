// What devices that share a grid of NPB MG exchange: points at the ends of a block, packed one behind the other, and blocks of
// a coarse level that one device gathers. An axis is cut in two at most, so the neighbours at both of its ends are one device.
//
// Sets of cut axes are numbers: 1 the third axis, 2 the second, 4 the first. The points of a set are those at an end of each of
// its axes: faces, edges, corners. They go with the first of its axes, whose two faces are a pair.
#define CUTS (CUT_Z + 2 * CUT_Y + 4 * CUT_X)

// Points of a set along an axis: one for each end, or all.
#define ALONG(set, axis, n) ((set) & (axis) ? 2 : (n))
#define COUNT_OF(set) (ALONG(set, 4, nx) * ALONG(set, 2, ny) * ALONG(set, 1, nz))
// Whether points of a set go with the pair of an axis.
#define IS_OF_PAIR(set) (((set) & CUTS) == (set) && ((set) & -(set)) == PAIR_OF)

#if defined(PACKS)
// Packs the own points of a pair (PACKS 1), or puts the packed ones of the neighbours beside the own ones (PACKS 0): what is at
// the lower end of the neighbour stands behind the upper end here.
KERNEL faces(const int nx, const int ny, const int nz, const int count, const int from, GLOBAL double *block,
             GLOBAL double *packed)
{
    for (int k = GROUP_X * ITEMS + ITEM_X; k < count; k += GROUPS_X * ITEMS) {
        int e = k, set = 0;
#pragma unroll
        for (int s = 1; s < 8; ++s)
            if (IS_OF_PAIR(s) && set == 0) {
                if (e < COUNT_OF(s))
                    set = s;
                else
                    e -= COUNT_OF(s);
            }
        const int wx = ALONG(set, 4, nx), wy = ALONG(set, 2, ny);
        const int i = e % wx, j = e / wx % wy, l = e / wx / wy;
        // End 0 and end 1 of an axis of n points: its own points 0 and n - 1, or those beside the other end.
#define PLACE(set, axis, i, n) (!((set) & (axis)) ? (i) : PACKS ? ((i) ? (n) - 1 : 0) : ((i) ? -1 : (n)))
        const int x = PLACE(set, 4, i, nx), y = PLACE(set, 2, j, ny), z = PLACE(set, 1, l, nz);
        const long at = AT_Z(z, nz) * LAYER(nx, ny) + IN_LAYER(x, y, nx, ny);
        if (PACKS)
            packed[from + k] = block[at];
        else
            block[at] = packed[from + k];
    }
}
#endif

// Number of the device that has a point, and its place there.
#define OWNER(x, y, z) ((CUT_Z ? (z) / nz : 0) + (CUT_Y ? (y) / ny * (1 + CUT_Z) : 0) + (CUT_X ? (x) / nx * (1 + CUT_Z) * (1 + CUT_Y) : 0))
#define SIZE_OF_BLOCK (LAYER(nx, ny) * (nz + 2 * CUT_Z))

#ifdef GATHERS
// whole = the own points of all blocks, which stand one behind the other with what is beside them.
KERNEL gather(const int nx, const int ny, const int nz, const int count, const GLOBAL double *blocks, GLOBAL double *whole)
{
    const int wx = nx << CUT_X, wy = ny << CUT_Y;
    for (int k = GROUP_X * ITEMS + ITEM_X; k < count; k += GROUPS_X * ITEMS) {
        const int x = k % wx, y = k / wx % wy, z = k / wx / wy;
        const long at = AT_Z(z % nz, nz) * LAYER(nx, ny) + IN_LAYER(x % nx, y % ny, nx, ny);
        whole[k] = blocks[OWNER(x, y, z) * SIZE_OF_BLOCK + at];
    }
}

// The reverse, with what is beside the own points; `count` are the places of all blocks.
KERNEL deal(const int nx, const int ny, const int nz, const int count, const GLOBAL double *whole, GLOBAL double *blocks)
{
    const int wx = nx << CUT_X, wy = ny << CUT_Y, wz = nz << CUT_Z;
    const int pitch = PITCH(nx), rows = ny + 2 * CUT_Y, layers = nz + 2 * CUT_Z;
    for (int k = GROUP_X * ITEMS + ITEM_X; k < count; k += GROUPS_X * ITEMS) {
        const int device = k / (pitch * rows * layers);
        const int z_half = CUT_Z & device, y_half = CUT_Y & device >> CUT_Z, x_half = CUT_X & device >> (CUT_Z + CUT_Y);
        const int x = k % pitch - EDGE * CUT_X + x_half * nx;
        const int y = k / pitch % rows - CUT_Y + y_half * ny;
        const int z = k / pitch / rows % layers - CUT_Z + z_half * nz;
        blocks[k] = whole[((long)(z & (wz - 1)) * wy + (y & (wy - 1))) * wx + (x & (wx - 1))];
    }
}
#endif

#ifdef SQUARES
// Sum of the squares of the own points: a partial sum of every work-group.
KERNEL block_squares(const int nx, const int ny, const int nz, const int count, const GLOBAL double *block,
                     GLOBAL double *partial)
{
    LOCAL double room[ITEMS];
    double sum = 0.0;
    for (int k = GROUP_X * ITEMS + ITEM_X; k < count; k += GROUPS_X * ITEMS) {
        const double value = block[AT_Z(k / nx / ny, nz) * LAYER(nx, ny) + IN_LAYER(k % nx, k / nx % ny, nx, ny)];
        sum += value * value;
    }
    SUM_OF_GROUP(room, ITEM_X, ITEMS, sum);
    if (ITEM_X == 0) partial[GROUP_X] = sum;
}
#endif
