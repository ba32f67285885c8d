// says: not right yet
__global__ void reverse(float *x, int n)
{
    __shared__ float s[256];
    int first = blockIdx.x * 256;
    int t = threadIdx.x;
    if (first + t < n)
        s[t] = x[first + t];
    __syncthreads();
    if (first + t < n)
        x[first + t] = s[255 - t];
}
