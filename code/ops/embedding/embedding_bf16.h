/* Tangled from chapters/workshop/fused-details.nw, "The embedding".  Edit it there. */

#ifndef OPS_EMBEDDING_EMBEDDING_BF16_H
#define OPS_EMBEDDING_EMBEDDING_BF16_H

#include <stddef.h>
#include <stdint.h>
#include "base/extern_c.h"
#include "ops/kernels/bf16.h"

C_FUNCTIONS_BEGIN

/* the contract of the embedding forward */
/* x[b,t,:] = wte[tokens[b,t],:] + wpe[t,:], rounded to bf16
 *
 *   x         bf16 [B][T][C], overwritten
 *   tokens    int32 [B][T], each in 0 .. V-1: the caller has checked
 *   wte, wpe  bf16 [V][C], [>= T][C]
 *   needs     all bf16 at multiples of 16 bytes if C is a multiple of 8
 *   moves     2 BTC bytes out, as many or fewer in */
void embedding_bf16_fwd(bf16 *x, const int32_t *tokens, const bf16 *wte,
                        const bf16 *wpe, int B, int T, int C);

/* the contract of its gradient */
/* Lists which rows each word of a batch has: all that the gradient needs
 * to know of the tokens, which are there long before it.
 *
 *   list      embedding_bf16_index_size(N) bytes, overwritten
 *   tokens    int32 [N], each in 0 .. V-1 */
size_t embedding_bf16_index_size(int N);
void embedding_bf16_index(void *list, const int32_t *tokens, int N, int V);

/* Adds dx[n,:] to dwte[tokens[n],:].  The positions' gradient comes out of
 * layernorm_bf16_bwd_positions.
 *
 *   dwte      float [V][C]        dx  bf16 [N][C]
 *   list      of the same N tokens
 *   needs     C a multiple of 8 and at most 2,048, all at multiples of
 *             16 bytes; or any C of at most 256
 *   moves     2 NC bytes in, 8 C for each different word
 *   numerics  float; the order of additions depends on the tokens and
 *             the sizes only */
void embedding_bf16_bwd(float *dwte, const bf16 *dx, const void *list,
                        int N, int C);

C_FUNCTIONS_END

#endif
