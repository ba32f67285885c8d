/* Tangled from chapters/course/low-precision-solutions.nw, "Loss scaling: divide, and look for infinity".  Edit it there. */

// low-precision/unscale: loss scaling after the backward pass
//
// The loss was multiplied by a scale, and so was each gradient.  Multiply
// g[0] to g[n - 1] by inverse, in place.  overflow[0] is 0 at the
// beginning; at the end it is 1 if any g[i] was infinite or a NaN.  There
// is a thread for each number, 256 in a block.  At most one thread of a
// block may write overflow[0].  Here the second half is missing.

__global__ void unscale(float *g, int *overflow, float inverse, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        g[i] *= inverse;
}
