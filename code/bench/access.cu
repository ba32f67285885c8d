/* Tangled from chapters/workshop/measuring-a-gpu.nw, "access: sectors and banks against the clock".  Edit it there. */

/* access: kernels that differ only in which addresses a warp asks for. */
#include "bench/access_kernels.h"
#include "bench/cuda_bench.cuh"

enum { RUNS = 21 };

/* access: print a row */
static void row(const char *name, const struct Sample *t, double bytes)
{
    printf("%-14s %9.1f us %9.1f - %9.1f %9.2f TB/s useful\n", name,
           1e6 * median(t), 1e6 * fastest(t), 1e6 * slowest(t),
           bytes / median(t) / 1e12);
    number_put(&numbers, "us", 1e6 * median(t), "h200.%s.us", name);
    number_put(&numbers, "TB/s", bytes / median(t) / 1e12, "h200.%s.tb",
               name);
}

/* access: strides and offsets */
struct Gather { float *y; const float *x; int n, stride, offset; };

static void gather_job(void *job)
{
    struct Gather *g = (struct Gather *)job;
    gather(g->y, g->x, g->n, g->stride, g->offset);
}

static void gathers(void)
{
    const int strides[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32 };
    const int offsets[] = { 1, 2, 4, 8, 16, 31 };
    struct Gather g = { NULL, NULL, 1 << 25, 1, 0 };
    char name[40];
    g.y = (float *)random_memory((size_t)g.n * 4);
    g.x = (const float *)random_memory((size_t)g.n * 4 * 32 + 4096);
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        g.stride = strides[i];
        struct Sample t = gpu_time(gather_job, &g, RUNS, true);
        snprintf(name, sizeof name, "stride.%d", g.stride);
        row(name, &t, 8.0 * g.n);
    }
    g.stride = 1;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        g.offset = offsets[i];
        struct Sample t = gpu_time(gather_job, &g, RUNS, true);
        snprintf(name, sizeof name, "offset.%d", g.offset);
        row(name, &t, 8.0 * g.n);
    }
    CUDA_OK(cudaFree(g.y));
    CUDA_OK(cudaFree((void *)g.x));
}

/* access: widths */
struct Copy { void *y; const void *x; size_t bytes; int width; };

static void copy_job(void *job)
{
    struct Copy *c = (struct Copy *)job;
    copy_by(c->y, c->x, c->bytes, c->width);
}

static void widths(void)
{
    struct Copy c = { NULL, NULL, (size_t)256 << 20, 0 };
    c.y = random_memory(c.bytes);
    c.x = random_memory(c.bytes);
    for (c.width = 1; c.width <= 16; c.width *= 2) {
        char name[40];
        struct Sample t = gpu_time(copy_job, &c, RUNS, true);
        snprintf(name, sizeof name, "width.%d", c.width);
        row(name, &t, 2.0 * (double)c.bytes);
    }
    CUDA_OK(cudaFree(c.y));
    CUDA_OK(cudaFree((void *)c.x));
}

/* access: banks */
struct Banks { float *y; int sms, stride, width; };
enum { TIMES = 4096 };

static void banks_job(void *job)
{
    struct Banks *b = (struct Banks *)job;
    read_banks(b->y, b->sms, b->stride, b->width, TIMES);
}

static void banks(void)
{
    const int rows[][2] = { { 4, 0 }, { 4, 1 }, { 4, 2 }, { 4, 4 },
        { 4, 8 }, { 4, 16 }, { 4, 32 }, { 4, 33 }, { 16, 0 }, { 16, 4 },
        { 16, 32 }, { 16, 36 } };
    struct cudaDeviceProp p;
    struct Banks b = { NULL, 0, 0, 0 };
    CUDA_OK(cudaGetDeviceProperties(&p, 0));
    b.sms = p.multiProcessorCount;
    b.y = (float *)random_memory((size_t)b.sms * 1024 * 4);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        b.width = rows[i][0];
        b.stride = rows[i][1];
        struct Sample t = gpu_time(banks_job, &b, RUNS, false);
        double cycles = median(&t) * 1e9 * gpu_ghz() / (32.0 * TIMES);
        printf("%2d bytes, stride %2d: %6.2f cycles a request\n", b.width,
               b.stride, cycles);
        number_put(&numbers, "cycles", cycles, "h200.bank%d.%d", b.width,
                   b.stride);
    }
    CUDA_OK(cudaFree(b.y));
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time access patterns of global and shared "
                         "memory.");
    gathers();
    widths();
    banks();
    lab_close();
    return 0;
}
