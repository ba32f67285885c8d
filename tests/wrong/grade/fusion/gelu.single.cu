// says: requests to (read|write) .*over
__device__ float gelu(float v)
{
    float u = 0.7978845608f * (v + 0.044715f * v * v * v);
    return v / (1 + __expf(-2 * u));
}

__global__ void gelu(float *y, const float *x, const float *bias, int c,
                     int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= n)
        return;
    for (int k = i; k < i + 4; k++)
        y[k] = gelu(x[k] + bias[k % c]);
}
