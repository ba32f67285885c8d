// says: warp instructions .*over
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

__global__ void move(unsigned short *w, const float *g, float lr, int n,
                     unsigned step)
{
    int threads = n / 4, t = blockIdx.x * 128 + threadIdx.x;
    for (int i = t; i < n && t < threads; i += threads) {
        uint2 bits = random_bits(i / 4, step);
        unsigned chance = (i % 4 < 2 ? bits.x : bits.y) >> (i % 2 * 16);
        float old = __uint_as_float((unsigned)w[i] << 16);
        unsigned moved = __float_as_uint(fmaf(-lr, g[i], old));
        w[i] = (moved + (chance & 0xffff)) >> 16;
    }
}
