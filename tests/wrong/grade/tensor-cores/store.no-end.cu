// says: past the end of
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
    __shared__ uint4 s[16][9];          // rows of 144 bytes
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    int first = 16 * blockIdx.x, row = first + g;
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
        ((unsigned *)s[g])[c / 2 + t] = pack(d[0], d[1]);
        ((unsigned *)s[g + 8])[c / 2 + t] = pack(d[2], d[3]);
    }
    __syncwarp();
    int chunk = threadIdx.x % 8;        // of 16 bytes
    for (int i = threadIdx.x / 8; i < 16; i += 4)
            ((uint4 *)y)[8 * (first + i) + chunk] = s[i][chunk];
}
