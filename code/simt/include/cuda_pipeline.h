/* Tangled from chapters/workshop/foreign-features.nw, "Pipelines".  Edit it there. */

#ifndef SIMT_CUDA_PIPELINE_PRIMITIVES_H
#define SIMT_CUDA_PIPELINE_PRIMITIVES_H
#include "simt_copies.h"

/* The last `zeros` bytes become 0. */
SIMT_DEVICE void __pipeline_memcpy_async(void *to, const void *from,
                                         size_t bytes, size_t zeros = 0)
{
    simt_copy_async(to, from, bytes - zeros, 0, 1);
    for (size_t i = bytes - zeros; i < bytes; i++)
        ((char *)to)[i] = 0;
}
SIMT_DEVICE void __pipeline_commit(void) { simt_commit_copies(); }
SIMT_DEVICE void __pipeline_wait_prior(size_t left)
{
    simt_wait_copies((unsigned)left);
}
#endif
