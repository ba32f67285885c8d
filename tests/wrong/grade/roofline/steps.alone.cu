// says: uninitialised: 
__global__ void steps(int *y, const int *x, int n)
{
    __shared__ int s[260], once[258];
    int t = threadIdx.x, first = blockIdx.x * 256;
    for (int k = t; k < 260; k += 256) {
        int i = first + k - 2;
        s[k] = i >= 0 && i < n ? x[i] : 0;
    }
    __syncthreads();
    for (int k = t; k < 256; k += 256) {
        int i = first + k - 1;
        once[k] = i >= 0 && i < n ? s[k] + s[k + 2] : 0;
    }
    __syncthreads();
    if (first + t < n)
        y[first + t] = once[t] + once[t + 2];
}
