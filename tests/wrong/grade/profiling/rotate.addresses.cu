// says: sectors written .*over
__global__ void rotate(float *y, const float *x, const int *by, int n)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= n)
        return;
    float4 v = ((const float4 *)x)[g];
    int k = by[g];
    y[4 * g + k] = v.x;
    y[4 * g + (k + 1) % 4] = v.y;
    y[4 * g + (k + 2) % 4] = v.z;
    y[4 * g + (k + 3) % 4] = v.w;
}
