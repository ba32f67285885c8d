/* Tangled from chapters/workshop/first-programs.nw, "vector-add: options, filling and comparing".  Edit it there. */

#ifndef BACKEND_CUDA_H
#define BACKEND_CUDA_H

#include "base/fail.h"

#include <cuda_runtime.h>

/* check a call of CUDA */
/* Around every call of the runtime, and after every launch around
 * cudaGetLastError(): on an error, say where and which, and end. */
#define CUDA_OK(call) cuda_ok((call), #call, __FILE__, __LINE__)

static inline void cuda_ok(cudaError_t e, const char *call,
                           const char *file, int line)
{
    if (e != cudaSuccess)
        fail("%s:%d: %s: %s", file, line, call, cudaGetErrorString(e));
}

#endif
