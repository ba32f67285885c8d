// says: race: |uninitialised
__global__ void matmul(float *c, const float *a, const float *b, int m,
                       int n, int k)
{
    __shared__ float s_a[2][16][16], s_b[2][16][16];
    int tx = threadIdx.x, ty = threadIdx.y, turn = 0;
    int i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int first = 0; first < k; first += 16) {
        int p = first + tx, q = first + ty;
        s_a[turn][ty][tx] = i < m && p < k ? a[i * k + p] : 0;
        s_b[turn][ty][tx] = q < k && j < n ? b[q * n + j] : 0;
        for (int p = 0; p < 16; p++)
            sum += s_a[turn][ty][p] * s_b[turn][p][tx];
        turn = 1 - turn;
    }
    if (i < m && j < n)
        c[i * n + j] = sum;
}
