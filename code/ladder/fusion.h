/* Tangled from chapters/workshop/measuring-fusion.nw, "The ladders of fusion".  Edit it there. */

#ifndef LADDER_FUSION_H
#define LADDER_FUSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* what a fused example works on */
/* fp32 on the device, arrays at multiples of 16 bytes.  An example uses
 * some of these, and none but the stream may be NULL that it uses:
 *   waves      y = sin(x)^2 + cos(x)^2
 *   gelu       y = gelu(x + b)
 *   layernorm  sum = x + residual, y = (sum - mean) rstd w + b
 *   loss       loss = -log softmax(x)[target], y = its gradient */
struct FusionData {
    int N, C;                       /* rows and columns                 */
    size_t n;                       /* N C numbers; waves: any          */
    const float *x, *residual;      /* [N][C]                           */
    const float *w, *b;             /* [C]                              */
    const int *target;              /* [N], each below C                */
    float *y, *sum;                 /* [N][C]                           */
    float *loss;                    /* [N]                              */
    float *t[4];                    /* [N][C] each: intermediate arrays */
    float *row[2];                  /* [N] each: the same for rows      */
    struct CUstream_st *stream;     /* a cudaStream_t; NULL: default    */
};

/* A version; it is not waited for.
 *   sizes      1 <= n < 2^33; gelu, layernorm: C % 4 == 0; layernorm:
 *              C <= 1024; loss: C <= FUSION_LONGEST, n < 2^33
 *   alias      no result is an input
 *   words      that it moves for a number at the least */
struct Fusion {
    const char *example, *name;
    int kernels, words;
    void (*run)(const struct FusionData *d);
};

enum { FUSION_LONGEST = 58000 };

/* All versions, example by example; a row without a name ends them. */
const struct Fusion *fusions(void);

/* a linear layer and its loss */
/* loss[n] = the cross-entropy of row n of h w' and target[n].
 *   h [N][C], w [V][C], target [N] below V; loss [N]
 *   logits     [N][V], or NULL: they are never written
 *   scratch    linear_loss_scratch(N) floats, at a multiple of 8 bytes */
void linear_loss(float *loss, const float *h, const float *w,
                 const int *target, int N, int C, int V, float *logits,
                 float *scratch);
size_t linear_loss_scratch(int N);

/* a chain of sines */
/* y[i] = the sine of the sine of ... x[i], `times` of them; n % 4 == 0.
 * unit: by the special function unit, else accurate ones. */
void sines_run(float *y, const float *x, size_t n, int times, bool unit);

C_FUNCTIONS_END

#endif
