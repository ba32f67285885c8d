// says: elements are wrong
__global__ void window(float *y, const float *x, int n)
{
    __shared__ float s[264];    // s[4 + t]: the number of thread t
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[4 + t] = i < n ? x[i] : 0;
    if (t < 4)
        s[t] = i >= 4 ? x[i - 4] : 0;
    if (t >= 252)
        s[t + 8] = 0;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 9; k++)
        sum += s[t + k];
    if (i < n)
        y[i] = sum;
}
