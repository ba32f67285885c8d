// says: past the end of
__global__ void work(float *part, const float *a, const float *b,
                     const float *bias, int M, int K, int parts)
{
    int i = blockIdx.x * 256 + threadIdx.x, m = i / 32, n = i % 32;
    if (m >= M)
        return;
    int steps = (K + parts - 1) / parts, first = blockIdx.y * steps;
    float sum = 0;
    for (int k = first; k < first + steps; k++)
        sum += a[m * K + k] * b[k * 32 + n];
    part[blockIdx.y * M * 32 + i] = sum;
}

__global__ void finish(float *c, const float *part, const float *bias,
                       int M, int parts)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= M * 32)
        return;
    float sum = bias[i % 32];
    for (int p = 0; p < parts; p++)
        sum += part[p * M * 32 + i];
    c[i] = fmaxf(sum, 0);
}
