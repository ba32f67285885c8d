/* Tangled from chapters/course/low-precision-solutions.nw, "From fp32 to bf16".  Edit it there. */

// low-precision/cast: from fp32 to bf16
//
// y[i] is x[i] as bf16: the nearest number of bf16, and of two equally
// near the one whose last bit is 0.  What is too large becomes infinity,
// and infinity stays.  A NaN becomes the upper half of its bits, with bit
// 6 set, so that it stays a NaN.  A block has 256 threads, and there is a
// thread for each number.  Use integer arithmetic only.  Here the lower
// half is dropped: that rounds toward zero.

__global__ void cast(unsigned short *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __float_as_uint(x[i]) >> 16;
}
