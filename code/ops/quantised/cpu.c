/* Tangled from chapters/workshop/quantised-weights.nw, "On a CPU".  Edit it there. */

#include <stdlib.h>
#include <string.h>
#include "ops/kernels/vmath.h"
#include "ops/operators.h"

enum { LANES = 16, ROWS_AT_ONCE = 8 };

typedef real Lanes __attribute__((vector_size(LANES * sizeof(real)),
                                  aligned(sizeof(real)), may_alias));
typedef int32_t Ints __attribute__((vector_size(4 * LANES)));
/* x [M][Kp], M <= ROWS_AT_ONCE, times q */
struct Times {
    const struct Quantised *q;
    const real *x, *b;
    real *y;
    int Kp, shift, last;        /* a group has 2^shift weights; the last */
};

/* turn sixteen codes into floats */
ALWAYS_INLINE void codes_of(Lanes *to, const Ints *block, const int i,
                            const int bits)
{
    const Ints high = *block << (32 - bits - bits * i);
    *to = __builtin_convertvector(high >> (32 - bits), Lanes);
}


/* add codes with the same scale */
/* sum[m] += the codes i .. i + n of each word times x[m] and their scale,
 * in 16 lanes; the block begins at weight k */
ALWAYS_INLINE void add_codes(Lanes *sum, const struct Times *t, int M,
                             const Ints *block, int k, const bf16 *scales,
                             const int i, const int n, const int bits)
{
    const int group = (k + 16 * i) >> t->shift;
    const real s = (real)bf16_to_float(scales[group < t->last ? group
                                                              : t->last]);
    Lanes w[8];
    /* w = the codes i .. i + n */
    codes_of(&w[0], block, i, bits);
    codes_of(&w[1], block, i + 1, bits);
    if (n >= 4) {
        codes_of(&w[2], block, i + 2, bits);
        codes_of(&w[3], block, i + 3, bits);
    }
    if (n == 8) {
        codes_of(&w[4], block, i + 4, bits);
        codes_of(&w[5], block, i + 5, bits);
        codes_of(&w[6], block, i + 6, bits);
        codes_of(&w[7], block, i + 7, bits);
    }
    for (int m = 0; m < M; m++) {
        const Lanes *x = (const Lanes *)(t->x + m * t->Kp + k) + i;
        Lanes part = w[0] * x[0] + w[1] * x[1];
        if (n >= 4)
            part += w[2] * x[2] + w[3] * x[3];
        if (n == 8)
            part += (w[4] * x[4] + w[5] * x[5])
                  + (w[6] * x[6] + w[7] * x[7]);
        sum[m] += part * s;
    }
}


/* compute an output for M rows */
ALWAYS_INLINE void add_block(Lanes *sum, const struct Times *t, int M,
                             const uint8_t *codes, int k,
                             const bf16 *scales, const int n,
                             const int bits)
{
    Ints block;
    memcpy(&block, codes, sizeof block);
    add_codes(sum, t, M, &block, k, scales, 0, n, bits);
    if (n == 2)
        add_codes(sum, t, M, &block, k, scales, 2, n, bits);
    if (n < 8 && bits == 4)
        add_codes(sum, t, M, &block, k, scales, 4, n, bits);
    if (n == 2 && bits == 4)
        add_codes(sum, t, M, &block, k, scales, 6, n, bits);
}


ALWAYS_INLINE void output_of(const struct Times *t, int output, const int M,
                             const int n, const int bits)
{
    const struct Quantised q = *t->q;
    const size_t at = (size_t)output;
    const uint8_t *codes = q.codes + at * quantised_row_bytes(&q);
    const bf16 *scales = q.scales + at * quantised_groups(&q);
    Lanes sum[ROWS_AT_ONCE];
    for (int m = 0; m < M; m++)
        sum[m] = (Lanes){ 0 };
    for (int k = 0; k < t->Kp; k += 16 * 32 / bits, codes += 64)
        add_block(sum, t, M, codes, k, scales, n, bits);
    for (int m = 0; m < M; m++) {
        real y = t->b ? t->b[at] : 0;
        for (int i = 0; i < LANES; i++)
            y += sum[m][i];
        t->y[(size_t)m * (size_t)q.N + at] = y;
    }
}


ALWAYS_INLINE void outputs_with(const struct Times *t, int from, int end,
                                const int M)
{
    const bool four = t->q->type == WEIGHTS_INT4;
    const int group = t->q->group;
    for (int i = from; i < end; i++)
        if (four && group >= 128)
            output_of(t, i, M, 8, 4);
        else if (four && group == 64)
            output_of(t, i, M, 4, 4);
        else if (four)
            output_of(t, i, M, 2, 4);
        else if (group >= 64)
            output_of(t, i, M, 4, 8);
        else
            output_of(t, i, M, 2, 8);
}

SIMD_CLONES
static void outputs_of(const struct Times *t, int from, int end, int M)
{
    if (M == 1)
        outputs_with(t, from, end, 1);
    else
        outputs_with(t, from, end, M);
}


/* share the outputs over the team */
static real *padded(const real *x, int M, int K, int Kp)
{
    real *to = calloc((size_t)M * (size_t)Kp, sizeof *to);
    for (int m = 0; to && m < M; m++)
        memcpy(to + (size_t)m * (size_t)Kp, x + (size_t)m * (size_t)K,
               (size_t)K * sizeof *to);
    if (!to)
        backend_failed("no memory for %d rows of %d numbers", M, Kp);
    return to;
}

void cpu_quantised_linear(real *y, const real *x, const struct Quantised *q,
                          const real *b, int M)
{
    const int Kp = (int)quantised_width(q);
    real *copy = Kp == q->K ? NULL : padded(x, M, q->K, Kp);
    if (Kp != q->K && !copy)
        return;
    for (int m = 0; m < M; m += ROWS_AT_ONCE) {
        const struct Times t = { .q = q, .b = b, .Kp = Kp,
            .shift = __builtin_ctz((unsigned)q->group),
            .last = (int)quantised_groups(q) - 1,
            .x = (copy ? copy : x) + (size_t)m * (size_t)Kp,
            .y = y + (size_t)m * (size_t)q->N };
        const int rows = M - m < ROWS_AT_ONCE ? M - m : ROWS_AT_ONCE;
        #pragma omp parallel for schedule(static)
        for (int n = 0; n < q->N; n += LANES)
            outputs_of(&t, n, n + LANES < q->N ? n + LANES : q->N, rows);
    }
    free(copy);
}
