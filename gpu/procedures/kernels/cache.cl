// How fast the second cache gives what work-items ask for: sectors of 32 bytes at random places of an array that it holds, a
// double of each, and rows of such an array.
//
// Where the processor can be told so, the first cache is passed by; with FIRST it is not.
#if defined(__NV_CL_C_VERSION) && !FIRST
DEVICE double from_second(const GLOBAL double *p)
{
    double x;
    asm volatile("ld.global.cg.f64 %0, [%1];" : "=d"(x) : "l"(p));
    return x;
}
#else
#define from_second(p) (*(p))
#endif

// Each work-item adds `steps` x 8 numbers at random places; `mask` + 1 numbers are in the array, a power of two.
KERNEL scattered(const int mask, const int steps, const GLOBAL double *x, GLOBAL double *y)
{
    unsigned at = (GROUP_X * ITEMS + ITEM_X) * 2654435761u;
    double sum = 0.0;
    for (int k = 0; k < steps; ++k) {
        double value[8];
#pragma unroll
        for (int u = 0; u < 8; ++u) {
            at = at * 1664525u + 1013904223u;
            value[u] = from_second(x + ((at >> 8) & mask));
        }
#pragma unroll
        for (int u = 0; u < 8; ++u) sum += value[u];
    }
    y[GROUP_X * ITEMS + ITEM_X] = sum;
}

// All work-items together add `steps` x 8 times as many numbers as there are work-items, row by row, from the begin again where
// the array ends.
KERNEL rows(const int mask, const int steps, const GLOBAL double *x, GLOBAL double *y)
{
    const int all = GROUPS_X * ITEMS;
    int at = GROUP_X * ITEMS + ITEM_X;
    double sum = 0.0;
    for (int k = 0; k < steps; ++k) {
        double value[8];
#pragma unroll
        for (int u = 0; u < 8; ++u) value[u] = from_second(x + ((at + u * all) & mask));
        at = (at + 8 * all) & mask;
#pragma unroll
        for (int u = 0; u < 8; ++u) sum += value[u];
    }
    y[GROUP_X * ITEMS + ITEM_X] = sum;
}
