// says: elements are wrong
__global__ void steps(float *y, const float *x, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    bool odd = t >= 128;
    int mine = t % 128 * 2 + odd;
    float v = s[mine];
#pragma unroll 1
    for (int k = odd ? 20 : 5; k > 0; k--)
        v = v * v - 0.5f;
    s[mine] = v;
    __syncthreads();
    if (i < n)
        y[i] = s[t];
}
