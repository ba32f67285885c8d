/* Tangled from chapters/course/low-precision-solutions.nw, "From fp32 to bf16".  Edit it there. */

__global__ void cast(unsigned short *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned bits = __float_as_uint(x[i]);
    if ((bits & 0x7fffffff) > 0x7f800000)
        y[i] = bits >> 16 | 0x40;
    else
        y[i] = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
