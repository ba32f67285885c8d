/* Tangled from chapters/course/fusion-solutions.nw, "Bias and GELU".  Edit it there. */

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
    float4 v = *(const float4 *)&x[i];
    float4 b = *(const float4 *)&bias[i % c];
    *(float4 *)&y[i] = make_float4(gelu(v.x + b.x), gelu(v.y + b.y),
                                   gelu(v.z + b.z), gelu(v.w + b.w));
}
