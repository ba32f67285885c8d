// says: part\[[0-9]+\] is
__global__ void work(float *y, float *part, const float *x, int tiles,
                     int steps)
{
    int b = blockIdx.x, blocks = gridDim.x, rows = tiles * steps;
    int begin = b * rows / blocks, end = (b + 1) * rows / blocks;
    for (int k = begin; k < end;) {
        int tile = k / steps, stop = min((tile + 1) * steps, end);
        float *to = stop - k > steps ? y + 32 * tile
                                      : part + 64 * b + 32 * (k > begin);
        float sum = 0;
        for (; k < stop; k++)
            sum += x[32 * k + threadIdx.x];
        to[threadIdx.x] = sum;
    }
}

__global__ void join(float *y, const float *part, int tiles, int steps,
                     int blocks)
{
    int rows = tiles * steps, first = blockIdx.x * steps;
    int b = ((first + 1) * blocks - 1) / rows;
    int last = ((first + steps) * blocks - 1) / rows;
    if (b == last)
        return;                         // it was whole
    float sum = 0;
    for (; b <= last; b++) {
        bool second = b * rows / blocks < first;
        sum += part[64 * b + 32 * second + threadIdx.x];
    }
    y[32 * blockIdx.x + threadIdx.x] = sum;
}
