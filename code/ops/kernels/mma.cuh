/* Tangled from chapters/tricks/attention.nw, "Two products".  Edit it there. */

/* mma.cuh: tensor cores of any GPU since sm_80, and what feeds them. */
#ifndef OPS_KERNELS_MMA_CUH
#define OPS_KERNELS_MMA_CUH

#include "ops/kernels/bf16.h"

#define INLINE __device__ static __forceinline__

/* instructions that came with sm_80 */
/* What GPUs before sm_80 do not have compiles for them, too. */
#if __CUDA_ARCH__ >= 800
#define ASM80 asm
#else
#define ASM80(...) __trap()
#endif

/* mma.sync: d += a b */
/* d [16][8] = a [16][16] b [16][8], plus what was in d unless `fresh`, in
 * the registers of a warp. */
INLINE void mma_m16n8k16(float d[4], const unsigned a[4], unsigned b0,
                         unsigned b1, bool fresh = false)
{
    const float c[4] = { fresh ? 0 : d[0], fresh ? 0 : d[1],
                         fresh ? 0 : d[2], fresh ? 0 : d[3] };
    ASM80("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
          "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%10, %11, %12, %13};"
          : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1),
            "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}

/* ldmatrix: fragments from shared memory */
/* Four 8 x 8 matrices; lane 8m + r names row r of matrix m, 16 bytes at
 * an address of shared memory.  _t: each transposed on the way. */
INLINE void ldmatrix(unsigned d[4], unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(at) : "memory");
}

INLINE void ldmatrix_t(unsigned d[4], unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(at) : "memory");
}

INLINE unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* cp.async: asynchronous copies of the GPU */
/* 16 bytes from global to shared memory, the bytes from `bytes` on zero */
INLINE void copy16(unsigned to, const void *from, int bytes)
{
    ASM80("cp.async.cg.shared.global [%0], [%1], 16, %2;"
          :: "r"(to), "l"(from), "r"(bytes) : "memory");
}

INLINE void copies_wait(void)           /* for all of this thread */
{
    ASM80("cp.async.wait_all;" ::: "memory");
}

#endif
