/* Tangled from chapters/course/single-precision-solutions.nw, "Three products for one".  Edit it there. */

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
        float v[6] = { 0, 0, 0, 0,      // a[0] to a[3], b0 and b1
                       w[16 * g + k + t], w[16 * g + k + t + 4] };
        const float *from = x + 16 * row + k + t;
        if (row < n)
            v[0] = from[0], v[2] = from[4];
        if (row + 8 < n)
            v[1] = from[128], v[3] = from[132];
        unsigned first[6], rest[6];
        for (int j = 0; j < 6; j++) {
            first[j] = __float_as_uint(v[j]) & ~0x1fffu;
            rest[j] = __float_as_uint(v[j] - __uint_as_float(first[j]));
        }
        mma(d, rest, first[4], first[5]);
        mma(d, first, rest[4], rest[5]);
        mma(d, first, first[4], first[5]);
    }
    if (row < n)
        *(float2 *)(y + 8 * row + 2 * t) = make_float2(d[0], d[1]);
    if (row + 8 < n)
        *(float2 *)(y + 8 * row + 64 + 2 * t) = make_float2(d[2], d[3]);
}
