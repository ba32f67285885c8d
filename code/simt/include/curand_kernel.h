/* Tangled from chapters/workshop/foreign-features.nw, "States of threads".  Edit it there. */

/* Random numbers in kernels. */
#ifndef SIMT_CURAND_KERNEL_H
#define SIMT_CURAND_KERNEL_H
#include "curand.h"

#ifdef __CUDA__
/* What Box and Muller's pairs leave over. */
struct simt_normals { float extra; double extra_double; int has; };

/* Philox in a thread */
struct curandStatePhilox4_32_10 : simt_normals {
    unsigned counter[4], words[4], used;
    unsigned long long key;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

SIMT_DEVICE void simt_refill(curandStatePhilox4_32_10 *s)
{
    simt_philox(s->counter, s->key, s->words);
}
SIMT_DEVICE void skipahead(unsigned long long n,
                           curandStatePhilox4_32_10 *s)
{
    unsigned long long low = s->counter[0] |
                             (unsigned long long)s->counter[1] << 32;
    low += (s->used + n) / 4;
    s->used = (unsigned)((s->used + n) % 4);
    s->counter[0] = (unsigned)low;
    s->counter[1] = (unsigned)(low >> 32);
    simt_refill(s);
}
SIMT_DEVICE void curand_init(unsigned long long seed,
                             unsigned long long sequence,
                             unsigned long long offset,
                             curandStatePhilox4_32_10 *s)
{
    *s = {};
    s->key = seed;
    s->counter[2] = (unsigned)sequence;
    s->counter[3] = (unsigned)(sequence >> 32);
    skipahead(offset, s);
}
SIMT_DEVICE unsigned curand(curandStatePhilox4_32_10 *s)
{
    unsigned n = s->used, x = n == 0 ? s->words[0] : n == 1 ? s->words[1]
                            : n == 2 ? s->words[2] : s->words[3];
    skipahead(1, s);
    return x;
}

/* xorwow */
struct curandStateXORWOW : simt_normals { unsigned v[5], d; };
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;

SIMT_DEVICE unsigned curand(curandStateXORWOW *s)
{
    unsigned t = s->v[0] ^ s->v[0] >> 2;
    s->v[0] = s->v[1];
    s->v[1] = s->v[2];
    s->v[2] = s->v[3];
    s->v[3] = s->v[4];
    s->v[4] = s->v[4] ^ s->v[4] << 4 ^ t ^ t << 1;
    s->d += 362437;
    return s->v[4] + s->d;
}
SIMT_DEVICE void simt_begin(curandStateXORWOW *s, const unsigned words[8])
{
    for (int i = 0; i < 5; i++)
        s->v[i] = words[i] | (i == 0);          /* not all of them 0 */
    s->d = words[5];
}

template <class State>
SIMT_DEVICE void curand_init(unsigned long long seed,
                             unsigned long long sequence,
                             unsigned long long offset, State *s)
{
    const unsigned low = (unsigned)sequence;
    const unsigned high = (unsigned)(sequence >> 32);
    const unsigned a[4] = { low, high, 1, 0 }, b[4] = { low, high, 2, 0 };
    unsigned words[8];
    simt_philox(a, seed, words);
    simt_philox(b, seed, words + 4);
    *s = {};
    simt_begin(s, words);
    while (offset-- > 0)
        curand(s);
}

/* MRG32k3a */
struct curandStateMRG32k3a : simt_normals { unsigned a[3], b[3]; };
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

SIMT_DEVICE unsigned curand(curandStateMRG32k3a *s)
{
    const unsigned long long m = 4294967087ull, n = 4294944443ull;
    unsigned long long p = (1403580ull * s->a[1] + (m - 810728ull) *
                            s->a[0] % m) % m;
    unsigned long long q = (527612ull * s->b[2] + (n - 1370589ull) *
                            s->b[0] % n) % n;
    s->a[0] = s->a[1], s->a[1] = s->a[2], s->a[2] = (unsigned)p;
    s->b[0] = s->b[1], s->b[1] = s->b[2], s->b[2] = (unsigned)q;
    return (unsigned)(p > q ? p - q : p - q + m);
}
SIMT_DEVICE void simt_begin(curandStateMRG32k3a *s, const unsigned words[8])
{
    for (int i = 0; i < 3; i++) {
        s->a[i] = words[i] % 4294967086u + 1;
        s->b[i] = words[4 + i] % 4294944442u + 1;
    }
}

/* Sobol in a thread */
#define SIMT_SOBOL_STATE(bits, T, ctz)                                    \
    struct curandStateSobol##bits {                                       \
        T i, x, direction[bits];                                          \
    };                                                                    \
    typedef curandStateSobol##bits curandStateSobol##bits##_t;            \
    SIMT_DEVICE void skipahead(unsigned long long n,                      \
                               curandStateSobol##bits *s)                 \
    {                                                                     \
        s->i += (T)n;                                                     \
        s->x = 0;                                                         \
        T gray = s->i ^ s->i >> 1;                                        \
        for (int k = 0; k < bits; k++)                                    \
            s->x ^= gray >> k & 1 ? s->direction[k] : 0;                  \
    }                                                                     \
    SIMT_DEVICE void curand_init(const T *directions,                     \
                                 unsigned long long offset,               \
                                 curandStateSobol##bits *s)               \
    {                                                                     \
        for (int k = 0; k < bits; k++)                                    \
            s->direction[k] = directions[k];                              \
        s->i = 0;                                                         \
        skipahead(offset, s);                                             \
    }                                                                     \
    SIMT_DEVICE T curand(curandStateSobol##bits *s)                       \
    {                                                                     \
        T x = s->x, lowest = ~s->i;                                       \
        if (lowest)                                                       \
            s->x ^= s->direction[ctz(lowest)];                            \
        s->i++;                                                           \
        return x;                                                         \
    }
SIMT_SOBOL_STATE(32, unsigned, __builtin_ctz)
SIMT_SOBOL_STATE(64, unsigned long long, __builtin_ctzll)

/* distributions of any state */
template <class State> SIMT_DEVICE float curand_uniform(State *s)
{
    return simt_unit(curand(s));
}
SIMT_DEVICE float curand_uniform(curandStateSobol64 *s)
{
    return simt_unit((unsigned)(curand(s) >> 32));
}
template <class State> SIMT_DEVICE double curand_uniform_double(State *s)
{
    unsigned long long high = curand(s), low = curand(s);
    return simt_unit_double(high << 32 | low);
}
SIMT_DEVICE double curand_uniform_double(curandStateSobol32 *s)
{
    return simt_unit_double((unsigned long long)curand(s) << 32);
}
SIMT_DEVICE double curand_uniform_double(curandStateSobol64 *s)
{
    return simt_unit_double(curand(s));
}
template <class State> SIMT_DEVICE float2 curand_normal2(State *s)
{
    float u = curand_uniform(s), v = 6.2831853f * curand_uniform(s);
    float r = sqrtf(-2.0f * logf(u));
    return make_float2(r * sinf(v), r * cosf(v));
}
template <class State> SIMT_DEVICE double2 curand_normal2_double(State *s)
{
    double u = curand_uniform_double(s), r = sqrt(-2.0 * log(u)), x, y;
    sincos(6.283185307179586 * curand_uniform_double(s), &x, &y);
    return make_double2(r * x, r * y);
}

template <class State> SIMT_DEVICE float curand_normal(State *s)
{
    s->has ^= 1;
    if (!(s->has & 1))
        return s->extra;
    float2 pair = curand_normal2(s);
    s->extra = pair.y;
    return pair.x;
}
template <class State> SIMT_DEVICE double curand_normal_double(State *s)
{
    s->has ^= 2;
    if (!(s->has & 2))
        return s->extra_double;
    double2 pair = curand_normal2_double(s);
    s->extra_double = pair.y;
    return pair.x;
}
#define SIMT_QUASI_NORMAL(State)                                          \
    SIMT_DEVICE float curand_normal(State *s)                             \
    {                                                                     \
        return normcdfinvf(curand_uniform(s));                            \
    }                                                                     \
    SIMT_DEVICE double curand_normal_double(State *s)                     \
    {                                                                     \
        return normcdfinv(curand_uniform_double(s));                      \
    }
SIMT_QUASI_NORMAL(curandStateSobol32)
SIMT_QUASI_NORMAL(curandStateSobol64)
template <class State>
SIMT_DEVICE float curand_log_normal(State *s, float mean, float deviation)
{
    return expf(mean + deviation * curand_normal(s));
}
template <class State>
SIMT_DEVICE double curand_log_normal_double(State *s, double mean,
                                            double deviation)
{
    return exp(mean + deviation * curand_normal_double(s));
}

template <class State>
SIMT_DEVICE unsigned curand_poisson(State *s, double lambda)
{
    unsigned n = 0;
    while (lambda > 0) {
        double part = lambda < 16 ? lambda : 16, product = exp(-part);
        lambda -= part;
        for (double x = curand_uniform_double(s); x > product; n++)
            x *= curand_uniform_double(s);
    }
    return n;
}
SIMT_DEVICE uint4 curand4(curandStatePhilox4_32_10 *s)
{
    uint4 x;
    x.x = curand(s), x.y = curand(s), x.z = curand(s), x.w = curand(s);
    return x;
}
SIMT_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10 *s)
{
    uint4 x = curand4(s);
    return make_float4(simt_unit(x.x), simt_unit(x.y), simt_unit(x.z),
                       simt_unit(x.w));
}
SIMT_DEVICE float4 curand_normal4(curandStatePhilox4_32_10 *s)
{
    float2 a = curand_normal2(s), b = curand_normal2(s);
    return make_float4(a.x, a.y, b.x, b.y);
}
#elif defined(__cplusplus)      /* a host's file names the states only */
struct curandStateXORWOW;
typedef curandStateXORWOW curandState;
struct curandStatePhilox4_32_10;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
#endif

#endif
