/* Tangled from chapters/course/single-precision-solutions.nw, "Three products for one".  Edit it there. */

// single-precision/three: three products for one
//
// y = x w, in fp32.  x has n rows of 16 floats between -1 and 1, w has 8
// columns of 16, each column after column; y has n rows of 8 floats.  A
// block is one warp and makes 16 rows of y.  The kernel multiplies on
// tensor cores, which cut off the lower 13 bits of each operand: its
// results are off by some 1e-3.  Make them right to 3e-5, on tensor cores,
// with at most 8 mma a block.  The fragments are those of the exercise
// single-precision/rows.

__device__ void mma(float d[4], const unsigned a[4], unsigned b0,
                    unsigned b1)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__global__ void product(float *y, const float *x, const float *w, int n)
{
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    int row = 16 * blockIdx.x + g;
    float d[4] = { 0, 0, 0, 0 };
    for (int k = 0; k < 16; k += 8) {
        float a[4] = { 0, 0, 0, 0 };
        const float *from = x + 16 * row + k + t;
        if (row < n)
            a[0] = from[0], a[2] = from[4];
        if (row + 8 < n)
            a[1] = from[128], a[3] = from[132];
        float b[2] = { w[16 * g + k + t], w[16 * g + k + t + 4] };
        unsigned bits[4];
        for (int j = 0; j < 4; j++)
            bits[j] = __float_as_uint(a[j]);
        mma(d, bits, __float_as_uint(b[0]), __float_as_uint(b[1]));
    }
    if (row < n)
        *(float2 *)(y + 8 * row + 2 * t) = make_float2(d[0], d[1]);
    if (row + 8 < n)
        *(float2 *)(y + 8 * row + 64 + 2 * t) = make_float2(d[2], d[3]);
}
