/* Tangled from chapters/course/project-solutions.nw, "Part II: a matmul of your own".  Edit it there. */

// project/matmul: a matrix product with registers, tiles and wide loads
//
// c = a b; a has m rows of k numbers, b has k rows of n, c has m rows of n,
// one row after the other.  A block has 256 threads, in one dimension, and
// makes 64 x 64 numbers of c: blockIdx.x counts tiles along a row of c,
// blockIdx.y along a column.  All of m, n and k may be any number.  The
// budget is 1.5 times what the book's kernel counts; in each count you may
// choose where to spend it.
//
// The start is right, and reads every number from memory 64 times.

__global__ void matmul(float *c, const float *a, const float *b, int m,
                       int n, int k)
{
    for (int i = threadIdx.x; i < 64 * 64; i += 256) {
        int row = blockIdx.y * 64 + i / 64, col = blockIdx.x * 64 + i % 64;
        float sum = 0;
        for (int p = 0; row < m && col < n && p < k; p++)
            sum += a[row * k + p] * b[p * n + col];
        if (row < m && col < n)
            c[row * n + col] = sum;
    }
}
