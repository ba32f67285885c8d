/* Tangled from chapters/workshop/attention-plumbing.nw, "A header for instructions".  Edit it there. */

/* ptx.cuh: instructions that C has no words for, one function each.  Those
 * of Hopper alone are in hopper.cuh. */
#ifndef OPS_KERNELS_PTX_CUH
#define OPS_KERNELS_PTX_CUH

#include <stdint.h>

/* Part of the kernels that call it; no warning where none does. */
#define DEVICE_INLINE [[maybe_unused]] __device__ static __forceinline__

/* take an exponential with the special function unit */
#define LOG2E 1.4426950408889634f
#define LN2   0.6931471805599453f

DEVICE_INLINE float fast_exp2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* take a logarithm with the special function unit */
DEVICE_INLINE float fast_log2(float x)  /* -infinity at 0 */
{
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* the reciprocal of the special function unit */
DEVICE_INLINE float fast_inverse(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* compile for GPUs before sm_80 */
/* `now`, or on GPUs before sm_80 `before` */
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
#define SINCE_SM80(now, before) now
#else
#define SINCE_SM80(now, before) before
#endif

/* take an address in shared memory */
/* The address of something in shared memory, as instructions take it. */
DEVICE_INLINE uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* store a word to shared memory */
/* With such an address, the compiler knows that it is shared memory. */
DEVICE_INLINE void store_shared(uint32_t to, uint32_t x)
{
    asm volatile("st.shared.b32 [%0], %1;" :: "r"(to), "r"(x) : "memory");
}

/* store 16 bytes to shared memory */
DEVICE_INLINE void store_shared(uint32_t to, uint4 x)
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                 :: "r"(to), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
                 : "memory");
}

/* load a word from shared memory */
DEVICE_INLINE uint32_t load_shared(uint32_t at)
{
    uint32_t x;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
    return x;
}

/* load fragments: ldmatrix */
/* Four 8 x 8 matrices; lane 8m + r names row r of matrix m, 16 bytes at
 * an address of shared memory.  _t: each transposed on the way. */
DEVICE_INLINE void ldmatrix(uint32_t d[4], uint32_t at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(at) : "memory");
}

/* load transposed fragments: ldmatrix */
DEVICE_INLINE void ldmatrix_t(uint32_t d[4], uint32_t at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(at) : "memory");
}

/* multiply small matrices */
/* mma.sync: d += a b */
/* d [16][8] = a [16][16] b [16][8], plus what was in d unless `fresh`, in
 * the registers of a warp. */
DEVICE_INLINE void
mma_m16n8k16(float d[4], const uint32_t a[4], uint32_t b0, uint32_t b1,
             bool fresh = false)
{
    [[maybe_unused]] const float c[4] = {
        fresh ? 0 : d[0], fresh ? 0 : d[1],
        fresh ? 0 : d[2], fresh ? 0 : d[3] };
    SINCE_SM80(asm(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %11, %12, %13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1),
          "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3])), __trap());
}

/* mma.sync for floats */
/* d [16][8] += a [16][8] b [8][8], of a and b the upper 19 bits of each
 * float */
DEVICE_INLINE void mma_m16n8k8(float d[4], const uint32_t a[4], uint32_t b0,
                               uint32_t b1)
{
    SINCE_SM80(asm(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0),
          "r"(b1)), __trap());
}

/* mma.sp: d += a b, of a two of four */
/* d [16][8] += a [16][32] b [32][8].  Of each four neighbours in a row of a
 * two are stored, a as a dense [16][16]; `places`, in lanes 4 g and
 * 4 g + 1, has for each four the place of the first and of the second, two
 * bits each, the first one lower; row g in the low half, g + 8 in the
 * high. */
DEVICE_INLINE void mma_sp_m16n8k32(float d[4], const uint32_t a[4],
                                   const uint32_t b[4], uint32_t places)
{
    SINCE_SM80(asm(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col"
        ".f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0x0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),
          "r"(b[2]), "r"(b[3]), "r"(places)), __trap());
}

/* copy past the registers: cp.async */
/* 16 bytes from global to shared memory, the bytes from `bytes` on zero.
 * The thread that started the copy has them when it has waited, the
 * others of its block after a barrier that follows the wait. */
DEVICE_INLINE void cp_async(uint32_t to, const void *from, int bytes)
{
    SINCE_SM80(asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;"
        :: "r"(to), "l"(from), "r"(bytes) : "memory"), __trap());
}

DEVICE_INLINE void cp_async_wait_all()  /* for all of this thread */
{
    SINCE_SM80(asm volatile("cp.async.wait_all;" ::: "memory"),
               (void)0);
}

/* wait for groups of copies: cp.async */
/* What was asked for since the last commit is a group. */
DEVICE_INLINE void cp_async_commit()
{
    SINCE_SM80(asm volatile("cp.async.commit_group;" ::: "memory"),
               (void)0);
}

/* All but the newest n groups have arrived. */
template <int n> DEVICE_INLINE void cp_async_wait()
{
    SINCE_SM80(asm volatile("cp.async.wait_group %0;" :: "n"(n)
                            : "memory"), (void)0);
}

/* cp.async of 16 bytes, on any GPU */
/* 16 bytes; on GPUs before sm_80 by way of a register, and at once */
DEVICE_INLINE void cp_async(void *to, const void *from)
{
    SINCE_SM80(asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;"
        :: "r"(shared_address(to)), "l"(from) : "memory"),
        store_shared(shared_address(to), *(const uint4 *)from));
}

#endif
