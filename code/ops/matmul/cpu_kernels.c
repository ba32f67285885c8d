/* Tangled from chapters/workshop/measuring-a-cpu.nw, "The rest of the matmul".  Edit it there. */

#include "ops/matmul/cpu_tile.h"

#include <string.h>

/* transpose four by four */
typedef real Quad __attribute__((vector_size(4 * sizeof(real)),
                                 aligned(sizeof(real)), may_alias));
#define QUAD(p) (*(const Quad *)(p))
#if defined(__clang__) || __GNUC__ >= 12
#define MIX(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#define TWO(p, q) MIX(QUAD(p), QUAD(q), 0, 1, 2, 3, 4, 5, 6, 7)
#define FOUR(p, q, r, s) MIX(TWO(p, q), TWO(r, s), 0, 1, 2, 3, 4, 5, 6, \
                             7, 8, 9, 10, 11, 12, 13, 14, 15)
#else

/* transpose four by four, for GCC 11 */
typedef __typeof__(__builtin_choose_expr(sizeof(real) == 8, 0ll, 0)) Place;
#define MIX(x, y, ...)                                              \
    __extension__ ({                                                \
        typedef Place Order __attribute__((vector_size(sizeof(x)))); \
        __builtin_shuffle(x, y, (Order){ __VA_ARGS__ });            \
    })
#define SIDE_BY_SIDE(n, ...)                                        \
    __extension__ ({                                                \
        const real *const from[] = { __VA_ARGS__ };                 \
        real joined __attribute__((vector_size(n * sizeof(Quad)))); \
        for (int i_ = 0; i_ < n; i_++)                              \
            memcpy((Quad *)&joined + i_, from[i_], sizeof(Quad));   \
        joined;                                                     \
    })
#define TWO(p, q) SIDE_BY_SIDE(2, p, q)
#define FOUR(p, q, r, s) SIDE_BY_SIDE(4, p, q, r, s)
#endif

/* what is only for x86-64 or ARM */
#if defined(__x86_64__) && !defined(REAL_IS_DOUBLE)
#define GEMM_X86
#include <immintrin.h>

/* kernels for x86-64 */
#define NAME avx512
#define TARGET __attribute__((target("avx512f")))
#define LANES 16
#define ROWS 8
#define VECS 3
#define FMA(a, b, c) \
    __asm__("vfmadd231ps %1, %2, %0" : "+v"(c) : "v"(a), "v"(b))
#define STREAM(p, v) _mm512_stream_ps(p, (__m512)(v))
#include "ops/matmul/cpu_microkernel.h"

#define NAME avx2
#define TARGET __attribute__((target("avx2,fma")))
#define LANES 8
#define ROWS 6
#define VECS 2
#define FMA(a, b, c) \
    __asm__("vfmadd231ps %1, %2, %0" : "+x"(c) : "x"(a), "x"(b))
#define STREAM(p, v) _mm256_stream_ps(p, (__m256)(v))
#include "ops/matmul/cpu_microkernel.h"

/* ask an x86-64 processor */
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#if defined(__ARM_NEON) && !defined(REAL_IS_DOUBLE)
#define GEMM_NEON
#include <arm_neon.h>

/* a kernel for ARM */
#define NAME neon
#define TARGET
#define LANES 4
#define ROWS 8
#define VECS 3
#define FMA(a, b, c) (c) = (neon_vec)vfmaq_f32((float32x4_t)(c), \
                               (float32x4_t)(a), (float32x4_t)(b))
#define STREAM(p, v) (*(neon_vec *)(p) = (v))
#include "ops/matmul/cpu_microkernel.h"
#endif

/* a portable kernel */
#define NAME portable
#define TARGET
#define LANES 4
#define ROWS 4
#define VECS 2
#define FMA(a, b, c) (c) += (a) * (b)
#define STREAM(p, v) (*(portable_vec *)(p) = (v))
#include "ops/matmul/cpu_microkernel.h"
static bool always(void)
{
    return true;
}

/* the table of kernels */
const struct Kernel gemm_kernels[] = {
#ifdef GEMM_X86
    { "avx512", 8, 48, 192, true, has_avx512, avx512_tile, avx512_pack,
      avx512_few },
    { "avx2", 6, 16, 48, true, has_avx2, avx2_tile, avx2_pack,
      avx2_few },
#endif
#ifdef GEMM_NEON
    { "neon", 8, 12, 48, false, always, neon_tile, neon_pack,
      neon_few },
#endif
    { "portable", 4, 8, 48, false, always, portable_tile, portable_pack,
      portable_few },
    { NULL, 0, 0, 0, false, NULL, NULL, NULL, NULL },
};
