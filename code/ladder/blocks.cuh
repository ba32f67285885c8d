/* Tangled from chapters/workshop/measuring-reductions.nw, "Launches".  Edit it there. */

#ifndef LADDER_BLOCKS_CUH
#define LADDER_BLOCKS_CUH

#include "backend/cuda.h"

/* How many multiprocessors the GPU has; asked for at the first call. */
static inline unsigned multiprocessors(void)
{
    static int n;
    if (!n)
        CUDA_OK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount,
                                       0));
    return (unsigned)n;
}

/* As many blocks of this kernel as the GPU runs at a time. */
static inline unsigned blocks_at_once(const void *kernel, int threads,
                                      size_t dynamic_shared = 0)
{
    int each;
    CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &each, kernel, threads, dynamic_shared));
    return multiprocessors() * (unsigned)each;
}

#endif
