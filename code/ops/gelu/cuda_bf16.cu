/* Tangled from chapters/workshop/fused-details.nw, "GELU".  Edit it there. */

#include "ops/gelu/gelu_bf16.h"
#include "ops/kernels/common.cuh"
#include "ops/kernels/ptx.cuh"
#include "ops/operators.h"

/* gelu_bf16: one number */
#define TWO_U 1.5957691216057308f       /* 2 sqrt(2 / pi) */
#define CUBIC 0.044715f

__device__ static __forceinline__ float gelu(float x)
{
    const float c = fminf(fmaxf(x, -12), 12);
    const float u = c * fmaf(TWO_U * CUBIC * LOG2E, c * c, TWO_U * LOG2E);
    return x * fast_inverse(1 + fast_exp2(-u));
}

/* the derivative: s + x s (1 - s) du, s = sigmoid(2u) */
__device__ static __forceinline__ float gelu_slope(float x)
{
    const float c = fminf(fmaxf(x, -12), 12), cc = c * c;
    const float u = c * fmaf(TWO_U * CUBIC * LOG2E, cc, TWO_U * LOG2E);
    const float s = fast_inverse(1 + fast_exp2(-u));
    const float du = fmaf(3 * TWO_U * CUBIC, cc, TWO_U);
    const float slope = fmaf(c * du, fmaf(-s, s, s), s);
    return x == x ? slope : x;          /* fmaxf has lost a NaN */
}

/* gelu_bf16: packs */
enum { EACH = 2 };                      /* packs for each thread */

/* gelu_bf16: the kernel */
/* y = gelu(x), or with BWD dy gelu'(x).
 *   launch    ceil(n / 4096) blocks of 256 threads with 2 packs each
 *   moves     4n bytes, 6n with BWD        ceiling   memory */
template <bool BWD>
__global__ void gelu_bf16_kernel(bf16 *y, const bf16 *dy, const bf16 *x,
                                 size_t n)
{
    size_t at = 8 * ((size_t)blockIdx.x * EACH * THREADS + threadIdx.x);
    Pack<8> px[EACH], pd[EACH];
    /* read the packs of this thread */
    #pragma unroll
    for (int k = 0; k < EACH; k++) {
        const size_t from = at + 8 * THREADS * k;
        px[k] = pd[k] = Pack<8>{};
        if (from + 8 <= n) {
            px[k] = pack_load<8>(x + from);
            if (BWD)
                pd[k] = pack_load<8>(dy + from);
        } else if (from < n) {              /* the last, not a whole pack */
            /* read the last, shorter pack k */
            float v[8] = {}, d[8] = {};
            for (int i = 0; from + i < n; i++) {
                v[i] = bf16_to_float(x[from + i]);
                if (BWD)
                    d[i] = bf16_to_float(dy[from + i]);
            }
            pack_put(&px[k], v);
            pack_put(&pd[k], d);
        }
    }
    #pragma unroll
    for (int k = 0; k < EACH; k++, at += 8 * THREADS) {
        /* compute and store pack k */
        float v[8], d[8];
        pack_get(v, px[k]);
        pack_get(d, pd[k]);
        #pragma unroll
        for (int i = 0; i < 8; i++)
            v[i] = BWD ? d[i] * gelu_slope(v[i]) : gelu(v[i]);
        pack_put(&px[k], v);
        if (at + 8 <= n)
            pack_store(y + at, px[k]);
        else for (int i = 0; at + i < n; i++)
            y[at + i] = float_to_bf16(v[i]);
    }
}

void cuda_gelu_bf16_fwd(bf16 *y, const bf16 *x, size_t n)
{
    gelu_bf16_kernel<false><<<blocks_for(n, 8 * EACH * THREADS), THREADS, 0,
                           backend_stream()>>>(y, NULL, x, n);
    LAUNCHED();
}

void gelu_bf16_bwd(bf16 *dx, const bf16 *dy, const bf16 *x, size_t n)
{
    gelu_bf16_kernel<true><<<blocks_for(n, 8 * EACH * THREADS), THREADS, 0,
                          backend_stream()>>>(dx, dy, x, n);
    LAUNCHED();
}
