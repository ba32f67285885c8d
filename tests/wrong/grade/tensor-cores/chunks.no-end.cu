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

// four matrices of 8 x 8: lane i names 16 bytes, row i % 8 of matrix i / 8
__device__ void load(unsigned a[4], const uint4 *from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"((unsigned)__cvta_generic_to_shared(from))
                 : "memory");
}

__global__ void product(float *y, const uint4 *x, const unsigned *w, int n)
{
    __shared__ uint4 s[16][8];          // chunk c of row r: c ^ r % 8
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    int first = 16 * blockIdx.x;
    for (int i = lane; i < 128; i += 32) {
        int r = i / 8, c = i % 8;
        s[r][c ^ r % 8] = x[8 * (first + r) + c];
    }
    __syncwarp();
    float d[4] = { 0, 0, 0, 0 };
    for (int k = 0; k < 4; k++) {
        const unsigned *column = w + 32 * g + 8 * k + t;
        const unsigned b[2] = { column[0], column[4] };
        unsigned a[4];
        load(a, &s[lane % 16][(2 * k + lane / 16) ^ lane % 8]);
        mma(d, a, b);
    }
    int row = first + g;
    if (row < n)
        *(float2 *)(y + 8 * row + 2 * t) = make_float2(d[0], d[1]);
    if (row + 8 < n)
        *(float2 *)(y + 8 * row + 64 + 2 * t) = make_float2(d[2], d[3]);
}
