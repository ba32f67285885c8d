/* Tangled from chapters/workshop/simt-runtime.nw, "A launch, and where a thread is".  Edit it there. */

#ifndef SIMT_LAUNCH_H
#define SIMT_LAUNCH_H

extern "C" unsigned __cudaPushCallConfiguration(
    dim3 grid, dim3 block, size_t shared_bytes = 0,
    cudaStream_t stream = nullptr);
extern "C" cudaError_t __cudaPopCallConfiguration(
    dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);

#include "simt_calls.h"

/* threadIdx and its kin */
#define SIMT_INDEX(T, register, result)                                   \
    struct T {                                                            \
        SIMT_DEVICE unsigned get_x(void)                                  \
        {                                                                 \
            return __nvvm_read_ptx_sreg_##register##_x();                 \
        }                                                                 \
        SIMT_DEVICE unsigned get_y(void)                                  \
        {                                                                 \
            return __nvvm_read_ptx_sreg_##register##_y();                 \
        }                                                                 \
        SIMT_DEVICE unsigned get_z(void)                                  \
        {                                                                 \
            return __nvvm_read_ptx_sreg_##register##_z();                 \
        }                                                                 \
        __declspec(property(get = get_x)) unsigned x;                     \
        __declspec(property(get = get_y)) unsigned y;                     \
        __declspec(property(get = get_z)) unsigned z;                     \
        SIMT_MEMBER operator result() const                               \
        {                                                                 \
            return result{ get_x(), get_y(), get_z() };                   \
        }                                                                 \
    }

SIMT_INDEX(simt_thread_index, tid, uint3);
SIMT_INDEX(simt_block_index, ctaid, uint3);
SIMT_INDEX(simt_block_size, ntid, dim3);
SIMT_INDEX(simt_grid_size, nctaid, dim3);

extern const __device__ __attribute__((weak)) simt_thread_index threadIdx;
extern const __device__ __attribute__((weak)) simt_block_index blockIdx;
extern const __device__ __attribute__((weak)) simt_block_size blockDim;
extern const __device__ __attribute__((weak)) simt_grid_size gridDim;

enum { warpSize = 32 };

#endif
