/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "One contract, two implementations".  Edit it there. */

/* What a CUDA source needs to run on the current backend. */
#ifndef BACKEND_CUDA_STREAM_CUH
#define BACKEND_CUDA_STREAM_CUH

#include "backend/cuda.h"

#define LAUNCHED() CUDA_OK(cudaGetLastError())

/* Kernels and copies of the operators run on this stream, in the order of
 * the calls; 0 is the default stream. */
extern "C" cudaStream_t backend_stream(void);

/* Device memory for the operator that is being called, not cleared; the
 * next operator may get the same. */
extern "C" void *backend_scratch(size_t bytes);

/* Where a source keeps something for each device: below MOST_DEVICES. */
enum { MOST_DEVICES = 32 };
extern "C" int backend_device(void);

/* What the current device says of itself. */
static inline int gpu_attribute(enum cudaDeviceAttr which)
{
    int device, value;
    CUDA_OK(cudaGetDevice(&device));
    CUDA_OK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

/* allow a kernel more shared memory */
/* `kernel` may be launched with so many bytes of shared memory. */
template <typename Kernel>
static inline void allow_shared_memory(Kernel *kernel, size_t bytes)
{
    if (bytes > 48 * 1024)
        CUDA_OK(cudaFuncSetAttribute(
            (const void *)kernel,
            cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
}

/* What follows is `what`: a name in a profile (backend.h). */
extern "C" void profile_range(const char *what);

#endif
