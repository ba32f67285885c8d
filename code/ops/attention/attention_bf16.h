/* Tangled from chapters/workshop/attention-plumbing.nw, "The files of attention".  Edit it there. */

#ifndef OPS_ATTENTION_ATTENTION_BF16_H
#define OPS_ATTENTION_ATTENTION_BF16_H

#include <stdbool.h>
#include "base/extern_c.h"
#include "ops/kernels/bf16.h"

C_FUNCTIONS_BEGIN

/* declare attention in bf16 */
/* Causal attention as in attention.h, in bf16 and on a GPU only.
 *
 *   qkv       bf16 [B][T][3C], y, dy bf16 [B][T][C], dqkv bf16 [B][T][3C],
 *             heads side by side, HS = C / NH of 32, 64, 80 or 128
 *   lse       float [B][NH][T], the natural logarithm
 *   needs     sm_80; all tensors aligned to 16 bytes; B, NH, T >= 1,
 *             B NH < 2^31 / T
 *   numerics  products of bf16, summed in float; probabilities and their
 *             gradients are rounded to bf16 before they are multiplied.
 *             Same input and implementation, same bits.  NaN and infinity
 *             arrive wherever they belong; one in v, k, q or dy may also
 *             reach other rows of the same tile of 64 to 128
 *   FLOP      2 B T^2 C forward, 5 B T^2 C backward (half the square;
 *             an implementation may compute more than that)
 *   memory    no T x T matrix exists; backward takes 4 B T NH bytes and
 *             8 B C max(8, T / 64) from backend_scratch */
void attention_bf16_fwd(bf16 *y, float *lse, const bf16 *qkv,
                        int B, int T, int C, int NH);

/* dqkv is overwritten; y and lse as attention_bf16_fwd left them.
 *
 *   dbias     float [3C], the gradient of a bias that was added to every
 *             row of qkv, or added to it if accumulate; NULL: not wanted.
 *             For q and v the column sums of dq and dv before they are
 *             rounded, in a fixed order; for k, exactly zero */
void attention_bf16_bwd(bf16 *dqkv, float *dbias, const bf16 *dy,
                        const bf16 *qkv, const bf16 *y, const float *lse,
                        int B, int T, int C, int NH, bool accumulate);

/* choose an implementation of attention */
/* "mma": mma.sync on any GPU since sm_80; "hopper": wgmma and TMA where
 * the GPU and the head size allow it, else as "mma"; "passes": the same,
 * but backward in two passes, one for dq, one for dk and dv; "best", unless
 * called: "hopper", but "passes" for few heads.  False if there is no such
 * implementation in this build. */
bool attention_bf16_use(const char *name);
C_FUNCTIONS_END

#endif
