/* Tangled from chapters/course/reduction-solutions.nw, "A histogram".  Edit it there. */

// reduction/histogram: count numbers
//
// y[b] counts how many of x[0] to x[n - 1] are b, for 0 <= b < 64.  All
// of y is 0 at the beginning.  The grid has 8 blocks of 256 threads.  The
// kernel is right, and makes an atomic addition to global memory for each
// number.  64 for each block are enough.

__global__ void histogram(int *y, const int *x, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&y[x[i]], 1);
}
