/* Tangled from chapters/course/warps-solutions.nw, "Slow: odd and even".  Edit it there. */

// warps/steps: slow code
//
// y[i] is x[i] after k steps of v = v * v - 0.5, with k = 20 if i is even
// and k = 5 if i is odd.  A block has 256 threads.  The kernel is right,
// but half of the lanes wait for the other half.  Find out from its counts
// what that costs.  Then let no warp have both kinds, and load and store
// each sector once, as now.

__global__ void steps(float *y, const float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    int k = i % 2 ? 5 : 20;
#pragma unroll 1
    for (; k > 0; k--)
        v = v * v - 0.5f;
    y[i] = v;
}
