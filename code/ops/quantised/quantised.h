/* Tangled from chapters/workshop/quantised-weights.nw, "The operator".  Edit it there. */

/* quantised.h: matrices of small integers with a scale for each group. */
#ifndef OPS_QUANTISED_QUANTISED_H
#define OPS_QUANTISED_QUANTISED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/real.h"
#include "ops/kernels/bf16.h"

C_FUNCTIONS_BEGIN

/* `struct Quantised` */
enum QuantisedType { WEIGHTS_INT8, WEIGHTS_INT4, QUANTISED_TYPES };

/* A matrix of N outputs and K inputs in few bits; weight k of output n is
 * its code times scales[n][k / group].
 *
 *   codes     int8 or int4 [N][Kp] in blocks of 64 bytes, zeros after K;
 *             Kp is K rounded up to a whole block, 64 or 128 weights
 *   scales    bf16 [N][groups], 0 for a group of zeros
 *   group     32, 64, 128, ... weights; the last one may be shorter */
struct Quantised {
    enum QuantisedType type;
    int      N, K, group;
    uint8_t *codes;                     /* at a multiple of 16 bytes */
    bf16    *scales;
};

/* sizes of a quantised matrix */
enum { QUANTISED_LEAST_GROUP = 32, QUANTISED_BLOCK = 64 };

static inline bool quantised_group_allowed(int group)
{
    return group >= QUANTISED_LEAST_GROUP && (group & (group - 1)) == 0;
}

static inline size_t quantised_groups(const struct Quantised *q)
{
    return ((size_t)q->K + (size_t)q->group - 1) / (size_t)q->group;
}

/* Kp, and bytes of the codes of an output */
static inline size_t quantised_width(const struct Quantised *q)
{
    const size_t four = q->type == WEIGHTS_INT4;
    const size_t block = QUANTISED_BLOCK * (1 + four);
    return ((size_t)q->K + block - 1) / block * block;
}

static inline size_t quantised_row_bytes(const struct Quantised *q)
{
    return quantised_width(q) / (q->type == WEIGHTS_INT4 ? 2 : 1);
}

/* contract of rounding a matrix */
/* The scale of a group: the smallest that clips nothing, or the one of
 * eleven down to 70 % of it with the smallest square error. */
enum QuantisedScale { SCALE_AMAX, SCALE_SEARCHED };

/* Round a matrix on the host: w[n * output + k * input] is the weight of
 * input k for output n.  q->codes and q->scales have room.  False if a
 * weight is infinite or NaN; *bad_n and *bad_k then say which. */
bool quantised_round(const struct Quantised *q, const real *w,
                     size_t output, size_t input, enum QuantisedScale how,
                     int *bad_n, int *bad_k);

/* The weight that q has, on the host; and all of them, put into w. */
real quantised_value(const struct Quantised *q, int n, int k);
void quantised_unpack(const struct Quantised *q, real *w, size_t output,
                      size_t input);

/* contract of `quantised_linear` */
/* y[m][n] = b[n] + the sum over k of x[m][k] times weight k of output n
 *
 *   y         real [M][N], overwritten; not x
 *   x         real [M][K];  b  real [N] or NULL
 *   numerics  no rounding but that of real; the order of the sum depends
 *             on K, the group and the backend, not on M: a text gives the
 *             same bits in any company
 *   moves     the codes and scales once for 8 rows of x on a CPU, for 4
 *             on a GPU;  ceiling  memory */
void quantised_linear(real *y, const real *x, const struct Quantised *q,
                      const real *b, int M);

C_FUNCTIONS_END

#endif
