/* Tangled from chapters/course/gpt2-on-the-gpu-solutions.nw, "Broken: the same bits again".  Edit it there. */

// gpt2-on-the-gpu/again: broken code
//
// x has n sums as a matmul leaves them, in fp32.  `up` keeps two results
// in bf16, both rounded to the nearest: pre, which is x, and y, to which x
// is mapped by a cheap relative of GELU.  pre is kept until the backward
// pass.  y is not, to save memory: `again` makes it from pre a second
// time.
//
// y and again are to have the same bits, for all numbers, so that a run
// with recomputation trains the same model as one without.  What has to
// change in each of the kernels?  Repair them.  pre and the gate are
// right.  The grids have a thread for each number, in blocks of 256.

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
    pre[i] = to_bf16(x[i]);
    y[i] = to_bf16(gelu(x[i]));
}

__global__ void again(unsigned short *y, const unsigned short *pre, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = __float_as_uint(gelu(from_bf16(pre[i]))) >> 16;
}
