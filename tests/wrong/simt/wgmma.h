/* wgmma for the known-wrong kernels: a tile of 64 x 8 x 16 bf16, without a
 * swizzle; and no lines of its own, so that a report names the kernel's. */
#include "bulk.h"

typedef unsigned short Bf16;

/* Halves of 8 numbers, eight rows of 16 bytes each: 128 bytes to the next
 * half, 256 to the next eight rows. */
INLINE unsigned long long matrix(const void *p)
{
    return (unsigned long long)(shared_at(p) >> 4)
         | 8ull << 16 | 16ull << 32;
}
INLINE void wgmma_fence(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
INLINE void wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
INLINE void wgmma_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
INLINE void wgmma_wait_1(void)
{
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
}
INLINE void hold(float *d)
{
    asm volatile("" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 :: "memory");
}
INLINE void multiply(float *d, const Bf16 *a, const Bf16 *b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(matrix(a)), "l"(matrix(b)));
}
INLINE void multiply_registers(float *d, const unsigned *a, const Bf16 *b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),
                   "l"(matrix(b)));
}

/* Both operands from global memory, fenced. */
INLINE void take(Bf16 *a, Bf16 *b, const float *x)
{
    for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x)
        a[i] = (Bf16)(0x3f80 + (int)x[i] % 4);
    for (int i = threadIdx.x; i < 8 * 16; i += blockDim.x)
        b[i] = (Bf16)(0x3f80 + (int)x[i] % 4);
    fence_proxy();
    __syncthreads();
}
INLINE void give(float *y, const float *d)
{
    for (int i = 0; i < 4; i++)
        y[threadIdx.x * 4 + i] = d[i];
}
