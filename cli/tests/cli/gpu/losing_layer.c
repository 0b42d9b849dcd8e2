// Layer of OpenCL that loses the devices of a program: as soon as CP2_LOSE_AFTER calls have been made of those that wait for a
// device or hand work to it, all of them fail with -9999, which NVIDIA's driver reports when a kernel broke off. Waiting waits
// before it fails, so that no work is left on memory that the program then gives back.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LOST = -9999 };

static struct _cl_icd_dispatch ours;
static const struct _cl_icd_dispatch *below;
static atomic_long left;

static int is_lost(void)
{
    return atomic_fetch_sub(&left, 1) <= 0;
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    const cl_int code = below->clFinish(queue);
    return is_lost() ? LOST : code;
}

static cl_int CL_API_CALL flush(cl_command_queue queue)
{
    return is_lost() ? LOST : below->clFlush(queue);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size, void *to,
                                      cl_uint count, const cl_event *after, cl_event *event)
{
    return is_lost() ? LOST : below->clEnqueueReadBuffer(queue, buffer, blocks, offset, size, to, count, after, event);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size,
                                       const void *from, cl_uint count, const cl_event *after, cl_event *event)
{
    return is_lost() ? LOST : below->clEnqueueWriteBuffer(queue, buffer, blocks, offset, size, from, count, after, event);
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint axes, const size_t *first, const size_t *global,
                                 const size_t *local, cl_uint count, const cl_event *after, cl_event *event)
{
    return is_lost() ? LOST : below->clEnqueueNDRangeKernel(queue, kernel, axes, first, global, local, count, after, event);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_is)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
    if (value && size < sizeof version) return CL_INVALID_VALUE;
    if (value) memcpy(value, &version, sizeof version);
    if (size_is) *size_is = sizeof version;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target, cl_uint *entries_are,
                                            const struct _cl_icd_dispatch **layer)
{
    const cl_uint all = sizeof ours / sizeof ours.clGetPlatformIDs;
    const char *after = getenv("CP2_LOSE_AFTER");
    if (entries < all) return CL_INVALID_VALUE;
    below = target;
    ours = *target;
    atomic_store(&left, after ? atol(after) : 0);
    ours.clFinish = finish;
    ours.clFlush = flush;
    ours.clEnqueueReadBuffer = read_buffer;
    ours.clEnqueueWriteBuffer = write_buffer;
    ours.clEnqueueNDRangeKernel = launch;
    *entries_are = all;
    *layer = &ours;
    return CL_SUCCESS;
}
