/* Tangled from chapters/workshop/measuring-tensor-cores.nw, "The program".  Edit it there. */

/* tensor-cores: the versions of a matrix product on Hopper, checked, then
 * timed in turns with cuBLASLt on the shapes of a step of GPT-2 124M. */
#include "bench/cuda_bench.cuh"
#include "bench/nvml.cuh"
#include "ladder/tensor_cores.h"
#include "ops/linear/bias_grad_bf16.h"
#include "ops/matmul/matmul_impls.h"

/* tensor-cores: list the shapes */
enum { TOKENS = 65536, VP = 50304 };

static const struct Shape {
    const char *name;
    int M, N, K, flags;
    bool to_float, bias;
    enum Epilogue epilogue;
    bool sums, add;
    bool versions;      /* time those of the chapter too */
} shapes[] = {
    { "square", 8192, 8192, 8192, 0, 0, 0, EPI_NONE, 0, 0, 0 },
    { "qkv.y", TOKENS, 2304, 768, 0, 0, 1, EPI_NONE, 0, 0, 1 },
    { "proj.y", TOKENS, 768, 768, 0, 0, 1, EPI_NONE, 0, 0, 0 },
    { "fc.plain", TOKENS, 3072, 768, 0, 0, 1, EPI_NONE, 0, 0, 0 },
    { "fc.y", TOKENS, 3072, 768, 0, 0, 1, EPI_GELU, 0, 0, 0 },
    { "mlp.y", TOKENS, 768, 3072, 0, 0, 1, EPI_NONE, 0, 0, 1 },
    { "mlp.add", TOKENS, 768, 3072, 0, 0, 1, EPI_NONE, 0, 1, 0 },
    { "cls.y", TOKENS, VP, 768, GEMM_TB, 0, 0, EPI_NONE, 0, 0, 1 },
    { "cls.dx", TOKENS, 768, VP, 0, 0, 0, EPI_NONE, 0, 0, 1 },
    { "cls.dw", VP, 768, TOKENS, GEMM_TA, 1, 0, EPI_NONE, 0, 0, 0 },
    { "mlp.plain", TOKENS, 3072, 768, GEMM_TB, 0, 0, EPI_NONE, 0, 0, 0 },
    { "mlp.dx", TOKENS, 3072, 768, GEMM_TB, 0, 0, EPI_DGELU, 0, 0, 0 },
    { "mlp.sums", TOKENS, 3072, 768, GEMM_TB, 0, 0, EPI_DGELU, 1, 0, 0 },
    { "mlp.dw", 3072, 768, TOKENS, GEMM_TA, 1, 0, EPI_NONE, 0, 0, 0 },
    { "fc.dx", TOKENS, 768, 3072, GEMM_TB, 0, 0, EPI_NONE, 0, 0, 0 },
    { "fc.dw", 768, 3072, TOKENS, GEMM_TA, 1, 0, EPI_NONE, 0, 0, 1 },
    { "proj.dx", TOKENS, 768, 768, GEMM_TB, 0, 0, EPI_NONE, 0, 0, 0 },
    { "proj.dw", 768, 768, TOKENS, GEMM_TA, 1, 0, EPI_NONE, 0, 0, 0 },
    { "qkv.dx", TOKENS, 768, 2304, GEMM_TB, 0, 0, EPI_NONE, 0, 0, 0 },
    { "qkv.dw", 768, 2304, TOKENS, GEMM_TA, 1, 0, EPI_NONE, 0, 0, 0 },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* tensor-cores: allocate operands and results */
struct Results { void *out; bf16 *pre; float *sums; };

static bf16 *left, *right, *bias, *second;
static struct Results ours, reference;
static void *room;
static unsigned *wrong;

__global__ static void fill_bf16(bf16 *x, size_t n, uint32_t seed,
                                 float size)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x) {
        const uint32_t z = hash((uint32_t)i * 0x9e3779b9u + seed);
        x[i] = float_to_bf16(size * ((z >> 8) / 8388608.0f - 1));
    }
}

static bf16 *some(size_t n, uint32_t seed, float size)
{
    bf16 *x;
    CUDA_OK(cudaMalloc(&x, n * sizeof *x));
    fill_bf16<<<2048, 256>>>(x, n, seed, size);
    CUDA_OK(cudaGetLastError());
    return x;
}

static void memory_new(void)
{
    const size_t big = (size_t)TOKENS * VP, middle = (size_t)TOKENS * 3072;
    left = some(big, 1, 1), right = some(middle, 2, 0.05f);
    bias = some(VP, 3, 1), second = some(middle, 4, 3);
    ours.out = some(big, 5, 1), reference.out = some(big, 6, 1);
    ours.pre = some(middle, 7, 1), reference.pre = some(middle, 8, 1);
    ours.sums = (float *)some(2 * VP, 9, 1);
    reference.sums = (float *)some(2 * VP, 10, 1);
    CUDA_OK(cudaMalloc(&room, tensor_room()));
    CUDA_OK(cudaMemset(room, 0, tensor_room()));
    CUDA_OK(cudaMalloc(&wrong, sizeof *wrong));
}

static struct MatmulBf16 matmul_of(const struct Shape *s, struct Results r)
{
    struct MatmulBf16 p = {};
    p.M = s->M, p.N = s->N, p.K = s->K, p.flags = s->flags;
    p.a = left, p.b = right, p.out = r.out, p.out_float = s->to_float;
    p.lda = s->flags & GEMM_TA ? p.M : p.K;
    p.ldb = s->flags & GEMM_TB ? p.K : p.N;
    p.ldo = p.N;
    p.bias = s->bias ? bias : NULL;
    p.add = s->add ? second : NULL;
    p.epilogue = s->epilogue;
    p.pre = s->epilogue == EPI_GELU ? r.pre
          : s->epilogue ? second : NULL;
    p.bias_grad = s->sums ? r.sums : NULL;
    return p;
}

/* tensor-cores: run what is timed */
enum What { LIBRARY, PORTABLE, OPERATOR, VERSION };

struct Timed {
    const char *name;
    enum What what;
    int proposal;               /* of the library's; 0: the program's  */
    tensor_fn *run;             /* of the ladder                       */
    int repeat;
    struct Sample t;
    struct Power power;
};

static bool run_once(const struct Timed *t, const struct MatmulBf16 *p)
{
    bool done = false;
    cublaslt_experiment.candidate = t->proposal;
    switch (t->what) {
    case LIBRARY:  done = matmul_bf16_cublaslt(p); break;
    case PORTABLE: done = matmul_bf16_mma(p); break;
    case OPERATOR: done = matmul_bf16_hopper(p); break;
    case VERSION:  done = !p->epilogue && !p->add && t->run(p, room); break;
    }
    cublaslt_experiment.candidate = 0;
    if (done && p->bias_grad && t->what != OPERATOR)
        bias_grad_bf16(p->bias_grad, (bf16 *)p->out, p->M, p->N, false);
    return done;
}

/* tensor-cores: compare two matrices */
/* How many elements are not within tolerance; a NaN is not. */
template <typename E>
__global__ void compare(const E *x, const E *y, size_t n, float size,
                        unsigned *wrong)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x) {
        const float a = (float)x[i], b = (float)y[i];
        if (!(fabsf(a - b) <= size + fabsf(b) / 64))
            atomicAdd(wrong, 1);
    }
}

template <typename E>
static void same(const char *shape, const char *version, const char *what,
                 const void *x, const void *y, size_t n, float size)
{
    unsigned h;
    CUDA_OK(cudaMemset(wrong, 0, sizeof *wrong));
    compare<<<1024, 256>>>((const E *)x, (const E *)y, n, size, wrong);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(&h, wrong, sizeof h, cudaMemcpyDeviceToHost));
    if (h)
        fail("%s by %s: %u of %zu elements of %s are wrong; no time is "
             "given", shape, version, h, n, what);
}

/* tensor-cores: check a version */
/* False: it cannot do this one. */
static bool check(const struct Shape *s, const struct Timed *t)
{
    const struct MatmulBf16 p = matmul_of(s, ours);
    const struct MatmulBf16 q = matmul_of(s, reference);
    const struct Timed portable = { "mma", PORTABLE, 0, NULL, 1, {}, {} };
    const size_t n = (size_t)p.M * p.N;
    const float size = 2e-4f * sqrtf((float)p.K);
    CUDA_OK(cudaMemset(ours.out, 0xff, n * (s->to_float ? 4 : 2)));
    if (!run_once(t, &p))
        return false;
    run_once(&portable, &q);
    if (s->to_float)
        same<float>(s->name, t->name, "out", p.out, q.out, n, size);
    else
        same<__nv_bfloat16>(s->name, t->name, "out", p.out, q.out, n, size);
    if (s->epilogue == EPI_GELU)
        same<__nv_bfloat16>(s->name, t->name, "pre", p.pre, q.pre, n, size);
    if (s->sums)
        same<float>(s->name, t->name, "the sums", p.bias_grad, q.bias_grad,
                    p.N, size * sqrtf((float)p.M));
    return true;
}

/* tensor-cores: take turns */
enum { TURNS = 5, MOST = 24, PROPOSALS = 3 };

static double seconds(const struct Timed *t, const struct MatmulBf16 *p)
{
    static cudaEvent_t from, to;
    float ms;
    if (!from) {
        CUDA_OK(cudaEventCreate(&from));
        CUDA_OK(cudaEventCreate(&to));
    }
    for (int i = 0; i < t->repeat; i++)
        run_once(t, p);
    CUDA_OK(cudaEventRecord(from, 0));
    for (int i = 0; i < t->repeat; i++)
        run_once(t, p);
    CUDA_OK(cudaEventRecord(to, 0));
    CUDA_OK(cudaEventSynchronize(to));
    CUDA_OK(cudaEventElapsedTime(&ms, from, to));
    return 1e-3 * ms / t->repeat;
}

static void take_turns(struct Timed *list, int n, struct MatmulBf16 p)
{
    for (int turn = 0; turn < TURNS; turn++)
        for (int k = 0; k < n; k++) {
            struct Timed *t = &list[turn % 2 ? n - 1 - k : k];
            sample_add(&t->t, seconds(t, &p));
            power_add(&t->power, TURNS);
        }
}

/* tensor-cores: time one shape */
static void put(const struct Shape *s, const struct Timed *t)
{
    const double us = 1e6 * median(&t->t);
    const double rate = 2e-6 * s->M * s->N * s->K / us;
    char name[24];
    snprintf(name, sizeof name, t->what == LIBRARY ? "%s%d" : "%s", t->name,
             t->proposal);
    printf("%-9s %-8s %9.1f us %6.1f TFLOP/s %9.1f - %9.1f us %4.0f W "
           "%5.0f MHz\n", s->name, name, us, rate, 1e6 * fastest(&t->t),
           1e6 * slowest(&t->t), t->power.watts, t->power.mhz);
    number_put(&numbers, "us", us, "tensor-cores.%s.%s.us", s->name, name);
    number_put(&numbers, "us", 1e6 * fastest(&t->t),
               "tensor-cores.%s.%s.fastest", s->name, name);
    number_put(&numbers, "us", 1e6 * slowest(&t->t),
               "tensor-cores.%s.%s.slowest", s->name, name);
    number_put(&numbers, "TFLOP/s", rate, "tensor-cores.%s.%s.rate",
               s->name, name);
    number_put(&numbers, "W", t->power.watts, "tensor-cores.%s.%s.watts",
               s->name, name);
    number_put(&numbers, "MHz", t->power.mhz, "tensor-cores.%s.%s.clock",
               s->name, name);
}

/* All that can compute this shape, checked; how many. */
static int candidates(const struct Shape *s, struct Timed *list)
{
    const double flop = 2.0 * s->M * s->N * s->K;
    const int repeat = 1 + (int)(2.6e13 / flop);     /* some 40 ms */
    const struct Timed fixed[] = {
        { "hopper", OPERATOR, 0, NULL, repeat, {}, {} },
        { "mma", PORTABLE, 0, NULL, repeat, {}, {} },
    };
    int n = 0;
    for (int i = 0; i <= 8; i++) {
        list[n] = { "lt", LIBRARY, i, NULL, repeat, {}, {} };
        n += check(s, &list[n]);
    }
    for (const struct Timed &t : fixed) {
        list[n] = t;
        if (s->versions || t.what == OPERATOR)
            n += check(s, &list[n]);
    }
    for (const struct TensorMatmul *v = tensor_matmuls();
         v->name && s->versions; v++) {
        list[n] = { v->name, VERSION, 0, v->run, repeat, {}, {} };
        n += check(s, &list[n]);
    }
    return n;
}

/* Drop the library's slower proposals; how many of the list are left. */
static int best_proposals(struct Timed *list, int n, struct MatmulBf16 p)
{
    double s[MOST] = { 0 };
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (list[i].what == LIBRARY)
            s[i] = seconds(&list[i], &p);
    for (int i = 0; i < n; i++) {
        int faster = 0;
        for (int k = 0; k < n; k++)
            faster += list[i].what == LIBRARY && s[k] > 0 && s[k] < s[i];
        if (faster < PROPOSALS)
            list[kept++] = list[i];
    }
    return kept;
}

/* The library's best time over the operator's; 0: the operator declines. */
static double one_shape(const struct Shape *s)
{
    struct Timed list[MOST];
    const int n = best_proposals(list, candidates(s, list),
                                 matmul_of(s, ours));
    double best = 1e9, own = 0;
    take_turns(list, n, matmul_of(s, ours));
    for (int i = 0; i < n; i++) {
        const double us = 1e6 * median(&list[i].t);
        put(s, &list[i]);
        if (list[i].what == LIBRARY)
            best = fmin(best, us);
        if (list[i].what == OPERATOR)
            own = us;
    }
    if (own == 0)
        return 0;
    printf("%-9s best of the library %9.1f us, ours %9.1f us, ratio %.3f\n",
           s->name, best, own, best / own);
    number_put(&numbers, "us", best, "tensor-cores.%s.lt.us", s->name);
    number_put(&numbers, "", best / own, "tensor-cores.%s.ratio", s->name);
    fflush(stdout);
    return best / own;
}

/* tensor-cores: check sizes that no tile divides */
static const struct Shape odd[] = {
    { "one tile", 264, 200, 136, 0, 0, 1, EPI_NONE, 0, 0, 1 },
    { "one step", 72, 8, 8, 0, 0, 1, EPI_NONE, 0, 0, 1 },
    { "many tiles", 4104, 1992, 72, GEMM_TB, 0, 0, EPI_NONE, 0, 0, 1 },
    { "gelu", 1000, 776, 200, 0, 0, 1, EPI_GELU, 0, 0, 1 },
    { "residual", 1000, 776, 200, 0, 0, 1, EPI_NONE, 0, 1, 1 },
    { "dgelu", 1000, 776, 200, GEMM_TB, 0, 0, EPI_DGELU, 1, 0, 1 },
    { "weights", 328, 200, 5000, GEMM_TA, 1, 0, EPI_NONE, 0, 0, 1 },
    { "two parts", 776, 3080, 1000, GEMM_TA, 1, 0, EPI_NONE, 0, 0, 1 },
};

static void odd_sizes(void)
{
    struct Timed list[MOST];
    for (const struct Shape &s : odd) {
        const int n = candidates(&s, list);
        printf("%s: %d x %d x %d right by", s.name, s.M, s.N, s.K);
        for (int i = 0; i < n; i++)
            if (list[i].what != LIBRARY)
                printf(" %s", list[i].name);
        printf("\n");
    }
}

/* tensor-cores: main */
int main(int argc, char **argv)
{
    double sum = 0;
    int n = 0;
    lab_open(argc, argv, "Time the versions of a matrix product on Hopper "
             "beside cuBLASLt.");
    nvml_open();
    memory_new();
    odd_sizes();
    const struct Timed warm = { "lt", LIBRARY, 0, NULL, 300, {}, {} };
    const struct MatmulBf16 square = matmul_of(&shapes[0], ours);
    seconds(&warm, &square);            /* a second: the chip gets warm */
    for (int i = 0; i < SHAPES; i++) {
        const double ratio = one_shape(&shapes[i]);
        const bool counts = i > 0 && !strstr(shapes[i].name, "plain");
        if (counts && ratio > 0)
            sum += log(ratio), n++;
    }
    printf("geometric mean of %d ratios %.4f\n", n, exp(sum / n));
    number_put(&numbers, "", exp(sum / n), "tensor-cores.mean");
    lab_close_operators();
}
