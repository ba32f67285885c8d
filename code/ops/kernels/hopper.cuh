/* Tangled from chapters/workshop/attention-plumbing.nw, "Hopper's instructions".  Edit it there. */

/* hopper.cuh: the instructions of sm_90a that C has no words for, one
 * function each. */
#ifndef OPS_KERNELS_HOPPER_CUH
#define OPS_KERNELS_HOPPER_CUH

#include "backend/cuda_stream.cuh"
#include "backend/driver.h"
#include "ops/kernels/ptx.cuh"

enum { GROUP = 128 };           /* threads of a warpgroup */

/* ask whether there is a Hopper, and code for it */
/* Compute capability 9.0, and this program compiled for it. */
static inline bool is_hopper(void)
{
    bool compiled = false;
    for (int arch : { __CUDA_ARCH_LIST__ })
        compiled |= arch == 900;
    return compiled
        && gpu_attribute(cudaDevAttrComputeCapabilityMajor) == 9
        && gpu_attribute(cudaDevAttrComputeCapabilityMinor) == 0;
}

/* initialise an mbarrier */
/* A barrier in shared memory, 8 bytes.  A phase ends when `arrivals` have
 * arrived and every byte that was announced has come. */
DEVICE_INLINE void mbarrier_init(uint64_t *bar, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :: "r"(shared_address(bar)), "r"(arrivals) : "memory");
}

/* The thread that set barriers up makes them visible to TMA;
 * __syncthreads() then to the other threads. */
DEVICE_INLINE void mbarrier_init_done()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* wait for bytes: mbarrier */
DEVICE_INLINE void mbarrier_arrive(uint64_t *bar)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];"
                 :: "r"(shared_address(bar)) : "memory");
}

/* Arrive, and announce bytes that TMA will bring. */
DEVICE_INLINE void mbarrier_expect(uint64_t *bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 "
                 "_, [%0], %1;"
                 :: "r"(shared_address(bar)), "r"(bytes) : "memory");
}

/* Wait for the end of the phase with this parity: 0, 1, 0, 1, ...  On a
 * fresh barrier, waiting for parity 1 returns at once. */
DEVICE_INLINE void mbarrier_wait(uint64_t *bar, uint32_t parity)
{
    asm volatile("{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}" :: "r"(shared_address(bar)), "r"(parity) : "memory");
}

/* test an mbarrier, or wait for two */
/* Has it ended?  May wait a moment for it. */
DEVICE_INLINE bool mbarrier_test(uint64_t *bar, uint32_t parity)
{
    uint32_t ended;
    asm volatile("{\n"
        ".reg .pred done;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
        "selp.u32 %0, 1, 0, done;\n"
        "}" : "=r"(ended) : "r"(shared_address(bar)), "r"(parity)
        : "memory");
    return ended;
}

DEVICE_INLINE void mbarrier_wait_both(uint64_t *a, uint32_t a_parity,
                                      uint64_t *b, uint32_t b_parity)
{
    asm volatile("{\n"
        ".reg .pred p, q;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 q, [%2], %3;\n"
        "and.pred p, p, q;\n"
        "@!p bra again;\n"
        "}" :: "r"(shared_address(a)), "r"(a_parity),
               "r"(shared_address(b)), "r"(b_parity) : "memory");
}

/* walk around a ring of stages */
/* A place in a ring of n stages, and the parity of this time around. */
struct Ring { int stage; uint32_t parity; };

template <int n> DEVICE_INLINE void advance(Ring &r)
{
    if (++r.stage == n)
        r = Ring{ 0, r.parity ^ 1 };
}

/* load and store boxes of a tensor: TMA */
/* The box of `map` at (x, y, z) into shared memory, 1024-byte aligned; its
 * bytes count on bar.  Called by one thread.  What lies outside of the
 * tensor comes as zeros, and counts. */
DEVICE_INLINE void tma_load(void *to, const CUtensorMap *map, uint64_t *bar,
                            int x, int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
                 "[%2];"
                 :: "r"(shared_address(to)), "l"(map),
                    "r"(shared_address(bar)), "r"(x), "r"(y), "r"(z)
                 : "memory");
}

/* The other way.  What lies outside of the tensor is not written. */
DEVICE_INLINE void tma_store(const CUtensorMap *map, const void *from,
                             int x, int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile"
                 ".bulk_group [%0, {%2, %3, %4}], [%1];"
                 :: "l"(map), "r"(shared_address(from)),
                    "r"(x), "r"(y), "r"(z) : "memory");
}

/* load neighbouring bytes: TMA */
/* `bytes` from global to shared memory, a multiple of 16, as both addresses
 * are; they count on bar.  Called by one thread. */
DEVICE_INLINE void bulk_load(void *to, const void *from, int bytes,
                             uint64_t *bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(shared_address(to)), "l"(from), "r"(bytes),
                    "r"(shared_address(bar)) : "memory");
}

/* wait for stores of TMA */
/* Stores of this thread so far are one group. */
DEVICE_INLINE void tma_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* All but the newest n groups have read shared memory: it may be used
 * again. */
template <int n> DEVICE_INLINE void tma_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(n) : "memory");
}

/* describe a tensor to TMA */
/* The tensor bf16 [nz][ny][nx] at p, rows `pitch` elements apart, planes
 * ny pitch; boxes of [1][rows][64], swizzled by 128 bytes.  p 16-byte
 * aligned, pitch % 8 == 0, rows <= 256.  If it cannot be described, the
 * backend has failed, and no kernel must be given the map. */
static inline CUtensorMap tensor_map(const void *p, int nx, int ny, int nz,
                                     size_t pitch, int rows)
{
    /* list sizes, strides and the box, innermost dimension first */
    const cuuint64_t size[] = { (cuuint64_t)nx, (cuuint64_t)ny,
                                (cuuint64_t)nz };
    const cuuint64_t stride[] = { pitch * 2, pitch * 2 * size[1] };
    const cuuint32_t box[] = { 64, (cuuint32_t)rows, 1 };
    const cuuint32_t every[] = { 1, 1, 1 };
    /* find the driver's function */
    typedef CUresult Encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t,
        void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
        const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
        CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    static Encode *encode;
    if (!encode)
        encode = (Encode *)driver_function("cuTensorMapEncodeTiled", 12000);
    /* encode the map */
    CUtensorMap map = {};
    if (!encode)
        return map;
    CUresult e = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3,
        (void *)p, size, stride, box, every,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (e != CUDA_SUCCESS)
        backend_failed("cuTensorMapEncodeTiled: error %d for bf16 [%d][%d][%d] "
                       "at %p, rows %zu apart, boxes of %d rows: p must be "
                       "16-byte aligned, the distance a multiple of 8", (int)e,
                       nz, ny, nx, p, pitch, rows);
    return map;
}


/* order shared memory for TMA and the tensor cores */
/* What this thread wrote to shared memory with ordinary stores can be read
 * by TMA and the tensor cores after the next barrier. */
DEVICE_INLINE void fence_proxy_async()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}


/* stmatrix: fragments to shared memory */
/* Four matrices of 8 x 8 bf16: lane 8m + r names row r of matrix m. */
#define STMATRIX(name, how)                                              \
DEVICE_INLINE void name(uint32_t to, const uint32_t *x)                  \
{                                                                        \
    asm volatile("stmatrix.sync.aligned.m8n8.x4" how ".shared.b16 "      \
                 "[%0], {%1, %2, %3, %4};"                               \
                 :: "r"(to), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])  \
                 : "memory");                                            \
}
STMATRIX(stmatrix, "")
STMATRIX(stmatrix_t, ".trans")          /* each matrix transposed */


/* synchronise some of the warps */
/* Barrier `id` (1 to 15; 0 is __syncthreads) of `threads` threads. */
DEVICE_INLINE void named_barrier_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(threads) : "memory");
}


/* give and take registers */
/* Called by all of a warpgroup; n registers a thread, a multiple of 8. */
template <int n> DEVICE_INLINE void registers_give_up()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(n));
}

template <int n> DEVICE_INLINE void registers_take()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(n));
}


/* start wgmma and wait for it */
DEVICE_INLINE void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

DEVICE_INLINE void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* All but the newest n groups of matmuls are done. */
template <int n> DEVICE_INLINE void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(n) : "memory");
}

/* To the compiler, x changes here: no use of it moves across.  Needed
 * after the wait for what a matmul has written. */
template <int n> DEVICE_INLINE void wgmma_hold(float (&x)[n])
{
    for (int i = 0; i < n; i++)
        asm volatile("" : "+f"(x[i]) :: "memory");
}

/* hold operand registers of wgmma */
template <int n> DEVICE_INLINE void wgmma_hold(uint32_t (&x)[n])
{
    for (int i = 0; i < n; i++)
        asm volatile("" : "+r"(x[i]) :: "memory");
}

/* describe a matrix to the tensor cores */
/* A matrix in shared memory of rows of 128 bytes in the 128-byte swizzle,
 * starting at a multiple of 1024 bytes (or a step along k further).
 * lead: bytes to the next 64 columns, if it is transposed and has them. */
DEVICE_INLINE uint64_t wgmma_matrix(const void *p, uint32_t lead = 16)
{
    return (uint64_t)(shared_address(p) >> 4 & 0x3fff)
         | (uint64_t)(lead >> 4) << 16
         | (uint64_t)(1024 >> 4) << 32      /* eight rows further */
         | (uint64_t)1 << 62;               /* 128-byte swizzle */
}

/* The descriptor whose lower half this is: of a matrix a few steps of 16
 * bytes further in, the lower half plus their number. */
DEVICE_INLINE uint64_t wgmma_matrix_at(uint32_t low)
{
    uint64_t whole;
    asm("mov.b64 %0, {%1, %2};"
        : "=l"(whole) : "r"(low), "r"(1024 / 16 | 1u << 30));
    return whole;
}

/* list the registers of wgmma */
#define WGMMA_LIST32                                                     \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "  \
    "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "  \
    "%28, %29, %30, %31"
#define WGMMA_LIST64 WGMMA_LIST32 ", "                                   \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, "  \
    "%45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "  \
    "%58, %59, %60, %61, %62, %63"

#define WGMMA_SUMS8(d, i)                                                \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]),          \
    "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define WGMMA_SUMS32(d, i)                                               \
    WGMMA_SUMS8(d, i), WGMMA_SUMS8(d, i + 8), WGMMA_SUMS8(d, i + 16),    \
    WGMMA_SUMS8(d, i + 24)
#define WGMMA_SUMS64(d, i)  WGMMA_SUMS32(d, i), WGMMA_SUMS32(d, i + 32)


/* multiply two matrices in shared memory */
/* d[64][N] = a[64][16] b[16][N], plus d if add: bf16 products, fp32 sums.
 * a is stored [64][16], b [N][16]: rows along k; with ta or tb, it is
 * [16][64] or [16][N].  SIZE is N / 2, the others are numbers of operands.
 * Thread t of the warpgroup has rows 16 (t / 32) + t % 32 / 4 and 8 more,
 * columns 8 i + 2 (t % 4) and 1 more:
 * d[4 i .. 4 i + 3] = two of the first row, two of the second. */
#define WGMMA_SHARED(N, SIZE, A, B, ADD, TA, TB)                         \
template <int ta = 0, int tb = 0> DEVICE_INLINE void                     \
wgmma_m64n##N(float (&d)[SIZE], uint64_t a, uint64_t b, int add)         \
{                                                                        \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " ADD ", 0;\n"        \
        "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {"     \
        WGMMA_LIST##SIZE "}, " A ", " B ", p, 1, 1, " TA ", " TB ";\n}"  \
        : WGMMA_SUMS##SIZE(d, 0)                                         \
        : "l"(a), "l"(b), "r"(add), "n"(ta), "n"(tb));                   \
}

WGMMA_SHARED(64, 32, "%32", "%33", "%34", "%35", "%36")
WGMMA_SHARED(128, 64, "%64", "%65", "%66", "%67", "%68")


/* multiply registers by a matrix in shared memory */
/* The same with a in four registers of each thread, two bf16 in each: for
 * its rows r, r + 8 and columns c = 2 (t % 4), (r, c), (r + 8, c),
 * (r, c + 8), (r + 8, c + 8) and the next column of each. */
#define WGMMA_REGISTERS(N, SIZE, A, B, ADD, TB)                          \
template <int tb = 0> DEVICE_INLINE void                                 \
wgmma_m64n##N(float (&d)[SIZE], const uint32_t *a, uint64_t b, int add)  \
{                                                                        \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " ADD ", 0;\n"        \
        "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {"     \
        WGMMA_LIST##SIZE "}, {" A "}, " B ", p, 1, 1, " TB ";\n}"        \
        : WGMMA_SUMS##SIZE(d, 0)                                         \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add),  \
          "n"(tb));                                                      \
}

WGMMA_REGISTERS(64, 32, "%32, %33, %34, %35", "%36", "%37", "%38")
WGMMA_REGISTERS(128, 64, "%64, %65, %66, %67", "%68", "%69", "%70")

#endif
