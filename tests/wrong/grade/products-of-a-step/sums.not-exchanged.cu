// says: \by\[.*elements are wrong
__device__ unsigned pack(float low, float high)
{
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

__device__ void store2(float *to, float2 v)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("st.shared.v2.f32 [%0], {%1, %2};"
                 :: "r"(at), "f"(v.x), "f"(v.y) : "memory");
}

__device__ float4 load4(const float *from)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(from);
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(at) : "memory");
    return v;
}

__device__ int place(int row, int column)
{
    return 128 * row + (column ^ row % 4 * 8);
}

__global__ void finish(uint4 *y, const float2 *x)
{
    __shared__ __align__(16) float s[8 * 128];
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    x += blockIdx.x * 16 * 32;
    y += blockIdx.x * 8 * 16;
    for (int i = 0; i < 16; i++)
        store2(&s[place(g, 8 * i + 2 * t)], x[32 * i + lane]);
    __syncwarp();
    for (int row = lane / 16; row < 8; row += 2) {
        int c = lane % 16, second = c / 4 % 2;
        float4 v = load4(&s[place(row, 8 * c + 4 * second)]);
        float4 w = load4(&s[place(row, 8 * c + 4 - 4 * second)]);
        uint2 a = make_uint2(pack(v.x, v.y), pack(v.z, v.w));
        uint2 b = make_uint2(pack(w.x, w.y), pack(w.z, w.w));
        y[16 * row + c] = make_uint4(a.x, a.y, b.x, b.y);
    }
}
