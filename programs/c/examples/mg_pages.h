/* Operators of multigrid on whole periodic grids as pages of CP2, one behind the other in a queue that can be run again.
 * mg.c says which, mg_pages.c how. */
#ifndef MG_PAGES_H
#define MG_PAGES_H
#include "cp2.h"

/* resid: r = v - A u; proj: fine to coarse; interp: adds the interpolated coarse grid, interp0: has it alone;
 * smooth: u + S r, smooth0: S r. */
enum mg_operator { MG_RESID, MG_PROJ, MG_INTERP, MG_INTERP0, MG_SMOOTH, MG_SMOOTH0, MG_OPERATORS };

/* n x n x n points in single precision: two faces on each side along y and z, four points on each side of a row. */
struct mg_grid { unsigned n; uint32_t at; };

/* Bytes of a grid. */
unsigned mg_bytes(unsigned n);
/* The physical address of a point; faces are at -1, -2 and n, n + 1. */
uint32_t mg_point(const struct mg_grid *grid, int x, int y, int z);

/* Pages with all that they move. */
struct mg_plan {
  struct cp2_page *pages;
  unsigned n_pages, most_pages;
  struct cp2_descriptor *descriptors, *queue;
  unsigned n_descriptors, most_descriptors;
  /* Where the faces begin that the last operator left to make. */
  unsigned tail;
};

/* Kernels of all operators to instruction memory. */
void mg_load_kernels(void);
/* An operator on grids: `faced` is read with its faces, `plain` is what it adds to if there is such; then the faces
 * of the result are made. 0 if there is no room in the plan, or the grid has a size that the kernels were not made for. */
int mg_plan(struct mg_plan *plan, enum mg_operator which, const struct mg_grid *faced, const struct mg_grid *plain,
            const struct mg_grid *result);
/* Makes the queue of all operators that were planned. */
void mg_end_plan(struct mg_plan *plan);
#endif
