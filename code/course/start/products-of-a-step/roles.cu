/* Tangled from chapters/course/products-of-a-step-solutions.nw, "A column-major library".  Edit it there. */

// products-of-a-step/roles: a column-major library
//
// The function `library` is like cuBLASLt: it takes matrices that are
// stored column after column.  Their element (i, j) is at i + j*ld.  It
// computes c = op(a) op(b), which is m x n; each element is a sum of k
// terms.  op(a) is a, or a transposed if ta is not 0, and the same holds
// for b.  Leave it as it is.
//
// Our matrices are stored row after row.  Their element (i, j) is at i*ld
// + j, and ld may be larger than a row.  We want c = op(a) op(b), which is
// M x N, with sums of K terms, and ta and tb mean the same.  The call
// below is wrong.  One right call is enough, and no matrix has to be
// copied.  The grid has a thread for each element of c, in blocks of 64.

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
    library(c, a, b, M, N, K, ta, tb, lda, ldb, ldc);
}
