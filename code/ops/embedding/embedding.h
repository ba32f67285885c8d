/* Tangled from chapters/workshop/timing-operators.nw, "Residual addition and embedding".  Edit it there. */

#ifndef OPS_EMBEDDING_EMBEDDING_H
#define OPS_EMBEDDING_EMBEDDING_H

#include <stdint.h>
#include "base/real.h"

C_FUNCTIONS_BEGIN

/* contract of `embedding_fwd` */
/* x[b,t,:] = wte[tokens[b,t],:] + wpe[t,:]
 *
 *   x         real [B][T][C], overwritten
 *   tokens    int32 [B][T], each in 0 .. V-1: the caller has checked
 *   wte, wpe  real [V][C], [>= T][C]
 *   moves     12 BTC bytes in float       FLOP  BTC */
void embedding_fwd(real *x, const int32_t *tokens, const real *wte,
                   const real *wpe, int B, int T, int C);

/* contract of `embedding_bwd` */
/* Adds dx[b,t,:] to dwte[tokens[b,t],:] and to dwpe[t,:].  Equal tokens
 * are added in order of position, whatever the number of threads.
 *   moves     at most 20 BTC bytes        FLOP  2 BTC */
void embedding_bwd(real *dwte, real *dwpe, const real *dx,
                   const int32_t *tokens, int B, int T, int C);

C_FUNCTIONS_END

#endif
