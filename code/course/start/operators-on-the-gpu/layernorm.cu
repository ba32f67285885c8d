/* Tangled from chapters/course/operators-on-the-gpu-solutions.nw, "Broken: LayerNorm, a warp for each row".  Edit it there. */

// operators-on-the-gpu/layernorm: broken code
//
// x has N rows of C numbers.  In y each row is normalised: the mean of the
// row is subtracted, and the difference is divided by sqrt(v + 1e-5).
// v is the mean of the squares of the differences.  A block has 256
// threads, and each of its eight warps takes one row.  Repair the kernel
// for all N and C, and for rows whose mean is far from 0.

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

__global__ void layernorm(float *y, const float *x, int N, int C)
{
    int lane = threadIdx.x % 32;
    int n = blockIdx.x * 8 + threadIdx.x / 32;
    x += n * C;
    y += n * C;
    float sum = 0, squares = 0;
    for (int c = lane; c < C; c += 32) {
        sum += x[c];
        squares += x[c] * x[c];
    }
    float m = warp_sum(sum) / C;
    float v = warp_sum(squares) / C - m * m;
    for (int c = lane; c < C; c += 32)
        y[c] = (x[c] - m) / sqrtf(v + 1e-5f);
}
