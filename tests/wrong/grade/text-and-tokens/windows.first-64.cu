// says: not every element of tokens was written
__global__ void batch(int *tokens, int *targets,
                      const unsigned short *shard, int n, int T, int first)
{
    int windows = (n - 1) / T;
    const unsigned short *from =
        shard + (first + blockIdx.x) % windows * T;
    for (int t = threadIdx.x; t < T && t < 64; t += 64) {
        tokens[blockIdx.x * T + t] = from[t];
        targets[blockIdx.x * T + t] = from[t + 1];
    }
}
