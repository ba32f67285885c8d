/* Tangled from chapters/course/counting-solutions.nw, "A transpose without padding".  Edit it there. */

__global__ void transpose(float *y, const float *x, int n)
{
    __shared__ float s[32][32];
    int row = blockIdx.y * 32, column = blockIdx.x * 32, c = threadIdx.x;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (row + r < n && column + c < n)
            s[r][c ^ r] = x[n * (row + r) + column + c];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8)
        if (column + r < n && row + c < n)
            y[n * (column + r) + row + c] = s[c][r ^ c];
}
