/* Tangled from chapters/workshop/foreign-features.nw, "Random numbers".  Edit it there. */

/* Philox 4x32-10: four words from a counter and a key, by ten rounds. */
#ifndef SIMT_PHILOX_H
#define SIMT_PHILOX_H
#ifdef __CUDA__
#define SIMT_RANDOM static __host__ __device__ inline \
    __attribute__((unused))
#else
#define SIMT_RANDOM static inline __attribute__((unused))
#endif

SIMT_RANDOM void simt_philox(const unsigned counter[4],
                             unsigned long long key, unsigned to[4])
{
    unsigned a = counter[0], b = counter[1], c = counter[2], d = counter[3];
    unsigned k = (unsigned)key, l = (unsigned)(key >> 32);
    for (int round = 0; round < 10; round++) {
        unsigned long long x = 0xD2511F53ull * a, y = 0xCD9E8D57ull * c;
        a = (unsigned)(y >> 32) ^ b ^ k;
        c = (unsigned)(x >> 32) ^ d ^ l;
        b = (unsigned)y;
        d = (unsigned)x;
        k += 0x9E3779B9u;
        l += 0xBB67AE85u;
    }
    to[0] = a, to[1] = b, to[2] = c, to[3] = d;
}

/* directions of Sobol's sequence */
enum { SIMT_SOBOL_MOST = 10 };
/* The first `bits` direction numbers of a dimension, left-aligned. */
SIMT_RANDOM int simt_sobol(int dimension, int bits, unsigned long long *to)
{
    static const struct { unsigned char s, a, m[5]; } table[] = {
        { 0, 0, { 0 } }, { 1, 0, { 1 } }, { 2, 1, { 1, 3 } },
        { 3, 1, { 1, 3, 1 } }, { 3, 2, { 1, 1, 1 } },
        { 4, 1, { 1, 1, 3, 3 } }, { 4, 4, { 1, 3, 5, 13 } },
        { 5, 2, { 1, 1, 5, 5, 17 } }, { 5, 4, { 1, 1, 5, 5, 5 } },
        { 5, 7, { 1, 1, 7, 11, 19 } },
    };
    if (dimension < 0 || dimension >= SIMT_SOBOL_MOST)
        return 0;
    int s = table[dimension].s;
    for (int i = 0; i < bits; i++) {
        if (i < s || s == 0) {
            unsigned long long m = s ? table[dimension].m[i] : 1;
            to[i] = m << (bits - 1 - i);
            continue;
        }
        to[i] = to[i - s] ^ to[i - s] >> s;
        for (int k = 1; k < s; k++)
            if (table[dimension].a >> (s - 1 - k) & 1)
                to[i] ^= to[i - k];
    }
    return 1;
}

/* numbers between 0 and 1 */
SIMT_RANDOM float simt_unit(unsigned x)
{
    return (float)x * 2.3283064e-10f + 1.1641532e-10f;
}
SIMT_RANDOM double simt_unit_double(unsigned long long x)
{
    return (double)(x >> 11) * 1.1102230246251565e-16 +
           5.5511151231257827e-17;
}
#endif
