/* Tangled from chapters/course/fusion-solutions.nw, "Three walks over an array".  Edit it there. */

// fusion/walks: three walks over an array
//
// y[i] is sinf(x[i]) squared plus cosf(x[i]) squared.  x may hold
// infinities, for which y is a NaN.  The grid has 8 blocks of 256
// threads.  The kernel is right, and was put together from operations on
// arrays.  Find out from its counts what they cost, and fuse them.

__global__ void walks(float *y, const float *x, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += threads)
        y[i] = sinf(x[i]);
    for (int i = first; i < n; i += threads)
        y[i] *= y[i];
    for (int i = first; i < n; i += threads)
        y[i] += cosf(x[i]) * cosf(x[i]);
}
