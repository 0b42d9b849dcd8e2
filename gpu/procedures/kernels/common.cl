// What all kernels begin with: words that OpenCL C and CUDA write differently. Kernels use these words and what both
// languages have in common, so that either compiles the same text.
#ifdef __CUDACC__
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define LOCAL __shared__
#define IN_LOCAL
#define DEVICE static __device__ __forceinline__
#define BARRIER __syncthreads()
#define ITEM_X ((int)threadIdx.x)
#define ITEM_Y ((int)threadIdx.y)
#define GROUP_X ((int)blockIdx.x)
#define GROUP_Y ((int)blockIdx.y)
#define GROUP_Z ((int)blockIdx.z)
#define GROUPS_X ((int)gridDim.x)
#define PAIR(a, b) make_double2(a, b)
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KERNEL kernel void
#define GLOBAL global
#define LOCAL local
#define IN_LOCAL local
#define DEVICE static inline
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define ITEM_X ((int)get_local_id(0))
#define ITEM_Y ((int)get_local_id(1))
#define GROUP_X ((int)get_group_id(0))
#define GROUP_Y ((int)get_group_id(1))
#define GROUP_Z ((int)get_group_id(2))
#define GROUPS_X ((int)get_num_groups(0))
#define PAIR(a, b) ((double2)(a, b))
#define __restrict__ restrict
#endif

// Block of a periodic grid on a device: nx x ny x nz points, x fastest, sizes powers of two. An axis that is cut among devices
// (CUT_X, CUT_Y, CUT_Z) has points of the neighbours at both ends, rows EDGE numbers so that own points stay aligned; on
// another one points wrap around.
#ifndef CUT_X
#define CUT_X 0
#define CUT_Y 0
#define CUT_Z 0
#endif
#define EDGE 4
#define PITCH(nx) ((nx) + 2 * EDGE * CUT_X)
#define LAYER(nx, ny) ((long)PITCH(nx) * ((ny) + 2 * CUT_Y))
#define AT_X(x, nx) (CUT_X ? (x) + EDGE : (x) & ((nx) - 1))
#define AT_Y(y, ny) (CUT_Y ? (y) + 1 : (y) & ((ny) - 1))
#define AT_Z(z, nz) (CUT_Z ? (z) + 1 : (z) & ((nz) - 1))
#define IN_LAYER(x, y, nx, ny) (AT_Y(y, ny) * PITCH(nx) + AT_X(x, nx))
// What has to hold where work-groups may reach beyond the end of a region (RAGGED).
#if RAGGED
#define IF_RAGGED(condition) (condition)
#else
#define IF_RAGGED(condition) 1
#endif

// Adds the numbers of all work-items of a group, ITEMS of them, a power of two, pairwise; each gets the sum. `room` has
// ITEMS numbers.
#define SUM_OF_GROUP(room, item, items, x)                      \
    do {                                                        \
        BARRIER;                                                \
        room[item] = x;                                         \
        BARRIER;                                                \
        for (int step = (items) / 2; step > 0; step /= 2) {     \
            if (item < step) room[item] += room[item + step];   \
            BARRIER;                                            \
        }                                                       \
        x = room[0];                                            \
    } while (0)
