/* Tangled from chapters/course/matmul-solutions.nw, "Matmul: neighbours and neighbours".  Edit it there. */

__global__ void matmul(float *c, const float *a, const float *b, int m,
                       int n, int k)
{
    int i = blockIdx.y * 16 + threadIdx.y;
    int j = blockIdx.x * 16 + threadIdx.x;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int p = 0; p < k; p++)
        sum += a[i * k + p] * b[p * n + j];
    c[i * n + j] = sum;
}
