/* Chapter 17b, A matmul for two cores: 17b.10 Four instruction sets */
/* Tangled from chapters/17b-cpu-matmul.nw by `make tangle`; edit it there. */

#include "ops/matmul.h"

#include "base/error.h"
#include "ops/matmul_tile.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* the sizes of the blocks (17b.6) */
#define KC 256          /* depth of a block: a sliver of a fits in L1  */
#define STRIP 4         /* slivers of b in a strip, which fits in L2   */
#define DEEP (16 * KC)  /* most depth of a panel                       */
#define PANEL ((size_t)1 << 20)     /* reals in a panel of a, for L3   */

/* struct of one product (17b.9) */
struct Matrix {
    const real *at;
    size_t row, col;        /* elements to the next row, next column  */
};

struct Job {
    real *c;
    size_t ldc;
    struct Matrix a, b;
    const real *bias;       /* [N] or NULL */
    int M, N, K;
    bool add;
    const struct Kernel *kernel;
};

struct Panel {              /* rows m0 .. m0+m, depths k0 .. k0+k of a */
    real *a;
    int m0, m, k0, k;
};

struct Block {              /* columns n0 .. n0+cols, depth from k0    */
    int n0, cols, k0, depth;
};

static inline int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* all that packs (17b.10) */
/* transpose four by four (17b.5) */
typedef real Quad __attribute__((vector_size(4 * sizeof(real)),
                                 aligned(sizeof(real)), may_alias));
#define QUAD(p) (*(const Quad *)(p))
#define MIX(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)

/* to[k][i] = from[i][k] for i, k < 4; rows of `width` and of `line`. */
static inline void transpose_4x4(real *to, size_t width, const real *from,
                                 size_t line)
{
    Quad a = QUAD(from), b = QUAD(from + line);
    Quad c = QUAD(from + 2 * line), d = QUAD(from + 3 * line);
    Quad ab0 = MIX(a, b, 0, 4, 1, 5), ab1 = MIX(a, b, 2, 6, 3, 7);
    Quad cd0 = MIX(c, d, 0, 4, 1, 5), cd1 = MIX(c, d, 2, 6, 3, 7);
    *(Quad *)to = MIX(ab0, cd0, 0, 1, 4, 5);
    *(Quad *)(to + width) = MIX(ab0, cd0, 2, 3, 6, 7);
    *(Quad *)(to + 2 * width) = MIX(ab1, cd1, 0, 1, 4, 5);
    *(Quad *)(to + 3 * width) = MIX(ab1, cd1, 2, 3, 6, 7);
}

/* pack four depths of a sliver (17b.5) */
static void pack_four(real *to, int width, const real *from, size_t line,
                      int lines)
{
    int i = 0;
    for (; i + 4 <= lines; i += 4)
        transpose_4x4(to + i, width, from + i * line, line);
    for (; i < width; i++)
        for (int k = 0; k < 4; k++)
            to[k * width + i] = i < lines ? from[i * line + k] : 0;
}

/* pack one sliver (17b.5) */
/* to[k][i] = from[i line + k deep], i < lines; zero up to width. */
static void pack(real *to, int width, const real *from, size_t line,
                 size_t deep, int lines, int depth)
{
    int k = 0;
    if (deep == 1)
        for (; k + 4 <= depth; k += 4)
            pack_four(to + (size_t)k * width, width, from + k, line, lines);
    for (; k < depth; k++) {
        real *at = to + (size_t)k * width;
        int i = 0;
        if (line == 1)
            for (; i + 4 <= lines; i += 4)
                *(Quad *)(at + i) = QUAD(from + i + k * deep);
        for (; i < width; i++)
            at[i] = i < lines ? from[i * line + k * deep] : 0;
    }
}

/* pack a panel of a, all threads together (17b.6) */
/* Block after block of KC depths, in each sliver after sliver of mr rows:
 * the sliver of row i in the block of depth k starts at p->m k + i d,
 * where d is the depth of that block. */
static void pack_panel(const struct Panel *p, const struct Job *j)
{
    int mr = j->kernel->mr, slivers = (p->m + mr - 1) / mr;
    #pragma omp for schedule(static)
    for (int s = 0; s < slivers; s++) {
        int i = s * mr, rows = smaller(mr, p->m - i);
        for (int k = 0; k < p->k; k += KC) {
            int depth = smaller(KC, p->k - k);
            pack(p->a + (size_t)p->m * k + (size_t)i * depth, rows,
                 j->a.at + (p->m0 + i) * j->a.row + (p->k0 + k) * j->a.col,
                 j->a.row, j->a.col, rows, depth);
        }
    }
}

/* pack a sliver of b (17b.9) */
static _Thread_local real packed_b[KC * NR_MAX * STRIP]
    __attribute__((aligned(64)));

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


/* all that multiplies (17b.10) */
/* which bytes to touch ahead (17b.7) */
struct Ahead {
    const char *at;
    size_t step, bytes;     /* from line to line; wanted of each line */
    int groups, touches;    /* groups of `touches` lines              */
};

static struct Ahead look_ahead(const struct Job *j, int n0, int k0,
                               int depth)
{
    int cols = smaller(j->kernel->nr * STRIP, j->N - n0);
    bool plain = j->b.col == 1;
    int lines = plain ? depth : cols, touches = depth / PREFETCH_EVERY;
    return (struct Ahead){
        .at = (const char *)(j->b.at + k0 * j->b.row + n0 * j->b.col),
        .step = sizeof(real) * (plain ? j->b.row : j->b.col),
        .bytes = sizeof(real) * (size_t)(plain ? cols : depth),
        .groups = touches ? (lines + touches - 1) / touches : 1,
        .touches = touches,
    };
}

/* let tile number i touch its share (17b.7) */
static void touch(struct Tile *t, const struct Ahead *h, int i)
{
    size_t byte = (size_t)(i / h->groups) * 64;
    int first = i % h->groups * h->touches;
    bool more = byte < h->bytes;
    t->step = more ? h->step : 0;
    t->ahead = more ? h->at + byte + (size_t)first * h->step
                    : (const char *)t->a;
}

/* multiply one block of a strip (17b.7) */
static void multiply_block(const struct Panel *p, const struct Job *j,
                           const struct Block *b, const real *a,
                           const struct Ahead *h)
{
    const struct Kernel *kernel = j->kernel;
    int mr = kernel->mr, nr = kernel->nr, tile = 0;
    struct Tile t = { .ldc = j->ldc, .depth = b->depth,
                      .add = j->add || b->k0 > 0 };
    for (int i = 0; i < p->m; i += mr)
        for (int n = 0; n < b->cols; n += nr, tile++) {
            t.c = j->c + (p->m0 + i) * j->ldc + b->n0 + n;
            t.rows = smaller(mr, p->m - i);
            t.cols = smaller(nr, b->cols - n);
            t.a = a + (size_t)i * b->depth;
            t.b = packed_b + n * b->depth;
            t.bias = j->bias && b->k0 == 0 ? j->bias + b->n0 + n : NULL;
            touch(&t, h, tile);
            kernel->tile(&t);
        }
}

/* one strip of c (17b.6) */
static void run_strip(const struct Panel *p, const struct Job *j, int n0,
                      int next)
{
    int nr = j->kernel->nr, cols = smaller(nr * STRIP, j->N - n0);
    for (int k = 0; k < p->k; k += KC) {
        struct Block b = { n0, cols, p->k0 + k, smaller(KC, p->k - k) };
        for (int n = 0; n < cols; n += nr)
            pack_sliver_of_b(packed_b + n * b.depth, j, n0 + n, b.k0,
                             b.depth);
        bool last = k + KC >= p->k;
        int then_k = last ? 0 : k + KC;
        struct Ahead h = look_ahead(j, last ? next : n0, p->k0 + then_k,
                                    smaller(KC, p->k - then_k));
        multiply_block(p, j, &b, p->a + (size_t)p->m * k, &h);
    }
}

/* room for a panel (17b.9) */
static pthread_key_t room;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_room_key(void)
{
    if (pthread_key_create(&room, free) != 0)
        fail("no key for a matmul's panel: too many thread keys in use");
}

static real *room_for_a(void)
{
    pthread_once(&once, make_room_key);
    real *a = pthread_getspecific(room);
    if (!a) {
        size_t size = PANEL * sizeof(real);
        a = aligned_alloc((size_t)1 << 21, size);
        if (!a || pthread_setspecific(room, a) != 0)
            fail("no memory for the %zu bytes of a matmul's panel", size);
#ifdef MADV_HUGEPAGE
        madvise(a, size, MADV_HUGEPAGE);
#endif
    }
    return a;
}

/* share the strips of c over the team (17b.6) */
static void run(const struct Job *j)
{
    real *a = room_for_a();
    int mr = j->kernel->mr, strip = j->kernel->nr * STRIP;
    int strips = (j->N + strip - 1) / strip;
    int deep = smaller(j->K, DEEP);
    int tall = smaller(j->M, (int)(PANEL / (size_t)deep) / mr * mr);
    double flop = 2.0 * j->M * j->N * j->K;
    #pragma omp parallel if (flop > 1e6)
    for (int m0 = 0; m0 < j->M; m0 += tall)
        for (int k0 = 0; k0 < j->K; k0 += deep) {
            struct Panel p = { a, m0, smaller(tall, j->M - m0),
                               k0, smaller(deep, j->K - k0) };
            if (m0 + k0 > 0) {
                #pragma omp barrier
            }
            pack_panel(&p, j);
            #pragma omp for schedule(dynamic) nowait
            for (int s = 0; s < strips; s++) {
                int next = s + omp_get_num_threads();
                run_strip(&p, j, s * strip, smaller(next, strips - 1)
                                            * strip);
            }
        }
}

/* a sum without terms (17b.10) */
static void empty_sum(const struct Job *j)
{
    for (int m = 0; m < j->M; m++)
        for (int n = 0; n < j->N; n++) {
            real x = j->bias ? j->bias[n] : 0;
            real *c = j->c + m * j->ldc + n;
            *c = j->add ? *c + x : x;
        }
}


/* choose a kernel (17b.10) */
static const struct Kernel *_Atomic kernel_in_use;

const char *gemm_kernel(int i)
{
    return gemm_kernels[i].name;
}

bool gemm_use(const char *name)
{
    const struct Kernel *k = gemm_kernels;
    while (k->name && !(k->runs_here()
                        && (!name || strcmp(name, k->name) == 0)))
        k++;
    if (k->name)
        kernel_in_use = k;
    return k->name;
}

const char *gemm_used(void)
{
    const char *name = getenv("GEMM_KERNEL");
    if (!kernel_in_use && !gemm_use(name))
        misuse("GEMM_KERNEL=%s: no such kernel, or not for this CPU",
               name);
    return kernel_in_use->name;
}

/* the three doors (17b.10) */
void gemm_strided(real *c, size_t ldc, const real *a, size_t lda,
                  const real *b, size_t ldb, const real *bias,
                  int M, int N, int K, int flags)
{
    bool ta = flags & GEMM_TA, tb = flags & GEMM_TB;
    gemm_used();
    struct Job j = {
        .c = c, .ldc = ldc, .bias = bias, .M = M, .N = N, .K = K,
        .a = { a, ta ? 1 : lda, ta ? lda : 1 },
        .b = { b, tb ? 1 : ldb, tb ? ldb : 1 },
        .add = flags & GEMM_ADD, .kernel = kernel_in_use,
    };
    if (M <= 0 || N <= 0)
        return;
    if (K > 0)
        run(&j);
    else
        empty_sum(&j);
}

/* the three doors, continued (17b.10) */
void gemm_bias(real *c, const real *a, const real *b, const real *bias,
               int M, int N, int K, int flags)
{
    size_t lda = (size_t)(flags & GEMM_TA ? M : K);
    size_t ldb = (size_t)(flags & GEMM_TB ? K : N);
    gemm_strided(c, (size_t)N, a, lda, b, ldb, bias, M, N, K, flags);
}

void gemm(real *c, const real *a, const real *b, int M, int N, int K,
          int flags)
{
    gemm_bias(c, a, b, NULL, M, N, K, flags);
}
