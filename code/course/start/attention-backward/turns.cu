/* Tangled from chapters/course/attention-backward-solutions.nw, "Broken: blocks that add in turns".  Edit it there. */

// attention-backward/turns: broken code
//
// dq has T rows of 8 floats.  Block j owns a tile of 16 keys, and has
// computed its part of dq: part + 8 * T * j is a matrix like dq, in which
// only the rows from 16 j on are set, because no earlier query sees these
// keys.  A tile of 16 rows of dq is the sum of the parts that are set
// there, added in the order of the blocks, so that each run has the same
// bits.  turn[i] says which block may add to tile i next; it is 0 at the
// beginning.  A block has 128 threads, a thread for each number of a tile.
// What was in dq before means nothing.  The kernel is wrong in three ways.

__global__ void turns(float *dq, int *turn, const float *part, int T)
{
    const float *mine = part + 8 * T * blockIdx.x;
    for (int i = blockIdx.x; 16 * i < T; i++) {
        int n = 128 * i + threadIdx.x;
        if (threadIdx.x == 0) {
            while (atomicAdd(&turn[i], 0) != blockIdx.x)
                ;
            __threadfence();
        }
        __syncthreads();
        if (n < 8 * T)
            dq[n] += mine[n];
        if (threadIdx.x == 0)
            atomicExch(&turn[i], blockIdx.x + 1);
    }
}
