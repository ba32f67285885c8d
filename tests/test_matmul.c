/* gemm: every kernel this CPU can run, in rows with hostile sizes.  Inputs
 * are allocated to the byte, so that ASan sees a read past their end; c is
 * filled with NaN and guarded. */
#include "rows.h"

#include "ops/matmul/matmul.h"

#include <assert.h>
#include <omp.h>

enum { MAX_ROWS = 400 };

struct Shape {
    int M, N, K, flags;
    const char *catches;
};

static const struct Shape shapes[] = {
    {   1,   1,    1, 0, "few rows: anything that assumes a whole vector" },
    {   1,  33,  257, 0, "one row: the last columns" },
    {  33,   1,  257, 0, "one column: writes a whole vector of c" },
    { 257,  33,    1, 0, "depth 1: an unrolled loop without remainder" },
    {   9,   1,    1, 0, "many rows: anything that assumes a whole tile" },
    {   9,  33,  257, 0, "a sliver of one row" },
    {  16,  48,  768, 0, "whole tiles only, the case that always works" },
    {  15,  47,  767, 0, "one less than a tile in every direction" },
    {   9,  49,  769, 0, "one more than a tile in every direction" },
    {  33, 257,  129, 0, "M, N, K exchanged" },
    {  33, 257,  129, GEMM_ADD, "forgets to add" },
    {  33, 257,  129, GEMM_TA, "reads a as if it were not transposed" },
    {  33, 257,  129, GEMM_TB, "reads b as if it were not transposed" },
    {  33, 257,  129, GEMM_TA | GEMM_TB, "both transposed" },
    { 129,  33,  257, GEMM_TA | GEMM_ADD, "weight gradient" },
    {  65, 129, 1601, GEMM_TB | GEMM_ADD, "input gradient, three blocks" },
    {  40, 300,  900, 0, "second strip, second block of depth" },
    { 260,   5, 4099, 0, "second panel in depth, second panel in rows" },
    { 260,   5, 4099, GEMM_ADD, "the same, adding" },
    {   3,   2,    0, 0, "K = 0 leaves NaN in c" },
    {   3,   2,    0, GEMM_ADD, "K = 0 with ADD changes c" },
    {   0,   7,    5, 0, "M = 0 divides by zero rows" },
    {   7,   0,    5, 0, "N = 0" },
};

static real *exact_noise(size_t n, uint64_t seed)
{
    real *x = malloc((n ? n : 1) * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (real)(float)noise(seed, i);
    return x;
}

static real at(const real *x, size_t ld, bool transposed, int row, int col)
{
    return transposed ? x[(size_t)col * ld + (size_t)row]
                      : x[(size_t)row * ld + (size_t)col];
}

/* The definition, in real and in double. */
static void define(real *plain, double *exact, const real *c,
                   const real *a, const real *b, const real *bias,
                   int M, int N, int K, int flags)
{
    size_t lda = (size_t)(flags & GEMM_TA ? M : K);
    size_t ldb = (size_t)(flags & GEMM_TB ? K : N);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            size_t i = (size_t)m * (size_t)N + (size_t)n;
            real s = 0;
            double d = 0;
            for (int k = 0; k < K; k++) {
                real x = at(a, lda, flags & GEMM_TA, m, k);
                real y = at(b, ldb, flags & GEMM_TB, k, n);
                s += x * y;
                d += (double)x * (double)y;
            }
            s += bias ? bias[n] : 0;
            d += bias ? (double)bias[n] : 0;
            plain[i] = s + (flags & GEMM_ADD ? c[i] : 0);
            exact[i] = d + (flags & GEMM_ADD ? (double)c[i] : 0);
        }
}

/* The kernel named behind "gemm ", between two spaces. */
static void use_kernel_of(const struct Row *row)
{
    char name[32] = "";
    sscanf(strchr(row->name, ' '), " %31s", name);
    assert_true(gemm_use(name));
}

static void check(const struct Row *row, bool with_bias)
{
    use_kernel_of(row);
    int M = row_int(row, "M"), N = row_int(row, "N"), K = row_int(row, "K");
    int flags = row_int(row, "flags");
    size_t n = (size_t)M * (size_t)N;
    real *a = exact_noise((size_t)M * (size_t)K, 1);
    real *b = exact_noise((size_t)K * (size_t)N, 2);
    real *bias = exact_noise((size_t)N, 3);
    real *c = flags & GEMM_ADD ? guarded_noise(n, 4, 0, 1) : guarded_new(n);
    real *plain = malloc((n + 1) * sizeof *plain);
    double *exact = malloc((n + 1) * sizeof *exact);
    define(plain, exact, c, a, b, with_bias ? bias : NULL, M, N, K, flags);
    if (with_bias)
        gemm_bias(c, a, b, bias, M, N, K, flags);
    else
        gemm(c, a, b, M, N, K, flags);
    expect_close("c", c, plain, exact, n);
    guarded_free("c", c);
    free(a); free(b); free(bias); free(plain); free(exact);
    assert_true(gemm_use(NULL));
}

static void product(const struct Row *row) { check(row, false); }
static void with_bias(const struct Row *row) { check(row, true); }

/* Parts of larger matrices: what lies between the rows stays as it was. */
static void strided(const struct Row *row)
{
    use_kernel_of(row);
    enum { M = 35, N = 70, K = 41, LDA = 47, LDB = 77, LDC = 81 };
    real *a = exact_noise(M * LDA, 1), *b = exact_noise(K * LDB, 2);
    real *c = guarded_new(M * LDC);
    gemm_strided(c, LDC, a, LDA, b, LDB, NULL, M, N, K, 0);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < LDC; n++) {
            double d = 0;
            for (int k = 0; k < K && n < N; k++)
                d += (double)a[m * LDA + k] * (double)b[k * LDB + n];
            double e = fabs((double)c[m * LDC + n] - d);
            if (n < N ? !(e <= 1e-5) : !isnan(c[m * LDC + n]))
                fail_msg("c[%d,%d] is %g", m, n, (double)c[m * LDC + n]);
        }
    guarded_free("c", c);
    free(a); free(b);
}

/* A NaN of a reaches its row, an infinity of b its column, nothing else. */
static void not_finite(const struct Row *row)
{
    use_kernel_of(row);
    enum { M = 31, N = 65, K = 900 };
    real *a = exact_noise(M * K, 1), *b = exact_noise(K * N, 2);
    real *c = guarded_new(M * N);
    a[17 * K + 870] = NAN;
    b[5 * N + 64] = INFINITY;
    gemm(c, a, b, M, N, K, 0);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            real x = c[m * N + n];
            bool right = m == 17 ? isnan(x) : n == 64 ? isinf(x)
                                                      : isfinite(x);
            if (!right)
                fail_msg("c[%d,%d] is %g", m, n, (double)x);
        }
    guarded_free("c", c);
    free(a); free(b);
}

/* M <= 8 rows go another way than many, and give the same bits. */
static void few(const struct Row *row)
{
    use_kernel_of(row);
    enum { MANY_ROWS = 12 };
    int M = row_int(row, "M"), N = row_int(row, "N"), K = row_int(row, "K");
    int flags = row_int(row, "flags");
    size_t n = (size_t)MANY_ROWS * (size_t)N, few = (size_t)M * (size_t)N;
    real *a = exact_noise((size_t)MANY_ROWS * (size_t)K, 1);
    real *b = exact_noise((size_t)K * (size_t)N, 2);
    real *bias = exact_noise((size_t)N, 3);
    real *many = guarded_noise(n, 4, 0, 1), *c = guarded_copy(many, few);
    if (!(flags & GEMM_ADD))
        for (size_t i = 0; i < few; i++)
            c[i] = (real)NAN;
    gemm_bias(many, a, b, bias, MANY_ROWS, N, K, flags);
    gemm_bias(c, a, b, bias, M, N, K, flags);
    expect_same_bits("c", c, many, few);
    guarded_free("many", many);
    guarded_free("c", c);
    free(a); free(b); free(bias);
    assert_true(gemm_use(NULL));
}

/* The squares are those of c: after adding, at the edges, after the last
 * block and the last panel; the same bits from any team, and c as ever. */
static void squares(const struct Row *row)
{
    use_kernel_of(row);
    int M = row_int(row, "M"), N = row_int(row, "N"), K = row_int(row, "K");
    int flags = row_int(row, "flags"), before = omp_get_max_threads();
    size_t n = (size_t)M * (size_t)N;
    real *a = exact_noise((size_t)M * (size_t)K, 1);
    real *b = exact_noise((size_t)K * (size_t)N, 2);
    real *plain = guarded_noise(n, 3, 0, 1), *c = guarded_copy(plain, n);
    gemm(plain, a, b, M, N, K, flags);
    double exact = 5, first = 0;
    for (size_t i = 0; i < n; i++)
        exact += (double)plain[i] * (double)plain[i];
    for (int threads = 1; threads <= 3; threads++) {
        double sum = 5;
        omp_set_num_threads(threads);
        for (size_t i = 0; i < n; i++)
            c[i] = (real)(float)noise(3, i);
        gemm_sumsq(c, a, b, M, N, K, flags, &sum);
        expect_same_bits("c", c, plain, n);
        if (!(fabs(sum - exact) <= 1e-6 * exact))
            fail_msg("%.9g, expected %.9g", sum, exact);
        first = threads == 1 ? sum : first;
        assert_true(sum == first);
    }
    omp_set_num_threads(before);
    guarded_free("plain", plain);
    guarded_free("c", c);
    free(a); free(b);
    assert_true(gemm_use(NULL));
}

/* Stores around the caches: the same bits, and nothing between the rows.
 * Where a row of c does not begin a line there are no such stores: c begins
 * `past` numbers into a line, and its rows are `apart` longer than N. */
static void far(const struct Row *row)
{
    use_kernel_of(row);
    int M = row_int(row, "M"), N = row_int(row, "N"), K = row_int(row, "K");
    size_t past = (size_t)row_int(row, "past");
    size_t ld = (size_t)(N + row_int(row, "apart")), n = (size_t)M * ld;
    size_t lines = ((n + past) * sizeof(real) + 63) / 64;
    real *a = exact_noise((size_t)M * (size_t)K, 1);
    real *b = exact_noise((size_t)K * (size_t)N, 2);
    real *near = aligned_alloc(64, lines * 64);
    real *c = (real *)aligned_alloc(64, lines * 64) + past;
    for (size_t i = 0; i < n; i++)
        near[i] = c[i] = 7;
    gemm_strided(near, ld, a, (size_t)M, b, (size_t)N, NULL, M, N, K,
                 GEMM_TA);
    gemm_strided(c, ld, a, (size_t)M, b, (size_t)N, NULL, M, N, K,
                 GEMM_TA | GEMM_NONTEMPORAL);
    expect_same_bits("c", c, near, n);
    free(near); free(c - past); free(a); free(b);
    assert_true(gemm_use(NULL));
}

/* The same bits from 1, 2, 3 and 5 threads, and from inside a team. */
static void any_team(const struct Row *row)
{
    use_kernel_of(row);
    enum { M = 133, N = 517, K = 901 };
    real *a = exact_noise(M * K, 1), *b = exact_noise(K * N, 2);
    real *first = guarded_new(M * N), *again = guarded_new(M * N);
    int before = omp_get_max_threads();
    omp_set_num_threads(1);
    gemm(first, a, b, M, N, K, 0);
    for (int threads = 2; threads <= 5; threads += 1 + (threads == 3)) {
        omp_set_num_threads(threads);
        gemm(again, a, b, M, N, K, 0);
        expect_same_bits("c", again, first, M * N);
    }
    real *many = guarded_new(3 * M * N);
    #pragma omp parallel for num_threads(3)
    for (int i = 0; i < 3; i++)
        gemm(many + (size_t)i * M * N, a, b, M, N, K, 0);
    for (size_t i = 0; i < 3; i++)
        expect_same_bits("c", many + i * M * N, first, M * N);
    omp_set_num_threads(before);
    guarded_free("first", first);
    guarded_free("again", again);
    guarded_free("many", many);
    free(a); free(b);
}

/* Kernels that fuse multiply and add give the same bits as each other. */
static void same_on_any_width(const struct Row *row)
{
    (void)row;
    enum { M = 61, N = 99, K = 1600 };
    real *a = exact_noise(M * K, 1), *b = exact_noise(K * N, 2);
    real *first = guarded_new(M * N), *again = guarded_new(M * N);
    if (gemm_use("avx2") && gemm_use("avx512")) {
        gemm(first, a, b, M, N, K, 0);
        gemm_use("avx2");
        gemm(again, a, b, M, N, K, 0);
        expect_same_bits("c", again, first, M * N);
    }
    gemm_use(NULL);
    guarded_free("first", first);
    guarded_free("again", again);
    free(a); free(b);
}

static void choosing(const struct Row *row)
{
    (void)row;
    assert_true(!gemm_use("abacus"));
    assert_true(gemm_use("portable"));
    assert_true(strcmp(gemm_used(), "portable") == 0);
    assert_true(gemm_use(NULL));
    assert_true(gemm_kernel(0) != NULL);
}

static struct Row rows[MAX_ROWS];
static size_t n_rows;

static void add(void (*run)(const struct Row *), const char *catches,
                const char *format, ...)
{
    char name[128];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    assert(n_rows < MAX_ROWS);
    rows[n_rows++] = (struct Row){ strdup(name), run, catches };
}

static void add_rows_of(const char *kernel)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct Shape *s = &shapes[i];
        add(product, s->catches, "gemm %s M=%d N=%d K=%d flags=%d", kernel,
            s->M, s->N, s->K, s->flags);
    }
    add(with_bias, "bias added in every block of depth",
        "gemm_bias %s M=33 N=257 K=900 flags=0", kernel);
    add(with_bias, "bias instead of c",
        "gemm_bias %s M=15 N=40 K=9 flags=%d", kernel, GEMM_ADD);
    add(with_bias, "K = 0 forgets the bias",
        "gemm_bias %s M=3 N=40 K=0 flags=0", kernel);
    add(few, "one row: columns after the first thousand",
        "gemm_few %s M=1 N=2100 K=33 flags=0", kernel);
    add(few, "b transposed; c not added to",
        "gemm_few %s M=5 N=53 K=1601 flags=%d", kernel, GEMM_TB | GEMM_ADD);
    add(few, "the bias in every block of depth",
        "gemm_few %s M=8 N=37 K=800 flags=0", kernel);
    add(squares, "the squares of every block of depth, not the last",
        "gemm_sumsq %s M=40 N=300 K=900 flags=0", kernel);
    add(squares, "the squares of the product without what it is added to",
        "gemm_sumsq %s M=129 N=257 K=65 flags=%d", kernel,
        GEMM_TA | GEMM_ADD);
    add(squares, "the squares of one panel",
        "gemm_sumsq %s M=400 N=5 K=3100 flags=0", kernel);
    add(squares, "no squares where there is nothing to multiply",
        "gemm_sumsq %s M=3 N=40 K=0 flags=%d", kernel, GEMM_ADD);
    add(far, "the last kept tile of a strip not stored",
        "gemm_far %s M=72 N=384 K=64 past=0 apart=16", kernel);
    add(far, "tiles at the edges kept as if they were whole",
        "gemm_far %s M=67 N=208 K=100 past=0 apart=16", kernel);
    add(far, "a depth too small to store a tile on the way",
        "gemm_far %s M=64 N=192 K=40 past=0 apart=16", kernel);
    add(far, "two blocks of depth: kept too early",
        "gemm_far %s M=64 N=192 K=800 past=0 apart=16", kernel);
    add(far, "c begins inside a line",
        "gemm_far %s M=64 N=192 K=100 past=4 apart=16", kernel);
    add(far, "a row of c that begins inside a line",
        "gemm_far %s M=64 N=192 K=100 past=0 apart=1", kernel);
    add(strided, "a step of N where ldc is meant", "gemm_strided %s",
        kernel);
    add(not_finite, "a product skipped because a factor is zero",
        "gemm_not_finite %s", kernel);
    add(any_team, "K split over threads; a buffer shared by callers",
        "gemm_threads %s", kernel);
}

int main(void)
{
    for (int i = 0; gemm_kernel(i); i++)
        if (gemm_use(gemm_kernel(i)))
            add_rows_of(gemm_kernel(i));
    add(same_on_any_width, "a kernel that sums in another order",
        "gemm_width avx2 and avx512");
    add(choosing, "a misspelt kernel taken for the default", "gemm_use");
    return rows_run("matmul", rows, n_rows);
}
