/* Tangled from chapters/workshop/quantised-weights.nw, "On a GPU".  Edit it there. */

#include "ops/kernels/common.cuh"
#include "ops/operators.h"

enum { OUTPUTS = 2, OUTPUT_WARPS = 4, TEXTS_AT_ONCE = 4 };

/* turn four codes into floats, and multiply */
template <int BITS>
DEVICE_INLINE float code_value(unsigned word, int i)
{
    if (BITS == 8)
        return (float)(signed char)(word >> 8 * i);
    const unsigned bits = (word >> 4 * i & 15) ^ 0x4b000008u;
    return __uint_as_float(bits) - 8388616.0f;
}

/* The i-th codes of four words */
template <int BITS>
DEVICE_INLINE float dot4(uint4 codes, int i, float4 x)
{
    float sum = code_value<BITS>(codes.x, i) * x.x;
    sum = fmaf(code_value<BITS>(codes.y, i), x.y, sum);
    sum = fmaf(code_value<BITS>(codes.z, i), x.z, sum);
    return fmaf(code_value<BITS>(codes.w, i), x.w, sum);
}


/* multiply four words of codes */
/* sum[r][t] += the lane's weights k .. of output r times text t */
template <int BITS, int TEXTS>
DEVICE_INLINE void
add_words(float (&sum)[OUTPUTS][TEXTS], const uint4 (&codes)[OUTPUTS],
          const bf16 *const (&scales)[OUTPUTS], int k, int shift, int last,
          const float4 *x, int stride)
{
    float scale[OUTPUTS] = {};
    #pragma unroll
    for (int i = 0; i < 32 / BITS; i++) {
        if ((k + 16 * i) % (1 << shift) == 0 || i == 0)
            for (int r = 0; r < OUTPUTS; r++)
                scale[r] = bf16_to_float(
                    scales[r][min((k + 16 * i) / (1 << shift), last)]);
        #pragma unroll
        for (int t = 0; t < TEXTS; t++) {
            const float4 v = x[t * stride + 32 * i];
            #pragma unroll
            for (int r = 0; r < OUTPUTS; r++)
                sum[r][t] = fmaf(dot4<BITS>(codes[r], i, v), scale[r],
                                 sum[r][t]);
        }
    }
}


/* put the inputs into shared memory, in the order of the lanes */
template <int BITS>
DEVICE_INLINE void put_inputs(float4 *to, const float *x, int K, int Kp)
{
    const int each = 512 / BITS;            /* weights of a block */
    for (int k = 4 * threadIdx.x; k < Kp; k += 4 * blockDim.x) {
        const int block = k / each, i = k % each / 16;
        const int lane = block % 8 * 4 + k % 16 / 4;
        to[(block / 8 * (32 / BITS) + i) * 32 + lane] = make_float4(
            k < K ? x[k] : 0, k + 1 < K ? x[k + 1] : 0,
            k + 2 < K ? x[k + 2] : 0, k + 3 < K ? x[k + 3] : 0);
    }
}


/* the kernel of a quantised matrix */
struct QuantisedArgs {
    const uint4 *codes;
    const bf16 *scales;
    int N, K, Kp, shift;            /* a group has 2^shift weights */
    int stride;                     /* float4 of a text in shared memory */
};

/* launch    N / 8 blocks of 4 warps      shared  16 stride TEXTS bytes
 * moves     the codes and scales once    ceiling memory */
template <int BITS, int TEXTS>
__global__ void __launch_bounds__(32 * OUTPUT_WARPS)
quantised_kernel(float *y, const float *x, const float *b, int texts,
                 QuantisedArgs a)
{
    extern __shared__ float4 inputs[];
    const int lane = threadIdx.x % 32, each = 512 / BITS;
    const int n = (blockIdx.x * OUTPUT_WARPS + threadIdx.x / 32) * OUTPUTS;
    const int groups = (a.K - 1) / (1 << a.shift) + 1;
    float sum[OUTPUTS][TEXTS] = {};
    for (int t = 0; t < TEXTS; t++)
        put_inputs<BITS>(inputs + t * a.stride, x + (size_t)t * a.K,
                         t < texts ? a.K : 0, a.Kp);
    __syncthreads();
    #pragma unroll 4
    for (int k = lane / 4 * each; k < a.Kp; k += 8 * each) {
        /* load the codes at k, and multiply */
        uint4 codes[OUTPUTS];
        const bf16 *scales[OUTPUTS];
        #pragma unroll
        for (int r = 0; r < OUTPUTS; r++) {
            const size_t row = min(n + r, a.N - 1);
            codes[r] = a.codes[(row * (a.Kp / each) + k / each) * 4 + lane % 4];
            scales[r] = a.scales + row * groups;
        }
        add_words<BITS, TEXTS>(sum, codes, scales, k, a.shift, groups - 1,
                               inputs + k / (8 * each) * each * 2 + lane,
                               a.stride);
    }
    /* add the lanes, and write the outputs */
    #pragma unroll
    for (int r = 0; r < OUTPUTS; r++)
        #pragma unroll
        for (int t = 0; t < TEXTS; t++) {
            const float all = warp_sum(sum[r][t]);
            if (lane == 0 && n + r < a.N && t < texts)
                y[(size_t)t * a.N + n + r] = all + (b ? b[n + r] : 0);
        }
}


/* launch the kernel of a quantised matrix */
template <int BITS, int TEXTS>
static bool launch(float *y, const float *x, const float *b, int texts,
                   const QuantisedArgs &a)
{
    const size_t shared = (size_t)TEXTS * a.stride * sizeof(float4);
    if (!allow_shared_memory(quantised_kernel<BITS, TEXTS>, shared))
        return false;
    quantised_kernel<BITS, TEXTS>
        <<<blocks_for(a.N, OUTPUTS * OUTPUT_WARPS), 32 * OUTPUT_WARPS,
           shared, backend_stream()>>>(y, x, b, texts, a);
    LAUNCHED();
    return true;
}

void cuda_quantised_linear(real *y, const real *x,
                           const struct Quantised *q, const real *b, int M)
{
    /* the arguments of the kernel of a quantised matrix */
    const int Kp = (int)quantised_width(q);
    const int round = q->type == WEIGHTS_INT4 ? 1024 : 512;
    QuantisedArgs a = { (const uint4 *)q->codes, q->scales, q->N, q->K, Kp, 0,
                        (Kp + round - 1) / round * round / 4 };
    while (1 << a.shift < q->group)
        a.shift++;
    const bool four = q->type == WEIGHTS_INT4;
    const int most = M == 1 ? 1 : TEXTS_AT_ONCE;
    bool good = true;
    profile_range("quantised");
    for (int m = 0; good && m < M; m += most, y += (size_t)most * q->N,
                                   x += (size_t)most * q->K) {
        const int texts = M - m < most ? M - m : most;
        if (most == 1)
            good = four ? launch<4, 1>(y, x, b, texts, a)
                        : launch<8, 1>(y, x, b, texts, a);
        else
            good = four ? launch<4, TEXTS_AT_ONCE>(y, x, b, texts, a)
                        : launch<8, TEXTS_AT_ONCE>(y, x, b, texts, a);
    }
}
