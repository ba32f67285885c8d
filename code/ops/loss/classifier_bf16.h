/* Tangled from chapters/workshop/fused-details.nw, "The classifier".  Edit it there. */

#ifndef OPS_LOSS_CLASSIFIER_BF16_H
#define OPS_LOSS_CLASSIFIER_BF16_H

#include <stdbool.h>
#include <stdint.h>
#include "base/extern_c.h"
#include "ops/kernels/bf16.h"

C_FUNCTIONS_BEGIN

/* the contract of the classifier in bf16 */
/* losses[n] = -log softmax(logits[n, 0 .. V-1])[targets[n]], and with
 * gradient logits = scale (softmax(logits) - one at the target), zero in
 * the columns from V on.
 *
 *   losses    float [N], overwritten
 *   logits    bf16 [N][Vp], V <= Vp; columns from V on may hold anything;
 *             without gradient they are only read
 *   targets   int32 [N], each in 0 .. V-1: the caller has checked
 *   scale     not negative
 *   needs     logits at a multiple of 16 bytes if Vp is one of 8
 *   moves     2 NV bytes, with gradient 4 NVp
 *   numerics  float; the row's maximum is taken out before exp2 */
void classifier_bf16(float *losses, bf16 *logits, const int32_t *targets,
                     float scale, int N, int V, int Vp, bool gradient);

/* *mean = the mean of loss [N], or added to it; in double, in a fixed
 * order.  Both in the backend's memory. */
void mean_loss(double *mean, const float *loss, int N, bool add);

C_FUNCTIONS_END

#endif
