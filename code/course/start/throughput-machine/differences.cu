/* Tangled from chapters/course/throughput-machine-solutions.nw, "Broken: the last thread".  Edit it there. */

// throughput-machine/differences: broken code
//
// y[i] = x[i + 1] - x[i] for i = 0 to n - 2: n numbers have n - 1
// differences.  The grid has ceil(n / 256) blocks of 256 threads, or
// fewer: then each thread computes several.  The kernel is wrong in two
// ways, and right for some n.

__global__ void differences(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    do {
        y[i] = x[i + 1] - x[i];
        i += gridDim.x * blockDim.x;
    } while (i <= n - 1);
}
