/* Tangled from chapters/course/single-precision-solutions.nw, "Broken: one minus a square".  Edit it there. */

// single-precision/tanh: broken code
//
// dx[i] = dy[i] (1 - tanh(x[i])^2), the derivative of tanh times a
// gradient.  For a large |x[i]| it is small, and still wanted with a
// relative error below 2e-5, down to results of 1e-37, below which 0 will
// do.  The kernel is fast enough; its results have lost their digits.
// Repair it.  A NaN in x or dy becomes a NaN.  The grid has a thread for
// each number, in blocks of 256.

__global__ void tanh_backward(float *dx, const float *dy, const float *x,
                              int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float e = __expf(-2 * x[i]);
    float t = 2 / (1 + e) - 1;
    dx[i] = dy[i] * (1 - t * t);
}
