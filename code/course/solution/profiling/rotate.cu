/* Tangled from chapters/course/profiling-solutions.nw, "Slow: why?".  Edit it there. */

__global__ void rotate(float *y, const float *x, const int *by, int n)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= n)
        return;
    float4 v = ((const float4 *)x)[g];
    bool one = by[g] & 1, two = by[g] & 2;
    float a = one ? v.w : v.x, b = one ? v.x : v.y;
    float c = one ? v.y : v.z, d = one ? v.z : v.w;
    ((float4 *)y)[g] = make_float4(two ? c : a, two ? d : b, two ? a : c,
                                   two ? b : d);
}
