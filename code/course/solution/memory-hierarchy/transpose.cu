/* Tangled from chapters/course/memory-hierarchy-solutions.nw, "A transpose without waste".  Edit it there. */

__global__ void transpose(float *y, const float *x, int rows, int columns)
{
    __shared__ float tile[32][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8) {
        int r = blockIdx.y * 32 + k;
        if (r < rows && c < columns)
            tile[k][threadIdx.x] = x[r * columns + c];
    }
    __syncthreads();
    int r = blockIdx.y * 32 + threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8) {
        c = blockIdx.x * 32 + k;
        if (r < rows && c < columns)
            y[c * rows + r] = tile[threadIdx.x][k];
    }
}
