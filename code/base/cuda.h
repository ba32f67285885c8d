/* Chapter 2, The throughput machine: 2.2 One host, one device */
/* Tangled from chapters/02-throughput-machine.nw by `make tangle`; edit it there. */

#ifndef BASE_CUDA_H
#define BASE_CUDA_H

#include "base/error.h"

#include <cuda_runtime.h>
#include <stdio.h>

/* check a call of CUDA (2.2) */
/* Around every call of the runtime, and after every launch around
 * cudaGetLastError(): on an error, say where and which, and end. */
#define CUDA_OK(call) cuda_ok((call), #call, __FILE__, __LINE__)

static inline void cuda_ok(cudaError_t e, const char *call,
                           const char *file, int line)
{
    if (e != cudaSuccess)
        fail("%s:%d: %s: %s", file, line, call, cudaGetErrorString(e));
}

/* the name of this GPU (N.1) */
/* "NVIDIA H200; CUDA 13.0" */
static inline const char *cuda_name(void)
{
    static char name[160];
    struct cudaDeviceProp p;
    int runtime;
    CUDA_OK(cudaGetDeviceProperties(&p, 0));
    CUDA_OK(cudaRuntimeGetVersion(&runtime));
    snprintf(name, sizeof name, "%.100s; CUDA %d.%d", p.name,
             runtime / 1000, runtime % 1000 / 10);
    return name;
}

#endif
