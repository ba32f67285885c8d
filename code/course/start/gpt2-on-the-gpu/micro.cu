/* Tangled from chapters/course/gpt2-on-the-gpu-solutions.nw, "Broken: a sum over micro-batches".  Edit it there. */

// gpt2-on-the-gpu/micro: broken code
//
// db[c] is to be the sum of column c of a batch of gradients, in fp32.
// The batch comes as micro-batches, with a launch for each.  dy has the N
// rows of one micro-batch, with C columns of bf16.  `add` is 0 for the
// first micro-batch and 1 for the others.  Before the first one db has
// what an earlier step has left, and that step may have failed.  The grid
// has a thread for each column, in blocks of 64.  Repair the kernel: the
// result is to be as exact as a sum in fp32.

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

__global__ void bias(float *db, const unsigned short *dy, int N, int C,
                     int add)
{
    int c = blockIdx.x * 64 + threadIdx.x;
    if (c >= C)
        return;
    unsigned short sum = 0;
    for (int n = 0; n < N; n++)
        sum = to_bf16(from_bf16(sum) + from_bf16(dy[n * C + c]));
    db[c] = add * db[c] + from_bf16(sum);
}
