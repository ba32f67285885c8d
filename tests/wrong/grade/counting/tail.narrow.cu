// says: requests to read .*over
__global__ void twice(float *y, const float *x, int n)
{
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int i = first; i < first + 4 && i < n; i++)
        y[i] = 2 * ((volatile const float *)x)[i];
}
