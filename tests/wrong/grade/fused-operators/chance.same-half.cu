// says: elements are wrong
__device__ uint2 random_bits(unsigned i, unsigned step)
{
    unsigned key = 2011;                // the seed
    for (int round = 0; round < 10; round++) {
        unsigned high = __umulhi(0xd256d193, i);
        unsigned low = 0xd256d193 * i;
        i = high ^ key ^ step;
        step = low;
        key += 0x9e3779b9;
    }
    return make_uint2(i, step);
}

__device__ unsigned two(unsigned w, float g0, float g1, float lr,
                        unsigned chance)
{
    float low = __uint_as_float(w << 16);
    float high = __uint_as_float(w & 0xffff0000);
    unsigned a = __float_as_uint(fmaf(-lr, g0, low)) + (chance & 0xffff);
    unsigned b = __float_as_uint(fmaf(-lr, g1, high)) + (chance & 0xffff);
    return a >> 16 | (b & 0xffff0000);
}

__global__ void move(unsigned short *w, const float *g, float lr, int n,
                     unsigned step)
{
    int t = blockIdx.x * 128 + threadIdx.x;
    if (t >= n / 4)
        return;
    uint2 bits = random_bits(t, step), four = ((uint2 *)w)[t];
    float4 slope = ((const float4 *)g)[t];
    four.x = two(four.x, slope.x, slope.y, lr, bits.x);
    four.y = two(four.y, slope.z, slope.w, lr, bits.y);
    ((uint2 *)w)[t] = four;
}
