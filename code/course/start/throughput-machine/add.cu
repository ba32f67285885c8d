/* Tangled from chapters/course/throughput-machine-solutions.nw, "A first kernel".  Edit it there. */

// throughput-machine/add: a first kernel
//
// z[i] = x[i] + y[i] for 0 <= i < n.  The grid has blocks of 256 threads,
// as many as n elements need; the last block may have threads too many.

__global__ void add(float *z, const float *x, const float *y, int n)
{
    int i = threadIdx.x;        // which element is this thread's?
    z[i] = x[i] + y[i];
}
