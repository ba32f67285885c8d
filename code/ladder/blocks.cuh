/* Tangled from chapters/workshop/measuring-reductions.nw, "Launches".  Edit it there. */

#ifndef LADDER_BLOCKS_CUH
#define LADDER_BLOCKS_CUH

#include "backend/cuda.h"

/* As many blocks of this kernel as the GPU runs at a time. */
static unsigned blocks_at_once(const void *kernel, int threads)
{
    int processors, each;
    CUDA_OK(cudaDeviceGetAttribute(&processors,
        cudaDevAttrMultiProcessorCount, 0));
    CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel,
                                                          threads, 0));
    return (unsigned)(processors * each);
}

#endif
