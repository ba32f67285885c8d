/* mma.sync of the software GPU against a plain product in double, with the
 * fragments laid out here by the formulas of the PTX manual. */
#include "rows.h"
#include "simt/executor/device_math.h"
#include "simt/executor/tensor.h"

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
 * numbers between -1 and 1: within half a unit of the sum's type. */
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
                double sum = r.C[at][to];
                for (int k = 0; k < m.k; k++)
                    sum += r.A[at][k] * r.B[k][to];
                double allowed = whole ? 0
                    : ldexp(fabs(sum), m.half_sum ? -11 : -24) + 1e-12;
                double got = result(&r, &m, lane, i);
                if (!(fabs(got - sum) <= allowed))
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
};

int main(void)
{
    return rows_run("simt_tensor", rows, sizeof rows / sizeof *rows);
}
