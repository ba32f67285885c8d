// says: warp instructions .*over
__global__ void warp_sums(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 32 == 0 && i < n) {
        float sum = 0;
        for (int k = i; k < i + 32 && k < n; k++)
            sum += x[k];
        y[i / 32] = sum;
    }
}
