/* Tangled from chapters/course/tensor-cores-solutions.nw, "Slow: half of each sector".  Edit it there. */

// tensor-cores/store: slow code
//
// y = x w, all in bf16, two neighbours in an unsigned.  x has n rows of 16
// numbers, y has n rows of 64.  w has 64 columns of 16, each column after
// column.  A block is one warp and makes 16 rows of y.  The sums of an mma
// are in the fragments that the exercise tensor-cores/fragments describes.
// The kernel is right.  Its stores cost twice the sectors that they need,
// and four times the requests.  Find out why, and repair it.

__device__ void mma(float d[4], const unsigned a[4], const unsigned b[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
          "r"(b[1]));
}

__device__ unsigned pack(float low, float high)
{
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

__global__ void rows(unsigned *y, const unsigned *x, const unsigned *w,
                     int n)
{
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    int row = 16 * blockIdx.x + g;
    unsigned a[4] = { 0, 0, 0, 0 };
    if (row < n)
        a[0] = x[8 * row + t], a[2] = x[8 * row + t + 4];
    if (row + 8 < n)
        a[1] = x[8 * row + t + 64], a[3] = x[8 * row + t + 68];
    for (int c = 0; c < 64; c += 8) {
        float d[4] = { 0, 0, 0, 0 };
        const unsigned *column = w + 8 * (c + g) + t;
        const unsigned b[2] = { column[0], column[4] };
        mma(d, a, b);
        if (row < n)
            y[32 * row + c / 2 + t] = pack(d[0], d[1]);
        if (row + 8 < n)
            y[32 * (row + 8) + c / 2 + t] = pack(d[2], d[3]);
    }
}
