/* Tangled from chapters/workshop/measuring-low-precision.nw, "quantize: casts beside a copy".  Edit it there. */

#ifndef LADDER_QUANTIZE_H
#define LADDER_QUANTIZE_H

#include <stddef.h>
#include <stdint.h>

#include "base/extern_c.h"
#include "ops/kernels/bf16.h"

C_FUNCTIONS_BEGIN

/* what every cast does */
/* x = bf16 [R][C] becomes 8-bit floats, e4m3: x[r][c] is near
 * scale * q[r][c].  What a version does not make, it does not touch.
 *
 *   sizes      R, C >= 1, R C < 2^31
 *   alignment  all arrays 16 bytes
 *   launch     in the default stream; not waited for
 *   moves      `moves` bytes a number
 *   ceiling    memory: a copy of as many bytes
 *   numerics   each number times 1 / scale, in fp32, is rounded to the
 *              nearest, and to 448 above it.  NaN stays NaN */
struct Fp8 {
    uint8_t *q;                 /* [R][C] */
    uint8_t *transposed;        /* the same numbers, [C][R] */
    float *scale;               /* 1 number; by rows: [R] */
    uint8_t *power;             /* e8m0 scales, [R][ceil(C / 32)] */
    float *amax;                /* the largest |x| */
};

/* a row of the table of casts */
typedef void cast_fn(struct Fp8 y, const bf16 *x, int R, int C);

enum CastScale { GIVEN, WHOLE, BY_ROW, BY_BLOCK };

struct Cast {
    const char *name;
    cast_fn *run;
    enum CastScale scale;
    bool transposes;                 /* makes `transposed`, too */
    bool finds;                 /* finds amax */
    double moves;
};

/* The ladder, in the chapter's order; a row without a name ends it. */
const struct Cast *casts(void);

/* what else is timed beside the casts */
/* x[i] = scale * q[i], rounded to bf16, i < n; 3 bytes a number. */
void uncast(bf16 *x, const uint8_t *q, const float *scale, size_t n);

/* y = x [n] rounded to bf16 by random bits, a function of seed, step and
 * place; 6 bytes a number. */
void round_all_by_chance(bf16 *y, const float *x, size_t n, uint64_t seed,
                         uint64_t step);

/* *different += how many of the n floats with the bits `first` and up are
 * rounded to e4m3 in another way by integers than by e4m3_two. */
void e4m3_compare(unsigned *different, uint32_t first, uint32_t n);

C_FUNCTIONS_END

#endif
