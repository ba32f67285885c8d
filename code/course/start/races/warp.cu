/* Tangled from chapters/course/races-solutions.nw, "Broken: a sum in the way of 2007".  Edit it there. */

// races/warp: broken code
//
// y[r] is the sum of the 32 numbers x[32 r] to x[32 r + 31], for r from 0
// to rows - 1.  A block of 256 threads has eight rows, one for each warp.
// The kernel was written when the lanes of a warp ran in step.  Repair
// it, with barriers of the warp or with shuffles.  A barrier of the block
// is not needed.

__global__ void sum_rows(int *y, const int *x, int rows)
{
    __shared__ int shared[256];
    int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
    volatile int *s = shared + threadIdx.x;
    s[0] = x[32 * row + lane];
    s[0] += s[16];
    s[0] += s[8];
    s[0] += s[4];
    s[0] += s[2];
    s[0] += s[1];
    if (lane == 0)
        y[row] = s[0];
}
