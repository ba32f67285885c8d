/* Tangled from chapters/tricks/attention-on-hopper.nw, "The copy engine".  Edit it there. */

#ifndef BACKEND_DRIVER_H
#define BACKEND_DRIVER_H

#include "backend/cuda.h"

#include <cuda.h>

/* A function of the driver, as it was in CUDA version (12030 for 12.3);
 * ends the program if the driver has none. */
static inline void *driver_function(const char *name, unsigned version)
{
    void *f = NULL;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    CUDA_OK(cudaGetDriverEntryPointByVersion(name, &f, version,
                                             cudaEnableDefault, &found));
#else
    CUDA_OK(cudaGetDriverEntryPoint(name, &f, cudaEnableDefault, &found));
#endif
    if (found != cudaDriverEntryPointSuccess)
        fail("this driver has no %s: it came with CUDA %u.%u; update the "
             "driver", name, version / 1000, version % 1000 / 10);
    return f;
}

#endif
