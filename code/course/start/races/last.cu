/* Tangled from chapters/course/races-solutions.nw, "The last block's sum".  Edit it there. */

// races/last: the last block adds up
//
// y[0] is the sum of x[0] to x[n - 1].  The grid has one thread for each
// number, in blocks of 256, and there are at most 256 blocks.  Part has a
// place for each block, and done[0] is 0 at the beginning.  So far, each
// block stores its sum in part, and y[0] is not written.  Let the block
// that finishes last add up the sums, in the same launch.  Of atomic
// operations there is one for each block.

__device__ int block_sum(int v, int *s)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    return s[0];
}

__global__ void total(int *y, int *part, unsigned *done, const int *x,
                      int n)
{
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    int v = block_sum(i < n ? x[i] : 0, s);
    if (t == 0)
        part[blockIdx.x] = v;
}
