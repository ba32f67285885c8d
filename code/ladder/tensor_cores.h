/* Tangled from chapters/workshop/measuring-tensor-cores.nw, "The ladder".  Edit it there. */

#ifndef LADDER_TENSOR_CORES_H
#define LADDER_TENSOR_CORES_H

#include <stddef.h>
#include <stdint.h>
#include "ops/matmul/matmul_bf16.h"

C_FUNCTIONS_BEGIN

/* state the contract of every version */
/* out = op(a) op(b) + bias in bf16; of weight gradients out = op(a) op(b)
 * or out += that, in fp32.  False, and nothing done, where a version does
 * not know the operands: the versions before the last know GEMM_TB and
 * none, the last ones GEMM_TA with a float result.
 *
 *   sizes      M, N, K >= 1
 *   alignment  a, b, out 16 bytes; lda, ldb, ldo multiples of 8, not 0
 *   room       tensor_room() bytes, zero before the first call
 *   launch     in the default stream; not waited for; sm_90a
 *   moves      of a and b what a tile needs, for each tile; out once
 *   ceiling    the tensor cores, and the power that the chip may take
 *   numerics   sums in fp32, in an order that depends on the shape and the
 *              GPU: equal bits in every run */
typedef bool tensor_fn(const struct MatmulBf16 *p, void *room);

struct TensorMatmul {
    const char *name;
    tensor_fn *run;
};

/* In the chapter's order; a row without a name ends it. */
const struct TensorMatmul *tensor_matmuls(void);
size_t tensor_room(void);

/* out = scale_a scale_b a b^T: e4m3 operands, a [M][K], b [N][K],
 * a scale for each in the memory of the GPU or NULL for 1, fp32 sums; out
 * [M][N] bf16 or float.  False, and nothing done, where the GPU or an
 * address or size does not fit.
 *
 *   sizes      M, N, K >= 1; K a multiple of 16, N of 8
 *   alignment  a, b, out 16 bytes
 *   room, launch, moves, ceiling as above, a number of a and b being one
 *              byte
 *   numerics   fast: sums by the tensor cores, which keep some 13 bits;
 *              apart: of each 128 products by them, of these in fp32 */
struct MatmulE4m3 {
    int M, N, K;
    const uint8_t *a, *b;
    const float *scale_a, *scale_b;
    void *out;
    bool out_float;
};

struct TensorE4m3 {
    const char *name;
    bool (*run)(const struct MatmulE4m3 *p, void *room);
};

const struct TensorE4m3 *tensor_e4m3(void);

C_FUNCTIONS_END

#endif
