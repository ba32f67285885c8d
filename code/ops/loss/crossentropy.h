/* Tangled from chapters/workshop/timing-operators.nw, "The loss".  Edit it there. */

#ifndef OPS_LOSS_CROSSENTROPY_H
#define OPS_LOSS_CROSSENTROPY_H

#include <stdint.h>
#include "base/real.h"

C_FUNCTIONS_BEGIN

/* contract of `crossentropy_fwd` */
/* loss[n] = lse[n] - logits[n, targets[n]], in nats, where
 * lse[n] = log(sum over v of exp(logits[n,v]))
 *
 *   loss, lse   real [N], overwritten; lse is kept for the backward pass
 *   logits      real [N][Vp], of which V count; a GPU's first version
 *               needs Vp = V (ops/fp32/fp32.h has another)
 *   targets     int32 [N], each in 0 .. V-1: the caller has checked
 *   moves       4 NV bytes in float       FLOP  about 20 NV
 *   numerics    exact for logits of any finite size: the maximum of the
 *               row is subtracted before exp; one class gives loss 0 */
void crossentropy_fwd(real *loss, real *lse, const real *logits,
                      const int32_t *targets, int N, int V, int Vp);

/* contract of `crossentropy_bwd` */
/* dlogits = scale * (softmax(logits) - one_hot(targets)); overwritten,
 * and may be logits; zero from V to Vp.  For the gradient of the mean
 * loss scale = 1/N.
 *   moves       8 NV bytes in float       FLOP  about 20 NV
 *   numerics    exp(logit - lse) is off by 2^-24 |lse| (in float) */
void crossentropy_bwd(real *dlogits, const real *logits, const real *lse,
                      const int32_t *targets, real scale, int N, int V,
                      int Vp);

C_FUNCTIONS_END

#endif
