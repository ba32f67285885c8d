/* Tangled from chapters/workshop/matmul-plumbing.nw, "Launching attention".  Edit it there. */

#include "ops/attention/mma.cuh"
#include "ops/fp32/fp32.h"

namespace {

/* operands of 11 or 22 bits */
/* What tensor cores cut off is made up for in the mean: a float times this
 * and cut to 11 bits is off by at most 0.7 of their last, and as often up
 * as down; one that has no more than 11 bits stays itself. */
#define ROUNDING (1 + 0.6931f / 2048)

template <int TERMS> struct Operand { unsigned part[2]; };

template <int TERMS> DEVICE_INLINE Operand<TERMS> operand(unsigned x)
{
    const float f = __uint_as_float(x);
    Operand<TERMS> o;
    o.part[0] = __float_as_uint(f * ROUNDING);
    if (TERMS == 3) {
        o.part[0] &= ~0x1fffu;
        o.part[1] = __float_as_uint((f - __uint_as_float(o.part[0]))
                                    * ROUNDING);
    }
    return o;
}

/* An operand of 16 x 8 in parts: of[0], and for three terms of[1], what is
 * left of it. */
template <int TERMS> struct FragmentA { unsigned of[TERMS / 2 + 1][4]; };

template <int TERMS> DEVICE_INLINE FragmentA<TERMS>
fragment_a(const unsigned x[4])
{
    FragmentA<TERMS> a;
    #pragma unroll
    for (int j = 0; j < 4; j++) {
        /* asm, so that the compiler does not keep x in parts */
        unsigned here = x[j];
        if (TERMS == 3)
            asm volatile("mov.b32 %0, %1;" : "=r"(here) : "r"(x[j]));
        const Operand<TERMS> o = operand<TERMS>(here);
        a.of[0][j] = o.part[0];
        if (TERMS == 3)
            a.of[TERMS / 2][j] = o.part[1];
    }
    return a;
}

/* d += a b: one product, or three, the small ones first, and their sum
 * added to d by itself */
template <int TERMS> DEVICE_INLINE void
multiply(float d[4], const FragmentA<TERMS> &a, const Operand<TERMS> &b0,
         const Operand<TERMS> &b1)
{
    if (TERMS == 1) {
        mma_m16n8k8(d, a.of[0], b0.part[0], b1.part[0]);
        return;
    }
    /* add three products to d, by way of a sum of their own */
    float sum[4] = {};
    mma_m16n8k8(sum, a.of[TERMS / 2], b0.part[0], b1.part[0]);
    mma_m16n8k8(sum, a.of[0], b0.part[1], b1.part[1]);
    mma_m16n8k8(sum, a.of[0], b0.part[0], b1.part[0]);
    #pragma unroll
    for (int j = 0; j < 4; j++)
        d[j] += sum[j];
}
}

/* the numbers of attention in floats */
/* Products of 11 bits, or of 22 in three TERMS. */
template <int TERMS> struct Tf32 {
    typedef float Number;
    typedef float2 Pair;
    enum { DEPTH = 8, UNROLL = 1, SUMS = false };
    DEVICE_INLINE Pair pair(float a, float b) { return { a, b }; }
    /* s = rows of floats times rows of a tile */
    /* s [16 M][8 N] = a times the transpose of the 8 N rows at `at` */
    template <int M, int N, int K> DEVICE_INLINE void
    dots(float (&s)[M][N][4], const unsigned (&a)[M][K][4], unsigned at)
    {
        constexpr int pitch = PITCH<Tf32, K * DEPTH>;
        at += lane_across<pitch>();
        #pragma unroll
        for (int i = 0; i < M * N * 4; i++)
            s[i / 4 / N][i / 4 % N][i % 4] = 0;
        #pragma unroll
        for (int k = 0; k < K; k++) {
            FragmentA<TERMS> row[M];
            #pragma unroll
            for (int i = 0; i < M; i++)
                row[i] = fragment_a<TERMS>(a[i][k]);
            /* multiply them by depth k of all rows of the tile */
            #pragma unroll
            for (int n = 0; n < N; n += 2) {
                unsigned w[4];
                Operand<TERMS> b[4];
                ldmatrix(w, at + n * 8 * pitch + k * 32);
                #pragma unroll
                for (int j = 0; j < 4; j++)
                    b[j] = operand<TERMS>(w[j]);
                #pragma unroll
                for (int i = 0; i < M; i++) {
                    multiply<TERMS>(s[i][n], row[i], b[0], b[1]);
                    multiply<TERMS>(s[i][n + 1], row[i], b[2], b[3]);
                }
            }
        }
    }
    /* d += p times a tile of floats */
    /* d [16 M][8 W] += p [16 M][8 N] times the 8 N rows at `at` */
    template <int M, int N, int W> DEVICE_INLINE void
    add_rows(float (&d)[M][W][4], const float (&p)[M][N][4], unsigned at)
    {
        constexpr int pitch = PITCH<Tf32, 8 * W>;
        const int lane = threadIdx.x % 32;
        at += lane % 4 * 2 * pitch + lane / 4 * 4;
        #pragma unroll
        for (int k = 0; k < N; k++, at += 8 * pitch) {
            FragmentA<TERMS> a[M];
            /* a = eight columns of p, the even ones first */
            #pragma unroll
            for (int i = 0; i < M; i++) {
                const unsigned x[4] = {
                    __float_as_uint(p[i][k][0]), __float_as_uint(p[i][k][2]),
                    __float_as_uint(p[i][k][1]), __float_as_uint(p[i][k][3]) };
                a[i] = fragment_a<TERMS>(x);
            }
            /* multiply it by rows 2t and 2t + 1 of the tile */
            #pragma unroll
            for (int n = 0; n < W; n++) {
                const Operand<TERMS>
                    even = operand<TERMS>(load_shared(at + n * 32)),
                    odd = operand<TERMS>(load_shared(at + pitch + n * 32));
                #pragma unroll
                for (int i = 0; i < M; i++)
                    multiply<TERMS>(d[i][n], a[i], even, odd);
            }
        }
    }
};

/* is there a kernel for these heads? */
static bool possible(int HS)
{
    return fp32_terms() && (HS == 32 || HS == 64 || HS == 80 || HS == 128)
        && gpu_attribute(cudaDevAttrComputeCapabilityMajor) >= 8;
}

/* launch attention in floats */
template <int TERMS>
static void forward_by(float *y, float *lse, const float *qkv, int B, int T,
                       int C, int NH)
{
    typedef Tf32<TERMS> E;
    switch (C / NH) {
    case 32: forward<E, 32, 2, 4, 3>(y, lse, qkv, B, T, C, NH); break;
    case 64: forward<E, 64, 2, 4, 2>(y, lse, qkv, B, T, C, NH); break;
    case 80: forward<E, 80, 1, 4, 2>(y, lse, qkv, B, T, C, NH); break;
    default: forward<E, 128, 1, 4, 1>(y, lse, qkv, B, T, C, NH);
    }
}

bool fp32_attention_fwd(float *y, float *lse, const float *qkv,
                        int B, int T, int C, int NH)
{
    if (!possible(C / NH))
        return false;
    if (fp32_terms() == 1)
        forward_by<1>(y, lse, qkv, B, T, C, NH);
    else
        forward_by<3>(y, lse, qkv, B, T, C, NH);
    return true;
}

template <int TERMS>
static void backward_by(float *dqkv, const float *dy, const float *qkv,
                        const float *lse, const float *delta, int B, int T,
                        int C, int NH)
{
    typedef Tf32<TERMS> E;
    typedef void Run(float *, float *, const float *, const float *,
                     const float *, const float *, int, int, int, int);
    const bool one = TERMS == 1;
    Run *q, *kv;
    /* q, kv = the kernels for heads of this size */
    switch (C / NH) {
    case 32: q = backward_q<E, 32, 1, 4, 2>;
             kv = backward_kv<E, 32, 1, 4, 2>; break;
    case 64: q = backward_q<E, 64, 1, one ? 2 : 4, one ? 3 : 2>;
             kv = backward_kv<E, 64, 1, one ? 8 : 4, 2>; break;
    case 80: q = backward_q<E, 80, 1, 2, 2>;
             kv = backward_kv<E, 80, 1, 2, 2>; break;
    default: q = backward_q<E, 128, 1, 2, 1>;
             kv = backward_kv<E, 128, 1, 2, 1>;
    }
    kv(dqkv, NULL, dy, qkv, lse, delta, B, T, C, NH);
    q(dqkv, NULL, dy, qkv, lse, delta, B, T, C, NH);
}

bool fp32_attention_bwd(float *dqkv, const float *dy, const float *qkv,
                        const float *lse, const float *delta,
                        int B, int T, int C, int NH)
{
    if (!possible(C / NH))
        return false;
    if (fp32_terms() == 1)
        backward_by<1>(dqkv, dy, qkv, lse, delta, B, T, C, NH);
    else
        backward_by<3>(dqkv, dy, qkv, lse, delta, B, T, C, NH);
    return true;
}
