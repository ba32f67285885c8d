/* Tangled from chapters/workshop/measuring-a-cpu.nw, "The peak and the bandwidth".  Edit it there. */

#include "backend/cpu_peak.h"

#include "base/clock.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* a loop of nothing but multiply-adds */
enum { TURNS = 4000 };

#define PEAK_LOOP(name, target, lanes, chains, fma)                    \
    typedef float name##_vec                                           \
        __attribute__((vector_size(4 * lanes), may_alias));            \
    target static double name(volatile float *sink)                    \
    {                                                                  \
        name##_vec x[chains], a = *sink - (name##_vec){ 0 };           \
        /* every chain goes TURNS steps */ \
        for (int i = 0; i < chains; i++)                               \
            x[i] = a + (float)i;                                       \
        for (int t = 0; t < TURNS; t++)                                \
            _Pragma("GCC unroll 24")                                   \
            for (int i = 0; i < chains; i++)                           \
                x[i] = fma;                                            \
        for (int i = 1; i < chains; i++)                               \
            x[0] += x[i];                                              \
        *sink = x[0][0] * 0 + 0.5f;                                    \
        return 2.0 * lanes * chains * TURNS;                           \
    }

/* that loop for each instruction set */
#ifdef __x86_64__
#include <immintrin.h>
PEAK_LOOP(avx512, __attribute__((target("avx512f"))), 16, 12,
          (avx512_vec)_mm512_fmadd_ps((__m512)x[i], (__m512)a, (__m512)a))
PEAK_LOOP(avx2, __attribute__((target("avx2,fma"))), 8, 12,
          (avx2_vec)_mm256_fmadd_ps((__m256)x[i], (__m256)a, (__m256)a))
#endif

/* that loop for NEON, and for other processors */
#ifdef __ARM_NEON
#include <arm_neon.h>
PEAK_LOOP(neon, , 4, 24,
          (neon_vec)vfmaq_f32((float32x4_t)a, (float32x4_t)x[i],
                              (float32x4_t)a))
#else
PEAK_LOOP(portable, , 4, 12, x[i] * a + a)
#endif

/* the loop for this processor */
static const struct PeakLoop loops[] = {
#ifdef __x86_64__
    { "sse", portable }, { "avx2", avx2 }, { "avx512", avx512 },
#elif defined __ARM_NEON
    { "neon", neon },
#else
    { "portable", portable },
#endif
};

int cpu_peak_loops(const struct PeakLoop **list)
{
    *list = loops;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        return 3;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return 2;
#endif
    return 1;
}

double cpu_multiply_adds(volatile float *sink)
{
    const struct PeakLoop *list;
    int n = cpu_peak_loops(&list);
    return list[n - 1].run(sink);
}

/* measure the clock */
double cpu_clock_ghz(void)
{
    static volatile unsigned long seed = 3;
    unsigned long x = seed;
    double start = now_s();
    for (int i = 0; i < 2000; i++)
        x *= x;
    double seconds = now_s() - start;
    seed = x | 3;
    return 3 * 2000 / seconds / 1e9;
}

/* the best slice of a team */
double cpu_peak_gflops(int threads, double seconds)
{
    double best = 0, until = now_s() + seconds;
    do {
        double slowest = 0, flop = 0;
        /* one slice: begin together, end with the slowest */
        #pragma omp parallel num_threads(threads) \
                reduction(max : slowest) reduction(+ : flop)
        {
            float sink = 0.5f;
            #pragma omp barrier
            double start = now_s();
            for (int i = 0; i < 80; i++)
                flop += cpu_multiply_adds(&sink);
            slowest = now_s() - start;
        }
        best = fmax(best, flop / slowest / 1e9);
    } while (now_s() < until);
    return best;
}

/* read a block of memory */
static volatile long sink;      /* so that the reading is not left out */

typedef long lanes8 __attribute__((vector_size(64), may_alias));

static long any_of(const unsigned char *p, size_t n)
{
    lanes8 s[4] = { { 0 } };
    for (size_t i = 0; i + 256 <= n; i += 256)
        for (size_t j = 0; j < 4; j++)
            s[j] |= *(const lanes8 *)(p + i + 64 * j);
    s[0] |= s[1] | s[2] | s[3];
    return s[0][0] | s[0][1] | s[0][2] | s[0][7];
}

/* the bandwidth of memory */
struct Bandwidth cpu_bandwidth(int threads, size_t bytes, double seconds)
{
    size_t half = bytes / 2, share = half / (size_t)threads / 256 * 256;
    unsigned char *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    struct Bandwidth best = { 0, 0 };
    if (!p)
        return best;
    memset(p, 1, bytes);
    double until = now_s() + seconds;
    do {
        /* time one reading and one copy */
        double start = now_s();
        long any = 0;
        #pragma omp parallel num_threads(threads) reduction(| : any)
        any |= any_of(p + (size_t)omp_get_thread_num() * 2 * share, 2 * share);
        double middle = now_s();
        #pragma omp parallel num_threads(threads)
        {
            unsigned char *from = p + (size_t)omp_get_thread_num() * share;
            memcpy(from + half, from, share);
        }
        double end = now_s(), moved = 2e-9 * (double)share * threads;
        sink = any;
        best.read = fmax(best.read, moved / (middle - start));
        best.copy = fmax(best.copy, moved / (end - middle));
    } while (now_s() < until);
    free(p);
    return best;
}
