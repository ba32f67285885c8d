// says: past the end of
__device__ void library(float *c, const float *a, const float *b, int m,
                        int n, int k, int ta, int tb, int lda, int ldb,
                        int ldc)
{
    int t = blockIdx.x * 64 + threadIdx.x, i = t % m, j = t / m;
    float sum = 0;
    for (int p = 0; p < k && j < n; p++)
        sum += (ta ? a[p + i * lda] : a[i + p * lda]) *
               (tb ? b[j + p * ldb] : b[p + j * ldb]);
    if (j < n)
        c[i + j * ldc] = sum;
}

__global__ void matmul(float *c, const float *a, const float *b, int M,
                       int N, int K, int ta, int tb, int lda, int ldb,
                       int ldc)
{
    library(c, b, a, M, N, K, tb, ta, ldb, lda, ldc);
}
