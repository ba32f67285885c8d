/* Tangled from chapters/workshop/measuring-tensor-cores.nw, "The program for 8 bits".  Edit it there. */

/* matmul-e4m3: matrix products of 8-bit operands on Hopper, checked, then
 * timed in turns with cuBLASLt. */
#include "bench/cublaslt.cuh"
#include "bench/nvml.cuh"
#include "ladder/tensor_cores.h"

/* e4m3: list the shapes */
enum { TOKENS = 65536, VP = 50304 };

struct Shape {
    const char *name;
    int M, N, K;
    bool to_float;
};

static const struct Shape shapes[] = {
    { "square", 8192, 8192, 8192, false },
    { "qkv.y", TOKENS, 2304, 768, false },
    { "proj.y", TOKENS, 768, 768, false },
    { "fc.y", TOKENS, 3072, 768, false },
    { "mlp.y", TOKENS, 768, 3072, false },
    { "cls.dx", TOKENS, 768, VP, false },
    { "fc.dw", 768, 3072, TOKENS, true },
};

static const struct Shape odd[] = {
    { "one tile", 264, 200, 144, false },
    { "one step", 72, 8, 16, false },
    { "many tiles", 4104, 1992, 80, false },
    { "weights", 328, 200, 5008, true },
    { "two parts", 776, 3080, 1008, true },
};

/* e4m3: allocate operands and results */
static uint8_t *left, *right;           /* e4m3 [M][K], [N][K] */
static bf16 *left16, *right16;
static float *scales;
static void *ours, *theirs, *room;
static unsigned *counter;

static void memory_new(void)
{
    const size_t big = (size_t)TOKENS * VP, small = (size_t)TOKENS * 3072;
    const float half[] = { 0.5f, 0.25f };
    CUDA_OK(cudaMalloc(&left, big));
    CUDA_OK(cudaMalloc(&right, small));
    CUDA_OK(cudaMalloc(&left16, 2 * big));
    CUDA_OK(cudaMalloc(&right16, 2 * small));
    CUDA_OK(cudaMalloc(&ours, (size_t)TOKENS * 3072 * 2));
    CUDA_OK(cudaMalloc(&theirs, (size_t)TOKENS * 3072 * 2));
    CUDA_OK(cudaMalloc(&scales, sizeof half));
    CUDA_OK(cudaMemcpy(scales, half, sizeof half, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMalloc(&room, tensor_room()));
    CUDA_OK(cudaMemset(room, 0, tensor_room()));
    CUDA_OK(cudaMalloc(&counter, sizeof *counter));
}

/* For a kernel that counts: the counter, at 0. */
static unsigned *counter_zero(void)
{
    CUDA_OK(cudaMemset(counter, 0, sizeof *counter));
    return counter;
}

/* What the kernel has counted. */
static unsigned counter_read(void)
{
    unsigned h;
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(&h, counter, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

/* The first numbers of both operands. */
static void fill_operands(const struct Shape *s, int data)
{
    const size_t a = (size_t)s->M * s->K, b = (size_t)s->N * s->K;
    fill_kind(left, a, CUDA_R_8F_E4M3, 1, data);
    fill_kind(right, b, CUDA_R_8F_E4M3, 2, data);
    fill_kind(left16, a, CUDA_R_16BF, 1, data);
    fill_kind(right16, b, CUDA_R_16BF, 2, data);
}

/* e4m3: run what is timed */
struct Timed {
    const char *name;
    const struct TensorE4m3 *own;       /* or NULL, and the library's */
    struct LtJob job;
    int repeat;
    struct Sample t;
    struct Power power;
};

static const struct LtKind to_fp32 = { "e4m3", CUDA_R_8F_E4M3, CUDA_R_32F,
    CUBLAS_COMPUTE_32F, CUDA_R_32F, 1, 4, 0x1p-20, 0x1p-13 };

static const struct LtKind *e4m3(const struct Shape *s)
{
    return s->to_float ? &to_fp32 : &lt_kinds[LT_E4M3];
}

static struct LtJob library_job(const struct Shape *s,
                                const struct LtKind *kind, bool fast)
{
    struct LtJob j = lt_job(kind, 0, true);
    j.m = s->N, j.n = s->M, j.k = s->K, j.fast = fast;
    j.a = kind->in_bytes == 2 ? (void *)right16 : right;
    j.b = kind->in_bytes == 2 ? (void *)left16 : left;
    j.c = theirs;
    return j;
}

static struct MatmulE4m3 own_job(const struct Shape *s)
{
    struct MatmulE4m3 p = {};
    p.M = s->M, p.N = s->N, p.K = s->K, p.a = left, p.b = right;
    p.out = ours, p.out_float = s->to_float;
    return p;
}

static bool run_once(struct Timed *t, const struct Shape *s)
{
    const struct MatmulE4m3 p = own_job(s);
    if (t->own)
        return t->own->run(&p, room);
    lt_run(&t->job);
    return true;
}

/* e4m3: compare with the library */
/* How many x are not scale y; a NaN is not. */
template <typename E>
__global__ void compare(const E *x, const E *y, size_t n, float scale,
                        unsigned *wrong)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x)
        if (!((float)x[i] == (float)y[i] * scale))
            atomicAdd(wrong, 1);
}

template <typename E> static unsigned differing_as(size_t n, float scale)
{
    compare<<<1024, 256>>>((const E *)ours, (const E *)theirs, n, scale,
                           counter_zero());
    return counter_read();
}

static unsigned differing(const struct Shape *s, float scale)
{
    const size_t n = (size_t)s->M * s->N;
    return s->to_float ? differing_as<float>(n, scale)
                       : differing_as<__nv_bfloat16>(n, scale);
}

static void check_shape(const struct Shape *s)
{
    const size_t n = (size_t)s->M * s->N;
    struct LtJob j = library_job(s, e4m3(s), false);
    fill_operands(s, DATA_SMALL);
    if (!lt_plan(&j, 0))
        fail("%s: the library has no e4m3 of this shape", s->name);
    lt_run(&j);
    if (!lt_right(&j))
        fail("%s: the library is wrong", s->name);
    lt_forget(&j);
    printf("%s: %d x %d x %d right by", s->name, s->M, s->N, s->K);
    for (const struct TensorE4m3 *v = tensor_e4m3(); v->name; v++) {
        struct MatmulE4m3 p = own_job(s);
        p.scale_a = scales, p.scale_b = scales + 1;
        CUDA_OK(cudaMemset(ours, 0xff, n * (s->to_float ? 4 : 2)));
        if (!v->run(&p, room))
            continue;
        const unsigned wrong = differing(s, 0.125f);
        if (wrong)
            fail("%s by %s: %u of %zu elements are wrong; no time is given",
                 s->name, v->name, wrong, n);
        printf(" %s", v->name);
    }
    printf("\n");
}

/* e4m3: send a NaN through */
static void check_nan(void)
{
    enum { ROW = 5, M = 72, N = 72 };
    static const struct Shape s = { "nan", M, N, 144, false };
    static bf16 h[M * N];
    const uint8_t nan = 0x7f;
    fill_operands(&s, DATA_SMALL);
    CUDA_OK(cudaMemcpy(left + ROW * s.K + 77, &nan, 1,
                       cudaMemcpyHostToDevice));
    for (const struct TensorE4m3 *v = tensor_e4m3(); v->name; v++) {
        const struct MatmulE4m3 p = own_job(&s);
        if (!v->run(&p, room))
            continue;
        CUDA_OK(cudaMemcpy(h, ours, sizeof h, cudaMemcpyDeviceToHost));
        for (int i = 0; i < M * N; i++)
            if (isnan(bf16_to_float(h[i])) != (i / N == ROW))
                fail("%s: a NaN in row %d, and element %d of row %d is %g",
                     v->name, ROW, i % N, i / N,
                     (double)bf16_to_float(h[i]));
    }
}

/* e4m3: check all versions */
static void check_versions(void)
{
    for (const struct Shape &s : odd)
        check_shape(&s);
    for (const struct Shape &s : shapes)
        check_shape(&s);
    check_nan();
}

/* e4m3: measure the error of a sum */
__global__ void make_positive(uint8_t *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] &= 0x7f;
}

static void positive_operands(const struct Shape *s)
{
    make_positive<<<1024, 256>>>(left, (size_t)s->M * s->K);
    make_positive<<<1024, 256>>>(right, (size_t)s->N * s->K);
}

/* (c - exact) / size for some elements, size being the sum of |a b|. */
__global__ void errors_at(double *error, const __nv_fp8_e4m3 *a,
                          const __nv_fp8_e4m3 *b, const float *c, int m,
                          int n, int k)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = (int)((uint64_t)t * 7919 % m);
    const int l = (int)((uint64_t)t * 104729 % n);
    double sum = 0, size = 0;
    for (int q = 0; q < k; q++) {
        const double x = (double)(float)a[(size_t)i * k + q]
                       * (double)(float)b[(size_t)l * k + q];
        sum += x, size += fabs(x);
    }
    error[t] = ((double)c[(size_t)i * n + l] - sum) / size;
}

enum { SAMPLES = 4096 };

static void put_error(const struct Shape *s, const char *data,
                      const char *name, void *c)
{
    double *error, h[SAMPLES], mean = 0, square = 0;
    CUDA_OK(cudaMalloc(&error, sizeof h));
    errors_at<<<SAMPLES / 32, 32>>>(error, (__nv_fp8_e4m3 *)left,
        (__nv_fp8_e4m3 *)right, (float *)c, s->M, s->N, s->K);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(h, error, sizeof h, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaFree(error));
    for (double x : h)
        mean += x / SAMPLES, square += x * x / SAMPLES;
    printf("%s %s of depth %d: mean error %.3g, root of mean square %.3g\n",
           name, data, s->K, mean, sqrt(square));
    number_put(&numbers, "", mean, "e4m3.error.%s.%d.%s.mean", data, s->K,
               name);
    number_put(&numbers, "", sqrt(square), "e4m3.error.%s.%d.%s.rms", data,
               s->K, name);
}

static void put_errors_of(const struct Shape *s, const char *data)
{
    for (const struct TensorE4m3 *v = tensor_e4m3(); v->name; v++) {
        const struct MatmulE4m3 p = own_job(s);
        if (v->run(&p, room))
            put_error(s, data, v->name, ours);
    }
    for (int fast = 0; fast < 2; fast++) {
        struct LtJob j = library_job(s, &to_fp32, fast);
        if (!lt_plan(&j, 0))
            fail("the library has no e4m3 with sums in fp32");
        lt_run(&j);
        put_error(s, data, fast ? "lt.fast" : "lt", theirs);
        lt_forget(&j);
    }
}

static void put_errors(void)
{
    for (int k : { 768, 3072, 12288, (int)VP }) {
        const struct Shape s = { "error", 1024, 768, k, true };
        fill_operands(&s, DATA_NORMAL);
        put_errors_of(&s, "normal");
        positive_operands(&s);
        put_errors_of(&s, "positive");
    }
}

/* e4m3: add up as the tensor cores do */
__device__ static int exponent(float x)     /* of an e4m3 */
{
    return max(ilogbf(x), -6);
}

__device__ static double cut(double x, int exponent)
{
    const double unit = ldexp(1.0, exponent - 13);
    return trunc(x / unit) * unit;
}

/* The total after 32 products more. */
__device__ static double add_32(double total, const __nv_fp8_e4m3 *a,
                                const __nv_fp8_e4m3 *b)
{
    int top = total != 0 ? ilogb(total) : -99;
    for (int q = 0; q < 32; q++)
        if ((float)a[q] != 0 && (float)b[q] != 0)
            top = max(top, exponent((float)a[q]) + exponent((float)b[q]));
    double sum = cut(total, top);
    for (int q = 0; q < 32; q++)
        sum += cut((double)(float)a[q] * (double)(float)b[q], top);
    return sum != 0 ? cut(sum, ilogb(sum)) : 0;
}

/* e4m3: compare with the rule */
__global__ void count_equal(unsigned *equal, const __nv_fp8_e4m3 *a,
                            const __nv_fp8_e4m3 *b, const float *c, int m,
                            int n, int k, int apart)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = (int)((uint64_t)t * 7919 % m);
    const int l = (int)((uint64_t)t * 104729 % n);
    double total = 0;
    float sum = 0;
    for (int q = 0; q < k; q += 32) {
        if (apart && q % 128 == 0)
            sum += (float)total, total = 0;
        total = add_32(total, a + (size_t)i * k + q, b + (size_t)l * k + q);
    }
    if (sum + (float)total == c[(size_t)i * n + l])
        atomicAdd(equal, 1);
}

/* How many of SAMPLES sums are what the rule says. */
static unsigned follow_rule(const struct Shape *s, int apart)
{
    const struct TensorE4m3 *v = &tensor_e4m3()[apart];
    const struct MatmulE4m3 p = own_job(s);
    if (!v->run(&p, room))
        fail("%s does not run at a depth of %d", v->name, s->K);
    count_equal<<<SAMPLES / 32, 32>>>(counter_zero(), (__nv_fp8_e4m3 *)left,
        (__nv_fp8_e4m3 *)right, (float *)ours, s->M, s->N, s->K, apart);
    return counter_read();
}

static void put_rule(void)
{
    double sums = 0, misses = 0;
    for (int k : { 32, 64, 96, 128, 768, 4096 }) {
        const struct Shape s = { "rule", 66 * 256, 384, k, true };
        for (int positive = 0; positive < 2; positive++) {
            fill_operands(&s, DATA_NORMAL);
            if (positive)
                positive_operands(&s);
            for (int apart = 0; apart < 2; apart++)
                sums += SAMPLES, misses += SAMPLES - follow_rule(&s, apart);
        }
    }
    printf("%.0f of %.0f sums do not follow the rule\n", misses, sums);
    number_put(&numbers, "", sums, "e4m3.rule.sums");
    number_put(&numbers, "", misses, "e4m3.rule.misses");
}

/* e4m3: take turns */
enum { TURNS = 5, MOST = 16, PROPOSALS = 8 };

static double seconds(struct Timed *t, const struct Shape *s)
{
    static cudaEvent_t from, to;
    float ms;
    if (!from) {
        CUDA_OK(cudaEventCreate(&from));
        CUDA_OK(cudaEventCreate(&to));
    }
    for (int i = 0; i < t->repeat; i++)
        run_once(t, s);
    CUDA_OK(cudaEventRecord(from, 0));
    for (int i = 0; i < t->repeat; i++)
        run_once(t, s);
    CUDA_OK(cudaEventRecord(to, 0));
    CUDA_OK(cudaEventSynchronize(to));
    CUDA_OK(cudaEventElapsedTime(&ms, from, to));
    return 1e-3 * ms / t->repeat;
}

/* The fastest of the library's proposals. */
static void best_plan(struct Timed *t, const struct Shape *s)
{
    const struct LtJob job = t->job;
    double best = 1e9;
    int which = 0;
    for (int i = 0; i < PROPOSALS && lt_plan(&t->job, i); i++) {
        const double now = seconds(t, s);
        if (now < best)
            best = now, which = i;
        lt_forget(&t->job);
        t->job = job;
    }
    if (!lt_plan(&t->job, which))
        fail("%s: the library has no %s", s->name, t->name);
}

/* e4m3: time one shape */
static void put(const struct Shape *s, const struct Timed *t)
{
    const double us = 1e6 * median(&t->t);
    const double rate = 2e-6 * s->M * s->N * s->K / us;
    printf("%-7s %-14s %9.1f us %6.0f TFLOP/s %9.1f - %9.1f us %4.0f W "
           "%5.0f MHz\n", s->name, t->name, us, rate,
           1e6 * fastest(&t->t), 1e6 * slowest(&t->t), t->power.watts,
           t->power.mhz);
    #define PUT(unit, x, what) \
        number_put(&numbers, unit, x, "e4m3.%s.%s." what, s->name, t->name)
    PUT("us", us, "us");
    PUT("us", 1e6 * fastest(&t->t), "fastest");
    PUT("us", 1e6 * slowest(&t->t), "slowest");
    PUT("TFLOP/s", rate, "rate");
    PUT("W", t->power.watts, "watts");
    PUT("MHz", t->power.mhz, "clock");
    #undef PUT
}

/* How many elements of ours are not bit for bit the library's? */
static void put_differing(const struct Shape *s, struct LtJob *library)
{
    lt_run(library);
    for (const struct TensorE4m3 *v = tensor_e4m3(); v->name; v++) {
        const struct MatmulE4m3 p = own_job(s);
        if (!v->run(&p, room))
            continue;
        const double part = differing(s, 1) / ((double)s->M * s->N);
        printf("%-7s %-14s differs from the library in %.3g of its "
               "elements\n", s->name, v->name, part);
        number_put(&numbers, "", part, "e4m3.%s.%s.differ", s->name,
                   v->name);
    }
}

static int candidates(const struct Shape *s, struct Timed *list)
{
    const double flop = 2.0 * s->M * s->N * s->K;
    const int repeat = 1 + (int)(4e13 / flop);      /* some 30 ms */
    int n = 0;
    list[n++] = { "lt.fast", NULL, library_job(s, e4m3(s), true), repeat,
                  {}, {} };
    list[n++] = { "lt", NULL, library_job(s, e4m3(s), false), repeat,
                  {}, {} };
    list[n++] = { "lt.bf16", NULL,
                  library_job(s, &lt_kinds[LT_BF16], false),
                  (repeat + 1) / 2, {}, {} };
    for (int i = 0; i < n; i++) {
        best_plan(&list[i], s);
        printf("%s %s runs %s\n", s->name, list[i].name,
               lt_kernel(&list[i].job).name);
    }
    for (const struct TensorE4m3 *v = tensor_e4m3(); v->name; v++) {
        list[n] = { v->name, v, {}, repeat, {}, {} };
        n += run_once(&list[n], s);
    }
    return n;
}

/* Adds to `logs`, of each way, the library's time over ours. */
static void one_shape(const struct Shape *s, double *logs)
{
    static struct Timed list[MOST];
    fill_operands(s, DATA_NORMAL);
    const int n = candidates(s, list);
    if (n != 5)
        fail("%s: %d kernels run, not 5", s->name, n);
    for (int turn = 0; turn < TURNS; turn++)
        for (int k = 0; k < n; k++) {
            struct Timed *t = &list[turn % 2 ? n - 1 - k : k];
            sample_add(&t->t, seconds(t, s));
            power_add(&t->power, TURNS);
        }
    for (int i = 0; i < n; i++)
        put(s, &list[i]);
    for (int i = 0; i < 2; i++)
        logs[i] += log(median(&list[i].t) / median(&list[3 + i].t));
    put_differing(s, &list[1].job);
    for (int i = 0; i < 3; i++)
        lt_forget(&list[i].job);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const ways[] = { "fast", "apart" };
    double logs[2] = { 0, 0 };
    lab_open(argc, argv, "Time matrix products of 8-bit operands beside "
             "cuBLASLt.");
    lt_open();
    nvml_open();
    memory_new();
    check_versions();
    put_errors();
    put_rule();
    for (const struct Shape &s : shapes)
        one_shape(&s, logs);
    for (int i = 0; i < 2; i++) {
        const double mean = exp(logs[i] / (sizeof shapes / sizeof *shapes));
        printf("%s: geometric mean of the library's times over ours %.4f\n",
               ways[i], mean);
        number_put(&numbers, "", mean, "e4m3.mean.%s", ways[i]);
    }
    lab_close_operators();
}
