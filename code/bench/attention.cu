/* Tangled from chapters/workshop/measuring-attention.nw, "Measuring attention".  Edit it there. */

/* Softmax and attention: every version, checked, then timed. */
#include "bench/cuda_bench.cuh"
#include "ladder/attention.h"
#include "ladder/softmax.h"
#include "ops/attention/attention.h"
#include "ops/attention/attention_bf16.h"
#include "ops/kernels/ptx.cuh"
#include "ops/linear/bias_grad_bf16.h"

enum { RUNS = 21 };

/* numbers between -1 and 1 */
__global__ static void fill_noise(float *x, size_t n, uint32_t seed)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t z = (uint32_t)i * 0x9e3779b9u + seed;
        z = (z ^ (z >> 16)) * 0x85ebca6bu;
        z = (z ^ (z >> 13)) * 0xc2b2ae35u;
        x[i] = bf16_to_float(float_to_bf16(
            (float)(z ^ (z >> 16)) / 2147483648.0f - 1));
    }
}

__global__ static void narrow(bf16 *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] = float_to_bf16(x[i]);
}

static void *room(size_t bytes)
{
    void *p;
    CUDA_OK(cudaMalloc(&p, bytes));
    return p;
}

static float *noise(size_t n, uint32_t seed)
{
    float *x = (float *)room(n * 4);
    fill_noise<<<1024, 256>>>(x, n, seed);
    CUDA_OK(cudaGetLastError());
    return x;
}

/* lab: one row of the table */
/* work: bytes or FLOP; ceiling of the same, per second */
static double row(const char *name, Work *work, void *job, double amount,
                  double ceiling, const char *unit)
{
    struct Sample t = gpu_time(work, job, 3, true);
    if (median(&t) < 0.05)              /* the slow ones do not vary */
        t = gpu_time(work, job, RUNS, true);
    const double us = 1e6 * median(&t), rate = amount / us * 1e6;
    const double shown = rate / (unit[0] == 'T' ? 1e12 : 1e9);
    printf("%-22s %9.1f us %9.1f - %9.1f %9.1f %s %5.1f %%\n", name, us,
           1e6 * fastest(&t), 1e6 * slowest(&t), shown, unit,
           ceiling ? 100 * rate / ceiling : 100.0);
    number_put(&numbers, "us", us, "attention.%s.us", name);
    number_put(&numbers, "us", 1e6 * fastest(&t), "attention.%s.fastest",
               name);
    number_put(&numbers, "us", 1e6 * slowest(&t), "attention.%s.slowest",
               name);
    number_put(&numbers, unit, shown, "attention.%s.rate", name);
    if (ceiling)
        number_put(&numbers, "%", 100 * rate / ceiling,
                   "attention.%s.percent", name);
    return rate;
}

/* lab: is softmax right */
static void check_one(const struct Softmax *v, int N, int C)
{
    const size_t n = (size_t)N * C;
    float *x = noise(n, 7), *y = (float *)room(n * 4);
    float *h = (float *)malloc(n * 4), *got = (float *)malloc(n * 4);
    CUDA_OK(cudaMemcpy(h, x, n * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)      /* rows that end, and begin, late */
        h[i] = i % 3 && (int)(i % C) < C / 2 ? -INFINITY : 80 * h[i];
    CUDA_OK(cudaMemcpy(x, h, n * 4, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemset(y, 0xff, n * 4));
    v->run(y, x, N, C);
    CUDA_OK(cudaMemcpy(got, y, n * 4, cudaMemcpyDeviceToHost));
    for (int r = 0; r < N; r++) {
        double sum = 0, most = -INFINITY;
        for (int c = 0; c < C; c++)
            most = fmax(most, h[(size_t)r * C + c]);
        for (int c = 0; c < C; c++)
            sum += exp(h[(size_t)r * C + c] - most);
        for (int c = 0; c < C; c++) {
            const size_t i = (size_t)r * C + c;
            if (!(fabs(exp(h[i] - most) / sum - got[i]) < 2e-5))
                fail("softmax %s, row %d of %d, column %d: %g; no time is "
                     "given", v->name, r, C, c, got[i]);
        }
    }
    CUDA_OK(cudaFree(x));
    CUDA_OK(cudaFree(y));
    free(h);
    free(got);
}

static void check_softmax(void)
{
    const int sizes[] = { 1, 33, 511, 1024, 50304 };
    for (const struct Softmax *v = softmaxes(); v->name; v++)
        for (int i = 0; i < 5; i++)
            check_one(v, 3, sizes[i]);
}

/* lab: the times of softmax */
struct SoftmaxJob {
    const struct Softmax *v;
    float *y, *x;
    int N, C;
};

static void softmax_job(void *job)
{
    struct SoftmaxJob *j = (struct SoftmaxJob *)job;
    if (j->v)
        j->v->run(j->y, j->x, j->N, j->C);
    else
        CUDA_OK(cudaMemcpyAsync(j->y, j->x, (size_t)j->N * j->C * 4,
                                cudaMemcpyDeviceToDevice, 0));
}

static void time_softmax(int N, int C)
{
    const size_t n = (size_t)N * C;
    struct SoftmaxJob j = { NULL, (float *)room(n * 4), noise(n, 1), N, C };
    printf("\nsoftmax  N=%d C=%d float | %.2f GB in and out | %d runs, L2 "
           "overwritten before each\n", N, C, 8e-9 * (double)n, RUNS);
    const double copy = row("softmax.copy", softmax_job, &j, 8.0 * n, 0,
                            "GB/s");
    for (j.v = softmaxes(); j.v->name; j.v++) {
        char name[32];
        snprintf(name, sizeof name, "softmax.%s", j.v->name);
        row(name, softmax_job, &j, 8.0 * n, copy, "GB/s");
    }
    CUDA_OK(cudaFree(j.y));
    CUDA_OK(cudaFree(j.x));
}

/* lab: the rate of mma.sync */
enum { CHAINS = 8, ROUNDS = 4096, MMA_BLOCKS = 132 * 4 };

/* Products of registers, in 8 chains a warp. */
__global__ static void mma_rate(float *out, unsigned seed)
{
    float d[CHAINS][4] = {};
    const unsigned a[4] = { seed, seed, seed, seed };
    for (int i = 0; i < ROUNDS; i++)
        #pragma unroll
        for (int c = 0; c < CHAINS; c++)
            mma_m16n8k16(d[c], a, seed + c, seed);
    float sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += d[c][0] + d[c][1] + d[c][2] + d[c][3];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static double mma_ceiling;

static void mma_job(void *job)
{
    mma_rate<<<MMA_BLOCKS, 128>>>((float *)job, 0x3c013c02u);
    CUDA_OK(cudaGetLastError());
}

static void time_mma(void)
{
    float *out = (float *)room(MMA_BLOCKS * 128 * 4);
    printf("\ntensor cores by mma.sync, bf16, from registers\n");
    mma_ceiling = row("mma-rate", mma_job, out, 4096.0 * CHAINS * ROUNDS
                      * MMA_BLOCKS * 4, 0, "TFLOP/s");
    CUDA_OK(cudaFree(out));
}

/* lab: the tensors of attention */
struct Attention {
    int B, T, C, NH;
    float *qkv, *y, *dy, *dqkv, *square, *lse, *dbias; /* float ... */
    bf16 *qkv16, *y16, *dy16, *dqkv16;              /* ... and bf16 */
};

static bf16 *narrowed(const float *x, size_t n)
{
    bf16 *y = (bf16 *)room(n * 2);
    narrow<<<1024, 256>>>(y, x, n);
    CUDA_OK(cudaGetLastError());
    return y;
}

static struct Attention attention_open(int B, int T, int C, int NH,
                                       bool square)
{
    struct Attention a = {};
    a.B = B, a.T = T, a.C = C, a.NH = NH;
    const size_t n = (size_t)B * T * C, s = (size_t)B * NH * T;
    a.qkv = noise(3 * n, 1);
    a.dy = noise(n, 2);
    a.y = (float *)room(n * 4);
    a.dqkv = (float *)room(3 * n * 4);
    a.lse = (float *)room(s * 4);
    a.dbias = (float *)room(3 * C * sizeof(float));
    a.square = square ? (float *)room(s * T * 4) : NULL;
    a.qkv16 = narrowed(a.qkv, 3 * n);
    a.dy16 = narrowed(a.dy, n);
    a.y16 = (bf16 *)room(n * 2);
    a.dqkv16 = (bf16 *)room(3 * n * 2);
    return a;
}


static void attention_close(struct Attention *a)
{
    void *all[] = { a->qkv, a->y, a->dy, a->dqkv, a->square, a->lse,
                    a->dbias, a->qkv16, a->y16, a->dy16, a->dqkv16 };
    for (int i = 0; i < 11; i++)
        CUDA_OK(cudaFree(all[i]));
}

static void by_square(void *job)
{
    struct Attention *a = (struct Attention *)job;
    attention_square(a->y, a->square, a->qkv, a->B, a->T, a->C, a->NH);
}

static void by_tiles(void *job)
{
    struct Attention *a = (struct Attention *)job;
    attention_fwd(a->y, a->lse, a->qkv, a->B, a->T, a->C, a->NH);
}

static void by_tiles_bwd(void *job)
{
    struct Attention *a = (struct Attention *)job;
    attention_bwd(a->dqkv, a->dy, a->qkv, a->y, a->lse, a->B, a->T, a->C,
                  a->NH);
}

static void by_flash(void *job)
{
    struct Attention *a = (struct Attention *)job;
    attention_bf16_fwd(a->y16, a->lse, a->qkv16, a->B, a->T, a->C, a->NH);
}

static void by_flash_bwd(void *job)
{
    struct Attention *a = (struct Attention *)job;
    attention_bf16_bwd(a->dqkv16, a->dbias, a->dy16, a->qkv16, a->y16,
                       a->lse, a->B, a->T, a->C, a->NH, false);
}

/* The gradient of the bias by a pass of its own. */
static void by_flash_bwd_apart(void *job)
{
    struct Attention *a = (struct Attention *)job;
    attention_bf16_bwd(a->dqkv16, NULL, a->dy16, a->qkv16, a->y16, a->lse,
                       a->B, a->T, a->C, a->NH, false);
    bias_grad_bf16(a->dbias, a->dqkv16, a->B * a->T, 3 * a->C, false);
}

/* Attention alone, no gradient of a bias. */
static void by_flash_bwd_alone(void *job)
{
    struct Attention *a = (struct Attention *)job;
    attention_bf16_bwd(a->dqkv16, NULL, a->dy16, a->qkv16, a->y16, a->lse,
                       a->B, a->T, a->C, a->NH, false);
}

/* lab: is attention right */
/* The largest difference of n numbers, over the largest number. */
static double apart(const float *x, const bf16 *y, size_t n)
{
    float *h = (float *)malloc(n * 4);
    uint16_t *g = (uint16_t *)malloc(n * 2);
    double worst = 0, size = 0;
    CUDA_OK(cudaMemcpy(h, x, n * 4, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(g, y, n * 2, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = (uint32_t)g[i] << 16;
        float got;
        memcpy(&got, &bits, 4);
        const double e = fabs(got - h[i]);
        worst = e <= worst ? worst : e;         /* NaN is the worst */
        size = fmax(size, fabs(h[i]));
    }
    free(h);
    free(g);
    return worst / size;
}

static void compare(const char *what, double apart)
{
    if (!(apart < 0x1p-6))
        fail("attention, %s: %g apart; no time is given", what, apart);
}

static const char *const impls[] = { "mma", "hopper", "passes" };
enum { BODIES = 3, FORWARD = 2 };       /* the last is backward only */

/* The two in float against each other; those in bf16 against them. */
static void check_attention(int B, int T, int C, int NH)
{
    struct Attention a = attention_open(B, T, C, NH, true);
    const size_t n = (size_t)B * T * C;
    by_square(&a);
    for (int i = 0; i < FORWARD; i++)
        if (attention_bf16_use(impls[i])) {
            by_flash(&a);
            compare("the square and attention_bf16_fwd",
                    apart(a.y, a.y16, n));
        }
    by_tiles(&a);
    by_tiles_bwd(&a);
    for (int i = 0; i < BODIES; i++)
        if (attention_bf16_use(impls[i])) {
            by_flash(&a);
            compare("the tiles and attention_bf16_fwd",
                    apart(a.y, a.y16, n));
            by_flash_bwd(&a);
            compare("the tiles and attention_bf16_bwd",
                    apart(a.dqkv, a.dqkv16, 3 * n));
        }
    attention_close(&a);
}

/* lab: the times of attention */
/* Both directions of each implementation in bf16; FLOP of half a square. */
static void time_flash(struct Attention *a, const char *size)
{
    const double flop = 2.0 * a->B * a->T * a->T * a->C;
    char name[48];
    for (int i = 0; i < BODIES; i++)
        if (attention_bf16_use(impls[i])) {
            snprintf(name, sizeof name, "%s.fwd%s", impls[i], size);
            if (i < FORWARD)
                row(name, by_flash, a, flop, mma_ceiling, "TFLOP/s");
            snprintf(name, sizeof name, "%s.bwd%s", impls[i], size);
            row(name, by_flash_bwd, a, 2.5 * flop, mma_ceiling, "TFLOP/s");
        }
}

static void time_other(int B, int T, int C, int NH)
{
    struct Attention a = attention_open(B, T, C, NH, false);
    char size[48];
    snprintf(size, sizeof size, ".t%d.hs%d", T, C / NH);
    time_flash(&a, size);
    attention_close(&a);
}

static void time_few(int T)
{
    for (int B = 1; B <= 8; B *= 2) {
        struct Attention a = attention_open(B, T, 768, 12, false);
        for (int i = 0; i < BODIES; i++)
            if (attention_bf16_use(impls[i])) {
                char name[48];
                snprintf(name, sizeof name, "few.%s.t%d.b%d", impls[i], T,
                         B);
                by_flash(&a);
                row(name, by_flash_bwd_alone, &a, 5.0 * B * T * T * 768,
                    mma_ceiling, "TFLOP/s");
            }
        attention_close(&a);
    }
}

static void time_attention(void)
{
    struct Attention a = attention_open(64, 1024, 768, 12, true);
    const double flop = 2.0 * a.B * a.T * a.T * a.C;
    printf("\nattention  B=%d T=%d NH=%d HS=%d | %.1f GFLOP forward, "
           "causal | %d runs, L2 overwritten before each\n", a.B, a.T,
           a.NH, a.C / a.NH, 1e-9 * flop, RUNS);
    row("square.fwd", by_square, &a, flop, mma_ceiling, "TFLOP/s");
    row("tiles.fwd", by_tiles, &a, flop, mma_ceiling, "TFLOP/s");
    row("tiles.bwd", by_tiles_bwd, &a, 2.5 * flop, mma_ceiling, "TFLOP/s");
    time_flash(&a, "");
    compare("the tiles and the last attention_bf16_bwd, at full size",
            apart(a.dqkv, a.dqkv16, (size_t)3 * a.B * a.T * a.C));
    if (attention_bf16_use("hopper")) {
        row("hopper.bwd.alone", by_flash_bwd_alone, &a, 2.5 * flop,
            mma_ceiling, "TFLOP/s");
        row("hopper.bwd.apart", by_flash_bwd_apart, &a, 2.5 * flop,
            mma_ceiling, "TFLOP/s");
    }
    attention_close(&a);
    for (int T = 256; T <= 16384; T *= 2)
        time_other(65536 / T, T, 768, 12);
    for (int T = 512; T <= 4096; T *= 2)
        time_few(T);
    time_other(64, 1024, 768, 24);
    time_other(64, 1024, 800, 10);
    time_other(64, 1024, 768, 6);
    time_other(16, 4096, 768, 6);
}

/* lab: main */
int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time the versions of softmax and attention.");
    check_softmax();
    check_attention(2, 300, 128, 2);
    check_attention(1, 1024, 160, 2);
    check_attention(2, 300, 64, 2);
    check_attention(2, 300, 256, 2);
    time_softmax(8192, 50304);
    time_mma();
    time_attention();
    lab_close_operators();
    return 0;
}
