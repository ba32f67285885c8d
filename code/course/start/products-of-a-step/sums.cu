/* Tangled from chapters/course/products-of-a-step-solutions.nw, "Slow: sums in the wrong banks".  Edit it there. */

// products-of-a-step/sums: slow code
//
// A warp has 8 x 128 sums as mma.sync leaves them: in fragment i, of 16,
// lane 4 g + t has the sums of row g in columns 8 i + 2 t and 8 i + 2 t +
// 1.  Here they come from x, which has 16 x 32 float2 for each block.  y
// has 8 rows of 128 bf16 numbers for each block.  The sums pass through
// shared memory, so that a lane has eight neighbours of a row, rounds
// them, and stores 16 bytes.  A block is one warp.
//
// The kernel is right.  Its stores to shared memory and its loads from
// there have bank conflicts, each for a reason of their own.  Remove all
// of them, without a float of padding: s stays as large as it is.

__device__ unsigned pack(float low, float high)
{
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

// 8 bytes to shared memory, and 16 from there, in one instruction each.
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

// The place of a sum. An even column and the next one are neighbours.
__device__ int place(int row, int column)
{
    return 128 * row + column;
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
        int c = lane % 16;
        float4 v = load4(&s[place(row, 8 * c)]);
        float4 w = load4(&s[place(row, 8 * c + 4)]);
        y[16 * row + c] = make_uint4(pack(v.x, v.y), pack(v.z, v.w),
                                     pack(w.x, w.y), pack(w.z, w.w));
    }
}
