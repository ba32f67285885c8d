// says: multiplications of floats .*over
__global__ void product(float *y, const float *x, const float *w, int n)
{
    for (int i = threadIdx.x; i < 128; i += 32) {
        int row = 16 * blockIdx.x + i / 8;
        float sum = 0;
        for (int k = 0; k < 16 && row < n; k++)
            sum += x[16 * row + k] * w[i % 8 * 16 + k];
        if (row < n)
            y[8 * row + i % 8] = sum;
    }
}
