// says: out of bounds
__global__ void twice(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n)
        return;
    float4 v = ((const float4 *)x)[i];
    ((float4 *)y)[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}
