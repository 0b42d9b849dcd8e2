// Block of the algorithm of Floyd and Warshall: paths over vertices k0 to k0 + r - 1, for rows and columns of other blocks.
#include <math.h>
#pragma loops assume(r >= 1 && k0 >= 0 && i0 >= k0 + r && j0 >= k0 + r && i0 + r <= n && j0 + r <= n)
void floyd_block(int n, int r, int k0, int i0, int j0, float a[n][n]) {
  for (int k = k0; k < k0 + r; k++)
    for (int i = i0; i < i0 + r; i++)
      for (int j = j0; j < j0 + r; j++)
        a[i][j] = fminf(a[i][j], a[i][k] + a[k][j]);
}
