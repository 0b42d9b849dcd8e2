// The checksum of NPB FT: the sum of 1024 elements of the field, by one group of ITEMS work-items, times `scale`.
KERNEL checksum(const int n1, const int n2, const int n3, const double scale, const int at, const GLOBAL double2 *x,
                GLOBAL double2 *sums)
{
    LOCAL double room[ITEMS];
    double re = 0.0, im = 0.0;
    for (int j = 1 + ITEM_X; j <= 1024; j += ITEMS) {
        const double2 value = x[((long)(5 * j % n3) * n2 + 3 * j % n2) * n1 + j % n1];
        re += value.x;
        im += value.y;
    }
    SUM_OF_GROUP(room, ITEM_X, ITEMS, re);
    SUM_OF_GROUP(room, ITEM_X, ITEMS, im);
    if (ITEM_X == 0) sums[at] = PAIR(re * scale, im * scale);
}
