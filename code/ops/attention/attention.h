/* Tangled from chapters/workshop/timing-operators.nw, "Attention".  Edit it there. */

#ifndef OPS_ATTENTION_ATTENTION_H
#define OPS_ATTENTION_ATTENTION_H

#include "base/real.h"

C_FUNCTIONS_BEGIN

/* contract of `attention_fwd` */
/* Causal multi-head attention (Vaswani 2017), for each b and head h:
 *     s[t,u] = q[t] . k[u] / sqrt(HS) for u <= t,   HS = C / NH
 *     lse[t] = log(sum over u of exp(s[t,u]))
 *     y[t]   = sum over u of exp(s[t,u] - lse[t]) v[u]
 *
 *   qkv       real [B][T][3C]: q, k, v of all heads side by side, head h
 *             in columns h HS .. (h+1) HS - 1 of each third
 *   y         real [B][T][C], overwritten
 *   lse       real [B][NH][T], overwritten, kept for the backward pass
 *   needs     C % NH == 0
 *   FLOP      2 B T^2 C (only u <= t is computed, in blocks)
 *   memory    T (3 HS + 16) + 16 HS reals a thread: no T x T matrix
 *             exists (Dao 2022) */
void attention_fwd(real *y, real *lse, const real *qkv,
                   int B, int T, int C, int NH);

/* contract of `attention_bwd` */
/* dqkv (overwritten; not qkv) from dy, with the y and lse of the forward
 * pass; the probabilities are computed again.
 *   FLOP      5 B T^2 C      memory  T (7 HS + 32) + 16 HS reals a thread
 *   numerics  p = exp(s - lse) is off by 2^-24 |lse| (in float) */
void attention_bwd(real *dqkv, const real *dy, const real *qkv,
                   const real *y, const real *lse,
                   int B, int T, int C, int NH);

C_FUNCTIONS_END

#endif
