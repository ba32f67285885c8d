/* The sparse products of the chapter on sparsity, for tests/spmv.sh.
 *   spmv check [WORD]   every version against its definition, as TAP rows;
 *                       WORD: those whose second word it is
 *   spmv counts         one launch of each; prints their names */
#include "ladder_test.h"
#include "ladder/spmv.h"
#include "ladder/two_four.h"

/* ---- matrices ---- */

/* How many nonzeros row r has: 0 to 2 * mean, the same for every mean row
 * if even; one row of a skewed matrix has 300 more; full: all columns;
 * holes: one row in 50. */
static int length_of(const char *kind, int r, int mean, int columns)
{
    if (strcmp(kind, "even") == 0)
        return mean;
    if (strcmp(kind, "holes") == 0)
        return r % 50 == 49 ? mean : 0;
    if (strcmp(kind, "full") == 0)
        return r == 3 ? columns : r % 2;
    int n = (r * 7 + 3) % (2 * mean + 1);
    return strcmp(kind, "skewed") == 0 && r == 5 ? n + 300 : n;
}

static const char *const kinds[] = { "random", "band", "power", "blocks",
                                     "arrow", "pruned", NULL };

static int kind_named(const char *name)
{
    for (int k = 0; kinds[k]; k++)
        if (strcmp(kinds[k], name) == 0)
            return k;
    return -1;
}

/* All numbers are small integers: every order of the sums is exact.
 * Columns may come twice in the kinds that are made here. */
static struct Csr matrix_new(const char *kind, int rows, int columns,
                             int mean)
{
    struct Csr a = {};
    struct Error e;
    if (kind_named(kind) >= 0) {
        if (!csr_make(&a, (enum SparseKind)kind_named(kind), rows, columns,
                      mean, &e))
            fail("%s", e.text);
    } else {
        a.rows = rows;
        a.columns = columns;
        a.start = (int *)room(((size_t)rows + 1) * sizeof(int));
        a.start[0] = 0;
        for (int r = 0; r < rows; r++)
            a.start[r + 1] = a.start[r] + length_of(kind, r, mean, columns);
        a.column = (int *)room((size_t)a.start[rows] * sizeof(int));
        a.value = (float *)room((size_t)a.start[rows] * sizeof(float));
        for (int r = 0; r < rows; r++)
            for (int i = a.start[r]; i < a.start[r + 1]; i++)
                a.column[i] = strcmp(kind, "full") == 0 && r == 3
                            ? i - a.start[r]
                            : (int)((size_t)i * 2654435761u
                                    % (unsigned)columns);
    }
    for (int i = 0; i < a.start[rows]; i++)
        a.value[i] = (float)(i % 17) - 8;
    return a;
}

/* What csr_make promises: rising columns within the matrix, as many as it
 * says, and of each kind what its name says. */
static bool matrix_right(const struct Csr *a, const char *kind, int mean)
{
    const int k = kind_named(kind);
    double n = a->start[a->rows];
    for (int r = 0; r < a->rows; r++)
        for (int i = a->start[r]; i < a->start[r + 1]; i++)
            if (a->column[i] < 0 || a->column[i] >= a->columns
                || (i > a->start[r] && a->column[i] <= a->column[i - 1])
                || (k == SPARSE_BAND && abs(a->column[i] - r) > mean))
                return false;
    return k == SPARSE_POWER || k == SPARSE_PRUNED
               ? fabs(n / a->rows / mean - 1) < 0.4
         : k == SPARSE_ARROW
               ? n == (double)mean * a->columns + (a->rows - mean)
         : n == (double)mean * a->rows;
}

/* ---- rows ---- */

static void report(bool good, const char *name, const char *kind, int rows,
                   int columns, int mean, int wrong)
{
    printf("%s - spmv %s %s %dx%d mean %d\n", good ? "ok" : "not ok", name,
           kind, rows, columns, mean);
    if (!good)
        printf("# %d wrong\n", wrong);
    fflush(stdout);
}

/* nan: x[0] is NaN; then the rows that have column 0 are, and no other. */
static void check(const struct Spmv *v, const char *kind, int rows,
                  int columns, int mean)
{
    if (!wanted(v->name))
        return;
    const bool nan = strncmp(kind, "nan-", 4) == 0;
    struct Csr h = matrix_new(nan ? kind + 4 : kind, rows, columns, mean);
    struct Sparse a;
    struct Error e;
    if (!sparse_to_device(&a, &h, &e))
        fail("%s", e.text);
    if (spmv_can(v, &a) && !(nan && strcmp(v->name, "dense") == 0)) {
        float *x = (float *)room((size_t)columns * 4);
        for (int c = 0; c < columns; c++)
            x[c] = nan && c == 0 ? NAN : (float)(c % 13) - 5;
        float *d_x = (float *)device_copy(x, (size_t)columns * 4);
        struct Guarded d_y = guarded_new(NULL, (size_t)rows);
        v->run(d_y.x, &a, d_x);
        int wrong = 0;
        float *y = guarded_take(&d_y, &wrong);
        for (int r = 0; r < rows; r++) {
            float sum = 0;
            for (int i = h.start[r]; i < h.start[r + 1]; i++)
                sum += h.value[i] * x[h.column[i]];
            wrong += !near(y[r], sum, 0);
        }
        report(!wrong, v->name, kind, rows, columns, mean, wrong);
        CUDA_OK(cudaFree(d_x));
        free(x);
        free(y);
    }
    sparse_free(&a);
    csr_free(&h);
}

static void check_matrix(const char *kind, int rows, int columns, int mean)
{
    if (!wanted("matrix"))
        return;
    struct Csr h = matrix_new(kind, rows, columns, mean);
    report(matrix_right(&h, kind, mean), "matrix", kind, rows, columns, mean,
           h.start[rows]);
    csr_free(&h);
}

/* The rule of the two thirds, by trying all widths. */
static void check_width(const char *kind, int rows, int columns, int mean)
{
    if (!wanted("width"))
        return;
    struct Csr h = matrix_new(kind, rows, columns, mean);
    double best = INFINITY;
    int width = 0;
    for (int w = 0; w <= ell_width(&h); w++) {
        double bytes = 8.0 * w * rows;
        for (int r = 0; r < rows; r++)
            if (h.start[r + 1] - h.start[r] > w)
                bytes += 12.0 * (h.start[r + 1] - h.start[r] - w);
        if (bytes <= best) {
            best = bytes;
            width = w;
        }
    }
    report(hybrid_width(&h) == width, "width", kind, rows, columns, mean,
           hybrid_width(&h));
    csr_free(&h);
}

static void check_spmv(void)
{
    for (const struct Spmv *v = spmvs(); v->name; v++) {
        check(v, "even", 1, 1, 1);
        check(v, "even", 257, 33, 32);
        check(v, "even", 33, 257, 33);
        check(v, "odd", 300, 100, 2);
        check(v, "odd", 7, 1000, 70);
        check(v, "skewed", 129, 64, 3);
        check(v, "even", 0, 5, 0);
        check(v, "even", 40, 7, 0);
        check(v, "holes", 333, 50, 9);
        check(v, "full", 65, 3000, 1);
        check(v, "nan-odd", 300, 100, 2);
        for (int k = 0; kinds[k]; k++)
            check(v, kinds[k], 203, 209, 16);
    }
    for (int k = 0; kinds[k]; k++) {
        check_matrix(kinds[k], 400, 400, 16);
        check_width(kinds[k], 400, 400, 16);
    }
    check_width("skewed", 129, 64, 3);
}

/* ---- two of four ---- */

/* A small integer in bf16: the upper half of the float */
static uint16_t bits_of(float x)
{
    uint32_t word;
    memcpy(&word, &x, 4);
    return (uint16_t)(word >> 16);
}

struct Product { int M, N, K; float *w, *x; uint16_t *bits; };

/* w [M][K], no two of a group alike in size; x [N][K] */
static struct Product product_new(int M, int N, int K)
{
    const size_t size = (size_t)M * K, all = size + (size_t)N * K;
    struct Product p = { M, N, K, (float *)room(all * 4), NULL,
                         (uint16_t *)room(all * 2) };
    p.x = p.w + size;
    for (size_t i = 0; i < all; i++) {
        const uint32_t h = hash((uint32_t)i + 77);
        p.w[i] = i < size ? (float)((hash((uint32_t)(i / 4)) + i * 5) % 4 * 3
                                    + h % 3 + 1) * (h & 8 ? -1.0f : 1.0f)
                          : (float)(h % 11) - 5;
        p.bits[i] = bits_of(p.w[i]);
    }
    return p;
}

/* Element (m, k) with all but the two largest of its group zero */
static float kept(const struct Product *p, int m, int k)
{
    const float *w = p->w + (size_t)m * p->K + k / 4 * 4;
    int larger = 0;
    for (int i = 0; i < 4; i++)
        larger += fabsf(w[i]) > fabsf(w[k % 4]);
    return larger < 2 ? w[k % 4] : 0;
}

static void two_four_check(bool sparse, int M, int N, int K)
{
    const char *name = sparse ? "two-four" : "its-dense";
    if (!wanted(name))
        return;
    struct Product p = product_new(M, N, K);
    struct TwoFour h, d;
    struct Error e;
    if (!two_four_pack(&h, p.w, M, K, &e))
        fail("%s", e.text);
    const size_t size = (size_t)M * K;
    d = h;
    d.value = (uint16_t *)device_copy(h.value, size);
    d.places = (uint32_t *)device_copy(h.places, size / 8);
    uint16_t *bits = (uint16_t *)device_copy(p.bits, size * 2);
    uint16_t *x = (uint16_t *)device_copy(p.bits + size, (size_t)N * K * 2);
    struct Guarded d_y = guarded_new(NULL, (size_t)M * N);
    if (sparse)
        two_four_matmul(d_y.x, &d, x, N);
    else
        dense_matmul(d_y.x, bits, x, M, N, K);
    int wrong = 0;
    float *y = guarded_take(&d_y, &wrong);
    float *row = (float *)room((size_t)K * 4);
    for (int m = 0; m < M; m++) {
        two_four_row(row, &h, m);
        for (int k = 0; k < K; k++)
            wrong += !(row[k] == kept(&p, m, k));
        for (int c = 0; c < N; c++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += (double)p.x[(size_t)c * K + k]
                     * (sparse ? kept(&p, m, k) : p.w[(size_t)m * K + k]);
            wrong += !(y[(size_t)m * N + c] == sum);
        }
    }
    printf("%s - spmv %s %dx%d times %d\n", wrong ? "not ok" : "ok", name, M,
           K, N);
    if (wrong)
        printf("# %d wrong\n", wrong);
    fflush(stdout);
    void *device[] = { d.value, d.places, bits, x };
    for (int i = 0; i < 4; i++)
        CUDA_OK(cudaFree(device[i]));
    two_four_free(&h);
    free(row);
    free(y);
    free(p.w);
    free(p.bits);
}

static void check_two_four(void)
{
    for (int sparse = 0; sparse < 2; sparse++) {
        two_four_check(sparse, 16, 8, 32);
        two_four_check(sparse, 48, 33, 96);
        two_four_check(sparse, 32, 1, 160);
    }
    if (!wanted("refused"))
        return;
    float w[48 * 40];
    struct TwoFour h;
    struct Error e;
    const bool taken = two_four_pack(&h, w, 24, 32, &e)
                    || two_four_pack(&h, w, 16, 40, &e)
                    || two_four_pack(&h, w, 0, 32, &e);
    printf("%s - spmv refused two of four of odd sizes\n",
           taken ? "not ok" : "ok");
}

/* ---- counts ---- */

static void count(const char *name, const struct Csr *h, const char *one)
{
    struct Sparse a;
    struct Error e;
    if (!sparse_to_device(&a, h, &e))
        fail("%s", e.text);
    float *x, *y;
    CUDA_OK(cudaMalloc(&x, (size_t)h->columns * 4));
    CUDA_OK(cudaMalloc(&y, (size_t)h->rows * 4));
    CUDA_OK(cudaMemset(x, 0, (size_t)h->columns * 4));
    for (const struct Spmv *v = spmvs(); v->name; v++) {
        if (!spmv_can(v, &a) || (one && !strstr(one, v->name)))
            continue;
        v->run(y, &a, x);
        printf("%s%s\n", name, v->name);
        if (strcmp(v->name, "hybrid") == 0 && a.tail.n)
            printf("%stail\n", name);           /* its second launch */
    }
    sparse_free(&a);
    CUDA_OK(cudaFree(x));
    CUDA_OK(cudaFree(y));
}

static void counts(void)
{
    struct Csr h = matrix_new("even", 1024, 1024, 32);
    for (int i = 0; i < 1024 * 32; i++)         /* x is read in order */
        h.column[i] = (i / 32 + i % 32) % 1024;
    count("", &h, "scalar lanes4 lanes8 vector");
    csr_free(&h);
    for (int k = 0; kinds[k]; k++) {
        const int n = k == SPARSE_PRUNED ? 512 : 2048;
        char name[16];
        h = matrix_new(kinds[k], n, n, k == SPARSE_PRUNED ? 51 : 32);
        snprintf(name, sizeof name, "%s.", kinds[k]);
        count(name, &h, "vector shares coo ell hybrid");
        csr_free(&h);
    }
    struct Product p = product_new(256, 8, 512);
    struct TwoFour w, d;
    struct Error e;
    if (!two_four_pack(&w, p.w, p.M, p.K, &e))
        fail("%s", e.text);
    const size_t size = (size_t)p.M * p.K;
    d = w;
    d.value = (uint16_t *)device_copy(w.value, size);
    d.places = (uint32_t *)device_copy(w.places, size / 8);
    uint16_t *bits = (uint16_t *)device_copy(p.bits, size * 2 + 8192);
    float *y;
    CUDA_OK(cudaMalloc(&y, 8192));
    two_four_matmul(y, &d, bits + size, 8);
    printf("two-four.sparse\n");
    dense_matmul(y, bits, bits + size, 256, 8, 512);
    printf("two-four.dense\n");
    CUDA_OK(cudaDeviceSynchronize());
}

static void check_all(void)
{
    check_spmv();
    check_two_four();
}

int main(int argc, char **argv)
{
    return ladder_main(argc, argv, check_all, counts);
}
