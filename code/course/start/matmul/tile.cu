/* Tangled from chapters/course/matmul-solutions.nw, "Matmul: a tile in shared memory".  Edit it there. */

// matmul/tile: a tile in shared memory
//
// c = a b as in matmul/coalesced, with the same launch: m, n and k are
// any sizes, and a block of 16 x 16 threads computes 16 x 16 numbers of
// c.  Here each number of a and of b is read from global memory by all 16
// threads that need it.  Let the block read it once.

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
