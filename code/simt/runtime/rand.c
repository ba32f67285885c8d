/* Tangled from chapters/workshop/foreign-features.nw, "Arrays of numbers".  Edit it there. */

#include "simt/include/curand.h"

#include "simt/runtime/runtime.h"
#include "simt/simt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct curandGenerator_st {
    bool host, quasi;
    int bits;                   /* of a quasirandom number               */
    unsigned dimensions;
    unsigned long long seed, next;      /* the number that comes next    */
    unsigned long long direction[SIMT_SOBOL_MOST][64];
    struct curandGenerator_st *other;   /* the one made before           */
};
static struct curandGenerator_st *generators;

/* Is it one of ours?  A program may pass a variable that it never set. */
static struct curandGenerator_st **living(curandGenerator_t g)
{
    struct curandGenerator_st **at = &generators;
    while (*at && *at != g)
        at = &(*at)->other;
    return *at ? at : NULL;
}

/* make a generator */
static curandStatus_t create(curandGenerator_t *to, curandRngType_t t,
                             bool host)
{
    bool quasi = t >= CURAND_RNG_QUASI_DEFAULT;
    if (simt_enter())
        return CURAND_STATUS_PREEXISTING_FAILURE;
    if (t == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 ||
        t == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64) {
        refuse(cudaErrorNotSupported, "curandCreateGenerator: type %d: the "
               "software GPU has no scrambled sequences: take SOBOL32 or "
               "SOBOL64", (int)t);
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (t == CURAND_RNG_TEST)
        return CURAND_STATUS_TYPE_ERROR;
    struct curandGenerator_st *g = calloc(1, sizeof *g);
    if (!g)
        return CURAND_STATUS_ALLOCATION_FAILED;
    g->host = host;
    g->quasi = quasi;
    g->bits = t == CURAND_RNG_QUASI_SOBOL64 ? 64 : 32;
    g->dimensions = 1;
    for (int k = 0; quasi && k < SIMT_SOBOL_MOST; k++)
        simt_sobol(k, g->bits, g->direction[k]);
    g->other = generators;
    *to = generators = g;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *g,
                                     curandRngType_t t)
{
    return create(g, t, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *g,
                                         curandRngType_t t)
{
    return create(g, t, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
    struct curandGenerator_st **at = living(g);
    if (!at)
        return CURAND_STATUS_NOT_INITIALIZED;
    *at = g->other;
    free(g);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int *version)
{
    *version = CUDART_VERSION / 10;
    return CURAND_STATUS_SUCCESS;
}

#define GENERATOR(g) \
    do if (!living(g)) return CURAND_STATUS_NOT_INITIALIZED; while (0)

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g,
                                                  unsigned long long seed)
{
    GENERATOR(g);
    if (g->quasi)
        return CURAND_STATUS_TYPE_ERROR;
    g->seed = seed;
    g->next = 0;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t g,
                                        unsigned long long offset)
{
    GENERATOR(g);
    g->next = offset;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g,
                                                       unsigned n)
{
    GENERATOR(g);
    if (!g->quasi)
        return CURAND_STATUS_TYPE_ERROR;
    if (n < 1 || n > SIMT_SOBOL_MOST) {
        refuse(cudaErrorNotSupported, "curandSetQuasiRandomGenerator"
               "Dimensions: %u: the software GPU has 1 to %d", n,
               SIMT_SOBOL_MOST);
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    g->dimensions = n;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t s)
{
    (void)s;
    GENERATOR(g);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g,
                                          curandOrdering_t o)
{
    (void)o;
    GENERATOR(g);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t g)
{
    GENERATOR(g);
    return CURAND_STATUS_SUCCESS;
}

/* one number */
static unsigned long long number(const struct curandGenerator_st *g,
                                 unsigned dimension, unsigned long long i)
{
    if (g->quasi) {
        unsigned long long gray = i ^ i >> 1, x = 0;
        for (int k = 0; k < g->bits; k++)
            x ^= gray >> k & 1 ? g->direction[dimension][k] : 0;
        return x << (64 - g->bits);
    }
    unsigned at[4] = { (unsigned)i, (unsigned)(i >> 32), 0, 0 }, to[4];
    simt_philox(at, g->seed, to);
    return (unsigned long long)to[0] << 32 | to[1];
}

/* The inverse of the normal distribution: bisection, then Newton. */
static double normal_at(double u)
{
    double low = -9, high = 9;
    for (int i = 0; i < 40; i++) {
        double x = (low + high) / 2;
        *(0.5 * erfc(-x * 0.70710678118654752) < u ? &low : &high) = x;
    }
    return (low + high) / 2;
}

struct Draw { double mean, deviation; };
static double uniform(const struct curandGenerator_st *g, unsigned d,
                      unsigned long long i)
{
    return simt_unit_double(number(g, d, i));
}

static double normal(const struct curandGenerator_st *g, unsigned d,
                     unsigned long long i, struct Draw w)
{
    return w.mean + w.deviation * normal_at(uniform(g, d, i));
}

static double poisson(const struct curandGenerator_st *g, unsigned d,
                      unsigned long long i, double lambda)
{
    double u = uniform(g, d, i), p = exp(-lambda), sum = p, n = 0;
    if (lambda > 600)           /* e^-lambda is 0 */
        return fmax(0, rint(lambda + sqrt(lambda) * normal_at(u)));
    while (sum < u && n < 20 * lambda + 200) {
        p *= lambda / ++n;
        sum += p;
    }
    return n;
}

/* fill arrays */
/* Where the n numbers go; NULL: not there. */
static void *target(curandGenerator_t g, void *p, size_t bytes)
{
    uint64_t a = (uint64_t)(uintptr_t)p;
    if (!on_device(p) && (g->host || visible_find(p, NULL, NULL)))
        return p;
    if (!memory_holds(a, bytes)) {
        refuse(cudaErrorInvalidDevicePointer, "curandGenerate...: %zu "
               "bytes at %p are not in one allocation of the device",
               bytes, p);
        return NULL;
    }
    check_host_wrote(a, bytes);
    return memory_bytes(a);
}

#define FILLS(name, T, parameters, pairs, value)                          \
    curandStatus_t curandGenerate##name(curandGenerator_t g, T *p,        \
                                        size_t n parameters)              \
    {                                                                     \
        GENERATOR(g);                                                     \
        if (n % g->dimensions || (pairs && !g->quasi && n % 2))           \
            return CURAND_STATUS_LENGTH_NOT_MULTIPLE;                     \
        T *to = n ? target(g, p, n * sizeof *p) : p;                      \
        if (!to)                                                          \
            return CURAND_STATUS_LAUNCH_FAILURE;                          \
        size_t each = n / g->dimensions;                                  \
        for (unsigned d = 0; d < g->dimensions; d++)                      \
            for (size_t k = 0; k < each; k++) {                           \
                unsigned long long i = g->next + k;                       \
                to[d * each + k] = (T)(value);                            \
            }                                                             \
        g->next += each;                                                  \
        return CURAND_STATUS_SUCCESS;                                     \
    }
#define AND_NORMAL(T) , T mean, T deviation
#define NORMAL normal(g, d, i, (struct Draw){ mean, deviation })
FILLS(, unsigned, , 0, number(g, d, i) >> 32)
FILLS(LongLong, unsigned long long, , 0, number(g, d, i))
FILLS(Uniform, float, , 0, simt_unit((unsigned)(number(g, d, i) >> 32)))
FILLS(UniformDouble, double, , 0, uniform(g, d, i))
FILLS(Normal, float, AND_NORMAL(float), 1, NORMAL)
FILLS(NormalDouble, double, AND_NORMAL(double), 1, NORMAL)
FILLS(LogNormal, float, AND_NORMAL(float), 1, exp(NORMAL))
FILLS(LogNormalDouble, double, AND_NORMAL(double), 1, exp(NORMAL))
#define AND_LAMBDA , double lambda
FILLS(Poisson, unsigned, AND_LAMBDA, 0, poisson(g, d, i, lambda))

#define DIRECTIONS(bits, T)                                               \
    curandStatus_t curandGetDirectionVectors##bits(                       \
        curandDirectionVectors##bits##_t **to,                            \
        curandDirectionVectorSet_t set)                                   \
    {                                                                     \
        static curandDirectionVectors##bits##_t all[SIMT_SOBOL_MOST];     \
        unsigned long long one[64];                                       \
        if (set != CURAND_DIRECTION_VECTORS_##bits##_JOEKUO6)             \
            return CURAND_STATUS_TYPE_ERROR;                              \
        for (int d = 0; d < SIMT_SOBOL_MOST; d++) {                       \
            simt_sobol(d, bits, one);                                     \
            for (int k = 0; k < bits; k++)                                \
                all[d][k] = (T)one[k];                                    \
        }                                                                 \
        *to = all;                                                        \
        return CURAND_STATUS_SUCCESS;                                     \
    }
DIRECTIONS(32, unsigned)
DIRECTIONS(64, unsigned long long)
