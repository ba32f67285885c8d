// says: sectors written +24576 .*over
__global__ void transpose(float *y, const float *x, int rows, int columns)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8) {
        int r = blockIdx.y * 32 + k;
        if (r < rows && c < columns)
            y[c * rows + r] = x[r * columns + c];
    }
}
