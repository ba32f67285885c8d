/* Tangled from chapters/course/attention-on-hopper-solutions.nw, "Broken: the next work tile".  Edit it there. */

// attention-on-hopper/next: broken code
//
// A persistent kernel.  x and y have `all` tiles of 128 numbers, the last
// one perhaps shorter: n numbers in total.  y[i] is x[i] squared.  The
// grid has four blocks of 128 threads.  A block begins with the tile of
// its own number, and then takes tiles from the counter taken[0] until it
// gets a number that is no tile.  The counter is 0 at the beginning, and
// must be 0 at the end, for the next launch.  The kernel is wrong in three
// ways.

__global__ void persistent(float *y, unsigned *taken, const float *x,
                           int all, int n)
{
    __shared__ int tile;
    if (threadIdx.x == 0)
        tile = blockIdx.x;
    while (true) {
        __syncthreads();
        if (tile >= all)
            break;
        int i = 128 * tile + threadIdx.x;
        if (i < n)
            y[i] = x[i] * x[i];
        if (threadIdx.x == 0)
            tile = atomicAdd(taken, 1);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *taken = 0;
}
