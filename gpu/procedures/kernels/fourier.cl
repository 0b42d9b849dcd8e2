// Fourier transforms of N points each, N a power of two from 8 on, of many lines of an array; COLUMNS lines a group.
//
// Element i of line l is at (l / inner) inner N + l mod inner + i inner: lines along the first axis have inner = 1, along the
// second one the points of a row, along the third one the points of a plane. A work-item holds 8 points of a line in
// registers and does a step of radix 8 (the last one 4 or 2 where N asks for it); between steps points change places
// through local memory, real parts first, then imaginary ones, which takes half the room. The inverse swaps both parts on
// the way in and out. Results are not scaled.
#define TURNS (N / 8)
#define ITEMS (TURNS * COLUMNS)
// A place more after each 8 keeps the accesses of neighbours in different banks.
#define PADDED(i) ((i) + ((i) >> 3))
#if STRIDED
#define ROOM(i, c) (PADDED(i) * COLUMNS + (c))
#else
#define ROOM(i, c) ((c) * PADDED(N) + PADDED(i))
#endif

DEVICE double2 turned(const double2 a, const double2 w) { return PAIR(a.x * w.x - a.y * w.y, a.x * w.y + a.y * w.x); }

// (a, b) = (a + b, a - b)
#define BUTTERFLY(a, b)                          \
    do {                                         \
        const double2 one = a, other = b;        \
        a = PAIR(one.x + other.x, one.y + other.y); \
        b = PAIR(one.x - other.x, one.y - other.y); \
    } while (0)
#define TIMES_MINUS_I(a) a = PAIR(a.y, -a.x)

// Transforms four points; the results 0 1 2 3 are in a, c, b, d.
#define FOUR(a, b, c, d)     \
    do {                     \
        BUTTERFLY(a, c);     \
        BUTTERFLY(b, d);     \
        TIMES_MINUS_I(d);    \
        BUTTERFLY(a, b);     \
        BUTTERFLY(c, d);     \
    } while (0)

// Transforms eight points; result r is in v[PLACE8(r)].
#define PLACE8(r) ((((r) & 1) << 2) | ((r) & 2) | ((r) >> 2))
#define EIGHT(v)                                                                          \
    do {                                                                                  \
        const double root = 0.70710678118654752440;                                       \
        BUTTERFLY(v[0], v[4]);                                                            \
        BUTTERFLY(v[1], v[5]);                                                            \
        BUTTERFLY(v[2], v[6]);                                                            \
        BUTTERFLY(v[3], v[7]);                                                            \
        v[5] = PAIR(root * (v[5].x + v[5].y), root * (v[5].y - v[5].x));                  \
        TIMES_MINUS_I(v[6]);                                                              \
        v[7] = PAIR(root * (v[7].y - v[7].x), -root * (v[7].x + v[7].y));                 \
        FOUR(v[0], v[1], v[2], v[3]);                                                     \
        FOUR(v[4], v[5], v[6], v[7]);                                                     \
    } while (0)

KERNEL transform(const int inner, const GLOBAL double2 *roots, const GLOBAL double2 *in, GLOBAL double2 *out
#if EVOLVE
                 , const int rows, const int plane, const GLOBAL double *fx, const GLOBAL double *fy, const GLOBAL double *fz
#endif
)
{
    LOCAL double room[PADDED(N) * COLUMNS];
#if STRIDED
    const int c = ITEM_X % COLUMNS, t = ITEM_X / COLUMNS;
#else
    const int t = ITEM_X % TURNS, c = ITEM_X / TURNS;
#endif
    const long line = (long)GROUP_X * COLUMNS + c;
    const long first = line / inner * inner * N + line % inner;
    double2 v[8];
#pragma unroll
    for (int s = 0; s < 8; ++s) {
        const double2 x = in[first + (long)(t + TURNS * s) * inner];
        v[s] = INVERSE ? PAIR(x.y, x.x) : x;
    }
#if EVOLVE
    // Lines are along the first axis; `rows` of them are a plane, the first one is of this number.
    const double beside = fy[line % rows] * fz[plane + line / rows];
#pragma unroll
    for (int s = 0; s < 8; ++s) {
        const double f = beside * fx[t + TURNS * s];
        v[s] = PAIR(v[s].x * f, v[s].y * f);
    }
#endif
    int to[8];
#pragma unroll
    for (int ns = 1; ns < N; ns *= 8) {
        if (N / ns >= 8) {
            const int k = t % ns;
            if (ns > 1) {
                const double2 w1 = roots[k * (N / (ns * 8))];
                const double2 w2 = turned(w1, w1), w3 = turned(w2, w1), w4 = turned(w2, w2);
                v[1] = turned(v[1], w1);
                v[2] = turned(v[2], w2);
                v[3] = turned(v[3], w3);
                v[4] = turned(v[4], w4);
                v[5] = turned(v[5], turned(w4, w1));
                v[6] = turned(v[6], turned(w3, w3));
                v[7] = turned(v[7], turned(w4, w3));
            }
            EIGHT(v);
#pragma unroll
            for (int r = 0; r < 8; ++r) to[PLACE8(r)] = t / ns * ns * 8 + k + r * ns;
        } else if (N / ns == 4) {
#pragma unroll
            for (int q = 0; q < 2; ++q) {
                const int j = t + q * TURNS, k = j % ns, base = j / ns * ns * 4 + k;
                const double2 w1 = roots[k * (N / (ns * 4))], w2 = turned(w1, w1);
                v[q + 2] = turned(v[q + 2], w1);
                v[q + 4] = turned(v[q + 4], w2);
                v[q + 6] = turned(v[q + 6], turned(w2, w1));
                FOUR(v[q], v[q + 2], v[q + 4], v[q + 6]);
                to[q] = base;
                to[q + 4] = base + ns;
                to[q + 2] = base + 2 * ns;
                to[q + 6] = base + 3 * ns;
            }
        } else {
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                const int j = t + q * TURNS, k = j % ns, base = j / ns * ns * 2 + k;
                v[q + 4] = turned(v[q + 4], roots[k * (N / (ns * 2))]);
                BUTTERFLY(v[q], v[q + 4]);
                to[q] = base;
                to[q + 4] = base + ns;
            }
        }
        if (ns * 8 < N) {
            BARRIER;
#pragma unroll
            for (int s = 0; s < 8; ++s) room[ROOM(to[s], c)] = v[s].x;
            BARRIER;
#pragma unroll
            for (int s = 0; s < 8; ++s) v[s].x = room[ROOM(t + TURNS * s, c)];
            BARRIER;
#pragma unroll
            for (int s = 0; s < 8; ++s) room[ROOM(to[s], c)] = v[s].y;
            BARRIER;
#pragma unroll
            for (int s = 0; s < 8; ++s) v[s].y = room[ROOM(t + TURNS * s, c)];
        }
    }
#pragma unroll
    for (int s = 0; s < 8; ++s) out[first + (long)to[s] * inner] = INVERSE ? PAIR(v[s].y, v[s].x) : v[s];
}
