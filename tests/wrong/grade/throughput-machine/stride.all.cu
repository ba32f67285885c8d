// says: sectors written +4096 .*over
__global__ void scale(float *y, const float *x, float a, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[i] = a * x[i];
}
