// Products of a sparse matrix and a vector, and what conjugate gradients do with vectors.
//
// Numbers of the matrix are read once; where the processor can be told so, they leave the cache to the vector.
#ifdef __NV_CL_C_VERSION
DEVICE double once_d(const GLOBAL double *p)
{
    double x;
    asm("ld.global.L1::no_allocate.f64 %0, [%1];" : "=d"(x) : "l"(p));
    return x;
}
DEVICE int once_i(const GLOBAL int *p)
{
    int x;
    asm("ld.global.L1::no_allocate.s32 %0, [%1];" : "=r"(x) : "l"(p));
    return x;
}
#else
#define once_d(p) (*(p))
#define once_i(p) (*(p))
#endif

// What is done with a row's sum. MODE 0: y = A x. 1: y = A x, and partial sums of b y. 2: partial sums of (b - A x)^2. `to` is the
// row, -1 for none; row 0 has place `first` of b. All work-items of a group take part.
#if MODE == 0
#define FINISH(to, sum)              \
    do {                             \
        if (to >= 0) y[to] = sum;    \
    } while (0)
#else
#if MODE == 1
#define TERM(to, sum) (y[to] = sum, sum * b[first + to])
#else
#define TERM(to, sum) ((b[first + to] - sum) * (b[first + to] - sum))
#endif
#define FINISH(to, sum)                                  \
    do {                                                 \
        double term = to >= 0 ? TERM(to, sum) : 0.0;     \
        SUM_OF_GROUP(room, item, ITEMS, term);           \
        if (item == 0) partial[GROUP_X] = term;          \
    } while (0)
#endif

#ifdef SLICED
// Sliced ELLpack: a group has SLICES slices of H rows, R work-items a row; row[] tells where a row's result goes, -1 for the
// empty rows at the end.
#define ITEMS (H * R * SLICES)
KERNEL sliced(const int slices, const int first, const GLOBAL int *ptr, const GLOBAL int *__restrict__ col,
              const GLOBAL double *__restrict__ val, const GLOBAL int *row, const GLOBAL double *__restrict__ x,
              const GLOBAL double *b, GLOBAL double *y, GLOBAL double *partial)
{
    LOCAL double room[ITEMS];
    const int item = ITEM_X;
    const int i = item % H, j = item / H % R, s = GROUP_X * SLICES + item / (H * R);
    double sum = 0.0;
    if (s < slices) {
        const int end = ptr[s + 1];
        int k = ptr[s] + j * H + i;
        // UNROLL elements are under way at once.
        for (; k + (UNROLL - 1) * H * R < end; k += UNROLL * H * R) {
            int at[UNROLL];
            double value[UNROLL], of_x[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                at[u] = once_i(col + k + u * H * R);
                value[u] = once_d(val + k + u * H * R);
            }
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) of_x[u] = x[at[u]];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) sum += value[u] * of_x[u];
        }
        for (; k < end; k += H * R) sum += once_d(val + k) * x[once_i(col + k)];
    }
#if R > 1
    room[item] = sum;
    BARRIER;
    for (int step = R / 2; step > 0; step /= 2) {
        if (j < step) room[item] += room[item + step * H];
        BARRIER;
    }
    sum = room[item];
#endif
    const int to = s < slices && j == 0 ? row[s * H + i] : -1;
    FINISH(to, sum);
}
#endif

#ifdef FRAMED
// Framed ELLpack: a group has a band of H rows, R work-items a row. The part of x that a frame of W columns needs is in local
// memory; columns count from the first of their frame.
#define ITEMS (H * R)
KERNEL framed(const int columns, const int first, const GLOBAL int *band, const GLOBAL int *frame, const GLOBAL int *start,
              const GLOBAL int *__restrict__ col, const GLOBAL double *__restrict__ val, const GLOBAL int *row,
              const GLOBAL double *__restrict__ x, const GLOBAL double *b, GLOBAL double *y, GLOBAL double *partial)
{
    LOCAL double part[W];
    LOCAL double room[ITEMS];
    const int item = ITEM_X, i = item % H, j = item / H;
    double sum = 0.0;
    for (int block = band[GROUP_X]; block < band[GROUP_X + 1]; ++block) {
        const int begin = frame[block] * W;
        BARRIER;
        for (int k = item; k < W && begin + k < columns; k += ITEMS) part[k] = x[begin + k];
        BARRIER;
        const int end = start[block + 1];
        for (int k = start[block] + j * H + i; k < end; k += H * R) sum += once_d(val + k) * part[once_i(col + k)];
    }
    room[item] = sum;
    BARRIER;
    for (int step = R / 2; step > 0; step /= 2) {
        if (j < step) room[item] += room[item + step * H];
        BARRIER;
    }
    sum = room[item];
    const int to = j == 0 ? row[GROUP_X * H + i] : -1;
    FINISH(to, sum);
}
#endif

#ifdef VECTORS
// Every group sums the partial sums that other kernels left; ITEMS work-items.
#define SUM_PARTIAL(room, partial, count, x)                              \
    do {                                                                  \
        x = 0.0;                                                          \
        for (int k = ITEM_X; k < count; k += ITEMS) x += partial[k];      \
        SUM_OF_GROUP(room, ITEM_X, ITEMS, x);                             \
    } while (0)

// z = 0, r = p = x; partial sums of r r.
KERNEL begin(const int n, const GLOBAL double *x, GLOBAL double *z, GLOBAL double *r, GLOBAL double *p, GLOBAL double *rr)
{
    LOCAL double room[ITEMS];
    double sum = 0.0;
    for (int k = GROUP_X * ITEMS + ITEM_X; k < n; k += GROUPS_X * ITEMS) {
        const double value = x[k];
        z[k] = 0.0;
        r[k] = value;
        p[k] = value;
        sum += value * value;
    }
    SUM_OF_GROUP(room, ITEM_X, ITEMS, sum);
    if (ITEM_X == 0) rr[GROUP_X] = sum;
}

// a = rho / (p q), z += a p, r -= a q; partial sums of the new r r. `count` are the partial sums of p q, `parts` the devices, each
// of which left as many of r r as there are groups; row 0 of this device has place `first` of p. Where r is 0 already, so is a.
KERNEL advance(const int n, const int first, const int count, const int parts, const GLOBAL double *pq,
               const GLOBAL double *old, const GLOBAL double *p, const GLOBAL double *q, GLOBAL double *z,
               GLOBAL double *r, GLOBAL double *rr)
{
    LOCAL double room[ITEMS];
    double rho, below, sum = 0.0;
    SUM_PARTIAL(room, old, parts * GROUPS_X, rho);
    SUM_PARTIAL(room, pq, count, below);
    const double a = rho == 0.0 ? 0.0 : rho / below;
    for (int k = GROUP_X * ITEMS + ITEM_X; k < n; k += GROUPS_X * ITEMS) {
        const double value = r[k] - a * q[k];
        z[k] += a * p[first + k];
        r[k] = value;
        sum += value * value;
    }
    SUM_OF_GROUP(room, ITEM_X, ITEMS, sum);
    if (ITEM_X == 0) rr[GROUP_X] = sum;
}

// p = r + (new rho / old rho) p, each rho from the partial sums of `parts` devices.
KERNEL turn(const int n, const int parts, const GLOBAL double *old, const GLOBAL double *rr, const GLOBAL double *r,
            GLOBAL double *p)
{
    LOCAL double room[ITEMS];
    double before, rho;
    SUM_PARTIAL(room, old, parts * GROUPS_X, before);
    SUM_PARTIAL(room, rr, parts * GROUPS_X, rho);
    const double b = rho == 0.0 ? 0.0 : rho / before;
    for (int k = GROUP_X * ITEMS + ITEM_X; k < n; k += GROUPS_X * ITEMS) p[k] = r[k] + b * p[k];
}

// Partial sums of x z and of z z, one behind the other.
KERNEL products(const int n, const GLOBAL double *x, const GLOBAL double *z, GLOBAL double *partial)
{
    LOCAL double room[ITEMS];
    double xz = 0.0, zz = 0.0;
    for (int k = GROUP_X * ITEMS + ITEM_X; k < n; k += GROUPS_X * ITEMS) {
        xz += x[k] * z[k];
        zz += z[k] * z[k];
    }
    SUM_OF_GROUP(room, ITEM_X, ITEMS, xz);
    SUM_OF_GROUP(room, ITEM_X, ITEMS, zz);
    if (ITEM_X == 0) {
        partial[GROUP_X] = xz;
        partial[GROUPS_X + GROUP_X] = zz;
    }
}

// zeta[at] = shift + 1 / (x z), x = z / |z|; and the norm of the last residual behind it, from `count` partial sums. Of x z and of
// z z there are `ends` each.
KERNEL follow(const int n, const int at, const double shift, const int count, const int ends, const GLOBAL double *squares,
              const GLOBAL double *partial, const GLOBAL double *z, GLOBAL double *x, GLOBAL double *zeta)
{
    LOCAL double room[ITEMS];
    double xz, zz, rest;
    SUM_PARTIAL(room, partial, ends, xz);
    SUM_PARTIAL(room, (partial + ends), ends, zz);
    SUM_PARTIAL(room, squares, count, rest);
    const double size = 1.0 / sqrt(zz);
    for (int k = GROUP_X * ITEMS + ITEM_X; k < n; k += GROUPS_X * ITEMS) x[k] = size * z[k];
    if (GROUP_X == 0 && ITEM_X == 0) {
        zeta[2 * at] = shift + 1.0 / xz;
        zeta[2 * at + 1] = sqrt(rest);
    }
}
#endif
