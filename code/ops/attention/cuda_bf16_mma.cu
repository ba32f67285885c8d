/* Tangled from chapters/workshop/attention-plumbing.nw, "The files of attention".  Edit it there. */

#include "ops/attention/attention_bf16_impls.h"
#include "ops/attention/mma.cuh"

/* describe the numbers in bf16 */
struct Bf16 {
    typedef bf16 Number;
    typedef unsigned Pair;
    enum {
        DEPTH = 16,             /* numbers of a row in a fragment */
        UNROLL = 8,             /* a tile's loop: all of it */
        SUMS = true             /* are sums of columns wanted? */
    };
    /* round two numbers to bf16 */
    DEVICE_INLINE Pair pair(float a, float b) { return pack_two(a, b); }

    /* multiply rows by the rows of a tile */
    /* s [16 M][8 N] = a times the transpose of the 8 N rows at `at` */
    template <int M, int N, int K> DEVICE_INLINE void
    dots(float (&s)[M][N][4], const unsigned (&a)[M][K][4], unsigned at)
    {
        constexpr int pitch = PITCH<Bf16, K * DEPTH>;
        at += lane_across<pitch>();
        #pragma unroll
        for (int k = 0; k < K; k++)
            #pragma unroll
            for (int n = 0; n < N; n += 2) {
                /* multiply by 16 rows of the tile, transposed */
                unsigned b[4];
                ldmatrix(b, at + n * 8 * pitch + k * 32);
                #pragma unroll
                for (int i = 0; i < M; i++) {
                    mma_m16n8k16(s[i][n], a[i][k], b[0], b[1], k == 0);
                    mma_m16n8k16(s[i][n + 1], a[i][k], b[2], b[3], k == 0);
                }
            }
    }
    /* add probabilities times a tile */
    /* d [16 M][8 W] += p [16 M][8 N], rounded to bf16, times the 8 N rows at
     * `at` */
    template <int M, int N, int W> DEVICE_INLINE void
    add_rows(float (&d)[M][W][4], const float (&p)[M][N][4], unsigned at)
    {
        constexpr int pitch = PITCH<Bf16, 8 * W>;
        at += lane_down<pitch>();
        #pragma unroll
        for (int k = 0; k < N / 2; k++) {
            unsigned a[M][4];
            /* round 16 columns of p to fragment a */
            #pragma unroll
            for (int i = 0; i < M; i++)
                for (int j = 0; j < 4; j++)
                    a[i][j] = pack_two(p[i][2 * k + j / 2][j % 2 * 2],
                                       p[i][2 * k + j / 2][j % 2 * 2 + 1]);
            #pragma unroll
            for (int n = 0; n < W; n += 2) {
                /* multiply by 16 rows and 16 columns of the tile */
                unsigned b[4];
                ldmatrix_t(b, at + k * 16 * pitch + n * 16);
                #pragma unroll
                for (int i = 0; i < M; i++) {
                    mma_m16n8k16(d[i][n], a[i], b[0], b[1]);
                    mma_m16n8k16(d[i][n + 1], a[i], b[2], b[3]);
                }
            }
        }
    }
};

/* launch attention in bf16 */
/* Has the GPU what the kernels need? */
static bool has_bf16(void)
{
    const int major = gpu_attribute(cudaDevAttrComputeCapabilityMajor);
    if (major < 8)
        backend_failed("attention in bf16: this GPU's tensor cores do not "
                       "know bf16, compute capability %d; 8.0 is needed: "
                       "use --precision fp32", major);
    return major >= 8;
}

void attention_bf16_fwd_mma(bf16 *y, float *lse, const bf16 *qkv, int B,
                            int T, int C, int NH)
{
    if (!has_bf16())
        return;
    switch (C / NH) {
    case 32: forward<Bf16, 32, 2, 4, 3>(y, lse, qkv, B, T, C, NH); break;
    case 64: forward<Bf16, 64, 2, 4, 3>(y, lse, qkv, B, T, C, NH); break;
    case 80: forward<Bf16, 80, 2, 4, 2>(y, lse, qkv, B, T, C, NH); break;
    default: forward<Bf16, 128, 1, 8, 2>(y, lse, qkv, B, T, C, NH);
    }
}

template <int HS, int MQ, int NQ, int MK, int NK>
static void backward(bf16 *dqkv, struct FlashSums *sums, const bf16 *dy,
                     const bf16 *qkv, const float *lse, const float *dsum,
                     int B, int T, int C, int NH)
{
    backward_kv<Bf16, HS, MK, NK, 0>(dqkv, sums->v, dy, qkv, lse, dsum, B,
                                     T, C, NH);
    backward_q<Bf16, HS, MQ, NQ, 0>(dqkv, sums->q, dy, qkv, lse, dsum, B, T,
                                    C, NH);
    sums->q_parts = B * (int)blocks_for(T, 64 * MQ);
    sums->v_parts = B * (int)blocks_for(T, 64 * MK);
}

void attention_bf16_bwd_mma(bf16 *dqkv, struct FlashSums *sums,
                            const bf16 *dy, const bf16 *qkv,
                            const float *lse, const float *dsum, int B,
                            int T, int C, int NH)
{
    void (*run)(bf16 *, struct FlashSums *, const bf16 *, const bf16 *,
                const float *, const float *, int, int, int, int);
    if (!has_bf16())
        return;
    switch (C / NH) {
    case 32: run = backward<32, 2, 4, 2, 2>; break;
    case 64: run = backward<64, 2, 4, 2, 2>; break;
    case 80: run = backward<80, 2, 2, 1, 4>; break;
    default: run = backward<128, 1, 2, 1, 2>;
    }
    run(dqkv, sums, dy, qkv, lse, dsum, B, T, C, NH);
}
