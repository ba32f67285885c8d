/* Tangled from chapters/course/operators-on-the-gpu-solutions.nw, "A grid that is smaller than the work".  Edit it there. */

// operators-on-the-gpu/gelu: a grid that is smaller than the work
//
// y[i] is gelu(x[i]) for i from 0 to n - 1.  The grid has 4 blocks of 256
// threads, whatever n is.  The kernel is right: each thread takes one
// piece of neighbouring numbers.  Let it move fewer sectors.

__device__ float gelu(float x)
{
    return x / (1 + expf(-1.702f * x));
}

__global__ void gelu_all(float *y, const float *x, int n)
{
    int piece = (n + 1023) / 1024;
    int first = (blockIdx.x * 256 + threadIdx.x) * piece;
    for (int i = first; i < n && i < first + piece; i++)
        y[i] = gelu(x[i]);
}
