// says: sectors read +11256 .*over
__global__ void window(float *y, const float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = i - 4; k <= i + 4; k++)
        if (k >= 0 && k < n)
            sum += x[k];
    y[i] = sum;
}
