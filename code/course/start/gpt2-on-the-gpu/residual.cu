/* Tangled from chapters/course/gpt2-on-the-gpu-solutions.nw, "Slow: who adds the residual?".  Edit it there. */

// gpt2-on-the-gpu/residual: slow code
//
// Two kernels are launched one after the other, both with a warp for each
// of N rows and 128 threads in a block.  All numbers are floats.  Rows of
// mid, x and y have 32 numbers, rows of a have 8, and w is 8 x 32.  In the
// end mid is a w + x, and row n of y is row n of mid, normalised.
//
// Both kernels are right.  Count the arrays of N x 32 that each of them
// reads and writes, and find a way to move one array less.  Names and
// parameters of both kernels stay.

__global__ void project(float *mid, const float *a, const float *w,
                        const float *x, int N)
{
    int i = blockIdx.x * 128 + threadIdx.x, n = i / 32, c = i % 32;
    if (n >= N)
        return;
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += a[8 * n + k] * w[32 * k + c];
    mid[i] = sum;
}

__device__ float mean(float v)
{
    for (int d = 1; d < 32; d *= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v / 32;
}

__global__ void normalise(float *y, float *mid, const float *x, int N)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i / 32 >= N)
        return;
    float v = mid[i] + x[i];
    mid[i] = v;
    float d = v - mean(v);
    y[i] = d * rsqrtf(mean(d * d) + 1e-5f);
}
