/* Tangled from chapters/workshop/measuring-ceilings.nw, "bench-roofs: the ceilings of a CPU".  Edit it there. */

/* bench-roofs: the ceilings of this CPU: arithmetic by width, reading by
 * level. */
#include "base/args.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/real.h"
#include "base/threads.h"
#include "bench/numbers.h"
#include "bench/sample.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const char *out = "", *machine = "";
static int runs = 11, mib = 256;
static struct Numbers numbers;
static volatile long any_sink;

/* memory in pages of one kind */
enum { HUGE = 2 << 20, LINE = 64 };

static char *block_new(size_t bytes, bool huge)
{
    size_t room = bytes + HUGE;
    char *p = mmap(NULL, room, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        fail("no memory for a block of %zu MiB: %s", bytes >> 20,
             strerror(errno));
    p += (HUGE - (uintptr_t)p % HUGE) % HUGE;
    if (madvise(p, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0)
        warn("this kernel gives no choice of pages: %s", strerror(errno));
    memset(p, 1, bytes);
    return p;
}
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

#ifdef __ARM_NEON
#include <arm_neon.h>
PEAK_LOOP(neon, , 4, 24,
          (neon_vec)vfmaq_f32((float32x4_t)a, (float32x4_t)x[i],
                              (float32x4_t)a))
#else
PEAK_LOOP(portable, , 4, 12, x[i] * a + a)
#endif

/* the loop one number at a time */
#ifdef __x86_64__
/* gcc is told; clang sees each number put into a register of its own. */
#ifdef __clang__
#define ONE_AT_A_TIME
#define ALONE(number) __asm__("" : "+x"(number))
#else
#define ONE_AT_A_TIME __attribute__((optimize("no-tree-vectorize", \
                                              "no-tree-slp-vectorize")))
#define ALONE(number) (void)0
#endif
ONE_AT_A_TIME
static double scalar(volatile float *sink)
{
    enum { N = 12 };
    float x[N], a = *sink;
    for (int i = 0; i < N; i++)
        x[i] = a + (float)i;
    for (int t = 0; t < TURNS; t++)
        _Pragma("GCC unroll 12")
        for (int i = 0; i < N; i++) {
            x[i] = x[i] * a + a;
            ALONE(x[i]);
        }
    for (int i = 1; i < N; i++)
        x[0] += x[i];
    *sink = x[0] * 0 + 0.5f;
    return 2.0 * N * TURNS;
}
#endif

/* read all of a block */
typedef long Eight __attribute__((vector_size(64), may_alias));

SIMD_CLONES static long read_all(const char *p, size_t n)
{
    Eight s[4] = { { 0 } };
    for (size_t i = 0; i < n; i += 4 * sizeof *s)
        for (size_t j = 0; j < 4; j++)
            s[j] |= *(const Eight *)(p + i + j * sizeof *s);
    s[0] |= s[1] | s[2] | s[3];
    return s[0][0] | s[0][1] | s[0][3] | s[0][7];
}

/* bench-roofs: arithmetic */
static const struct Width {
    const char *name;
    double (*loop)(volatile float *);
    const char *needs;          /* a feature of the processor, or NULL */
} widths[] = {
#ifdef __x86_64__
    { "scalar", scalar, NULL }, { "sse", portable, NULL },
    { "avx2", avx2, "avx2" }, { "avx512", avx512, "avx512f" },
#elif defined __ARM_NEON
    { "neon", neon, NULL },
#else
    { "portable", portable, NULL },
#endif
};

static bool has(const char *feature)
{
#ifdef __x86_64__
    if (feature && strcmp(feature, "avx2") == 0)
        return __builtin_cpu_supports("avx2")
               && __builtin_cpu_supports("fma");
    if (feature)
        return __builtin_cpu_supports("avx512f");
#endif
    return !feature;
}

/* GFLOP/s of all threads: the fastest of `runs` slices of a few ms. */
static void arithmetic(const struct Width *w, int threads)
{
    struct Sample t = { 0 };
    double flop = 0;
    for (int r = -1; r < runs; r++) {
        double slowest = 0;
        flop = 0;
        #pragma omp parallel num_threads(threads) \
                reduction(max : slowest) reduction(+ : flop)
        {
            float sink = 0.5f;
            #pragma omp barrier
            double start = now_s();
            for (int i = 0; i < 400; i++)
                flop += w->loop(&sink);
            slowest = now_s() - start;
        }
        if (r >= 0)
            sample_add(&t, slowest);
    }
    double gflops = flop / fastest(&t) / 1e9;
    printf("%-10s %3d threads %9.1f GFLOP/s\n", w->name, threads, gflops);
    number_put(&numbers, "GFLOP/s", gflops, "cpuroof.%s.%d", w->name,
               threads);
}

/* bench-roofs: reading */
/* GB/s of all threads, each reading `bytes` of its own again and again. */
static void reading(const char *level, char *block, size_t bytes,
                    int threads)
{
    struct Sample t = { 0 };
    size_t times = ((size_t)16 << 20) / bytes + 1;
    for (int r = -1; r < runs; r++) {
        double slowest = 0;
        #pragma omp parallel num_threads(threads) reduction(max : slowest)
        {
            const char *own = block + (size_t)omp_get_thread_num() * bytes;
            long any = 0;
            #pragma omp barrier
            double start = now_s();
            for (size_t i = 0; i < times; i++)
                any |= read_all(own, bytes);
            slowest = now_s() - start;
            any_sink = any;
        }
        if (r >= 0)
            sample_add(&t, slowest);
    }
    double gbs = (double)(bytes * times) * threads / fastest(&t) / 1e9;
    printf("%-10s %3d threads %9.1f GB/s\n", level, threads, gbs);
    number_put(&numbers, "GB/s", gbs, "cpuroof.%s.%d", level, threads);
}

/* bench-roofs: main */
int main(int argc, char **argv)
{
    threads_stay_put(argv);
    const struct Option options[] = {
        NUMBERS_OPTIONS(out, machine),
        { "mib", OPT_INT, &mib, 64, 65536, "N",
          "size of what counts as memory", NULL },
        { "runs", OPT_INT, &runs, 1, MAX_RUNS, "N",
          "runs of each measurement; the fastest counts", NULL },
        { .type = OPT_END },
    };
    const struct Usage usage = { "[options]",
        "Measure this processor's arithmetic and bandwidth.", NULL };
    args_options(argc, argv, options, &usage);
    struct Error e;
    if (!numbers_open(&numbers, out, machine, "bench-roofs", &e))
        fail("%s", e.text);
    int most = omp_get_max_threads();
    printf("%s; fastest of %d runs\n", cpu_name(), runs);
    char *block = block_new((size_t)mib << 20, true);
    for (int threads = 1; threads <= most;
         threads += most > 1 ? most - 1 : 1) {
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
            if (has(widths[i].needs))
                arithmetic(&widths[i], threads);
        reading("l1", block, 16 << 10, threads);
        reading("l2", block, 512 << 10, threads);
        reading("memory", block, ((size_t)mib << 20) / (size_t)threads,
                threads);
    }
    if (!numbers_close(&numbers, &e))
        fail("%s", e.text);
    return 0;
}
