/* Tangled from chapters/workshop/inference-plumbing.nw, "Attention over a cache".  Edit it there. */

/* cached.h: attention over the keys and values of earlier calls. */
#ifndef OPS_ATTENTION_CACHED_H
#define OPS_ATTENTION_CACHED_H

#include <stdint.h>
#include "base/real.h"

C_FUNCTIONS_BEGIN

/* contract of `attention_cached` */
/* The keys and values of one layer for `rows` texts of up to T positions:
 *   keys      real [rows][NH][HS][T], a head's positions innermost
 *   values    real [rows][NH][T][HS]          HS = C / NH */
struct Cache {
    real *keys, *values;
    int   T;
};

/* For each of N tokens, token n at position at[n] of text row[n]: store
 * its key and value, then
 *     y[n] = causal attention of its query over positions 0 .. at[n]
 *
 *   y         real [N][C], overwritten; not qkv
 *   qkv       real [N][3C], as in attention_fwd
 *   row, at   int32 [N], where the operators run.  No two tokens have the
 *             same row and position.  Positions below at[n] are in the
 *             cache, from earlier calls or from this one
 *   numerics  the sums have the order of attention_fwd, so that a text
 *             gives the same bits token by token and all at once
 *   moves     2 (at[n] + 1) C reals for each token */
void attention_cached(real *y, const struct Cache *cache, const real *qkv,
                      const int32_t *row, const int32_t *at, int N, int C,
                      int NH);

C_FUNCTIONS_END

#endif
