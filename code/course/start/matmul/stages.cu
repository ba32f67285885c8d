/* Tangled from chapters/course/matmul-solutions.nw, "Matmul, broken: two tiles that take turns".  Edit it there. */

// matmul/stages: broken code
//
// c = a b as in matmul/tile.  Two tiles of each operand take turns, so
// that one barrier a step is enough: while some warps still read one
// tile, others may store the other.  Repair it for all m, n and k.

__global__ void matmul(float *c, const float *a, const float *b, int m,
                       int n, int k)
{
    __shared__ float s_a[2][16][16], s_b[2][16][16];
    int tx = threadIdx.x, ty = threadIdx.y, turn = 0;
    int i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int first = 0; first < k; first += 16) {
        int p = first + tx, q = first + ty;
        s_a[turn][ty][tx] = i < m ? a[i * k + p] : 0;
        s_b[turn][ty][tx] = j < n ? b[q * n + j] : 0;
        __syncthreads();
        for (int p = 0; p < 16; p++)
            sum += s_a[turn][ty][p] * s_b[turn][p][tx];
    }
    if (i < m && j < n)
        c[i * n + j] = sum;
}
