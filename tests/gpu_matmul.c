/* product(): every body that this machine holds against the same sum in
 * double.  See tests/rows.h for the rule of the tolerances. */
#include "rows.h"
#include "backend/backend.h"
#include "ops/matmul/matmul_bf16.h"
#include "tensor.h"

/* ---- one product, in double, in float, and by the body ----------------- */

struct Case {
    int M, N, K, ta, tb, to_float, gemm_add, add, bias, epilogue, grad;
    size_t lda, ldb, ldo;
    struct Tensor a, b, out, bias_v, add_m, pre, bias_grad;
};

#define GELU_BODY(T, EXP, x)                                           \
    const T c2 = (T)1.5957691216057308, cube = (T)0.044715;            \
    const T u2 = c2 * (x) * (1 + cube * (x) * (x));                    \
    const T s = 1 / (1 + EXP(-u2));                                    \
    const T slope = c2 * (1 + 3 * cube * (x) * (x));

static double gelu_d(double x) { GELU_BODY(double, exp, x) (void)slope;
                                 return x * s; }
static float gelu_f(float x) { GELU_BODY(float, expf, x) (void)slope;
                               return x * s; }
static double dgelu_d(double x) { GELU_BODY(double, exp, x)
                                  return s + x * s * (1 - s) * slope; }
static float dgelu_f(float x) { GELU_BODY(float, expf, x)
                                return s + x * s * (1 - s) * slope; }

static float narrow(float x)
{
    return bf16_to_float(float_to_bf16(x));
}

static double at_a(const struct Case *c, int m, int k)
{
    return c->a.plain[c->ta ? (size_t)k * c->lda + (size_t)m
                          : (size_t)m * c->lda + (size_t)k];
}

static double at_b(const struct Case *c, int k, int n)
{
    return c->b.plain[c->tb ? (size_t)n * c->ldb + (size_t)k
                          : (size_t)k * c->ldb + (size_t)n];
}

/* A tensor core adds sixteen products at a time to a sum in float, and
 * cuts off what does not fit; so does the plain version here. */
static float cut(double x)
{
    float y = (float)x;
    return fabs((double)y) > fabs(x) ? nextafterf(y, 0) : y;
}

/* what stands before the epilogue */
static void sum_of(const struct Case *c, int m, int n, double *exact,
                   float *plain)
{
    const size_t i = (size_t)m * c->ldo + (size_t)n;
    double x = 0, sixteen = 0;
    float y = 0;
    for (int k = 0; k < c->K; k++) {
        const double both = at_a(c, m, k) * at_b(c, k, n);
        x += both;
        sixteen += both;
        if (k % 16 == 15 || k == c->K - 1) {
            y = cut(y + sixteen);
            sixteen = 0;
        }
    }
    const struct Tensor *more[] = { c->gemm_add ? &c->out : NULL,
        c->add == 2 ? &c->out : c->add ? &c->add_m : NULL };
    if (c->bias) {
        x += c->bias_v.plain[n];
        y += c->bias_v.plain[n];
    }
    for (int j = 0; j < 2; j++)
        if (more[j]) {
            x += more[j]->plain[i];
            y += more[j]->plain[i];
        }
    *exact = x;
    *plain = y;
}

static struct Case case_of(const struct Row *row)
{
    struct Case c = {
        .M = row_int(row, "M"), .N = row_int(row, "N"),
        .K = row_int(row, "K"),
        .ta = (int)row_number(row, "ta", 0),
        .tb = (int)row_number(row, "tb", 0),
        .to_float = (int)row_number(row, "float", 0),
        .gemm_add = (int)row_number(row, "ADD", 0),
        .add = (int)row_number(row, "add", 0),
        .bias = (int)row_number(row, "bias", 0),
        .epilogue = (int)row_number(row, "epi", 0),
        .grad = (int)row_number(row, "grad", 0),
    };
    const size_t pad = (size_t)row_number(row, "pad", 0);
    const size_t M = (size_t)c.M, N = (size_t)c.N, K = (size_t)c.K;
    const bool no_pre = row_number(row, "nopre", 0) != 0;
    c.lda = (c.ta ? M : K) + pad;
    c.ldb = (c.tb ? K : N) + pad;
    c.ldo = N + pad;
    c.a = tensor("a", 2, (c.ta ? K : M) * c.lda, 1, 0, 1);
    c.b = tensor("b", 2, (c.tb ? N : K) * c.ldb, 2, 0, 1);
    const bool read = c.gemm_add || c.add == 2;
    c.out = tensor("out", c.to_float ? 4 : 2, M * c.ldo, 3, 0,
                   read ? 2 : NAN);
    if (c.bias)
        c.bias_v = tensor("bias", 2, N, 4, 0, 1);
    if (c.add == 1)
        c.add_m = tensor("add", 2, M * c.ldo, 5, 0, 2);
    if ((c.epilogue && !no_pre) || row_number(row, "stray", 0) != 0)
        c.pre = tensor("pre", 2, M * c.ldo, 6, 0,
                       c.epilogue == EPI_DGELU ? 3 : NAN);
    if (c.grad)
        c.bias_grad = tensor("bias_grad", 4, N, 7, 0, c.grad == 2 ? 5 : NAN);
    return c;
}

static struct MatmulBf16 matmul_of(struct Case *c)
{
    return (struct MatmulBf16){
        .M = c->M, .N = c->N, .K = c->K,
        .flags = (c->ta ? GEMM_TA : 0) | (c->tb ? GEMM_TB : 0)
               | (c->gemm_add ? GEMM_ADD : 0),
        .a = c->a.ours, .b = c->b.ours,
        .lda = c->lda, .ldb = c->ldb, .ldo = c->ldo,
        .out = c->out.ours, .out_float = c->to_float,
        .bias = c->bias_v.ours,
        .add = c->add == 2 ? c->out.ours : c->add_m.ours,
        .epilogue = (enum Epilogue)c->epilogue, .pre = c->pre.ours,
        .bias_grad = c->bias_grad.ours,
        .accumulate_bias = c->grad == 2,
    };
}

static void case_free(struct Case *c)
{
    struct Tensor *all[] = { &c->a, &c->b, &c->out, &c->bias_v, &c->add_m,
                             &c->pre, &c->bias_grad };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tensor_free(all[i]);
}

/* ---- comparing --------------------------------------------------------- */

struct Expected {
    double *exact;
    float *ours, *plain;
};

static struct Expected expected(size_t n)
{
    return (struct Expected){ calloc(n + 1, sizeof(double)),
                              calloc(n + 1, sizeof(float)),
                              calloc(n + 1, sizeof(float)) };
}

static void expected_free(struct Expected *e)
{
    free(e->exact);
    free(e->ours);
    free(e->plain);
}

/* what is behind the N columns of each row stays as it was */
static void padding_is_kept(const struct Tensor *m, const struct Case *c)
{
    for (int r = 0; r < c->M; r++)
        for (size_t n = (size_t)c->N; n < c->ldo; n++) {
            const size_t i = (size_t)r * c->ldo + n;
            const float x = tensor_at(m, i), was = m->plain[i];
            if (memcmp(&x, &was, sizeof x) != 0)
                fail_msg("%s: column %zu of row %d, behind the last, was "
                         "written", m->name, n, r);
        }
}

static void check_sums(struct Case *c, const struct Expected *out)
{
    struct Expected g = expected((size_t)c->N);
    tensor_fetch(&c->bias_grad);
    for (int n = 0; n < c->N; n++) {
        double x = 0;
        float y = 0;
        const int rows = c->to_float ? c->K : c->M;
        for (int r = 0; r < rows; r++) {
            const size_t i = (size_t)r * (size_t)c->N + (size_t)n;
            x += c->to_float ? at_b(c, r, n) : out->exact[i];
            y += c->to_float ? (float)at_b(c, r, n) : out->plain[i];
        }
        g.exact[n] = x + (c->grad == 2 ? c->bias_grad.plain[n] : 0);
        g.plain[n] = y + (c->grad == 2 ? c->bias_grad.plain[n] : 0);
        g.ours[n] = tensor_at(&c->bias_grad, (size_t)n);
    }
    expect_close("bias_grad", g.ours, g.plain, g.exact, (size_t)c->N);
    expected_free(&g);
}

static void check_case(struct Case *c)
{
    const size_t n = (size_t)c->M * (size_t)c->N;
    struct Expected out = expected(n), pre = expected(n);
    const bool keeps = c->epilogue == EPI_GELU && c->pre.ours;
    tensor_fetch(&c->out);
    if (c->pre.ours)
        tensor_fetch(&c->pre);
    for (int r = 0; r < c->M; r++)
        for (int col = 0; col < c->N; col++) {
            const size_t i = (size_t)r * (size_t)c->N + (size_t)col;
            const size_t at = (size_t)r * c->ldo + (size_t)col;
            double x;
            float y;
            sum_of(c, r, col, &x, &y);
            pre.exact[i] = x;
            pre.plain[i] = narrow(y);
            pre.ours[i] = keeps ? tensor_at(&c->pre, at) : 0;
            if (c->epilogue == EPI_GELU)
                x = gelu_d(x), y = gelu_f(y);
            if (c->epilogue == EPI_DGELU)
                x *= dgelu_d(c->pre.plain[at]),
                y *= dgelu_f(c->pre.plain[at]);
            out.exact[i] = x;
            out.plain[i] = c->to_float ? y : narrow(y);
            out.ours[i] = tensor_at(&c->out, at);
        }
    expect_close("out", out.ours, out.plain, out.exact, n);
    padding_is_kept(&c->out, c);
    if (keeps) {
        expect_close("pre", pre.ours, pre.plain, pre.exact, n);
        padding_is_kept(&c->pre, c);
    }
    if (c->grad)
        check_sums(c, &out);
    expected_free(&out);
    expected_free(&pre);
}

static void use(const struct Row *row)
{
    char body[32];
    if (sscanf(row->name, "product %31s", body) != 1 || !matmul_bf16_use(body))
        fail_msg("%s: no such body here", row->name);
}

static void matmul_row(const struct Row *row)
{
    struct Case c = case_of(row);
    use(row);
    const struct MatmulBf16 p = matmul_of(&c);
    matmul_bf16(&p);
    check_case(&c);
    case_free(&c);
}

/* a NaN and an infinity arrive, in their row or column and nowhere else */
static void matmul_not_finite(const struct Row *row)
{
    struct Case c = case_of(row);
    use(row);
    const size_t m = (size_t)c.M - 1, k = (size_t)c.K - 1;
    tensor_set(&c.a, c.ta ? 3 * c.lda + m : m * c.lda + 3, NAN);
    tensor_set(&c.b, c.tb ? 5 * c.ldb + k : k * c.ldb + 5, INFINITY);
    tensor_send(&c.a);
    tensor_send(&c.b);
    const struct MatmulBf16 p = matmul_of(&c);
    matmul_bf16(&p);
    tensor_fetch(&c.out);
    for (int r = 0; r < c.M; r++)
        for (int n = 0; n < c.N; n++) {
            const float x = tensor_at(&c.out,
                                       (size_t)r * c.ldo + (size_t)n);
            const bool right = r == c.M - 1 ? isnan(x)
                             : n == 5 ? isinf(x) : isfinite(x);
            if (!right)
                fail_msg("out[%d][%d] is %g", r, n, (double)x);
        }
    case_free(&c);
}

/* twice the same is the same */
static void matmul_twice(const struct Row *row)
{
    struct Case c = case_of(row);
    use(row);
    struct MatmulBf16 p = matmul_of(&c);
    matmul_bf16(&p);
    tensor_fetch(&c.out);
    float *first = malloc(c.out.n * sizeof *first);
    float *second = malloc(c.out.n * sizeof *second);
    for (size_t i = 0; i < c.out.n; i++)
        first[i] = tensor_at(&c.out, i);
    matmul_bf16(&p);
    tensor_fetch(&c.out);
    for (size_t i = 0; i < c.out.n; i++)
        second[i] = tensor_at(&c.out, i);
    expect_same_bits("out", second, first, c.out.n);
    free(first);
    free(second);
    case_free(&c);
}

static const struct Row rows[] = {
#define ROWS(body) \
    { "product " body " M=129 N=136 K=80", matmul_row, \
      "a tile's rows counted as 128" }, \
    { "product " body " M=136 N=129 K=72 ta=1", matmul_row, \
      "the flag of a taken for that of b" }, \
    { "product " body " M=40 N=264 K=136 tb=1", matmul_row, \
      "b read as it would be without its flag" }, \
    { "product " body " M=72 N=40 K=200 ta=1 tb=1", matmul_row, \
      "two transposed operands" }, \
    { "product " body " M=33 N=7 K=65 pad=3", matmul_row, \
      "16-byte copies of rows that begin anywhere" }, \
    { "product " body " M=1 N=1 K=1", matmul_row, \
      "sizes below an instruction's" }, \
    { "product " body " M=17 N=130 K=31 pad=1 ta=1", matmul_row, \
      "k behind the last not zero" }, \
    { "product " body " M=130 N=9 K=33 tb=1 pad=5", matmul_row, \
      "columns behind the last written" }, \
    { "product " body " M=257 N=72 K=64 pad=8", matmul_row, \
      "ldo taken for N" }, \
    { "product " body " M=19 N=40 K=0 bias=1", matmul_row, \
      "K = 0 forgets the bias" }, \
    { "product " body " M=19 N=40 K=0", matmul_row, \
      "K = 0 leaves out as it was" }, \
    { "product " body " M=64 N=48 K=40 bias=1", matmul_row, \
      "a bias for each row" }, \
    { "product " body " M=64 N=48 K=40 bias=1 add=1", matmul_row, \
      "add forgotten beside a bias" }, \
    { "product " body " M=64 N=48 K=40 bias=1 add=2", matmul_row, \
      "add that is out read after it was written" }, \
    { "product " body " M=48 N=40 K=64 ADD=1", matmul_row, \
      "GEMM_ADD of a bf16 result forgotten" }, \
    { "product " body " M=64 N=72 K=40 bias=1 epi=1", matmul_row, \
      "pre stored after GELU" }, \
    { "product " body " M=64 N=72 K=40 bias=1 epi=1 nopre=1", matmul_row, \
      "pre written though it is NULL" }, \
    { "product " body " M=65 N=71 K=40 bias=1 epi=1 pad=2", matmul_row, \
      "pre's rows taken for contiguous" }, \
    { "product " body " M=64 N=72 K=40 epi=1", matmul_row, \
      "GELU only with a bias" }, \
    { "product " body " M=136 N=72 K=40 tb=1 epi=2", matmul_row, \
      "the derivative at the wrong place" }, \
    { "product " body " M=300 N=136 K=40 tb=1 epi=2 grad=1", matmul_row, \
      "column sums of one tile only" }, \
    { "product " body " M=131 N=41 K=20 epi=2 grad=2", matmul_row, \
      "column sums written where they are to be added" }, \
    { "product " body " M=72 N=136 K=520 ta=1 float=1", matmul_row, \
      "a float result rounded to bf16" }, \
    { "product " body " M=72 N=136 K=520 ta=1 float=1 grad=1", matmul_row, \
      "the bias gradient from one block of k" }, \
    { "product " body " M=264 N=264 K=72 ta=1 float=1 ADD=1 grad=2", \
      matmul_row, "the bias gradient added by every row of tiles" }, \
    { "product " body " M=20 N=40 K=33 tb=1 float=1", matmul_row, \
      "a float result of a transposed b" }, \
    { "product " body " M=35 N=43 K=77 ta=1 float=1 ADD=1 pad=1", \
      matmul_row, "a float result in pairs, rows anywhere" }, \
    { "product " body " M=41 N=51 K=1150 ta=1 float=1 ADD=1 grad=1", \
      matmul_row, "the last part of K counted as whole" }, \
    { "product " body " M=40 N=56 K=1088 bias=1 epi=1", matmul_row, \
      "an epilogue for each part of K" }, \
    { "product " body " M=40 N=24 K=32 bias=1 special=1", \
      matmul_not_finite, "a product skipped because a factor is zero" }, \
    { "product " body " M=128 N=256 K=128 tb=1", matmul_row, \
      "whole tiles, which are copied without looking at the edges" }, \
    { "product " body " M=136 N=72 K=264 ta=1 float=1 twice=1", \
      matmul_twice, "sums in the order of arrival" },
    ROWS("cublas")
    ROWS("hopper")
    ROWS("mma")
    ROWS("plain")
    /* several tiles for each cluster of the persistent kernel */
    { "product hopper M=2056 N=1544 K=72 tb=1", matmul_row,
      "a tile taken twice, or by nobody" },
    { "product hopper M=2056 N=1544 K=584", matmul_row,
      "a stage of the other warpgroup taken for one's own" },
    { "product hopper M=264 N=584 K=200 bias=1 epi=1", matmul_row,
      "the matrix before GELU stored from the buffer of the result" },
    { "product hopper M=264 N=584 K=200 bias=1 epi=1 pad=8", matmul_row,
      "a box of the result that ends behind the row" },
    { "product hopper M=264 N=584 K=200 bias=1 add=1", matmul_row,
      "a box of the addend read before it has come" },
    { "product hopper M=264 N=584 K=200 bias=1 add=2", matmul_row,
      "an addend that is out stored before it is loaded" },
    { "product hopper M=264 N=584 K=200 add=1 stray=1", matmul_row,
      "pre loaded for add, though nothing follows the product" },
    { "product hopper M=133 N=129 K=65 bias=1 pad=7", matmul_row,
      "a box of the result that ends in the middle of 16 bytes" },
    { "product hopper M=133 N=129 K=65 tb=1 epi=2 pad=7", matmul_row,
      "the same, with a box that was loaded before" },
    { "product hopper M=129 N=65 K=203 ta=1 float=1 pad=7", matmul_row,
      "the last column of a float result written as two" },
    { "product hopper M=1160 N=3848 K=72 bias=1", matmul_row,
      "the bias of the next tile, or a band of columns left out" },
    { "product hopper M=4104 N=776 K=72 tb=1 epi=2 grad=2", matmul_row,
      "column sums added up where they were to be written" },
    { "product hopper M=264 N=392 K=72 ta=1 float=1", matmul_row,
      "fewer steps than clusters, cut into parts without a step" },
    { "product hopper M=1032 N=776 K=2120 bias=1", matmul_row,
      "the rows of the second warpgroup stored over those of the first" },
    { "product hopper M=520 N=584 K=2056 bias=1 add=1", matmul_row,
      "the addend of the first warpgroup's rows loaded for the second's" },
    { "product hopper M=300 N=200 K=2120 tb=1 pad=8", matmul_row,
      "a pair of tiles of which one is behind the last column" },
    { "product hopper M=520 N=200 K=5000 ta=1 float=1 special=1",
      matmul_not_finite, "a part with a NaN left out, or added twice" },
    { "product hopper M=2056 N=776 K=200 tb=1 epi=2 grad=1", matmul_row,
      "column sums of the tile before" },
    { "product hopper M=264 N=392 K=4104 ta=1 float=1 ADD=1 grad=2",
      matmul_row, "a part of a tile's depth forgotten" },
    { "product hopper M=776 N=776 K=520 ta=1 float=1 twice=1",
      matmul_twice, "parts added in the order of arrival" },
    /* sizes at which the rule of matmul_bf16_cublaslt.cu chooses the kernel */
    { "product cublas M=8192 N=768 K=64 bias=1", matmul_row,
      "a kernel that was measured, set up wrong" },
    { "product cublas M=8192 N=768 K=63 bias=1", matmul_row,
      "that kernel for rows that it cannot read" },
    { "product cublas M=8192 N=768 K=64 bias=1 epi=1", matmul_row,
      "the same, with GELU behind it" },
    { "product cublas M=8192 N=768 K=64 tb=1 epi=2", matmul_row,
      "the same, with GELU's derivative" },
};

/* On the software GPU, Hopper's kernel runs if the argument is `hopper`, in
 * small sizes, and the others without it.  tests/simt_hopper.sh says why. */
static bool only_hopper;

static bool runs(const char *body, const struct Row *row)
{
    bool simt = strcmp(backend_kind_name(), "simt") == 0;
    bool hopper = strcmp(body, "hopper") == 0;
    double work = (double)row_int(row, "M") * row_int(row, "N")
                  * row_int(row, "K");
    return (!simt || (hopper ? only_hopper && work <= 8e6 : !only_hopper))
           && matmul_bf16_use(body);
}

int main(int arguments, char **argument)
{
    only_hopper = arguments == 2 && strcmp(argument[1], "hopper") == 0;
    struct Row here[sizeof rows / sizeof *rows];
    size_t n = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[32];
        sscanf(rows[i].name, "product %31s", body);
        if (runs(body, &rows[i]))
            here[n++] = rows[i];
    }
    return rows_run("product", here, n);
}
