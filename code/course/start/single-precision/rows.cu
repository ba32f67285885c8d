/* Tangled from chapters/course/single-precision-solutions.nw, "Slow: rows that meet in banks".  Edit it there. */

// single-precision/rows: slow code
//
// y = p v in TF32.  p has n rows of 64 numbers, v has 64 rows of 32, y has
// n rows of 32 floats.  A number of p or v is given by the bits of a float
// whose lower 13 bits are 0.  A block is one warp and makes 16 rows of y.
//
// Of lane 4 g + t (t < 4), a[0] to a[3] are row g, column t; row g + 8,
// column t; row g, column t + 4; row g + 8, column t + 4.  b0 and b1 are
// rows t and t + 4 of column g.  d[0] and d[1] are row g, columns 2 t and
// 2 t + 1; d[2] and d[3] the same of row g + 8.
//
// The kernel is right.  Its reads of shared memory have bank conflicts,
// and it reads p in half sectors.  Repair both.  The rows of s must stay
// 36 words long, because ldmatrix wants that elsewhere.

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
        const unsigned *from = p + 64 * row + k + t;
        unsigned a[4] = { 0, 0, 0, 0 };
        if (row < n)
            a[0] = from[0], a[2] = from[4];
        if (row + 8 < n)
            a[1] = from[512], a[3] = from[516];
        for (int c = 0; c < 4; c++)
            mma(d[c], a, ((const unsigned *)s[k + t])[8 * c + g],
                ((const unsigned *)s[k + t + 4])[8 * c + g]);
    }
    for (int c = 0; c < 4; c++) {
        float2 *to = (float2 *)(y + 32 * row + 8 * c + 2 * t);
        if (row < n)
            to[0] = make_float2(d[c][0], d[c][1]);
        if (row + 8 < n)
            to[128] = make_float2(d[c][2], d[c][3]);
    }
}
