/* Tangled from chapters/course/throughput-machine-solutions.nw, "A grid that is smaller than the work".  Edit it there. */

// throughput-machine/stride: a grid that is smaller than the work
//
// y[i] = a * x[i] for 0 <= i < n, with four blocks of 128 threads whatever
// n is.  Each thread here takes a piece of the array.  The result is
// right, and it moves eight times as many sectors as it has to.  Why?

__global__ void scale(float *y, const float *x, float a, int n)
{
    int threads = gridDim.x * blockDim.x;
    int piece = (n + threads - 1) / threads;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
    for (int i = first; i < first + piece && i < n; i++)
        y[i] = a * x[i];
}
