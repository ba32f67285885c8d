/* Tangled from chapters/course/tensor-cores-solutions.nw, "Broken: sums of columns".  Edit it there. */

__device__ void mma(float d[4], const unsigned a[4], const unsigned b[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
          "r"(b[1]));
}

__global__ void columns(float *y, float *part, const unsigned *x,
                        const unsigned *w, int n)
{
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    int row = 16 * blockIdx.x + g;
    unsigned a[4] = { 0, 0, 0, 0 };
    if (row < n)
        a[0] = x[8 * row + t], a[2] = x[8 * row + t + 4];
    if (row + 8 < n)
        a[1] = x[8 * row + t + 64], a[3] = x[8 * row + t + 68];
    const unsigned b[2] = { w[8 * g + t], w[8 * g + t + 4] };
    float d[4] = { 0, 0, 0, 0 };
    mma(d, a, b);
    float even = 0, odd = 0;
    if (row < n) {
        *(float2 *)(y + 8 * row + 2 * t) = make_float2(d[0], d[1]);
        even = d[0], odd = d[1];
    }
    if (row + 8 < n) {
        *(float2 *)(y + 8 * row + 64 + 2 * t) = make_float2(d[2], d[3]);
        even += d[2], odd += d[3];
    }
    for (int i = 4; i < 32; i *= 2) {
        even += __shfl_xor_sync(~0u, even, i);
        odd += __shfl_xor_sync(~0u, odd, i);
    }
    if (g == 0)
        *(float2 *)(part + 8 * blockIdx.x + 2 * t) = make_float2(even, odd);
}
