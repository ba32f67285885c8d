/* Tangled from chapters/workshop/measuring-fusion.nw, "The program that measures fusion".  Edit it there. */

/* fusion: chains of operators, a kernel for each and fused, checked, then
 * timed beside a copy. */
#include "bench/cuda_bench.cuh"
#include "ladder/fusion.h"

enum { RUNS = 31 };

/* fusion: memory for the largest example */
enum { LONG_N = 4096, LONG_C = 50257, MOST_ROWS = 1 << 16 };
static const size_t MOST = (size_t)LONG_N * LONG_C + 3;
static struct FusionData data;

static int *some_targets(int N, int C)
{
    int *d, *h = (int *)malloc((size_t)N * sizeof *h);
    if (!h)
        fail("no memory for %d targets", N);
    for (int n = 0; n < N; n++)
        h[n] = (int)(hash((uint32_t)n + 99) % (uint32_t)C);
    CUDA_OK(cudaMalloc(&d, (size_t)N * sizeof *d));
    CUDA_OK(cudaMemcpy(d, h, (size_t)N * sizeof *d,
                       cudaMemcpyHostToDevice));
    free(h);
    return d;
}

static void memory_new(void)
{
    data.x = uniform_memory(MOST, 1);
    data.residual = uniform_memory(MOST, 2);
    data.w = uniform_memory(LONG_C, 3);
    data.b = uniform_memory(LONG_C, 4);
    data.target = some_targets(MOST_ROWS, LONG_C);
    data.y = uniform_memory(MOST, 5);
    data.sum = uniform_memory(MOST, 6);
    data.loss = uniform_memory(MOST_ROWS, 7);
    for (uint32_t i = 0; i < 4; i++)
        data.t[i] = uniform_memory(MOST, 8 + i);
    for (uint32_t i = 0; i < 2; i++)
        data.row[i] = uniform_memory(MOST_ROWS, 12 + i);
}

/* fusion: what the results should be */
enum { ROW = 4096 };                /* numbers of waves that are checked */

struct Wanted { double y[LONG_C], sum[LONG_C], loss; };
static struct Wanted want;
static float h_x[LONG_C], h_r[LONG_C], h_w[LONG_C], h_b[LONG_C];

static void take(float *h, const float *d, size_t at, size_t n)
{
    CUDA_OK(cudaMemcpy(h, d + at, n * sizeof *h, cudaMemcpyDeviceToHost));
}

static void want_waves(int C)
{
    for (int c = 0; c < C; c++)
        want.y[c] = sin(h_x[c]) * sin(h_x[c]) + cos(h_x[c]) * cos(h_x[c]);
}

static void want_gelu(int C)
{
    for (int c = 0; c < C; c++) {
        const double x = (double)h_x[c] + h_b[c];
        const double u = 0.7978845608028654 * (x + 0.044715 * x * x * x);
        want.y[c] = 0.5 * x * (1 + tanh(u));
    }
}

static void want_layernorm(int C)
{
    double mean = 0, square = 0;
    for (int c = 0; c < C; c++)
        mean += (want.sum[c] = (double)h_x[c] + h_r[c]) / C;
    for (int c = 0; c < C; c++)
        square += (want.sum[c] - mean) * (want.sum[c] - mean) / C;
    for (int c = 0; c < C; c++)
        want.y[c] = (want.sum[c] - mean) / sqrt(square + 1e-5) * h_w[c]
                  + h_b[c];
}

static void want_loss(int C, int target)
{
    double sum = 0;
    for (int c = 0; c < C; c++)
        sum += exp(h_x[c]);
    for (int c = 0; c < C; c++)
        want.y[c] = exp(h_x[c]) / sum - (c == target);
    want.loss = log(sum) - h_x[target];
}

/* fusion: check a version */
/* The largest difference, as a share of the largest number. */
static double error_of(const float *is, const double *should, int n)
{
    double largest = 0, error = 0;
    for (int i = 0; i < n; i++) {
        const double e = fabs(is[i] - should[i]);
        largest = fmax(largest, fabs(should[i]));
        error = e <= error ? error : e;         /* NaN stays */
    }
    return error / largest;
}

static void wanted(const char *example, int n, int C)
{
    int target;
    take(h_x, data.x, (size_t)n * C, (size_t)C);
    take(h_r, data.residual, (size_t)n * C, (size_t)C);
    take(h_w, data.w, 0, (size_t)C);
    take(h_b, data.b, 0, (size_t)C);
    CUDA_OK(cudaMemcpy(&target, data.target + n, sizeof target,
                       cudaMemcpyDeviceToHost));
    if (strcmp(example, "waves") == 0)
        want_waves(C);
    else if (strcmp(example, "gelu") == 0)
        want_gelu(C);
    else if (strcmp(example, "layernorm") == 0)
        want_layernorm(C);
    else
        want_loss(C, target);
}

static void allow(const struct Fusion *v, const char *what, double error)
{
    if (!(error <= 2e-5))
        fail("%s %s: %s is off by %.2g; no time is given", v->example,
             v->name, what, error);
}

/* The first row, one in the middle, and the last. */
static void check(const struct Fusion *v)
{
    const int C = data.N == 1 && data.C > ROW ? ROW : data.C;
    const int rows = (int)(data.n / (size_t)C);
    CUDA_OK(cudaMemset(data.y, 0xff, data.n * 4));
    CUDA_OK(cudaMemset(data.sum, 0xff, data.n * 4));
    CUDA_OK(cudaMemset(data.loss, 0xff, (size_t)MOST_ROWS * 4));
    v->run(&data);
    CUDA_OK(cudaDeviceSynchronize());
    for (int i = 0; i < 3; i++) {
        const int n = i * (rows - 1) / 2;
        float loss;
        wanted(v->example, n, C);
        take(h_x, data.y, (size_t)n * C, (size_t)C);
        allow(v, "y", error_of(h_x, want.y, C));
        take(h_x, data.sum, (size_t)n * C, (size_t)C);
        if (strcmp(v->example, "layernorm") == 0)
            allow(v, "sum", error_of(h_x, want.sum, C));
        take(&loss, data.loss, (size_t)n, 1);
        if (strcmp(v->example, "loss") == 0)
            allow(v, "loss", fabs(loss - want.loss) / want.loss);
    }
}

/* fusion: time a version */
/* Seconds of some work; 100 % is `best` seconds. */
static double row(const char *group, const char *name, double bytes,
                  double best, Work *work, void *job, int runs, bool cold)
{
    struct Sample t = gpu_time(work, job, runs, cold);
    const double s = median(&t);
    printf("%-10s %-6s", group, name);
    timed_row(&t, bytes, GBS, 100 * (best > 0 ? best : s) / s,
              "fusion.%s.%s", group, name);
    return s;
}

static void version_work(void *job)
{
    (*(const struct Fusion **)job)->run(&data);
}

/* From x to t[0], as many bytes as the best version reads. */
static void copy_work(void *job)
{
    CUDA_OK(cudaMemcpyAsync(data.t[0], data.x, *(size_t *)job,
                            cudaMemcpyDeviceToDevice, 0));
}

/* fusion: the four examples */
static void example(const char *name, int N, int C)
{
    const struct Fusion *v = fusions(), *last = NULL;
    for (const struct Fusion *u = v; u->name; u++)
        last = strcmp(u->example, name) == 0 ? u : last;
    data.N = N, data.C = C, data.n = (size_t)N * C;
    size_t half = data.n * 4 * (size_t)last->words / 2;
    printf("\n%s, %d rows of %d\n", name, N, C);
    const double best = row(name, "copy", 2.0 * (double)half, 0, copy_work,
                            &half, RUNS, true);
    for (; v->name; v++) {
        if (strcmp(v->example, name) != 0)
            continue;
        check(v);
        row(name, v->name, 4.0 * (double)data.n * v->words, best,
            version_work, &v, RUNS, true);
    }
}

static void examples(void)
{
    example("waves", 1, 1 << 27);
    example("gelu", 1 << 15, 3072);
    example("layernorm", 1 << 16, 768);
    example("loss", LONG_N, LONG_C);
}

/* fusion: chains of sines */
struct Chain { int times; bool unit; };

static void sines_work(void *job)
{
    const struct Chain *c = (const struct Chain *)job;
    sines_run(data.y, data.x, (size_t)1 << 27, c->times, c->unit);
}

static void check_sines(const struct Chain *c)
{
    const double allowed = c->unit ? 1e-5 : 1e-6;
    sines_work((void *)c);
    take(h_x, data.x, 0, ROW);
    take(h_w, data.y, 0, ROW);
    for (int i = 0; i < ROW; i++) {
        double x = h_x[i];
        for (int k = 0; k < c->times; k++)
            x = sin(x);
        if (!(fabs(h_w[i] - x) <= allowed))
            fail("%d sines of %g: %g, not %g", c->times, (double)h_x[i],
                 (double)h_w[i], x);
    }
}

static void sine_chains(void)
{
    static const int times[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32 };
    printf("\nchains of sines\n");
    for (int unit = 0; unit < 2; unit++)
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            struct Chain c = { times[i], unit != 0 };
            char name[20];
            check_sines(&c);
            snprintf(name, sizeof name, "%s.%d", unit ? "unit" : "exact",
                     times[i]);
            row("sines", name, 8.0 * (1 << 27), 0, sines_work, &c, RUNS,
                true);
        }
}

/* fusion: a linear layer and its loss */
enum { WIDE = 768 };
static float *logits;               /* NULL: never written */

static void linear_work(void *)
{
    linear_loss(data.loss, data.residual, data.x, data.target, LONG_N,
                WIDE, LONG_C, logits, data.t[1]);
}

/* Row n's loss on the host. */
static double linear_want(int n, const float *words)
{
    static float h[WIDE];
    double sum = 0, hit = 0;
    int target;
    take(h, data.residual, (size_t)n * WIDE, WIDE);
    CUDA_OK(cudaMemcpy(&target, data.target + n, sizeof target,
                       cudaMemcpyDeviceToHost));
    for (int v = 0; v < LONG_C; v++) {
        double x = 0;
        for (int c = 0; c < WIDE; c++)
            x += (double)h[c] * words[(size_t)v * WIDE + c];
        hit = v == target ? x : hit;
        sum += exp(x);
    }
    return log(sum) - hit;
}

static void linear_losses(void)
{
    const size_t numbers_of_w = (size_t)LONG_C * WIDE;
    float *words = (float *)malloc(numbers_of_w * sizeof *words);
    if (!words)
        fail("no memory for %zu numbers", numbers_of_w);
    take(words, data.x, 0, numbers_of_w);
    printf("\nlinear layer and loss, %d rows\n", LONG_N);
    for (int v = 1; v <= 2; v++) {
        char name[8];
        logits = v == 1 ? data.y : NULL;
        CUDA_OK(cudaMemset(data.loss, 0xff, LONG_N * 4));
        linear_work(NULL);
        for (int n = 0; n < LONG_N; n += 1365) {
            float is;
            take(&is, data.loss, (size_t)n, 1);
            const double should = linear_want(n, words);
            if (!(fabs(is - should) <= 1e-4 * should))
                fail("linear v%d: loss %d is %g, not %g", v, n, (double)is,
                     should);
        }
        snprintf(name, sizeof name, "v%d", v);
        row("linear", name, v == 1 ? 8.0 * LONG_N * LONG_C : 0, 0,
            linear_work, NULL, 11, true);
    }
    free(words);
}

/* fusion: few numbers and many */
enum { SERIES = 20 };

struct Series {
    const struct Fusion *version;
    cudaGraphExec_t graph;          /* or NULL */
};

static void series_work(void *job)
{
    const struct Series *s = (const struct Series *)job;
    if (s->graph) {
        CUDA_OK(cudaGraphLaunch(s->graph, 0));
        return;
    }
    for (int i = 0; i < SERIES; i++)
        s->version->run(&data);
}

static cudaGraphExec_t graph_of(const struct Fusion *v, cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    data.stream = stream;
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < SERIES; i++)
        v->run(&data);
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&ready, graph, 0));
    CUDA_OK(cudaGraphDestroy(graph));
    data.stream = NULL;
    return ready;
}

static void size_row(const char *name, struct Series s)
{
    struct Sample t = gpu_time(series_work, &s, RUNS, false);
    const double us = 1e6 * median(&t) / SERIES;
    printf("  %s %.2f us", name, us);
    number_put(&numbers, "us", us, "fusion.size.%zu.%s.us", data.n, name);
}

static void sizes(void)
{
    const struct Fusion *five = fusions(), *one = five + 2;
    cudaStream_t stream;
    CUDA_OK(cudaStreamCreate(&stream));
    printf("\nsizes: five kernels, the same as a graph, and one\n");
    for (int log = 10; log <= 26; log++) {
        data.N = 1, data.C = 1 << log, data.n = (size_t)1 << log;
        printf("%10zu", data.n);
        check(five);
        check(one);
        size_row("five", Series{ five, NULL });
        cudaGraphExec_t graph = graph_of(five, stream);
        size_row("graph", Series{ five, graph });
        CUDA_OK(cudaGraphExecDestroy(graph));
        size_row("one", Series{ one, NULL });
        printf("\n");
    }
    CUDA_OK(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time chains of operators, fused and not.");
    memory_new();
    examples();
    sine_chains();
    linear_losses();
    sizes();
    lab_close();
    return 0;
}
