// Every function of the headers once, so that each compiler sees them all.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <algorithm>
#include <cmath>
#include <vector>

__constant__ float coefficient[4];
__device__ float total;

__global__ void __launch_bounds__(256, 2)
warps(unsigned *out, const int *in, unsigned long long *wide, double *d)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = 0xffffffffu;
    int v = in[i];
    float f = v;
    unsigned r = __ballot_sync(all, v > 0) + __activemask();
    r += __all_sync(all, v) + __any_sync(all, v) + __uni_sync(all, v);
    r += __shfl_sync(all, v, 3) + __shfl_up_sync(all, r, 1);
    r += __shfl_down_sync(all, v, 1, 16) + __shfl_xor_sync(all, r, 16);
    f += __shfl_xor_sync(all, f, 8) + (float)__shfl_sync(all, d[i], 0);
    wide[i] = __shfl_down_sync(all, wide[i], 1);
    int same;
    r += __match_any_sync(all, v) + __match_all_sync(all, wide[i], &same);
    r += __reduce_add_sync(all, v) + __reduce_max_sync(all, r) +
         __reduce_or_sync(all, r);
    r += __popc(r) + __clz(v) + __ffs(v) + __brev(r) + __popcll(wide[i]) +
         __clzll(wide[i]) + __byte_perm(r, v, 0x3210) + __umulhi(r, r) +
         __mulhi(v, v) + __funnelshift_l(r, r, v);
    __syncwarp();
    __syncthreads();
    r += __syncthreads_count(v) + __syncthreads_or(v) + same;
    __threadfence();
    __threadfence_block();
    out[i] = r + __float_as_uint(f) + __ldg(in + i) + min(v, 3) +
             max(r, 5u) + __float2int_rn(f) + std::max(v, 7);
    r += min(v, 5u) + max(5u, v) + (min(d[i], f) > max(f, d[i]));
    __stcs(out + i, r);
    assert(r != 12345);
    if (i == 0)
        printf("%d %f\n", v, f);
}

__global__ void atomics(int *i, unsigned *u, unsigned long long *l,
                        float *f, double *d)
{
    __shared__ int s[4];
    s[threadIdx.x % 4] = 0;
    __syncthreads();
    atomicAdd(&s[1], 1);
    atomicAdd(i, atomicSub(&s[2], 2) + atomicExch(&s[3], 3));
    atomicAdd(u, 1u);
    atomicAdd(l, 1ull);
    atomicAdd(f, 1.0f);
    atomicAdd(d, 1.0);
    atomicAdd(&total, coefficient[s[1] & 3]);
    atomicMin(i, 1);
    atomicMax(u, 2u);
    atomicMax(l, 2ull);
    atomicAnd(u, 3u);
    atomicOr(i, 4);
    atomicXor(u, atomicInc(u, 7u) + atomicDec(u, 7u));
    atomicCAS(i, 1, 2);
    *l = atomicCAS(l, 1ull, 2ull);
    *f = atomicExch(f, 2.0f);
}

__global__ void numbers(float *y, const float4 *x, double *d)
{
    float4 v = x[threadIdx.x];
    float2 p = make_float2(v.x, v.y);
    float a = v.x, b = v.y, s, c;
    sincosf(a, &s, &c);
    a += expf(a) + exp2f(b) + expm1f(a) + logf(a) + log2f(b) + log10f(a) +
         log1pf(b) + powf(a, b) + sqrtf(a) + rsqrtf(b) + cbrtf(a) +
         hypotf(a, b) + s + c + tanf(a) + tanhf(b) + erff(a) + erff(b);
    a += __expf(a) + __logf(b) + __powf(a, b) + __sinf(a) + __cosf(b) +
         __fdividef(a, b) + __frcp_rn(a) + __fsqrt_rn(b) + __saturatef(a);
    a += fmaf(a, b, s) + fmaxf(a, b) + fminf(a, b) + fabsf(a) + floorf(b) +
         ceilf(a) + truncf(b) + rintf(a) + roundf(b) + copysignf(a, b) +
         fmodf(a, b);
    a += exp(a) + log(b) + sin(a) + cos(b) + tanh(a) + sqrt(b) + pow(a, b) +
         max(a, b) + min(a, b) + abs(-3) + fabs(b) + p.x;
    a += std::isnan(b) || isinf(a) ? 1.0f : 0.0f;
    *d = sqrt(*d) + fma(*d, *d, 1.0) + fmax(*d, 2.0) + floor(*d);
    y[threadIdx.x] = a;
}

__global__ void narrow(float *y, const __nv_bfloat16 *x, __nv_bfloat162 *z,
                       const half *h, half2 *h2)
{
    int i = threadIdx.x;
    float a = __bfloat162float(x[i]) + __half2float(h[i]);
    __nv_bfloat162 p = z[i];
    z[i] = __hfma2(p, p, __floats2bfloat162_rn(a, a));
    h2[i] = __hadd2(h2[i], __hmul2(h2[i], __floats2half2_rn(a, 1)));
    half q = h[i] * h[i] + h[i] - __habs(h[i]) / h[i];
    __nv_bfloat16 s = x[i];
    s += x[i + 1];
    s = __hmul(s, s) - __hmax(s, x[i]);
    y[i] = a + (float)q + (float)s + (s > x[i] ? 1.0f : 0.0f) +
           __bfloat1622float2(p).x + __low2float(p) + __high2float(h2[i]);
}

template <int N> __global__ void dynamic(float *x)
{
    extern __shared__ float buffer[];
    buffer[threadIdx.x] = N;
    __syncthreads();
    x[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x] + gridDim.x;
}

int main(void)
{
    std::vector<float> h(100, expf(1) + max(1.0f, 2.0f));
    std::sort(h.begin(), h.end());
    float *x;
    half one = 1.0f;
    cudaMalloc(&x, 100 * sizeof *x);
    cudaMemcpyToSymbol(coefficient, h.data(), sizeof coefficient);
    cudaFuncSetAttribute(dynamic<3>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    int blocks;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic<3>, 32, 0);
    dynamic<3><<<dim3(1, 1), 32, 65536, cudaStreamLegacy>>>(x);
    cudaMemcpy(h.data(), x, sizeof(float), cudaMemcpyDefault);
    cudaFree(x);

    size_t pitch;
    int grid, block, least, greatest;
    cudaPointerAttributes a;
    cudaMallocPitch(&x, &pitch, 100, 3);
    cudaMemset2D(x, pitch, 0, 100, 3);
    cudaPointerGetAttributes(&a, x);
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, dynamic<3>);
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    if (pitch % 512 || a.type != cudaMemoryTypeDevice || block != 1024 ||
        grid != 264)
        return 1;
    cudaFree(x);
    return h[0] == 4 && (float)(one + one) == 2 ? 0 : 1;
}
