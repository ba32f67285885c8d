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

__global__ void products(float *d, const unsigned *a, const unsigned *b,
                         int n)
{
    int i = (blockIdx.x * 128 + threadIdx.x) / 32;
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    if (i > n)
        return;
    a += 128 * i + 8 * g + t;
    b += 64 * i + 8 * g + t;
    const unsigned x[4] = { a[0], a[64], a[4], a[68] };
    const unsigned y[2] = { b[0], b[4] };
    float sum[4] = { 0, 0, 0, 0 };
    mma(sum, x, y);
    float2 *to = (float2 *)(d + 128 * i + 8 * g + 2 * t);
    to[0] = make_float2(sum[0], sum[1]);
    to[32] = make_float2(sum[2], sum[3]);
}
