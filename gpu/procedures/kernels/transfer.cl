// Projection and interpolation between blocks of two grids of NPB MG; point k of an axis of the coarse grid lies at 2 k + 1 of
// the fine one. A work-group owns M1 x M2 points of `depth` layers of the coarse block, a work-item one point of each. Coarse
// points from first to before end are taken; with RAGGED the rectangles may reach beyond the end. Sizes are those of the fine
// block.
#define ITEMS (M1 * M2)
#define WIDTH (2 * M1 + 1)
#define TILE (WIDTH * (2 * M2 + 1))
#define LOADS ((TILE + ITEMS - 1) / ITEMS)

// coarse = P fine.
KERNEL proj(const int nx, const int ny, const int nz, const int x_first, const int y_first, const int z_first,
            const int x_end, const int y_end, const int z_end, const int depth, const GLOBAL double *fine,
            GLOBAL double *coarse)
{
    LOCAL double tile[2][TILE];
    const int item = ITEM_X + M1 * ITEM_Y;
    const int x0 = x_first + GROUP_X * M1, y0 = y_first + GROUP_Y * M2;
    const long layer = LAYER(nx, ny), small = LAYER(nx / 2, ny / 2);
    const long mine = IN_LAYER(x0 + ITEM_X, y0 + ITEM_Y, nx / 2, ny / 2);
    const int z0 = z_first + GROUP_Z * depth;
    const int z1 = z0 + depth < z_end ? z0 + depth : z_end;
    int at[LOADS];
    double next[LOADS];
    for (int k = 0; k < LOADS; ++k) {
        const int e = item + k * ITEMS;
        const int x = 2 * x0 + e % WIDTH, y = 2 * y0 + e / WIDTH;
        const int is_inside = e < TILE && IF_RAGGED(x <= 2 * x_end && y <= 2 * y_end);
        at[k] = is_inside ? IN_LAYER(x, y, nx, ny) : -1;
        next[k] = at[k] >= 0 ? fine[AT_Z(2 * z0, nz) * layer + at[k]] : 0.0;
    }
    double sum = 0.0;
    for (int z = 2 * z0; z <= 2 * z1; ++z) {
        IN_LOCAL double *now = tile[z & 1];
        for (int k = 0; k < LOADS; ++k)
            if (at[k] >= 0) now[item + k * ITEMS] = next[k];
        BARRIER;
        if (z < 2 * z1) {
            const long ahead = AT_Z(z + 1, nz) * layer;
            for (int k = 0; k < LOADS; ++k)
                if (at[k] >= 0) next[k] = fine[ahead + at[k]];
        }
        const IN_LOCAL double *a = now + 2 * ITEM_Y * WIDTH + 2 * ITEM_X, *b = a + WIDTH, *c = b + WIDTH;
        const double edge = b[0] + b[2] + a[1] + c[1], corner = a[0] + a[2] + c[0] + c[2];
        if (z & 1) {
            sum += 0.5 * b[1] + 0.25 * edge + 0.125 * corner;
        } else {
            const double side = 0.25 * b[1] + 0.125 * edge + 0.0625 * corner;
            if (z > 2 * z0 && IF_RAGGED(x0 + ITEM_X < x_end && y0 + ITEM_Y < y_end))
                coarse[AT_Z(z / 2 - 1, nz / 2) * small + mine] = sum + side;
            sum = side;
        }
    }
}

// fine = of_fine fine + Q coarse, for the fine points that belong to the coarse ones; of_fine is 0 or 1. Each work-item
// makes 8 points of a step.
KERNEL interp(const int nx, const int ny, const int nz, const int x_first, const int y_first, const int z_first,
              const int x_end, const int y_end, const int z_end, const int depth, const int of_fine,
              const GLOBAL double *coarse, GLOBAL double *fine)
{
    const int x = x_first + GROUP_X * M1 + ITEM_X, y = y_first + GROUP_Y * M2 + ITEM_Y;
    const int cx = nx / 2, cy = ny / 2;
    const long layer = LAYER(nx, ny), small = LAYER(cx, cy);
    const int z0 = z_first + GROUP_Z * depth;
    const int z1 = z0 + depth < z_end ? z0 + depth : z_end;
    const int here = IN_LAYER(x, y, cx, cy), before = IN_LAYER(x - 1, y, cx, cy);
    const int above = IN_LAYER(x, y - 1, cx, cy), both = IN_LAYER(x - 1, y - 1, cx, cy);
    double last[4];
    for (int z = z0 - 1; z < z1 && IF_RAGGED(x < x_end && y < y_end); ++z) {
        const GLOBAL double *c = coarse + AT_Z(z, nz / 2) * small;
        const double p = c[here], q = c[before], r = c[above], s = c[both];
        const double now[4] = {0.25 * (p + q + r + s), 0.5 * (p + r), 0.5 * (p + q), p};
        for (int k = 0; k < 4 && z >= z0; ++k) {
            // Rows 2 y and 2 y + 1 of fine layers 2 z and 2 z + 1.
            const int j = k & 1, below = k < 2;
            const long at = AT_Z(2 * z + (below ? 0 : 1), nz) * layer + IN_LAYER(2 * x, 2 * y + j, nx, ny);
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
