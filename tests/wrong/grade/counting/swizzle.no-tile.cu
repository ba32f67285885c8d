// says: sectors written .*over
__global__ void transpose(float *y, const float *x, int n)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8) {
        int r = blockIdx.y * 32 + k;
        if (r < n && c < n)
            y[n * c + r] = x[n * r + c];
    }
}
