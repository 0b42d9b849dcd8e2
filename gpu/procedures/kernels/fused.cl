// Two and three operators of NPB MG in one kernel on whole periodic grids, so that what is between them stays in local
// memory. Each group walks layers as in the stencils; the rim of its rectangle is computed by its neighbours too.
#define SIZE(a, b) (((a) + (b) - 1) / (b))

// How a layer of a tile, `width` wide, counts at place e: as the own layer, and as the one beside.
#define COUNT(t, width, e, w0, w1, w2, w3, own, side)                                                              \
    do {                                                                                                           \
        const double centre = t[e];                                                                                \
        const double edge = t[(e) - 1] + t[(e) + 1] + t[(e) - (width)] + t[(e) + (width)];                         \
        const double corner = t[(e) - (width) - 1] + t[(e) - (width) + 1] + t[(e) + (width) - 1] + t[(e) + (width) + 1]; \
        own = w0 * centre + w1 * edge + w2 * corner;                                                               \
        side = w1 * centre + w2 * edge + w3 * corner;                                                              \
    } while (0)

#ifdef DESCEND
// coarse = P (v - A u): a group makes M1 x M2 coarse points of `depth` layers, by ITEMS work-items.
#define RW (2 * M1 + 1)
#define RSIZE (RW * (2 * M2 + 1))
#define UW (RW + 2)
#define USIZE (UW * (2 * M2 + 3))
#define LOADS SIZE(USIZE, ITEMS)
#define PLACES SIZE(RSIZE, ITEMS)
#define MAKES SIZE(M1 *M2, ITEMS)
KERNEL descend(const int n, const int depth, const double a0, const double a1, const double a2, const double a3,
               const GLOBAL double *u, const GLOBAL double *v, GLOBAL double *coarse)
{
    LOCAL double tile[2][USIZE];
    LOCAL double rest[RSIZE];
    const int item = ITEM_X;
    const int x0 = 2 * GROUP_X * M1, y0 = 2 * GROUP_Y * M2, nc = n / 2;
    const long layer = (long)n * n;
    const int z0 = 2 * GROUP_Z * depth, z1 = z0 + 2 * depth;
    int at[LOADS], of[PLACES];
    double next[LOADS], sum[PLACES], side[PLACES], made[MAKES];
    for (int k = 0; k < LOADS; ++k) {
        const int e = item + k * ITEMS;
        at[k] = e < USIZE ? ((y0 + e / UW - 1) & (n - 1)) * n + ((x0 + e % UW - 1) & (n - 1)) : -1;
        next[k] = at[k] >= 0 ? u[((z0 - 1) & (n - 1)) * layer + at[k]] : 0.0;
    }
    for (int k = 0; k < PLACES; ++k) {
        const int e = item + k * ITEMS;
        of[k] = e < RSIZE ? ((y0 + e / RW) & (n - 1)) * n + ((x0 + e % RW) & (n - 1)) : -1;
        sum[k] = side[k] = 0.0;
    }
    for (int k = 0; k < MAKES; ++k) made[k] = 0.0;
    for (int z = z0 - 1; z <= z1 + 1; ++z) {
        IN_LOCAL double *now = tile[z & 1];
        for (int k = 0; k < LOADS; ++k)
            if (at[k] >= 0) now[item + k * ITEMS] = next[k];
        double right[PLACES];
        const int y = z - 1;
        for (int k = 0; k < PLACES; ++k)
            right[k] = y >= z0 && of[k] >= 0 ? v[(y & (n - 1)) * layer + of[k]] : 0.0;
        BARRIER;
        if (z <= z1) {
            const long ahead = ((z + 1) & (n - 1)) * layer;
            for (int k = 0; k < LOADS; ++k)
                if (at[k] >= 0) next[k] = u[ahead + at[k]];
        }
        for (int k = 0; k < PLACES; ++k) {
            const int e = item + k * ITEMS;
            if (e < RSIZE) {
                double own, new_side;
                const int place = (e / RW + 1) * UW + e % RW + 1;
                COUNT(now, UW, place, a0, a1, a2, a3, own, new_side);
                rest[e] = right[k] - (sum[k] + new_side);
                sum[k] = side[k] + own;
                side[k] = new_side;
            }
        }
        BARRIER;
        for (int k = 0; k < MAKES && y >= z0; ++k) {
            const int e = item + k * ITEMS;
            if (e < M1 * M2) {
                double own, new_side;
                const int place = (2 * (e / M1) + 1) * RW + 2 * (e % M1) + 1;
                COUNT(rest, RW, place, 0.5, 0.25, 0.125, 0.0625, own, new_side);
                if (y & 1) {
                    made[k] += own;
                } else {
                    if (y > z0) {
                        const long to = (long)(y / 2 - 1) * nc * nc + (long)(y0 / 2 + e / M1) * nc + x0 / 2 + e % M1;
                        coarse[to] = made[k] + new_side;
                    }
                    made[k] = new_side;
                }
            }
        }
    }
}
#else
// w = u + Q coarse, out = w + S (v - A w): a group makes M1 x M2 points of `depth` layers, by ITEMS work-items. Without `of_u`
// u is zero.
#define UW (M1 + 4)
#define USIZE (UW * (M2 + 4))
#define RW (M1 + 2)
#define RSIZE (RW * (M2 + 2))
#define CW (M1 / 2 + 3)
#define CSIZE (CW * (M2 / 2 + 3))
#define LOADS SIZE(USIZE, ITEMS)
#define PLACES SIZE(RSIZE, ITEMS)
#define COARSE SIZE(CSIZE, ITEMS)
#define MAKES SIZE(M1 *M2, ITEMS)
KERNEL rise(const int n, const int depth, const double a0, const double a1, const double a2, const double a3,
            const double s0, const double s1, const double s2, const double s3, const int of_u,
            const GLOBAL double *coarse, const GLOBAL double *u, const GLOBAL double *v, GLOBAL double *out)
{
    LOCAL double tile[USIZE];
    LOCAL double rest[RSIZE];
    LOCAL double rough[CSIZE];
    const int item = ITEM_X;
    const int x0 = GROUP_X * M1, y0 = GROUP_Y * M2, nc = n / 2;
    const long layer = (long)n * n, small = (long)nc * nc;
    const int z0 = GROUP_Z * depth, z1 = z0 + depth;
    int at[LOADS], of[PLACES], from[COARSE];
    double next[LOADS], far[COARSE], near[COARSE], sum[PLACES], side[PLACES];
    double old[MAKES], older[MAKES], of_rest[MAKES], beside[MAKES];
    for (int k = 0; k < LOADS; ++k) {
        const int e = item + k * ITEMS;
        at[k] = e < USIZE ? ((y0 + e / UW - 2) & (n - 1)) * n + ((x0 + e % UW - 2) & (n - 1)) : -1;
        next[k] = of_u && at[k] >= 0 ? u[((z0 - 2) & (n - 1)) * layer + at[k]] : 0.0;
    }
    for (int k = 0; k < PLACES; ++k) {
        const int e = item + k * ITEMS;
        of[k] = e < RSIZE ? ((y0 + e / RW - 1) & (n - 1)) * n + ((x0 + e % RW - 1) & (n - 1)) : -1;
        sum[k] = side[k] = 0.0;
    }
    for (int k = 0; k < COARSE; ++k) {
        const int e = item + k * ITEMS;
        from[k] = e < CSIZE ? ((y0 / 2 + e / CW - 2) & (nc - 1)) * nc + ((x0 / 2 + e % CW - 2) & (nc - 1)) : -1;
        far[k] = from[k] >= 0 ? coarse[(((z0 - 3) >> 1) & (nc - 1)) * small + from[k]] : 0.0;
        near[k] = from[k] >= 0 ? coarse[(((z0 - 2) >> 1) & (nc - 1)) * small + from[k]] : 0.0;
    }
    for (int k = 0; k < MAKES; ++k) old[k] = older[k] = of_rest[k] = beside[k] = 0.0;
    for (int z = z0 - 2; z <= z1 + 1; ++z) {
        const int y = z - 1;
        for (int k = 0; k < COARSE; ++k)
            if (from[k] >= 0) rough[item + k * ITEMS] = 0.125 * (far[k] + near[k]);
        double right[PLACES];
        for (int k = 0; k < PLACES; ++k)
            right[k] = y >= z0 - 1 && of[k] >= 0 ? v[(y & (n - 1)) * layer + of[k]] : 0.0;
        BARRIER;
        for (int k = 0; k < LOADS; ++k) {
            const int e = item + k * ITEMS;
            if (e < USIZE) {
                const int i = e % UW, j = e / UW;
                const int a = (i + 1) >> 1, b = (i >> 1) + 1, c = ((j + 1) >> 1) * CW, d = ((j >> 1) + 1) * CW;
                tile[e] = next[k] + (rough[c + a] + rough[c + b] + rough[d + a] + rough[d + b]);
            }
        }
        if (z <= z1) {
            const long ahead = ((z + 1) & (n - 1)) * layer;
            for (int k = 0; k < LOADS && of_u; ++k)
                if (at[k] >= 0) next[k] = u[ahead + at[k]];
            for (int k = 0; k < COARSE; ++k) {
                far[k] = near[k];
                // An even layer begins a new pair of coarse layers, an odd one lies on one of them.
                if ((z + 1) % 2 == 0 && from[k] >= 0) near[k] = coarse[(((z + 1) >> 1) & (nc - 1)) * small + from[k]];
            }
        }
        BARRIER;
        for (int k = 0; k < PLACES; ++k) {
            const int e = item + k * ITEMS;
            if (e < RSIZE) {
                double own, new_side;
                const int place = (e / RW + 1) * UW + e % RW + 1;
                COUNT(tile, UW, place, a0, a1, a2, a3, own, new_side);
                rest[e] = right[k] - (sum[k] + new_side);
                sum[k] = side[k] + own;
                side[k] = new_side;
            }
        }
        BARRIER;
        for (int k = 0; k < MAKES; ++k) {
            const int e = item + k * ITEMS;
            if (e < M1 * M2) {
                double own, new_side;
                COUNT(rest, RW, (e / M1 + 1) * RW + e % M1 + 1, s0, s1, s2, s3, own, new_side);
                if (y > z0) {
                    const long to = (y - 1) * layer + (long)(y0 + e / M1) * n + x0 + e % M1;
                    out[to] = older[k] + (of_rest[k] + new_side);
                }
                of_rest[k] = beside[k] + own;
                beside[k] = new_side;
                older[k] = old[k];
                old[k] = tile[(e / M1 + 2) * UW + e % M1 + 2];
            }
        }
    }
}
#endif
