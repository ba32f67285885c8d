/* Tangled from chapters/course/warps-solutions.nw, "Broken: a largest number".  Edit it there. */

// warps/largest: broken code
//
// y[i] is the largest number of the warp that i belongs to: of x[32 w] to
// x[32 w + 31] with w = i / 32, as far as they are among the first n.  A
// block has 128 threads.  The kernel is wrong in two ways.  It may pass
// for some numbers, and for some sizes.

__global__ void largest(float *y, const float *x, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    float most = x[i];
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_down_sync(0xffffffff, most, d));
    y[i] = most;
}
