// Sum of squares: a partial sum of every work-group of ITEMS work-items.
KERNEL squares(const int from, const int n, const GLOBAL double *x, GLOBAL double *partial)
{
    LOCAL double room[ITEMS];
    double sum = 0.0;
    for (int k = GROUP_X * ITEMS + ITEM_X; k < n; k += GROUPS_X * ITEMS) {
        const double value = x[(long)from + k];
        sum += value * value;
    }
    SUM_OF_GROUP(room, ITEM_X, ITEMS, sum);
    if (ITEM_X == 0) partial[GROUP_X] = sum;
}

// Fills with a number.
KERNEL fill(const double value, const int n, GLOBAL double *x)
{
    for (int k = GROUP_X * ITEMS + ITEM_X; k < n; k += GROUPS_X * ITEMS) x[k] = value;
}

// Copies; two numbers a work-item at a time.
KERNEL copy(const int pairs, const GLOBAL double2 *x, GLOBAL double2 *y)
{
    for (int k = GROUP_X * ITEMS + ITEM_X; k < pairs; k += GROUPS_X * ITEMS) y[k] = x[k];
}
