/* Tangled from chapters/workshop/gpu-model.nw, "The table of operators".  Edit it there. */

/* operators.h: every operator, for each kind of backend. */
#ifndef OPS_OPERATORS_H
#define OPS_OPERATORS_H

#include "backend/backend.h"
#include "ops/adamw/adamw.h"
#include "ops/attention/attention.h"
#include "ops/attention/attention_bf16.h"
#include "ops/attention/cached.h"
#include "ops/embedding/embedding.h"
#include "ops/embedding/embedding_bf16.h"
#include "ops/gelu/gelu.h"
#include "ops/gelu/gelu_bf16.h"
#include "ops/layernorm/layernorm.h"
#include "ops/layernorm/layernorm_bf16.h"
#include "ops/linear/linear.h"
#include "ops/loss/classifier_bf16.h"
#include "ops/loss/crossentropy.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/matmul_bf16.h"
#include "ops/peak/peak.h"
#include "ops/quantised/quantised.h"
#include "ops/residual/residual.h"
#include "ops/token/token.h"

C_FUNCTIONS_BEGIN

/* the rows of the table of operators */
#define OPERATORS(X) \
    X(embedding_fwd) X(embedding_bwd) \
    X(layernorm_fwd) X(layernorm_bwd) \
    X(gemm_kernel) X(gemm_use) X(gemm_used) \
    X(gemm) X(gemm_bias) X(gemm_strided) X(gemm_sumsq) X(bias_grad) \
    X(attention_fwd) X(attention_bwd) X(attention_cached) \
    X(quantised_linear) \
    X(residual_fwd) X(gelu_fwd) X(gelu_bwd) \
    X(crossentropy_fwd) X(crossentropy_bwd) \
    X(adamw_update) X(adamw_all) X(sum_squares) \
    X(backend_peak) X(backend_peak_gflops)

#define GPU_OPERATORS(X) \
    X(embedding_bf16_fwd) X(embedding_bf16_index_size) \
    X(embedding_bf16_index) X(embedding_bf16_bwd) \
    X(layernorm_bf16_fwd) X(layernorm_bf16_bwd) \
    X(layernorm_bf16_bwd_positions) X(gelu_bf16_fwd) \
    X(matmul_bf16) X(matmul_bf16_use) \
    X(attention_bf16_fwd) X(attention_bf16_bwd) X(attention_bf16_use) \
    X(classifier_bf16) X(mean_loss) \
    X(token_blocks) X(token_weights_bytes) X(token_vectors_bytes) \
    X(token_cache_bytes) X(token_work_bytes) X(token_pack) X(token_run)

#define OPERATOR_FIELD(name) __typeof__(name) *name;
struct Operators {
    OPERATORS(OPERATOR_FIELD)
    GPU_OPERATORS(OPERATOR_FIELD)       /* NULL on a CPU */
};

#define OPERATOR_OF_CPU(name) __typeof__(name) cpu_##name;
#define OPERATOR_OF_GPU(name) __typeof__(name) cuda_##name;
OPERATORS(OPERATOR_OF_CPU)
OPERATORS(OPERATOR_OF_GPU)
GPU_OPERATORS(OPERATOR_OF_GPU)

C_FUNCTIONS_END

#endif
