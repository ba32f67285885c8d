/* Tangled from chapters/workshop/attention-plumbing.nw, "The choice of an implementation".  Edit it there. */

#ifndef OPS_ATTENTION_ATTENTION_BF16_IMPLS_H
#define OPS_ATTENTION_ATTENTION_BF16_IMPLS_H

#include "ops/attention/attention_bf16.h"

C_FUNCTIONS_BEGIN

/* declare the implementations for any GPU */
/* Column sums of dq and of dv over some rows each: float [parts][C], room
 * for B max(8, ceil(T / 64)) parts.  NULL: not wanted. */
struct FlashSums {
    float *q, *v;
    int q_parts, v_parts;               /* set by the implementation */
};

/* dsum = D[b,h,t] = dy . y of each row and head, float [B][NH][T] */
void attention_bf16_dots(float *dsum, const bf16 *dy, const bf16 *y,
                         int B, int T, int C, int NH);

/* The implementations of attention_bf16_fwd and _bwd, between which
 * cuda_bf16.cu chooses.  mma is given D, Hopper room for it.  One of Hopper
 * does nothing and says false if the GPU or the size is not its. */
void attention_bf16_fwd_mma(bf16 *y, float *lse, const bf16 *qkv,
                            int B, int T, int C, int NH);
void attention_bf16_bwd_mma(bf16 *dqkv, struct FlashSums *sums,
                            const bf16 *dy, const bf16 *qkv,
                            const float *lse, const float *dsum, int B,
                            int T, int C, int NH);

/* declare the implementations for Hopper */
bool attention_bf16_fwd_hopper(bf16 *y, float *lse, const bf16 *qkv,
                               int B, int T, int C, int NH);
bool attention_bf16_bwd_hopper(bf16 *dqkv, struct FlashSums *sums,
                               const bf16 *dy, const bf16 *qkv,
                               const bf16 *y, const float *lse,
                               float *dsum, int B, int T, int C,
                               int NH);
bool attention_bf16_bwd_two_pass(bf16 *dqkv, struct FlashSums *sums,
                                 const bf16 *dy, const bf16 *qkv,
                                 const bf16 *y, const float *lse,
                                 float *dsum, int B, int T, int C,
                                 int NH);
C_FUNCTIONS_END

#endif
