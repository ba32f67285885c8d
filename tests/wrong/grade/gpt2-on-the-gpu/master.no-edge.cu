// says: past the end of
__device__ unsigned short to_bf16(float x)      // rounds to the nearest
{
    unsigned short h;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}

__global__ void step(float *w, unsigned short *copy, const float *g,
                     float rate, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (n <= 0)
        return;
    float v = w[i] - rate * g[i];
    w[i] = v;
    copy[i] = to_bf16(v);
}
