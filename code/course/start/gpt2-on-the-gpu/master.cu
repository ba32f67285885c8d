/* Tangled from chapters/course/gpt2-on-the-gpu-solutions.nw, "Master weights".  Edit it there. */

// gpt2-on-the-gpu/master: master weights
//
// w has n weights in fp32, and copy the same weights in bf16, each rounded
// to the nearest.  One step subtracts rate * g[i] from weight i.  The
// grader runs eight steps, each on the weights and the copy that the step
// before has left.  The grid has a thread for each weight, in blocks of
// 256.
//
// The kernel below steps from the copy, and most weights never change: the
// step is less than half the distance to the next bf16 number.  Step the
// weights in fp32, and write both w and copy.

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

__global__ void step(float *w, unsigned short *copy, const float *g,
                     float rate, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        copy[i] = to_bf16(from_bf16(copy[i]) - rate * g[i]);
}
