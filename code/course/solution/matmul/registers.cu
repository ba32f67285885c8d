/* Tangled from chapters/course/matmul-solutions.nw, "Matmul: four results for each thread".  Edit it there. */

__global__ void matmul(float *c, const float *a, const float *b, int m,
                       int n, int k)
{
    __shared__ float s_a[64][16], s_b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.x * 16 + tx;
    int top = blockIdx.y * 64;
    float sum[4] = { 0, 0, 0, 0 };
    for (int first = 0; first < k; first += 16) {
        int p = first + tx, q = first + ty;
        for (int r = ty; r < 64; r += 16)
            s_a[r][tx] = top + r < m && p < k ? a[(top + r) * k + p] : 0;
        s_b[ty][tx] = q < k && j < n ? b[q * n + j] : 0;
        __syncthreads();
        for (int p = 0; p < 16; p++)
            for (int r = 0; r < 4; r++)
                sum[r] += s_a[ty + 16 * r][p] * s_b[p][tx];
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        if (top + ty + 16 * r < m && j < n)
            c[(top + ty + 16 * r) * n + j] = sum[r];
}
