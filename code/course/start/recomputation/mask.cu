/* Tangled from chapters/course/recomputation-solutions.nw, "A mask that is not kept".  Edit it there. */

// recomputation/mask: a mask that is not kept
//
// Dropout sets half of the numbers to 0 and doubles the others.  In the
// backward pass dx[i] is 2 dy[i] where x[i] was kept, else 0.  The forward
// kernel is right: it stores which numbers it kept, 4 bytes each.  The
// backward kernel reads them.  Whether x[i] is kept depends on nothing but
// `seed` and i.  Keep nothing in memory: `mask` stays as it is.  Blocks
// have 256 threads; n is any number.

__device__ bool kept(unsigned seed, unsigned i)
{
    unsigned h = (i ^ seed) * 0x9e3779b1u;
    h = (h ^ h >> 15) * 0x85ebca77u;
    return (h ^ h >> 13) >> 31;
}

__global__ void forward(float *y, int *mask, const float *x, int seed,
                        int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    mask[i] = kept(seed, i);
    y[i] = mask[i] ? 2 * x[i] : 0;
}

__global__ void backward(float *dx, const int *mask, const float *dy,
                         int seed, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        dx[i] = mask[i] ? 2 * dy[i] : 0;
}
