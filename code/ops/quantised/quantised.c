/* Tangled from chapters/workshop/quantised-weights.nw, "The operator".  Edit it there. */

#include "ops/quantised/quantised.h"

#include <math.h>
#include <string.h>

/* round a group */
/* The smallest bf16 s with s * largest >= the largest |w|. */
static bf16 group_scale(const real *w, size_t step, int n, int largest)
{
    float amax = 0;
    for (int i = 0; i < n; i++)
        amax = fmaxf(amax, fabsf((float)w[(size_t)i * step]));
    bf16 s = float_to_bf16(amax / (float)largest);
    while (bf16_to_float(s) * (float)largest < amax)
        s.bits++;
    return s;
}

static int round_weight(real w, bf16 scale, int largest)
{
    const float s = bf16_to_float(scale);
    const int code = s > 0 ? (int)rintf((float)w / s) : 0;
    return code > largest ? largest : code < -largest ? -largest : code;
}


/* search a scale with a smaller error */
static double square_error(const real *w, size_t step, int n, bf16 scale,
                           int largest)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const double x = (double)w[(size_t)i * step];
        const double off = x - (double)bf16_to_float(scale)
                         * round_weight((real)x, scale, largest);
        sum += off * off;
    }
    return sum;
}

static bf16 searched_scale(const real *w, size_t step, int n, int largest)
{
    const bf16 amax = group_scale(w, step, n, largest);
    double least = square_error(w, step, n, amax, largest);
    bf16 best = amax;
    for (int percent = 97; percent >= 70; percent -= 3) {
        const bf16 s = float_to_bf16(bf16_to_float(amax)
                                     * (float)percent / 100);
        const double error = square_error(w, step, n, s, largest);
        if (error < least) {
            least = error;
            best = s;
        }
    }
    return best;
}


/* pack codes, and find one again */
/* The byte of weight k in a row, and the bits before it in that byte. */
static size_t byte_of(enum QuantisedType type, size_t k, int *shift)
{
    const size_t bits = type == WEIGHTS_INT4 ? 4 : 8;
    const size_t block = QUANTISED_BLOCK * 8 / bits, i = k % block;
    *shift = (int)(i / 16 * bits % 8);
    return k / block * QUANTISED_BLOCK + i % 16 * 4 + i / 16 * bits / 8;
}

static void put_code(uint8_t *row, enum QuantisedType type, int k, int code)
{
    int shift;
    const size_t at = byte_of(type, (size_t)k, &shift);
    const unsigned mask = type == WEIGHTS_INT4 ? 15 : 255;
    row[at] = (uint8_t)(row[at] | ((unsigned)code & mask) << shift);
}

real quantised_value(const struct Quantised *q, int n, int k)
{
    int shift;
    const uint8_t *row = q->codes + (size_t)n * quantised_row_bytes(q);
    const size_t at = byte_of(q->type, (size_t)k, &shift);
    const int bits = row[at] >> shift;
    const int code = q->type == WEIGHTS_INT4 ? (bits & 15) - (bits & 8) * 2
                                             : (int8_t)bits;
    const bf16 scale = q->scales[(size_t)n * quantised_groups(q)
                                 + (size_t)(k / q->group)];
    return (real)code * (real)bf16_to_float(scale);
}

void quantised_unpack(const struct Quantised *q, real *w, size_t output,
                      size_t input)
{
    #pragma omp parallel for schedule(static)
    for (int n = 0; n < q->N; n++)
        for (int k = 0; k < q->K; k++)
            w[(size_t)n * output + (size_t)k * input]
                = quantised_value(q, n, k);
}


/* round a matrix */
static void round_row(const struct Quantised *q, int n, const real *w,
                      size_t input, enum QuantisedScale how)
{
    const int largest = q->type == WEIGHTS_INT8 ? 127 : 7;
    uint8_t *row = q->codes + (size_t)n * quantised_row_bytes(q);
    bf16 *scale = q->scales + (size_t)n * quantised_groups(q);
    memset(row, 0, quantised_row_bytes(q));
    for (int k = 0; k < q->K; k += q->group, scale++) {
        const int end = q->K - k < q->group ? q->K : k + q->group;
        *scale = (how == SCALE_SEARCHED ? searched_scale : group_scale)(
            w + (size_t)k * input, input, end - k, largest);
        for (int i = k; i < end; i++)
            put_code(row, q->type, i, round_weight(w[(size_t)i * input],
                                                   *scale, largest));
    }
}


bool quantised_round(const struct Quantised *q, const real *w,
                     size_t output, size_t input, enum QuantisedScale how,
                     int *bad_n, int *bad_k)
{
    for (*bad_n = 0; *bad_n < q->N; ++*bad_n)
        for (*bad_k = 0; *bad_k < q->K; ++*bad_k)
            if (!isfinite((float)w[(size_t)*bad_n * output
                                   + (size_t)*bad_k * input]))
                return false;
    #pragma omp parallel for schedule(static)
    for (int n = 0; n < q->N; n++)
        round_row(q, n, w + (size_t)n * output, input, how);
    return true;
}
