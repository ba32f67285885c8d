// says: branches that split a warp .*over
__global__ void rotate(float *y, const float *x, const int *by, int n)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= n)
        return;
    float4 v = ((const float4 *)x)[g];
    volatile int k = by[g];
    for (; k > 0; k = k - 1)
        v = make_float4(v.w, v.x, v.y, v.z);
    ((float4 *)y)[g] = v;
}
