/* Tangled from chapters/course/matmul-solutions.nw, "Matmul: neighbours and neighbours".  Edit it there. */

// matmul/coalesced: whose neighbour is whose?
//
// c = a b: c[i * n + j] is the sum over p of a[i * k + p] * b[p * n + j].
// a has m rows of k numbers, b has k rows of n.  A block has 16 x 16
// threads and computes 16 x 16 numbers of c; blockIdx.x counts such tiles
// along a row of c, blockIdx.y along a column.  The kernel is right.  Find
// out from its counts why it reads four times as many sectors as it has
// to, and change two lines.

__global__ void matmul(float *c, const float *a, const float *b, int m,
                       int n, int k)
{
    int i = blockIdx.y * 16 + threadIdx.x;
    int j = blockIdx.x * 16 + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    for (int p = 0; p < k; p++)
        sum += a[i * k + p] * b[p * n + j];
    c[i * n + j] = sum;
}
