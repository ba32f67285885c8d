// says: local memory: sectors .*over
__global__ void rotate(float *y, const float *x, const int *by, int n)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= n)
        return;
    float v[4];
    for (int j = 0; j < 4; j++)
        v[(j + by[g]) % 4] = x[4 * g + j];
    for (int j = 0; j < 4; j++)
        y[4 * g + j] = v[j];
}
