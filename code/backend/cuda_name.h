/* Tangled from chapters/workshop/measuring-a-gpu.nw, "What the programs share".  Edit it there. */

#ifndef BACKEND_CUDA_NAME_H
#define BACKEND_CUDA_NAME_H

#include <cuda_runtime.h>
#include <stdio.h>

/* "NVIDIA H200; CUDA 13.0", or "no GPU" */
static inline const char *cuda_name(int device)
{
    static char name[160];
    struct cudaDeviceProp p;
    int runtime;
    if (cudaGetDeviceProperties(&p, device) != cudaSuccess
        || cudaRuntimeGetVersion(&runtime) != cudaSuccess)
        return "no GPU";
    snprintf(name, sizeof name, "%.100s; CUDA %d.%d", p.name,
             runtime / 1000, runtime % 1000 / 10);
    return name;
}

#endif
