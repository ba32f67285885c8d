/* Tangled from chapters/workshop/matmul-plumbing.nw, "Operators on floats".  Edit it there. */

#include "ops/fp32/fp32.h"
#include "ops/kernels/common.cuh"
#include "ops/kernels/ptx.cuh"
#include "ops/loss/max_and_sum.cuh"
#include "ops/operators.h"

/* gelu of four floats */
/* compute gelu or its derivative */
#define TWO_U 1.59576912f               /* 2 sqrt(2 / pi) */
#define CUBIC 0.044715f

/* gelu(x), or with BWD its derivative.  1 - s is not taken: its digits
 * would be those that s has lost by rounding. */
template <bool BWD> __device__ static __forceinline__ float gelu(float x)
{
    const float c = fminf(fmaxf(x, -12), 12), cc = c * c;
    const float u = c * fmaf(TWO_U * CUBIC, cc, TWO_U);
    const float du = fmaf(3 * TWO_U * CUBIC, cc, TWO_U);
    const float e = fast_exp2(-fabsf(u) * LOG2E);       /* at most 1 */
    const float r = fast_inverse(1 + e), s = u < 0 ? e * r : r;
    if (!BWD)
        return x * s;
    return x == x ? fmaf(c * (e * r * r), du, s) : x;   /* NaN: not 12 */
}

/* y = gelu(x), or with BWD dy gelu'(x).
 *   launch    ceil(n / 1024) blocks of 256 threads
 *   moves     8n bytes, 12n with BWD       ceiling   memory */
template <bool BWD>
__global__ void gelu_kernel(float *y, const float *dy, const float *x,
                            size_t n)
{
    const size_t at = 4 * ((size_t)blockIdx.x * THREADS + threadIdx.x);
    if (at + 4 <= n) {
        /* gelu, or dy times its derivative, of four */
        const float4 a = *(const float4 *)(x + at);
        float4 d = make_float4(1, 1, 1, 1);
        if (BWD)
            d = *(const float4 *)(dy + at);
        *(float4 *)(y + at) = BWD
            ? make_float4(d.x * gelu<true>(a.x),
                          d.y * gelu<true>(a.y),
                          d.z * gelu<true>(a.z),
                          d.w * gelu<true>(a.w))
            : make_float4(gelu<false>(a.x), gelu<false>(a.y),
                          gelu<false>(a.z), gelu<false>(a.w));
    } else for (size_t i = at; i < n; i++)
        y[i] = BWD ? dy[i] * gelu<true>(x[i]) : gelu<false>(x[i]);
}

/* launch gelu in floats */
bool fp32_gelu_fwd(float *y, const float *x, size_t n)
{
    if (!fp32_terms() || !fp32_aligned(y, x, NULL))
        return false;
    gelu_kernel<false><<<blocks_for(n, 4 * THREADS), THREADS, 0,
                         backend_stream()>>>(y, NULL, x, n);
    LAUNCHED();
    return true;
}

bool fp32_gelu_bwd(float *dx, const float *dy, const float *x, size_t n)
{
    if (!fp32_terms() || !fp32_aligned(dx, dy, x))
        return false;
    gelu_kernel<true><<<blocks_for(n, 4 * THREADS), THREADS, 0,
                        backend_stream()>>>(dx, dy, x, n);
    LAUNCHED();
    return true;
}

/* the loss of a row, read once */
/* Where rows are not padded, one begins at no multiple of 16: whole fours
 * from `first` on, which does. */
struct Fours { int first, n, end; };

__device__ static __forceinline__ Fours fours(const float *row, int V)
{
    Fours f;
    f.first = min((int)(-(uintptr_t)row / 4 % 4), V);
    f.n = (V - f.first) / 4;
    f.end = f.first + 4 * f.n;
    return f;
}

/* loss[n] = lse[n] - logits[n, targets[n]], a block per row.
 *   launch    N blocks of 512
 *   moves     4 NV bytes                   ceiling   memory */
__global__ void __launch_bounds__(512)
loss_kernel(float *loss, float *lse, const float *logits,
            const int32_t *targets, int V, int Vp)
{
    __shared__ float part[2][32];
    const size_t n = blockIdx.x;
    const float *row = logits + n * Vp;
    const Fours f = fours(row, V);
    const int thread = threadIdx.x;
    float m = LOWEST, sum = 0;
    /* m, sum = those of this thread's share of the row */
    for (int i = thread; i < f.n; i += blockDim.x) {
        const float4 a = ((const float4 *)(row + f.first))[i];
        const float v[4] = { a.x, a.y, a.z, a.w };
        take<4>(&m, &sum, v);
    }
    if (thread < f.first)
        take<1>(&m, &sum, row + thread);
    if (f.end + thread < V)
        take<1>(&m, &sum, row + f.end + thread);
    together(&m, &sum, part);
    if (thread == 0) {
        const float log_sum = vlog(sum);
        lse[n] = m + log_sum;
        loss[n] = (m - row[targets[n]]) + log_sum;
    }
}

/* the gradient of a row of logits */
__device__ static __forceinline__ float slope(float x, float lse,
                                              float scale, bool target)
{
    return scale * (fast_exp2((x - lse) * LOG2E) - (target ? 1 : 0));
}

/* dlogits[n,:] = scale (softmax(logits[n,:]) - one at the target).
 *   launch    N blocks of 512
 *   moves     8 NV bytes                   ceiling   memory */
__global__ void __launch_bounds__(512)
loss_gradient_kernel(float *dlogits, const float *logits, const float *lse,
                     const int32_t *targets, float scale, int V, int Vp)
{
    const size_t n = blockIdx.x;
    const float *row = logits + n * Vp, l = lse[n];
    float *to = dlogits + n * Vp;
    const Fours f = fours(row, V);
    const int thread = threadIdx.x, at = targets[n];
    /* the gradients of four neighbours at a time */
    for (int i = thread; i < f.n; i += blockDim.x) {
        const int v = f.first + 4 * i;
        const float4 a = *(const float4 *)(row + v);
        *(float4 *)(to + v) = make_float4(
            slope(a.x, l, scale, v == at),
            slope(a.y, l, scale, v + 1 == at),
            slope(a.z, l, scale, v + 2 == at),
            slope(a.w, l, scale, v + 3 == at));
    }
    /* those at both ends, and the padding */
    if (thread < f.first)
        to[thread] = slope(row[thread], l, scale, thread == at);
    const int v = f.end + thread;
    if (v < V)
        to[v] = slope(row[v], l, scale, v == at);
    if (V + thread < Vp)
        to[V + thread] = 0;
}

/* launch the loss in floats */
bool fp32_crossentropy_fwd(float *loss, float *lse, const float *logits,
                           const int32_t *targets, int N, int V, int Vp)
{
    if (!fp32_terms())
        return false;
    profile_range("loss");
    loss_kernel<<<N, 512, 0, backend_stream()>>>(loss, lse, logits, targets,
                                              V, Vp);
    LAUNCHED();
    return true;
}

bool fp32_crossentropy_bwd(float *dlogits, const float *logits,
                           const float *lse, const int32_t *targets,
                           float scale, int N, int V, int Vp)
{
    if (!fp32_terms() || ((uintptr_t)dlogits - (uintptr_t)logits) % 16
        || Vp - V > 512)
        return false;
    profile_range("loss bwd");
    loss_gradient_kernel<<<N, 512, 0, backend_stream()>>>(
        dlogits, logits, lse, targets, scale, V, Vp);
    LAUNCHED();
    return true;
}
