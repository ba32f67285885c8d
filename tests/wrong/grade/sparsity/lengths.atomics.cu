// says: atomic requests .*over
__global__ void lengths(int *length, const float *x, int rows, int columns)
{
    __shared__ int n[4];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    int r = blockIdx.x * 4 + w;
    if (lane == 0)
        n[w] = 0;
    __syncwarp();
    for (int c = lane; r < rows && c < columns; c += 32)
        if (x[r * columns + c] != 0)
            atomicAdd(&n[w], 1);
    __syncwarp();
    if (r < rows && lane == 0)
        length[r] = n[w];
}
