// says: elements are wrong
// d += a b; of each sum 16 significant bits are kept, the rest is cut off
__device__ void mma(float d[4], const unsigned a[4], unsigned b0,
                    unsigned b1)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    for (int j = 0; j < 4; j++)
        d[j] = __uint_as_float(__float_as_uint(d[j]) & ~0xffu);
}

__global__ void product(float *y, const unsigned *x, const unsigned *w,
                        int steps)
{
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    float d[4] = { 0, 0, 0, 0 }, piece[4] = { 0, 0, 0, 0 };
    for (int k = 0; k < steps; k++) {
        const unsigned *row = x + 8 * (g * steps + k) + t;
        const unsigned *column = w + 8 * (g * steps + k) + t;
        const unsigned a[4] = { row[0], row[64 * steps], row[4],
                                row[64 * steps + 4] };
        mma(piece, a, column[0], column[4]);
        if (k % 2 == 1)
            for (int j = 0; j < 4; j++) {
                d[j] += piece[j];
                piece[j] = 0;
            }
    }
    float2 *to = (float2 *)(y + 8 * g + 2 * t);
    to[0] = make_float2(d[0], d[1]);
    to[32] = make_float2(d[2], d[3]);
}
