/* Tangled from chapters/workshop/measuring-a-cpu.nw, "The rest of the matmul".  Edit it there. */

#include "ops/matmul/matmul.h"

#include "backend/hugepages.h"
#include "ops/matmul/cpu_tile.h"
#include "ops/operators.h"

#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* the sizes of the blocks */
#define KC 768          /* depth of a block: a sliver of a fits in L1  */
#define DEEP (4 * KC)   /* most depth of a panel                       */
#define PANEL ((size_t)1 << 20)     /* reals in a panel of a, for L3   */

/* struct of one product */
struct Matrix {
    const real *at;
    size_t row, col;        /* elements to the next row, next column  */
};

struct Job {
    real *c;
    size_t ldc;
    struct Matrix a, b;
    const real *bias;       /* [N] or NULL */
    double *sumsq;        /* [N] or NULL: of the columns of c        */
    int M, N, K;
    bool add, nontemporal;
    const struct Kernel *kernel;
};

struct Panel {              /* rows m0 .. m0+m, depths k0 .. k0+k of a */
    real *a;
    int m0, m, k0, k;
};

struct Block {              /* columns n0 .. n0+cols, depth from k0    */
    int n0, cols, k0, depth;
};

/* the smaller of two sizes */
static inline int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* all that packs */
/* pack a panel of a, all threads together */
/* Block after block of KC depths, in each sliver after sliver of mr rows,
 * the last as long as the others. */
static real *sliver_of(const struct Panel *p, int mr, int i, int k)
{
    int rows = (p->m + mr - 1) / mr * mr;
    return p->a + (size_t)rows * k + (size_t)i * smaller(KC, p->k - k);
}

static void pack_panel(const struct Panel *p, const struct Job *j)
{
    int mr = j->kernel->mr, slivers = (p->m + mr - 1) / mr;
    int team = omp_get_num_threads(), me = omp_get_thread_num();
    int first = slivers * me / team * mr;
    int last = slivers * (me + 1) / team * mr;
    int step = j->a.row == 1 ? 32 : KC;
    for (int k = 0; k < p->k; k += step)
        for (int i = first; i < last; i += mr)
            /* pack the depths k .. k + step of one sliver */
            j->kernel->pack(
                sliver_of(p, mr, i, k / KC * KC) + (size_t)(k % KC) * mr,
                mr,
                j->a.at + (p->m0 + i) * j->a.row + (p->k0 + k) * j->a.col,
                j->a.row, j->a.col, j->M - p->m0 - i,
                smaller(step, p->k - k));
    #pragma omp barrier
}

/* pack a strip of b */
static _Thread_local real packed_b[KC * STRIP_MAX]
    __attribute__((aligned(64)));

static void pack_strip_of_b(const struct Job *j, const struct Block *b)
{
    int nr = j->kernel->nr;
    const real *from = j->b.at + b->k0 * j->b.row + b->n0 * j->b.col;
    for (int n = 0; n < b->cols; n += nr)
        j->kernel->pack(packed_b + n * b->depth, nr, from + n * j->b.col,
                        j->b.col, j->b.row, smaller(nr, b->cols - n),
                        b->depth);
}


/* all that multiplies */
/* find the bytes to prefetch */
struct Ahead {
    const char *at;
    size_t step, bytes;     /* from line to line; wanted of each line */
    int groups, touches;    /* groups of `touches` lines              */
};

static struct Ahead look_ahead(const struct Job *j, int n0, int k0,
                               int depth)
{
    int cols = smaller(j->kernel->strip, j->N - n0);
    bool plain = j->b.col == 1;
    int lines = plain ? depth : cols, touches = depth / TOUCH_EVERY;
    return (struct Ahead){
        .at = (const char *)(j->b.at + k0 * j->b.row + n0 * j->b.col),
        .step = sizeof(real) * (plain ? j->b.row : j->b.col),
        .bytes = sizeof(real) * (size_t)(plain ? cols : depth),
        .groups = touches ? (lines + touches - 1) / touches : 1,
        .touches = touches,
    };
}

/* choose what tile i prefetches */
static void touch(struct Tile *t, const struct Ahead *h, int i)
{
    size_t byte = (size_t)(i / h->groups) * 64;
    int first = i % h->groups * h->touches;
    bool more = byte < h->bytes;
    t->step = more ? h->step : 0;
    t->ahead = more ? h->at + byte + (size_t)first * h->step
                    : (const char *)t->a;
}

/* a place for one tile */
static _Thread_local real kept[ROW_MAX * NR_MAX]
    __attribute__((aligned(64)));

/* multiply one block of a strip */
static void multiply_block(const struct Panel *p, const struct Job *j,
                           const struct Block *b, int k,
                           const struct Ahead *h)
{
    const struct Kernel *kernel = j->kernel;
    int mr = kernel->mr, nr = kernel->nr, tile = 0;
    /* what all tiles of this block have in common */
    bool last = b->k0 + b->depth == j->K;
    bool nontemporal = j->nontemporal && b->depth == j->K
                    && b->depth >= mr * TOUCH_EVERY;
    double sumsq[STRIP_MAX] __attribute__((aligned(64))) = { 0 };
    struct Tile t = { .ldc = j->ldc, .depth = b->depth,
                      .add = j->add || b->k0 > 0 };
    for (int i = 0; i < p->m; i += mr)
        for (int n = 0; n < b->cols; n += nr, tile++) {
            /* say where tile (i, n) lies and what it is made of */
            t.c = j->c + (p->m0 + i) * j->ldc + b->n0 + n;
            t.rows = smaller(mr, p->m - i);
            t.cols = smaller(nr, b->cols - n);
            t.a = sliver_of(p, mr, i, k);
            t.b = packed_b + n * b->depth;
            t.bias = j->bias && b->k0 == 0 ? j->bias + b->n0 + n : NULL;
            t.sumsq = last && j->sumsq ? sumsq + n : NULL;
            t.buffer = nontemporal && t.rows == mr && t.cols == nr ? kept : NULL;
            /* say what to prefetch during this tile */
            bool right = n + nr < b->cols;
            t.next_c = right ? t.c + nr : t.c - n + mr * j->ldc;
            t.next_a = sliver_of(p, mr, i + mr, k)
                     + (size_t)(n / nr) * (size_t)(b->depth / TOUCH_EVERY * 16);
            touch(&t, h, tile);
            kernel->tile(&t);
            /* remember a kept tile */
            t.pending = t.buffer;
            t.pending_c = t.c;
        }
    /* store the last kept tile */
    for (int m = 0; t.pending && m < mr; m++)
        memcpy(t.pending_c + m * j->ldc, t.pending + m * nr,
               (size_t)nr * sizeof *t.c);
    /* hand over the squares of this block */
    for (int n = 0; j->sumsq && n < b->cols; n++)
        j->sumsq[b->n0 + n] += sumsq[n];
}

/* one strip of c */
static void run_strip(const struct Panel *p, const struct Job *j, int n0,
                      int next)
{
    int cols = smaller(j->kernel->strip, j->N - n0);
    for (int k = 0; k < p->k; k += KC) {
        struct Block b = { n0, cols, p->k0 + k, smaller(KC, p->k - k) };
        pack_strip_of_b(j, &b);
        /* h = the block of b that comes next */
        bool last = k + KC >= p->k;
        int then_k = last ? 0 : k + KC;
        struct Ahead h = look_ahead(j, last ? next : n0, p->k0 + then_k,
                                    smaller(KC, p->k - then_k));
        multiply_block(p, j, &b, k, &h);
    }
}

/* allocate the panel of a */
static pthread_key_t room;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void make_room_key(void)
{
    has_key = pthread_key_create(&room, free) == 0;
}

static real *room_for_a(void)
{
    pthread_once(&once, make_room_key);
    real *a = has_key ? pthread_getspecific(room) : NULL;
    if (a)
        return a;
    a = has_key ? hugepages_alloc(PANEL * sizeof *a) : NULL;
    if (a && pthread_setspecific(room, a) == 0)
        return a;
    free(a);
    backend_failed("no memory for the %zu bytes of a matmul's panel",
                   PANEL * sizeof *a);
    return NULL;
}

/* share the strips of c over the team */
static void run(const struct Job *j)
{
    real *a = room_for_a();
    int mr = j->kernel->mr, strip = j->kernel->strip;
    int strips = (j->N + strip - 1) / strip;
    int deep = smaller(j->K, DEEP);
    int tall = smaller(j->M, (int)(PANEL / (size_t)deep) / mr * mr);
    double flop = 2.0 * j->M * j->N * j->K;
    #pragma omp parallel if (flop > 1e6)
    for (int m0 = 0; m0 < j->M; m0 += tall)
        for (int k0 = 0; k0 < j->K; k0 += deep) {
            /* multiply one panel by all strips of b */
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

/* write an empty sum */
static void empty_sum(const struct Job *j)
{
    for (int m = 0; m < j->M; m++)
        for (int n = 0; n < j->N; n++) {
            real x = j->bias ? j->bias[n] : 0;
            real *c = j->c + m * j->ldc + n;
            *c = j->add ? *c + x : x;
            if (j->sumsq)
                j->sumsq[n] += (double)*c * (double)*c;
        }
}


/* multiply few rows */
static _Thread_local real few_sums[FEW][FEW_COLS]
    __attribute__((aligned(64)));

static void few_store(const struct Job *j, int n0, int cols, int k0)
{
    for (int m = 0; m < j->M; m++) {
        real *c = j->c + (size_t)m * j->ldc + n0;
        for (int n = 0; n < cols; n++) {
            real x = few_sums[m][n];
            if (j->bias && k0 == 0)
                x += j->bias[n0 + n];
            c[n] = j->add || k0 > 0 ? x + c[n] : x;
        }
    }
}


/* c[:, n0 .. n0 + cols), at most FEW_COLS of them */
static void few_columns(const struct Job *j, int n0, int cols)
{
    const bool turned = j->b.col != 1;
    for (int k0 = 0; k0 < j->K; k0 += KC) {
        const struct Few f = { .sums = few_sums[0], .a = j->a.at + k0,
            .b = j->b.at + (size_t)k0 * j->b.row
               + (size_t)n0 * j->b.col,
            .lda = j->a.row, .ldb = turned ? j->b.col : j->b.row,
            .M = j->M, .depth = smaller(KC, j->K - k0), .cols = cols,
            .turned = turned };
        memset(few_sums, 0, sizeof few_sums[0] * (size_t)j->M);
        j->kernel->few(&f);
        few_store(j, n0, cols, k0);
    }
}


static void run_few(const struct Job *j)
{
    const int units = (j->N + FEW_UNIT - 1) / FEW_UNIT;
    #pragma omp parallel if ((double)j->N * j->K > 1e5)
    {
        const long me = omp_get_thread_num(), team = omp_get_num_threads();
        const int end = smaller((int)(units * (me + 1) / team) * FEW_UNIT,
                                j->N);
        int n = (int)(units * me / team) * FEW_UNIT;
        for (; n < end; n += FEW_COLS)
            few_columns(j, n, smaller(FEW_COLS, end - n));
    }
}


/* choose a kernel */
const char *cpu_gemm_kernel(int i)
{
    return gemm_kernels[i].name;
}

bool cpu_gemm_use(const char *name)
{
    int i = 0;
    while (gemm_kernels[i].name
           && !(name && strcmp(name, gemm_kernels[i].name) == 0))
        i++;
    if (name && !(gemm_kernels[i].name && gemm_kernels[i].runs_here()))
        return false;
    backend_current()->kernels.gemm = name ? i + 1 : 0;
    return true;
}

static const struct Kernel *kernel_in_use(void)
{
    const struct Kernel *k = gemm_kernels;
    const int chosen = backend_current()->kernels.gemm;
    if (chosen)
        return k + chosen - 1;
    while (!k->runs_here())             /* the last runs everywhere */
        k++;
    return k;
}

const char *cpu_gemm_used(void)
{
    return kernel_in_use()->name;
}

/* the functions of the contract */
static void multiply(struct Job j, const real *a, size_t lda,
                     const real *b, size_t ldb, int flags)
{
    bool ta = flags & GEMM_TA, tb = flags & GEMM_TB;
    j.a = (struct Matrix){ a, ta ? 1 : lda, ta ? lda : 1 };
    j.b = (struct Matrix){ b, tb ? 1 : ldb, tb ? ldb : 1 };
    j.add = flags & GEMM_ADD;
    j.kernel = kernel_in_use();
    /* use nontemporal stores where possible */
    j.nontemporal = flags & GEMM_NONTEMPORAL && !j.add && j.kernel->streams
         && ((uintptr_t)j.c | j.ldc * sizeof(real)) % 64 == 0;
    if (j.M <= 0 || j.N <= 0)
        return;
    if (j.K <= 0)
        empty_sum(&j);
    else if (j.M <= FEW && !ta && !j.sumsq)
        run_few(&j);
    else
        run(&j);
}

void cpu_gemm_strided(real *c, size_t ldc, const real *a, size_t lda,
                      const real *b, size_t ldb, const real *bias,
                      int M, int N, int K, int flags)
{
    struct Job j = { .c = c, .ldc = ldc, .bias = bias,
                     .M = M, .N = N, .K = K };
    multiply(j, a, lda, b, ldb, flags);
}

static size_t row_of_a(int M, int K, int flags)
{
    return (size_t)(flags & GEMM_TA ? M : K);
}

static size_t row_of_b(int N, int K, int flags)
{
    return (size_t)(flags & GEMM_TB ? K : N);
}

void cpu_gemm_bias(real *c, const real *a, const real *b, const real *bias,
                   int M, int N, int K, int flags)
{
    gemm_strided(c, (size_t)N, a, row_of_a(M, K, flags), b,
                 row_of_b(N, K, flags), bias, M, N, K, flags);
}

void cpu_gemm(real *c, const real *a, const real *b, int M, int N, int K,
              int flags)
{
    gemm_bias(c, a, b, NULL, M, N, K, flags);
}

void cpu_gemm_sumsq(real *c, const real *a, const real *b, int M, int N,
                    int K, int flags, double *sumsq)
{
    struct Job j = { .c = c, .ldc = (size_t)N, .M = M, .N = N, .K = K };
    if (sumsq && N > 0)
        j.sumsq = calloc((size_t)N, sizeof *j.sumsq);
    if (sumsq && N > 0 && !j.sumsq) {
        backend_failed("no memory for %d sums of squares", N);
        return;
    }
    multiply(j, a, row_of_a(M, K, flags), b, row_of_b(N, K, flags), flags);
    for (int n = 0; j.sumsq && n < N; n++)
        *sumsq += j.sumsq[n];
    free(j.sumsq);
}
