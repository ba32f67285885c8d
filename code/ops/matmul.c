/* Chapter 17b, A matmul for two cores: 17b.2 The blocks */
/* Tangled from chapters/17b-cpu-matmul.nw by `make tangle`; edit it there. */

#include "ops/matmul.h"

#include "ops/matmul_tile.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

#ifndef KC
#define KC 256
#define STRIP 4
#define DEEP (16 * KC)
#define PANEL ((size_t)1 << 20)
#endif

struct Matrix {
    const real *at;
    size_t row, col;    /* steps, in elements, to the next row, column */
};

struct Job {
    real *c;
    size_t ldc;
    struct Matrix a, b;
    const real *bias;
    int M, N, K;
    bool add;
    const struct Kernel *kernel;
};

static _Thread_local real packed_b[KC * NR_MAX * STRIP] __attribute__((aligned(64)));

static inline int smaller(int a, int b)
{
    return a < b ? a : b;
}

typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));

/* to[k][i] = m[i][k] for i < 4, k < 4 */
#if !defined(REAL_IS_DOUBLE)
static inline void transpose_4x4(float *to, size_t width, const float *from,
                                 size_t row)
{
    quad a = *(const quad *)from, b = *(const quad *)(from + row);
    quad c = *(const quad *)(from + 2 * row);
    quad d = *(const quad *)(from + 3 * row);
    quad ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    quad ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    quad cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    quad cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(quad *)to = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
    *(quad *)(to + width) = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
    *(quad *)(to + 2 * width) = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    *(quad *)(to + 3 * width) = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}
#else
static inline void transpose_4x4(real *to, size_t width, const real *from,
                                 size_t row)
{
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++)
            to[k * width + i] = from[i * row + k];
}
#endif

/* to[k][i] = from row i, column k; the sliver has `lines` lines (rows of a,
 * columns of b), padded with zeros to `width`. line, deep: the steps. */
static void pack(real *to, int width, const real *from, size_t line,
                 size_t deep, int lines, int depth)
{
    if (line == 1) {
        for (int k = 0; k < depth; k++, to += width, from += deep) {
            for (int i = 0; i < lines; i++)
                to[i] = from[i];
            for (int i = lines; i < width; i++)
                to[i] = 0;
        }
        return;
    }
    int k = 0;
    if (deep == 1) {
        for (; k + 4 <= depth; k += 4) {
            real *at = to + (size_t)k * width;
            int i = 0;
            for (; i + 4 <= lines; i += 4)
                transpose_4x4(at + i, width, from + i * line + k, line);
            for (; i < width; i++)
                for (int kk = 0; kk < 4; kk++)
                    at[kk * width + i] =
                        i < lines ? from[i * line + k + kk] : 0;
        }
    }
    for (; k < depth; k++)
        for (int i = 0; i < width; i++)
            to[(size_t)k * width + i] =
                i < lines ? from[i * line + k * deep] : 0;
}

/* Rows m0 .. m0+m, depths k0 .. k0+k of op(a), shared out over the team:
 * block after block of KC depths, in each sliver after sliver of mr rows. */
static void pack_a(real *to, const struct Job *j, int m0, int m, int k0,
                   int k)
{
    int mr = j->kernel->mr, slivers = (m + mr - 1) / mr;
    #pragma omp for schedule(static)
    for (int s = 0; s < slivers; s++) {
        int rows = smaller(mr, m - s * mr), first = s * mr;
        for (int kk = 0; kk < k; kk += KC) {
            int depth = smaller(KC, k - kk);
            const real *from = j->a.at + (m0 + first) * j->a.row
                             + (k0 + kk) * j->a.col;
            pack(to + (size_t)m * kk + (size_t)first * depth, rows, from,
                 j->a.row, j->a.col, rows, depth);
        }
    }
}

static void pack_sliver_of_b(real *to, const struct Job *j, int n0, int k0,
                             int depth)
{
    int nr = j->kernel->nr, cols = smaller(nr, j->N - n0);
    const real *from = j->b.at + k0 * j->b.row + n0 * j->b.col;
    if (j->b.col == 1 && cols == nr)
        j->kernel->copy(to, from, j->b.row, depth);
    else
        pack(to, nr, from, j->b.col, j->b.row, cols, depth);
}

struct Ahead {
    const char *at;
    size_t step, bytes;
    int groups, touches;
};

static struct Ahead look_ahead(const struct Job *j, int n0, int k0,
                               int depth)
{
    int cols = smaller(j->kernel->nr * STRIP, j->N - n0);
    struct Ahead h = { (const char *)(j->b.at + k0 * j->b.row + n0 * j->b.col),
        0, 0, 0, depth / PREFETCH_EVERY };
    int lines = j->b.col == 1 ? depth : cols;
    h.step = sizeof(real) * (j->b.col == 1 ? j->b.row : j->b.col);
    h.bytes = sizeof(real) * (j->b.col == 1 ? cols : depth);
    h.groups = h.touches ? (lines + h.touches - 1) / h.touches : 1;
    return h;
}

/* One strip of c, one block of depth: the sliver of a stays in L1, while
 * the slivers of b pass by. */
static void multiply_block(const struct Job *j, const real *a, int m0,
                           int m, int n0, int cols, int k0, int depth,
                           struct Ahead h)
{
    const struct Kernel *kernel = j->kernel;
    int mr = kernel->mr, nr = kernel->nr, tile = 0;
    for (int i = 0; i < m; i += mr)
        for (int n = 0; n < cols; n += nr, tile++) {
            size_t byte = (size_t)(tile / h.groups) * 64;
            bool more = byte < h.bytes;
            int group = tile % h.groups;
            struct Tile t = {
                .c = j->c + (m0 + i) * j->ldc + n0 + n, .ldc = j->ldc,
                .rows = smaller(mr, m - i),
                .cols = smaller(nr, cols - n), .depth = depth,
                .a = a + (size_t)i * depth, .b = packed_b + n * depth,
                .bias = j->bias && k0 == 0 ? j->bias + n0 + n : NULL,
                .add = j->add || k0 > 0,
                .ahead = more ? h.at + byte + group * h.touches * h.step
                              : (const char *)a,
                .step = more ? h.step : 0,
            };
            kernel->tile(&t);
        }
}

static void run_strip(const struct Job *j, const real *a, int n0, int m0,
                      int m, int k0, int k, int next)
{
    int nr = j->kernel->nr, cols = smaller(nr * STRIP, j->N - n0);
    for (int kk = 0; kk < k; kk += KC) {
        int depth = smaller(KC, k - kk);
        for (int n = 0; n < cols; n += nr)
            pack_sliver_of_b(packed_b + n * depth, j, n0 + n, k0 + kk,
                             depth);
        struct Ahead h = kk + KC < k
            ? look_ahead(j, n0, k0 + kk + KC, smaller(KC, k - kk - KC))
            : look_ahead(j, next, k0, smaller(KC, k));
        multiply_block(j, a + (size_t)m * kk, m0, m, n0, cols, k0 + kk,
                       depth, h);
    }
}

static pthread_key_t room;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_room_key(void)
{
    if (pthread_key_create(&room, free) != 0)
        fail("no key for a matmul's panel: too many thread keys in use");
}

/* Each thread that calls gemm has a panel of its own; it is freed when the
 * thread ends. */
static real *room_for_a(void)
{
    pthread_once(&once, make_room_key);
    real *a = pthread_getspecific(room);
    if (!a) {
        size_t size = PANEL * sizeof(real);
        a = aligned_alloc((size_t)1 << 21, size);
        if (!a || pthread_setspecific(room, a) != 0)
            fail("no memory for the %zu bytes of a matmul's panel", size);
        madvise(a, size, MADV_HUGEPAGE);
    }
    return a;
}

static void run(const struct Job *j)
{
    real *a = room_for_a();
    double flop = 2.0 * j->M * j->N * j->K;
    int mr = j->kernel->mr, strip = j->kernel->nr * STRIP;
    int strips = (j->N + strip - 1) / strip;
    int deep = smaller(j->K, DEEP);
    int tall = smaller(j->M, (int)(PANEL / deep) / mr * mr);
    #pragma omp parallel if (flop > 1e6)
    {
        int threads = omp_get_num_threads();
        for (int m0 = 0; m0 < j->M; m0 += tall)
            for (int k0 = 0; k0 < j->K; k0 += deep) {
                int m = smaller(tall, j->M - m0);
                int k = smaller(deep, j->K - k0);
                pack_a(a, j, m0, m, k0, k);
                #pragma omp for schedule(dynamic)
                for (int s = 0; s < strips; s++) {
                    int next = smaller(s + threads, strips - 1);
                    run_strip(j, a, s * strip, m0, m, k0, k, next * strip);
                }
            }
    }
}

/* K = 0: the empty sum */
static void fill(const struct Job *j)
{
    for (int m = 0; m < j->M; m++)
        for (int n = 0; n < j->N; n++) {
            real x = j->bias ? j->bias[n] : 0;
            real *c = j->c + m * j->ldc + n;
            *c = j->add ? *c + x : x;
        }
}

static const struct Kernel *kernel_in_use;

const char *gemm_kernel(int i)
{
    return gemm_kernels[i].name;
}

static const struct Kernel *find(const char *name)
{
    for (const struct Kernel *k = gemm_kernels; k->name; k++)
        if (k->runs_here() && (!name || strcmp(name, k->name) == 0))
            return k;
    return NULL;
}

bool gemm_use(const char *name)
{
    const struct Kernel *k = find(name);
    if (k)
        kernel_in_use = k;
    return k;
}

const char *gemm_used(void)
{
    if (!kernel_in_use) {
        const char *name = getenv("GEMM_KERNEL");
        if (!gemm_use(name))
            misuse("GEMM_KERNEL=%s: no such kernel on this CPU", name);
    }
    return kernel_in_use->name;
}

void gemm_strided(real *c, size_t ldc, const real *a, size_t lda,
                  const real *b, size_t ldb, const real *bias,
                  int M, int N, int K, int flags)
{
    gemm_used();
    struct Job j = {
        .c = c, .ldc = ldc, .bias = bias, .M = M, .N = N, .K = K,
        .a = { a, flags & GEMM_TA ? 1 : lda, flags & GEMM_TA ? lda : 1 },
        .b = { b, flags & GEMM_TB ? 1 : ldb, flags & GEMM_TB ? ldb : 1 },
        .add = flags & GEMM_ADD, .kernel = kernel_in_use,
    };
    if (K > 0)
        run(&j);
    else
        fill(&j);
}

void gemm_bias(real *c, const real *a, const real *b, const real *bias,
               int M, int N, int K, int flags)
{
    gemm_strided(c, N, a, flags & GEMM_TA ? M : K, b,
                 flags & GEMM_TB ? K : N, bias, M, N, K, flags);
}

void gemm(real *c, const real *a, const real *b, int M, int N, int K,
          int flags)
{
    gemm_bias(c, a, b, NULL, M, N, K, flags);
}
