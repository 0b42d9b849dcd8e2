// Projection and interpolation between two grids of NPB MG; point k of an axis of the coarse grid lies at 2 k + 1 of the
// fine one. A work-group owns M1 x M2 points of `depth` layers of the coarse grid, a work-item one point of each. Layers
// are found as in the stencils, each grid by its own `wrap` and `ghost`.
#define ITEMS (M1 * M2)
#define WIDTH (2 * M1 + 1)
#define TILE (WIDTH * (2 * M2 + 1))
#define LOADS ((TILE + ITEMS - 1) / ITEMS)

// coarse = P fine, for coarse layers from `first` on.
KERNEL proj(const int n, const int first, const int layers, const int depth, const int wrap, const int ghost,
            const int coarse_ghost, const GLOBAL double *fine, GLOBAL double *coarse)
{
    LOCAL double tile[2][TILE];
    const int item = ITEM_X + M1 * ITEM_Y;
    const int x0 = GROUP_X * M1, y0 = GROUP_Y * M2;
    const int nc = n / 2;
    const long layer = (long)n * n;
    const int z0 = first + GROUP_Z * depth;
    const int z1 = z0 + depth < first + layers ? z0 + depth : first + layers;
    int at[LOADS];
    double next[LOADS];
    for (int k = 0; k < LOADS; ++k) {
        const int e = item + k * ITEMS;
        const int x = (2 * x0 + e % WIDTH) & (n - 1), y = (2 * y0 + e / WIDTH) & (n - 1);
        at[k] = e < TILE ? y * n + x : -1;
        next[k] = at[k] >= 0 ? fine[((2 * z0 & wrap) + ghost) * layer + at[k]] : 0.0;
    }
    double sum = 0.0;
    for (int z = 2 * z0; z <= 2 * z1; ++z) {
        IN_LOCAL double *now = tile[z & 1];
        for (int k = 0; k < LOADS; ++k)
            if (at[k] >= 0) now[item + k * ITEMS] = next[k];
        BARRIER;
        if (z < 2 * z1) {
            const long ahead = (((z + 1) & wrap) + ghost) * layer;
            for (int k = 0; k < LOADS; ++k)
                if (at[k] >= 0) next[k] = fine[ahead + at[k]];
        }
        const IN_LOCAL double *a = now + 2 * ITEM_Y * WIDTH + 2 * ITEM_X, *b = a + WIDTH, *c = b + WIDTH;
        const double edge = b[0] + b[2] + a[1] + c[1], corner = a[0] + a[2] + c[0] + c[2];
        if (z & 1) {
            sum += 0.5 * b[1] + 0.25 * edge + 0.125 * corner;
        } else {
            const double side = 0.25 * b[1] + 0.125 * edge + 0.0625 * corner;
            if (z > 2 * z0) {
                const long done = (long)(z / 2 - 1 + coarse_ghost) * nc * nc;
                coarse[done + (long)(y0 + ITEM_Y) * nc + x0 + ITEM_X] = sum + side;
            }
            sum = side;
        }
    }
}

// fine = of_fine fine + Q coarse, for the fine layers that belong to coarse layers from `first` on; of_fine is 0 or 1. Each
// work-item makes 8 points of a step.
KERNEL interp(const int n, const int first, const int layers, const int depth, const int wrap, const int coarse_ghost,
              const int ghost, const int of_fine, const GLOBAL double *coarse, GLOBAL double *fine)
{
    const int x = GROUP_X * M1 + ITEM_X, y = GROUP_Y * M2 + ITEM_Y;
    const int nc = n / 2;
    const int z0 = first + GROUP_Z * depth;
    const int z1 = z0 + depth < first + layers ? z0 + depth : first + layers;
    const int before = (x - 1) & (nc - 1), above = ((y - 1) & (nc - 1)) * nc, row = y * nc;
    double last[4];
    for (int z = z0 - 1; z < z1; ++z) {
        const GLOBAL double *c = coarse + (((z & wrap) + coarse_ghost) * (long)nc * nc);
        const double p = c[row + x], q = c[row + before], r = c[above + x], s = c[above + before];
        const double now[4] = {0.25 * (p + q + r + s), 0.5 * (p + r), 0.5 * (p + q), p};
        for (int k = 0; k < 4 && z >= z0; ++k) {
            // Rows 2 y and 2 y + 1 of fine layers 2 z and 2 z + 1.
            const int j = k & 1, below = k < 2;
            const long at = ((2 * z + (below ? 0 : 1) + ghost) * (long)n + 2 * y + j) * n + 2 * x;
            GLOBAL double2 *to = (GLOBAL double2 *)(fine + at);
            double even = now[2 * j], odd = now[2 * j + 1];
            if (below) {
                even = 0.5 * (even + last[2 * j]);
                odd = 0.5 * (odd + last[2 * j + 1]);
            }
            const double2 old = of_fine ? *to : PAIR(0.0, 0.0);
            *to = PAIR(old.x + even, old.y + odd);
        }
        for (int k = 0; k < 4; ++k) last[k] = now[k];
    }
}
