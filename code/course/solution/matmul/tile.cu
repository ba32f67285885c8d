/* Tangled from chapters/course/matmul-solutions.nw, "Matmul: a tile in shared memory".  Edit it there. */

__global__ void matmul(float *c, const float *a, const float *b, int m,
                       int n, int k)
{
    __shared__ float s_a[16][16], s_b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int first = 0; first < k; first += 16) {
        int p = first + tx, q = first + ty;
        s_a[ty][tx] = i < m && p < k ? a[i * k + p] : 0;
        s_b[ty][tx] = q < k && j < n ? b[q * n + j] : 0;
        __syncthreads();
        for (int p = 0; p < 16; p++)
            sum += s_a[ty][p] * s_b[p][tx];
        __syncthreads();
    }
    if (i < m && j < n)
        c[i * n + j] = sum;
}
