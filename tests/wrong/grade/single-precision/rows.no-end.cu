// says: past the end of
__device__ void mma(float d[4], const unsigned a[4], unsigned b0,
                    unsigned b1)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__global__ void add_rows(float *y, const unsigned *p, const uint4 *v, int n)
{
    __shared__ uint4 s[64][9];          // rows of 36 words
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    int row = 16 * blockIdx.x + g;
    for (int i = lane; i < 64 * 8; i += 32)
        s[i / 8][i % 8] = v[i];
    __syncwarp();
    float d[4][4] = { 0 };
    for (int k = 0; k < 64; k += 8) {
        const uint2 *from = (const uint2 *)(p + 64 * row + k + 2 * t);
        uint2 upper = { 0, 0 }, lower = { 0, 0 };
        if (row < n)
            upper = from[0];
        if (row + 8 < n)
            lower = from[256];
        const unsigned a[4] = { upper.x, lower.x, upper.y, lower.y };
        for (int c = 0; c < 4; c++)
            mma(d[c], a, ((const unsigned *)s[k + 2 * t])[8 * c + g],
                ((const unsigned *)s[k + 2 * t + 1])[8 * c + g]);
    }
    for (int c = 0; c < 4; c++) {
        float2 *to = (float2 *)(y + 32 * row + 8 * c + 2 * t);
            to[0] = make_float2(d[c][0], d[c][1]);
        if (row + 8 < n)
            to[128] = make_float2(d[c][2], d[c][3]);
    }
}
