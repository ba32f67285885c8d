// says: out of bounds
__global__ void top_p(int *cut, const int *weight, const int *goal, int V)
{
    __shared__ int part[2][8];
    int w[8], lane = threadIdx.x % 32, warp = threadIdx.x / 32, c = 0;
    for (int k = 0; k < 8; k++) {
        int i = threadIdx.x + 256 * k;
        w[k] = weight[blockIdx.x * V + i];
    }
    int enough = goal[blockIdx.x];
    for (int bit = 15; bit >= 0; bit--) {
        int sum = 0, higher = c | 1 << bit;
        for (int k = 0; k < 8; k++)
            sum += w[k] >= higher ? w[k] : 0;
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, d);
        if (lane == 0)
            part[bit % 2][warp] = sum;
        __syncthreads();
        sum = 0;
        for (int k = 0; k < 8; k++)
            sum += part[bit % 2][k];
        if (sum >= enough)
            c = higher;
    }
    if (threadIdx.x == 0)
        cut[blockIdx.x] = c;
}
