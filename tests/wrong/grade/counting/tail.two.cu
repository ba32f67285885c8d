// says: elements are wrong|not every element
__global__ void twice(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        float4 v = ((const float4 *)x)[i];
        ((float4 *)y)[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    }
    int last = n / 4 * 4 + i;
    if (i < 1 && last < n)
        y[last] = 2 * x[last];
}
