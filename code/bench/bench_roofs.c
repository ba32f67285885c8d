/* Tangled from chapters/workshop/measuring-ceilings.nw, "bench-roofs: the ceilings of a CPU".  Edit it there. */

/* bench-roofs: the ceilings of this CPU: arithmetic by width, reading by
 * level. */
#include "backend/cpu_peak.h"
#include "base/args.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/threads.h"
#include "bench/block.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>

static const char *out = "", *machine = "";
static int runs = 11, mib = 256;
static struct Numbers numbers;
static volatile long any_sink;

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
    enum { TURNS = 4000, N = 12 };
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

/* bench-roofs: arithmetic */
/* GFLOP/s of all threads: the fastest of `runs` slices of a few ms. */
static void arithmetic(const struct PeakLoop *loop, int threads)
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
                flop += loop->run(&sink);
            slowest = now_s() - start;
        }
        if (r >= 0)
            sample_add(&t, slowest);
    }
    double gflops = flop / fastest(&t) / 1e9;
    printf("%-10s %3d threads %9.1f GFLOP/s\n", loop->name, threads,
           gflops);
    number_put(&numbers, "GFLOP/s", gflops, "cpuroof.%s.%d", loop->name,
               threads);
}

static void every_width(int threads)
{
    const struct PeakLoop *loops;
    int n = cpu_peak_loops(&loops);
#ifdef __x86_64__
    arithmetic(&(struct PeakLoop){ "scalar", scalar }, threads);
#endif
    for (int i = 0; i < n; i++)
        arithmetic(&loops[i], threads);
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
        RUNS_OPTION(runs),
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
        every_width(threads);
        reading("l1", block, 16 << 10, threads);
        reading("l2", block, 512 << 10, threads);
        reading("memory", block, ((size_t)mib << 20) / (size_t)threads,
                threads);
    }
    if (!numbers_close(&numbers, &e))
        fail("%s", e.text);
    return 0;
}
