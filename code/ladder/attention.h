/* Tangled from chapters/workshop/attention-plumbing.nw, "Attention with the square in memory".  Edit it there. */

#ifndef LADDER_ATTENTION_H
#define LADDER_ATTENTION_H

#include <stddef.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* declare attention through a square */
/* Causal attention as in ops/attention/attention.h, with the matrix of
 * scores in memory: float, square [B][NH][T][T] is overwritten, with
 * probabilities.
 *   launch     three kernels in the default stream; not waited for
 *   moves      at least 16 B NH T^2 bytes, for square alone
 *   FLOP       4 B T^2 C, the masked half included
 *   sizes      T <= 56 x 1024, B NH < 2^16 */
void attention_square(float *y, float *square, const float *qkv,
                      int B, int T, int C, int NH);

C_FUNCTIONS_END

#endif
