/* Tangled from chapters/workshop/timing-operators.nw, "The backend".  Edit it there. */

/* What a CUDA source needs to run on the current backend. */
#ifndef BACKEND_CUDA_STREAM_CUH
#define BACKEND_CUDA_STREAM_CUH

#include <cuda_runtime.h>
#include "base/error.h"

/* tell the backend what failed */
/* backend.h */
extern "C" bool backend_ok(struct Error *e);
extern "C" void backend_failed(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Around every call of the runtime; true if it succeeded. */
#define CUDA_TRY(call) cuda_try((call), #call, __FILE__, __LINE__)
#define LAUNCHED() CUDA_TRY(cudaGetLastError())

static inline bool cuda_try(cudaError_t e, const char *call,
                            const char *file, int line)
{
    if (e == cudaSuccess)
        return true;
    cudaGetLastError();
    backend_failed("%s:%d: %s: %s", file, line, call,
                   cudaGetErrorString(e));
    return false;
}

/* Kernels and copies of the operators run on this stream, in the order of
 * the calls; 0 is the default stream. */
extern "C" cudaStream_t backend_stream(void);

/* Device memory for the operator that is being called, not cleared; the
 * next operator may get the same.  NULL after a failure. */
extern "C" void *backend_scratch(size_t bytes);

/* Where a source keeps something for each device: below MOST_DEVICES. */
enum { MOST_DEVICES = 32 };
extern "C" int backend_device(void);

/* What the current device says of itself; 0 after a failure. */
static inline int gpu_attribute(enum cudaDeviceAttr which)
{
    int device, value = 0;
    if (CUDA_TRY(cudaGetDevice(&device)))
        CUDA_TRY(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

/* allow a kernel more shared memory */
/* `kernel` may be launched with so many bytes of shared memory; false
 * after a failure. */
template <typename Kernel>
static inline bool allow_shared_memory(Kernel *kernel, size_t bytes)
{
    return bytes <= 48 * 1024 || CUDA_TRY(cudaFuncSetAttribute(
        (const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
        (int)bytes));
}

/* What follows is `what`: a name in a profile (backend.h). */
extern "C" void profile_range(const char *what);
#endif
