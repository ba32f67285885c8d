/* Tangled from chapters/course/text-and-tokens-solutions.nw, "Broken: a batch of windows".  Edit it there. */

// text-and-tokens/windows: broken code
//
// A shard has n ids of 16 bits, 0 to 65,535, and is cut into windows of
// T + 1 ids.  Two neighbouring windows share one id, so there are
// (n - 1) / T windows; ids at the end that do not fill one are left out.
// Row b of tokens, T ints, gets the first T ids of window (first + b)
// modulo the number of windows, and row b of targets gets its last T ids.
// The grid has a block of 64 threads for each row.  n is greater than T.
// The kernel has three mistakes.

__global__ void batch(int *tokens, int *targets, const short *shard, int n,
                      int T, int first)
{
    int windows = n / T;
    const short *from = shard + (first + blockIdx.x) % windows * (T + 1);
    for (int t = threadIdx.x; t < T; t += 64) {
        tokens[blockIdx.x * T + t] = from[t];
        targets[blockIdx.x * T + t] = from[t + 1];
    }
}
