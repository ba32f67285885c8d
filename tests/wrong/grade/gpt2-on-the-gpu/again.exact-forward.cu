// says: \by\[.*elements are wrong
__device__ unsigned short to_bf16(float x)      // rounds to the nearest
{
    unsigned short h;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}

__device__ float from_bf16(unsigned short h)
{
    return __uint_as_float((unsigned)h << 16);
}

__device__ float gelu(float x)
{
    return x * fminf(fmaxf(fmaf(x, 0.25f, 0.5f), 0), 1);
}

__global__ void up(unsigned short *y, unsigned short *pre, const float *x,
                   int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    unsigned short rounded = to_bf16(x[i]);
    pre[i] = rounded;
    y[i] = to_bf16(gelu(x[i]));
}

__global__ void again(unsigned short *y, const unsigned short *pre, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = to_bf16(gelu(from_bf16(pre[i])));
}
