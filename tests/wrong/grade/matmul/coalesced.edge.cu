// says: out of bounds|race: |uninitialised
__global__ void matmul(float *c, const float *a, const float *b, int m,
                       int n, int k)
{
    int i = blockIdx.y * 16 + threadIdx.y;
    int j = blockIdx.x * 16 + threadIdx.x;
    if (i >= m)
        return;
    float sum = 0;
    for (int p = 0; p < k; p++)
        sum += a[i * k + p] * b[p * n + j];
    c[i * n + j] = sum;
}
