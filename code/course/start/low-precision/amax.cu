/* Tangled from chapters/course/low-precision-solutions.nw, "Broken: the largest magnitude".  Edit it there. */

// low-precision/amax: broken code
//
// y[0] is 0 at the beginning, and at the end the largest |x[i]|, from
// which a tensor gets its scale.  If any x[i] is a NaN, so is y[0].  The
// grid has 8 blocks of 256 threads.  Repair it: there are three mistakes.
// An atomic operation for each block is allowed.

__global__ void amax(float *y, const float *x, int n)
{
    __shared__ float s[8];
    int t = threadIdx.x;
    float v = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += 8 * 256)
        v = fmaxf(v, fabsf(x[i]));
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_down_sync(0xffffffff, v, d));
    if (t % 32 == 0)
        s[t / 32] = v;
    if (t == 0) {
        for (int w = 1; w < 8; w++)
            v = fmaxf(v, s[w]);
        if (v > y[0])
            y[0] = v;
    }
}
