/* Tangled from chapters/workshop/measuring-fusion.nw, "The program that measures recomputation".  Edit it there. */

/* recomputation: chains of sigmoids, forward and backward, with their
 * results kept and made again; checked, then timed beside a copy. */
#include "bench/cuda_bench.cuh"
#include "ladder/recompute.h"

enum { RUNS = 31, DEEPEST = 16, CHECKED = 4096 };

/* recomputation: memory */
static const size_t THREE = (size_t)1 << 27, DEEP = (size_t)1 << 26;
static struct Sigmoids data;

static void memory_new(void)
{
    data.x = uniform_memory(THREE, 1);
    data.dy = uniform_memory(THREE, 2);
    data.y = uniform_memory(THREE, 3);
    data.dx = uniform_memory(THREE, 4);
    data.kept = uniform_memory(sigmoids_kept(DEEP, DEEPEST - 1), 5);
    data.t[0] = uniform_memory(THREE, 6);
    data.t[1] = uniform_memory(THREE, 7);
}

/* recomputation: check both passes */
struct Passes { const struct Recompute *version; int depth; bool keep; };

static void run_forward(void *job)
{
    const struct Passes *p = (const struct Passes *)job;
    if (p->version)
        p->version->forward(&data);
    else
        chain_forward(&data, p->depth, p->keep);
}

static void run_backward(void *job)
{
    const struct Passes *p = (const struct Passes *)job;
    if (p->version)
        p->version->backward(&data);
    else
        chain_backward(&data, p->depth, p->keep);
}

static void run_both(void *job)
{
    run_forward(job);
    run_backward(job);
}

/* The first, the middle and the last numbers against the host's. */
static void check(struct Passes *p, const char *name)
{
    static float x[CHECKED], dy[CHECKED], y[CHECKED], dx[CHECKED];
    CUDA_OK(cudaMemset(data.y, 0xff, data.n * 4));
    CUDA_OK(cudaMemset(data.dx, 0xff, data.n * 4));
    run_both(p);
    for (int part = 0; part < 3; part++) {
        const size_t at = (data.n - CHECKED) / 2 * part;
        CUDA_OK(cudaMemcpy(x, data.x + at, sizeof x,
                           cudaMemcpyDeviceToHost));
        CUDA_OK(cudaMemcpy(dy, data.dy + at, sizeof x,
                           cudaMemcpyDeviceToHost));
        CUDA_OK(cudaMemcpy(y, data.y + at, sizeof x,
                           cudaMemcpyDeviceToHost));
        CUDA_OK(cudaMemcpy(dx, data.dx + at, sizeof x,
                           cudaMemcpyDeviceToHost));
        for (int i = 0; i < CHECKED; i++) {
            double s = x[i], g = dy[i];
            for (int k = 0; k < p->depth; k++) {
                s = 1 / (1 + exp(-s));
                g *= s * (1 - s);
            }
            if (!(fabs(y[i] - s) <= 1e-6)
                || !(fabs(dx[i] - g) <= 3e-5 * fabs(g) + 1e-12))
                fail("%s: %g gives %g and %g, not %g and %g", name,
                     (double)x[i], (double)y[i], (double)dx[i], s, g);
        }
    }
}

/* recomputation: time both passes */
static void put(const char *unit, double value, const char *group,
                const char *name, const char *what)
{
    number_put(&numbers, unit, value, "recompute.%s.%s.%s", group, name,
               what);
}

static double row(const char *group, const char *name, struct Passes *p,
                  double best)
{
    struct Sample f = gpu_time(run_forward, p, RUNS, true);
    struct Sample b = gpu_time(run_backward, p, RUNS, true);
    const double s = median(&f) + median(&b);
    printf("%-6s %-8s forward %9.1f us, backward %9.1f us, both %9.1f us"
           " (%.1f - %.1f)\n", group, name, 1e6 * median(&f),
           1e6 * median(&b), 1e6 * s, 1e6 * (fastest(&f) + fastest(&b)),
           1e6 * (slowest(&f) + slowest(&b)));
    put("us", 1e6 * median(&f), group, name, "forward");
    put("us", 1e6 * median(&b), group, name, "backward");
    put("us", 1e6 * s, group, name, "us");
    put("us", 1e6 * (fastest(&f) + fastest(&b)), group, name, "fastest");
    put("us", 1e6 * (slowest(&f) + slowest(&b)), group, name, "slowest");
    if (best > 0)
        put("%", 100 * best / s, group, name, "percent");
    return s;
}

static void copy_work(void *job)
{
    CUDA_OK(cudaMemcpyAsync(data.t[0], data.x, *(size_t *)job,
                            cudaMemcpyDeviceToDevice, 0));
}

/* recomputation: three sigmoids */
static void three_sigmoids(void)
{
    size_t bytes = THREE * 4;
    data.n = THREE;
    struct Sample copy = gpu_time(copy_work, &bytes, RUNS, true);
    const double five = 2.5 * median(&copy);
    printf("five words as copies: %.1f us\n", 1e6 * five);
    put("us", 1e6 * five, "three", "copy", "us");
    for (const struct Recompute *v = recomputes(); v->name; v++) {
        struct Passes p = { v, 3, false };
        check(&p, v->name);
        row("three", v->name, &p, five);
    }
}

/* recomputation: deeper chains */
static void chains(void)
{
    static const int depths[] = { DEPTHS };
    data.n = DEEP;
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        for (int keep = 1; keep >= 0; keep--) {
            struct Passes p = { NULL, depths[i], keep != 0 };
            char name[20];
            snprintf(name, sizeof name, "%s.%d", keep ? "keep" : "again",
                     depths[i]);
            check(&p, name);
            row("chain", name, &p, 0);
        }
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time chains of sigmoids, kept and made again.");
    memory_new();
    three_sigmoids();
    chains();
    lab_close();
    return 0;
}
