/* Tangled from chapters/course/project-solutions.nw, "Part II: a matmul of your own".  Edit it there. */

__global__ void matmul(float *c, const float *a, const float *b, int m,
                       int n, int k)
{
    __shared__ float2 s_a[16][33];      // turned: [column][row / 2]
    __shared__ float4 s_b[16][16];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int top = blockIdx.y * 64, left = blockIdx.x * 64;
    float sum[4][4] = { };
    for (int first = 0; first < k; first += 16) {
        for (int i = 0; i < 4; i++) {
            int row = ty + 16 * i, p = first + tx;
            int q = t / 64 + 4 * i, col = left + t % 64;
            ((float *)s_a[tx])[row] =
                top + row < m && p < k ? a[(top + row) * k + p] : 0;
            ((float *)s_b[q])[t % 64] =
                first + q < k && col < n ? b[(first + q) * n + col] : 0;
        }
        __syncthreads();
        for (int p = 0; p < 16; p++) {
            float2 low = s_a[p][2 * ty], high = s_a[p][2 * ty + 1];
            float4 y = s_b[p][tx];
            float x[4] = { low.x, low.y, high.x, high.y };
            for (int i = 0; i < 4; i++) {
                sum[i][0] += x[i] * y.x;
                sum[i][1] += x[i] * y.y;
                sum[i][2] += x[i] * y.z;
                sum[i][3] += x[i] * y.w;
            }
        }
        __syncthreads();
    }
    int col = left + 4 * tx;
    for (int i = 0; i < 4; i++) {
        int row = top + 4 * ty + i;
        float *to = c + row * n + col;
        if (row < m && n % 4 == 0 && col < n)
            *(float4 *)to = make_float4(sum[i][0], sum[i][1], sum[i][2],
                                        sum[i][3]);
        for (int j = 0; n % 4 && j < 4; j++)
            if (row < m && col + j < n)
                to[j] = sum[i][j];
    }
}
