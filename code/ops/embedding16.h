/* Chapter 18b, Fused operators: 18b.8 The embedding */
/* Tangled from chapters/18b-fused-operators.nw by `make tangle`; edit it there. */

#ifndef OPS_EMBEDDING16_H
#define OPS_EMBEDDING16_H

#include <stdint.h>
#include "base/extern_c.h"
#include "ops/bf16.h"

C_FUNCTIONS_BEGIN

/* x[b,t,:] = wte[tokens[b,t],:] + wpe[t,:], rounded to bf16
 *
 *   x         bf16 [B][T][C], overwritten
 *   tokens    int32 [B][T], each in 0 .. V-1: the caller has checked
 *   wte, wpe  bf16 [V][C], [>= T][C]
 *   needs     all bf16 at multiples of 16 bytes if C is a multiple of 8
 *   moves     2 BTC bytes out, as many or fewer in */
void embedding16_fwd(bf16 *x, const int32_t *tokens, const bf16 *wte,
                     const bf16 *wpe, int B, int T, int C);

/* Adds dx[b,t,:] to dwte[tokens[b,t],:] and to dwpe[t,:].
 *
 *   dwte, dwpe float [V][C], [>= T][C]        dx  bf16 [B][T][C]
 *   needs      all at multiples of 16 bytes if C is a multiple of 8
 *   numerics   float; the order of additions depends on the tokens and
 *              the sizes only */
void embedding16_bwd(float *dwte, float *dwpe, const bf16 *dx,
                     const int32_t *tokens, int B, int T, int C, int V);

C_FUNCTIONS_END

#endif
