/* Tangled from chapters/course/reduction-solutions.nw, "One sum of all numbers".  Edit it there. */

// reduction/sum: one sum of all numbers
//
// y[0] is 0 at the beginning, and the sum of x[0] to x[n - 1] at the end.
// The grid has 8 blocks of 256 threads, whatever n is.  The kernel is
// right, but every thread adds every number of its own to the same word
// of global memory.  One atomic addition a block is enough.

__global__ void sum(int *y, const int *x, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(y, x[i]);
}
