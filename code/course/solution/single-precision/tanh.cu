/* Tangled from chapters/course/single-precision-solutions.nw, "Broken: one minus a square".  Edit it there. */

__global__ void tanh_backward(float *dx, const float *dy, const float *x,
                              int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float e = __expf(-2 * fabsf(x[i]));
    float r = 2 / (1 + e);
    dx[i] = dy[i] * (e * r * r);
}
