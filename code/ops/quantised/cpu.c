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
ALWAYS_INLINE void codes_of(Lanes *to, const Ints *block, int i,
                            const int bits)
{
    const Ints high = *block << (32 - bits - bits * i);
    *to = __builtin_convertvector(high >> (32 - bits), Lanes);
}


/* add a block of codes times the inputs */
/* sum[m] += the weights k .. of a block times x[m], in 16 lanes */
ALWAYS_INLINE void add_block(Lanes *sum, const struct Times *t, int M,
                             const Ints *block, int k, const bf16 *scales,
                             const int bits)
{
    for (int i = 0; i < 32 / bits; i += 2) {
        const int group = (k + 16 * i) >> t->shift;
        const real s = (real)bf16_to_float(scales[group < t->last ? group
                                                  : t->last]);
        Lanes low, high;
        codes_of(&low, block, i, bits);
        codes_of(&high, block, i + 1, bits);
        for (int m = 0; m < M; m++) {
            const Lanes *x = (const Lanes *)(t->x + m * t->Kp + k);
            sum[m] += (low * x[i] + high * x[i + 1]) * s;
        }
    }
}


/* compute an output for M rows */
ALWAYS_INLINE void output_of(const struct Times *t, int n, const int M,
                             const int bits)
{
    const struct Quantised q = *t->q;
    const uint8_t *codes = q.codes + (size_t)n * quantised_row_bytes(&q);
    const bf16 *scales = q.scales + (size_t)n * quantised_groups(&q);
    Lanes sum[ROWS_AT_ONCE];
    for (int m = 0; m < M; m++)
        sum[m] = (Lanes){ 0 };
    for (int k = 0; k < t->Kp; k += 16 * 32 / bits, codes += 64) {
        Ints block;
        memcpy(&block, codes, sizeof block);
        add_block(sum, t, M, &block, k, scales, bits);
    }
    for (int m = 0; m < M; m++) {
        real y = t->b ? t->b[n] : 0;
        for (int i = 0; i < LANES; i++)
            y += sum[m][i];
        t->y[(size_t)m * (size_t)q.N + (size_t)n] = y;
    }
}


SIMD_CLONES
static void outputs_of(const struct Times *t, int n, int end, int M)
{
    const bool four = t->q->type == WEIGHTS_INT4;
    for (; n < end; n++)
        if (M == 1 && four)
            output_of(t, n, 1, 4);
        else if (M == 1)
            output_of(t, n, 1, 8);
        else if (four)
            output_of(t, n, M, 4);
        else
            output_of(t, n, M, 8);
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
