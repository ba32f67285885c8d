/* mma.sync of the software GPU against a plain product in double, with the
 * fragments laid out here by the formulas of the PTX manual. */
#include "rows.h"
#include "simt/executor/device_math.h"
#include "simt/executor/tensor.h"
#include "tensor_rule.h"

enum { M = 16, N = 8 };

/* PTX ISA, "Matrix fragments for mma.m16n8kK": element i of a lane.
 * groupID = lane >> 2, threadID_in_group = lane % 4. */
static void place_a(const struct Mma *m, int lane, int i, int *row, int *col)
{
    int group = lane >> 2, thread = lane % 4;
    if (m->type == MMA_TF32) {              /* .m16n8k4, .m16n8k8 */
        *row = i == 0 || i == 2 ? group : group + 8;
        *col = i == 0 || i == 1 ? thread : thread + 4;
    } else if (m->k == 16) {
        *row = i < 2 || (4 <= i && i < 6) ? group : group + 8;
        *col = thread * 2 + (i & 1) + (i >= 4 ? 8 : 0);
    } else {
        *row = i < 2 ? group : group + 8;
        *col = thread * 2 + (i & 1);
    }
}

static void place_b(const struct Mma *m, int lane, int i, int *row, int *col)
{
    int group = lane >> 2, thread = lane % 4;
    *col = group;
    if (m->type == MMA_TF32)
        *row = i == 0 ? thread : thread + 4;
    else
        *row = thread * 2 + (i & 1) + (i >= 2 ? 8 : 0);
}

static void place_c(int lane, int i, int *row, int *col)
{
    *row = (lane >> 2) + (i < 2 ? 0 : 8);
    *col = lane % 4 * 2 + (i & 1);
}

static struct Mma shape_of(const struct Row *row)
{
    return (struct Mma){
        .type = strstr(row->name, "bf16") ? MMA_BF16
              : strstr(row->name, "tf32") ? MMA_TF32 : MMA_HALF,
        .k = row_int(row, "k"),
        .half_sum = strstr(row->name, "sum=half") != NULL,
    };
}

/* x in the narrow type: its bits, and its value back */
static uint32_t narrow(const struct Mma *m, double x, double *back)
{
    float f = (float)x;
    uint32_t b;
    switch (m->type) {
    case MMA_HALF:
        b = half_from_float(f);
        *back = float_from_half((uint16_t)b);
        return b;
    case MMA_BF16:
        b = bf16_from_float(f);
        *back = float_from_bf16((uint16_t)b);
        return b;
    default:
        f = tf32_round(f);
        memcpy(&b, &f, sizeof b);
        *back = f;
        return b;
    }
}

struct Registers {
    uint32_t a[4][32], b[2][32], c[4][32], d[4][32];
    double A[M][16], B[16][N], C[M][N];
};

static void put(uint32_t (*r)[32], int per, int lane, int i, uint32_t bits)
{
    if (per == 1)
        r[i][lane] = bits;
    else
        r[i / 2][lane] |= bits << 16 * (i % 2);
}

static void fill(struct Registers *r, const struct Mma *m, uint64_t seed,
                 bool whole)
{
    memset(r, 0, sizeof *r);
    int per = m->type == MMA_TF32 ? 1 : 2, row, col, n = 0;
    for (int lane = 0; lane < 32; lane++) {
        for (int i = 0; i < M * m->k / 32; i++) {
            double x = noise(seed, (uint64_t)n++);
            place_a(m, lane, i, &row, &col);
            put(r->a, per, lane, i,
                narrow(m, whole ? floor(8 * x) : x, &r->A[row][col]));
        }
        for (int i = 0; i < N * m->k / 32; i++) {
            double x = noise(seed, (uint64_t)n++);
            place_b(m, lane, i, &row, &col);
            put(r->b, per, lane, i,
                narrow(m, whole ? floor(8 * x) : x, &r->B[row][col]));
        }
        for (int i = 0; i < 4; i++) {
            float x = (float)noise(seed, (uint64_t)n++);
            uint32_t bits;
            if (whole)
                x = floorf(8 * x);
            place_c(lane, i, &row, &col);
            if (m->half_sum) {
                bits = half_from_float(x);
                r->C[row][col] = float_from_half((uint16_t)bits);
            } else {
                memcpy(&bits, &x, sizeof bits);
                r->C[row][col] = x;
            }
            put(r->c, m->half_sum ? 2 : 1, lane, i, bits);
        }
    }
}

static void run(struct Registers *r, const struct Mma *m)
{
    uint32_t *d[4] = { r->d[0], r->d[1], r->d[2], r->d[3] };
    const uint32_t *a[4] = { r->a[0], r->a[1], r->a[2], r->a[3] };
    const uint32_t *b[2] = { r->b[0], r->b[1] };
    const uint32_t *c[4] = { r->c[0], r->c[1], r->c[2], r->c[3] };
    memset(r->d, 0xff, sizeof r->d);
    mma_sync(m, d, a, b, c);
}

static double result(const struct Registers *r, const struct Mma *m,
                     int lane, int i)
{
    float x;
    if (m->half_sum)
        return float_from_half((uint16_t)(r->d[i / 2][lane] >>
                                          16 * (i % 2)));
    memcpy(&x, &r->d[i][lane], sizeof x);
    return x;
}

/* Whole numbers: every sum is exact, so the result has no excuse.  Then
 * numbers between -1 and 1: the bits that the tensor cores' rule gives. */
static void product(const struct Row *row)
{
    struct Mma m = shape_of(row);
    static struct Registers r;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        bool whole = seed % 2;
        fill(&r, &m, seed, whole);
        run(&r, &m);
        for (int lane = 0; lane < 32; lane++)
            for (int i = 0; i < 4; i++) {
                int at, to;
                place_c(lane, i, &at, &to);
                double sum = r.C[at][to], b[16];
                for (int k = 0; k < m.k; k++) {
                    b[k] = r.B[k][to];
                    sum += r.A[at][k] * b[k];
                }
                int low = m.type == MMA_HALF ? -14 : -126;
                if (!whole)
                    sum = by_rule(r.A[at], b, (int[]){ low, low }, m.k,
                                  (float)r.C[at][to], 25, 24, m.half_sum);
                double got = result(&r, &m, lane, i);
                if (!(got == sum))
                    fail_msg("element (%d, %d), lane %d, c%d is %.9g, "
                             "should be %.9g", at, to, lane, i, got, sum);
            }
    }
}

/* D may be C, as kernels write it. */
static void in_place(const struct Row *row)
{
    struct Mma m = shape_of(row);
    static struct Registers r;
    fill(&r, &m, 5, false);
    run(&r, &m);
    uint32_t *d[4] = { r.c[0], r.c[1], r.c[2], r.c[3] };
    const uint32_t *a[4] = { r.a[0], r.a[1], r.a[2], r.a[3] };
    const uint32_t *b[2] = { r.b[0], r.b[1] };
    mma_sync(&m, d, a, b, (const uint32_t *const *)d);
    assert_memory_equal(r.c, r.d, sizeof(uint32_t) * 32 *
                                  (m.half_sum ? 2 : 4));
}

/* infinity times 0 in one row of A poisons that row and no other */
static void poison(const struct Row *row)
{
    struct Mma m = shape_of(row);
    static struct Registers r;
    fill(&r, &m, 7, true);
    r.a[0][9] = m.type == MMA_TF32 ? 0x7f800000
              : m.type == MMA_BF16 ? 0x7f80 : 0x7c00;   /* row 2 */
    for (int lane = 0; lane < 32; lane++)
        r.b[0][lane] = 0;
    run(&r, &m);
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < 4; i++) {
            int at, to;
            place_c(lane, i, &at, &to);
            if (isnan(result(&r, &m, lane, i)) != (at == 2))
                fail_msg("row %d, column %d is %g", at, to,
                         result(&r, &m, lane, i));
        }
}

/* ---- a sparse A ---- */

struct Sparse {
    struct Mma m;
    int selector;
    uint32_t a[4][32], b[4][32], c[4][32], d[4][32], e[32];
    double A[M][32], B[32][N], C[M][N];
};

/* PTX ISA, "Matrix fragments for sparse mma.m16n8k32 with .f16 and .bf16
 * types": two numbers of four neighbours in a register of A, and the
 * metadata of columns 0 to 15 and 16 to 31 in two lanes of each four.  The
 * other lanes' metadata are nonsense. */
static void sparse_fill(struct Sparse *s, uint64_t seed)
{
    static const int places[6][2] = {
        { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
    uint64_t n = 0;
    double back;
    memset(s->A, 0, sizeof s->A);
    memset(s->b, 0, sizeof s->b);
    for (int lane = 0; lane < 32; lane++) {
        s->e[lane] = lane % 4 / 2 == s->selector ? 0 : 0xcccccccc;
        for (int r = 0; r < 4; r++)
            s->a[r][lane] = 0;
    }
    for (int lane = 0; lane < 32; lane++)
        for (int r = 0; r < 4; r++) {
            const int row = (lane >> 2) + (r & 1 ? 8 : 0);
            const int first = lane % 4 * 4 + (r & 2 ? 16 : 0);
            const int *at = places[(uint64_t)(
                (noise(seed, n++) + 1) * 3) % 6];
            const int from = (row % 8) * 4 + 2 * s->selector + first / 16;
            const int bit = (row / 8) * 16 + first % 16;
            s->e[from] |= (uint32_t)(at[0] | at[1] << 2) << bit;
            for (int i = 0; i < 2; i++) {
                const double x = floor(8 * noise(seed, n++));
                s->a[r][lane] |= narrow(&s->m, x, &back) << 16 * i;
                s->A[row][first + at[i]] = x;
            }
            for (int i = 0; i < 2; i++) {       /* b: register r */
                const int k = lane % 4 * 2 + i + 8 * r;
                s->B[k][lane >> 2] = floor(8 * noise(seed, n++));
                s->b[r][lane] |= narrow(&s->m, s->B[k][lane >> 2], &back)
                                 << 16 * i;
            }
            const float c = (float)floor(8 * noise(seed, n++));
            int to, column;
            place_c(lane, r, &to, &column);
            s->C[to][column] = (double)c;
            memcpy(&s->c[r][lane], &c, sizeof c);
        }
}

static bool sparse_run(struct Sparse *s)
{
    uint32_t *d[4] = { s->d[0], s->d[1], s->d[2], s->d[3] };
    const uint32_t *a[4] = { s->a[0], s->a[1], s->a[2], s->a[3] };
    const uint32_t *b[4] = { s->b[0], s->b[1], s->b[2], s->b[3] };
    const uint32_t *c[4] = { s->c[0], s->c[1], s->c[2], s->c[3] };
    memset(s->d, 0xff, sizeof s->d);
    return mma_sp(&s->m, d, a, b, c, s->e, s->selector);
}

static struct Sparse *sparse_of(const struct Row *row, uint64_t seed)
{
    static struct Sparse s;
    s.m = (struct Mma){
        .type = strstr(row->name, "bf16") ? MMA_BF16 : MMA_HALF,
        .k = 32, .sparse = true };
    s.selector = row_int(row, "selector");
    sparse_fill(&s, seed);
    return &s;
}

static void sparse(const struct Row *row)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct Sparse *s = sparse_of(row, seed);
        assert_int_equal(mma_flop(&s->m), 2 * 16 * 8 * 16);
        assert_true(sparse_run(s));
        for (int lane = 0; lane < 32; lane++)
            for (int i = 0; i < 4; i++) {
                int at, to;
                float got;
                place_c(lane, i, &at, &to);
                double sum = s->C[at][to];
                for (int k = 0; k < 32; k++)
                    sum += s->A[at][k] * s->B[k][to];
                memcpy(&got, &s->d[i][lane], sizeof got);
                if (!((double)got == sum))
                    fail_msg("element (%d, %d) is %.9g, should be %.9g",
                             at, to, (double)got, sum);
            }
    }
}

/* Two equal places, or the higher one first, in any of 64 groups. */
static void sparse_refuses(const struct Row *row)
{
    for (int places = 0; places < 16; places++)
        for (int four = 0; four < 128; four++) {
            struct Sparse *s = sparse_of(row, 3);
            const int lane = four / 16 * 4 + 2 * s->selector + four % 2;
            const int bit = four / 2 % 8 * 4;
            s->e[lane] = (s->e[lane] & ~(15u << bit))
                       | (uint32_t)places << bit;
            if (sparse_run(s) != (places % 4 < places / 4))
                fail_msg("places %d of group %d", places, four);
        }
}

/* An infinity in B meets only what is stored. */
static void sparse_skips(const struct Row *row)
{
    struct Sparse *s = sparse_of(row, 9);
    for (int lane = 0; lane < 32; lane += 4)
        s->b[0][lane] = 0x7f80;                     /* row 0 of B */
    assert_true(sparse_run(s));
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < 4; i++) {
            const int at = (lane >> 2) + (i < 2 ? 0 : 8);
            float got;
            memcpy(&got, &s->d[i][lane], sizeof got);
            const int stored = (s->e[at % 8 * 4 + 2 * s->selector]
                                >> (at / 8 * 16) & 3) == 0;
            if (!stored != (isfinite(got) != 0))
                fail_msg("row %d is %g", at, (double)got);
        }
}

static void tf32_bits(const struct Row *row)
{
    struct Mma m = shape_of(row);
    static struct Registers r, q;
    fill(&r, &m, 3, false);
    q = r;
    for (int lane = 0; lane < 32; lane++) {
        q.a[0][lane] |= 0x1fff;
        q.b[0][lane] |= 0x1fff;
    }
    run(&r, &m);
    run(&q, &m);
    assert_memory_equal(r.d, q.d, sizeof r.d);
}

static const struct Row rows[] = {
    { "m16n8 bf16 k=16 sum=float", product, "rows 8 apart swapped" },
    { "m16n8 bf16 k=8 sum=float",  product, "16 written as a constant" },
    { "m16n8 half k=16 sum=float", product, "halves read as bf16" },
    { "m16n8 half k=8 sum=float",  product, "K units swapped with rows" },
    { "m16n8 half k=16 sum=half",  product, "sum rounded twice" },
    { "m16n8 half k=8 sum=half",   product, "one half of a register lost" },
    { "m16n8 tf32 k=8 sum=float",  product, "pairs where there are singles" },
    { "m16n8 tf32 k=4 sum=float",  product, "more registers than there are" },
    { "in place bf16 k=16 sum=float", in_place, "C read after D is written" },
    { "in place half k=16 sum=half",  in_place, "half of C overwritten" },
    { "infinity times zero, bf16 k=16", poison, "zeros skipped" },
    { "infinity times zero, tf32 k=8",  poison, "zeros skipped" },
    { "tf32 k=8: the low 13 bits do not count", tf32_bits, "read as float" },
    { "sparse bf16 selector=0", sparse, "metadata of rows 8 apart swapped" },
    { "sparse bf16 selector=1", sparse, "metadata from the first two lanes" },
    { "sparse half selector=1", sparse, "halves read as bf16" },
    { "sparse bf16 selector=0: bad places", sparse_refuses, "equal places" },
    { "sparse bf16 selector=1: infinity", sparse_skips, "zeros multiplied" },
};

int main(void)
{
    return rows_run("simt_tensor", rows, sizeof rows / sizeof *rows);
}
