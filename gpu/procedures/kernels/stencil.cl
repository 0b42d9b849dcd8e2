// The 27-point operators of NPB MG on a block of a periodic grid, walked along the third axis.
//
// A work-group owns a rectangle M1 x M2 of `depth` layers, a work-item R points below each other in it. Of each layer the
// group keeps the rectangle with its rim in local memory, two layers in turn, while the next one is on its way into
// registers. A layer counts in three results: as their own layer (`own`: centre, faces and edges in the layer) and as the
// one beside (`side`).
//
// Points from first to before end are computed; with RAGGED the rectangles may reach beyond the end.
#define ITEMS (M1 * M2 / R)
#define WIDTH (M1 + 2)
#define TILE (WIDTH * (M2 + 2))
#define LOADS ((TILE + ITEMS - 1) / ITEMS)

// out = base + A in, with the weights of centre, faces, edges and corners; base counts `of_base` times, 0 or 1.
KERNEL stencil(const int nx, const int ny, const int nz, const int x_first, const int y_first, const int z_first,
               const int x_end, const int y_end, const int z_end, const int depth, const double w0, const double w1,
               const double w2, const double w3, const int of_base, const GLOBAL double *in, const GLOBAL double *base,
               GLOBAL double *out)
{
    LOCAL double tile[2][TILE];
    const int item = ITEM_X + M1 * ITEM_Y;
    const int x0 = x_first + GROUP_X * M1, y0 = y_first + GROUP_Y * M2;
    const int pitch = PITCH(nx);
    const long layer = LAYER(nx, ny);
    const int z0 = z_first + GROUP_Z * depth;
    const int z1 = z0 + depth < z_end ? z0 + depth : z_end;
    int at[LOADS];
    double next[LOADS];
    for (int k = 0; k < LOADS; ++k) {
        const int e = item + k * ITEMS;
        const int x = x0 + e % WIDTH - 1, y = y0 + e / WIDTH - 1;
        const int is_inside = e < TILE && IF_RAGGED(x <= x_end && y <= y_end);
        at[k] = is_inside ? IN_LAYER(x, y, nx, ny) : -1;
        next[k] = at[k] >= 0 ? in[AT_Z(z0 - 1, nz) * layer + at[k]] : 0.0;
    }
    const int row = ITEM_Y * R;
    const long mine = IN_LAYER(x0 + ITEM_X, y0 + row, nx, ny);
#if RAGGED
    // Rows of the work-item that lie before the end.
    const int rows = x0 + ITEM_X < x_end ? y_end - y0 - row : 0;
#endif
    double sum[R], side[R];
    for (int q = 0; q < R; ++q) sum[q] = side[q] = 0.0;
    for (int z = z0 - 1; z <= z1; ++z) {
        IN_LOCAL double *now = tile[z & 1];
        for (int k = 0; k < LOADS; ++k)
            if (at[k] >= 0) now[item + k * ITEMS] = next[k];
        BARRIER;
        const long done = AT_Z(z - 1, nz) * layer + mine;
        double from[R];
        for (int q = 0; q < R; ++q)
            from[q] = of_base && z > z0 && IF_RAGGED(q < rows) ? base[done + q * pitch] : 0.0;
        if (z < z1) {
            const long ahead = AT_Z(z + 1, nz) * layer;
            for (int k = 0; k < LOADS; ++k)
                if (at[k] >= 0) next[k] = in[ahead + at[k]];
        }
        double centre[R + 2], beside[R + 2];
        for (int q = 0; q < R + 2; ++q) {
            const int e = (row + q) * WIDTH + ITEM_X;
            centre[q] = now[e + 1];
            beside[q] = now[e] + now[e + 2];
        }
        for (int q = 0; q < R; ++q) {
            const double edge = beside[q + 1] + centre[q] + centre[q + 2], corner = beside[q] + beside[q + 2];
            const double new_side = w1 * centre[q + 1] + w2 * edge + w3 * corner;
            if (z > z0 && IF_RAGGED(q < rows)) out[done + q * pitch] = from[q] + (sum[q] + new_side);
            sum[q] = side[q] + (w0 * centre[q + 1] + w1 * edge + w2 * corner);
            side[q] = new_side;
        }
    }
}
