// says: past the end of
__device__ float cut(float x)
{
    return __uint_as_float(__float_as_uint(x) & ~0x1fffu);
}

__global__ void split(float *parts, const float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i > n)
        return;
    float v = x[i], first = isfinite(v) ? cut(v) : v;
    float rest = isfinite(v) ? v - first : 0, second = cut(rest);
    parts[i] = first;
    parts[n + i] = second;
    parts[2 * n + i] = rest - second;
}
