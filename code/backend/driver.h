/* Tangled from chapters/workshop/attention-plumbing.nw, "The map of a tensor".  Edit it there. */

#ifndef BACKEND_DRIVER_H
#define BACKEND_DRIVER_H

#include "backend/cuda_stream.cuh"

#include <cuda.h>

/* A function of the driver, as it was in CUDA version (12030 for 12.3);
 * NULL, and a failure of the backend, if the driver has none. */
static inline void *driver_function(const char *name, unsigned version)
{
    void *f = NULL;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    if (!CUDA_TRY(cudaGetDriverEntryPointByVersion(
            name, &f, version, cudaEnableDefault, &found)))
        return NULL;
#else
    if (!CUDA_TRY(cudaGetDriverEntryPoint(name, &f, cudaEnableDefault,
                                          &found)))
        return NULL;
#endif
    if (found == cudaDriverEntryPointSuccess)
        return f;
    backend_failed("this driver has no %s: it came with CUDA %u.%u; update "
                   "the driver", name, version / 1000,
                   version % 1000 / 10);
    return NULL;
}

#endif
