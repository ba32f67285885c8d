/* Tangled from chapters/workshop/inference-plumbing.nw, "The kernel of a token".  Edit it there. */

/* token.h: a whole token of GPT-2 in bf16, for up to eight texts, in one
 * kernel.  GPU only. */
#ifndef OPS_TOKEN_TOKEN_H
#define OPS_TOKEN_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/extern_c.h"
#include "ops/kernels/bf16.h"

C_FUNCTIONS_BEGIN

/* `struct TokenModel` */
enum { TOKEN_TEXTS = 8, TOKEN_HEAD = 64, TOKEN_MOST_CHANNELS = 2048 };

/* All pointers are to memory of the backend, of so many bytes as the
 * functions below say. */
struct TokenModel {
    int   L, C, NH, V, T;       /* as in struct Config */
    int   rows;                 /* texts of the cache */
    int   blocks;               /* of the grid; see token_blocks */
    bool  stages;               /* launch every stage by itself */
    bf16 *weights;              /* all matrices, packed */
    float *vectors;             /* biases and LayerNorms */
    bf16 *wpe;                  /* [T][C] */
    bf16 *keys, *values;        /* [L][rows][NH][T][TOKEN_HEAD] */
    void *work;                 /* zero before the first token */
};

/* The matrices in their order in `weights`; those of layers first. */
enum TokenMatrix { TOKEN_QKV, TOKEN_PROJ, TOKEN_FC, TOKEN_MLP, TOKEN_WTE };

/* The vectors of a layer in their order, in units of C floats: after the
 * last layer come the two of the last LayerNorm. */
enum TokenVector { TOKEN_LN_1_W, TOKEN_LN_1_B, TOKEN_QKV_B,
                   TOKEN_PROJ_B = 5, TOKEN_LN_2_W, TOKEN_LN_2_B,
                   TOKEN_FC_B, TOKEN_MLP_B = 12, TOKEN_VECTORS };

/* declare the operators of a token */
/* Can such a model be run?  NH heads of 64 channels, C a multiple of 32
 * and at most 2,048. */
static inline bool token_can(int C, int NH)
{
    return C == NH * TOKEN_HEAD && C <= TOKEN_MOST_CHANNELS;
}

/* Blocks of the grid on the current GPU: one for each multiprocessor, or
 * fewer for a model with few chunks. */
int token_blocks(const struct TokenModel *m);

/* Bytes of each array. */
size_t token_weights_bytes(const struct TokenModel *m);
size_t token_vectors_bytes(const struct TokenModel *m);
size_t token_cache_bytes(const struct TokenModel *m);   /* of each */
size_t token_work_bytes(const struct TokenModel *m);

/* Copy a matrix of layer l into m->weights: bf16 [K][N], for TOKEN_WTE
 * [V][C]; the rows up to a whole tile become zero. */
void token_pack(const struct TokenModel *m, int l, enum TokenMatrix which,
                const bf16 *w);

/* For n <= 8 texts: token ids[i] at position ids[2n + i] of the text in row
 * ids[n + i] of the cache; logits float [n][V rounded up to 16] of what
 * follows.  No row twice.
 *
 *   numerics  bf16 operands, fp32 sums, in an order that depends on the
 *             sizes and m->blocks only: a text gets the same bits in any
 *             company.  The residual stream is fp32
 *   moves     all weights once, 4C bytes of the cache for each position
 *             and layer of each text
 *   launch    m->blocks blocks of 512 threads, all resident together,
 *             unless m->stages */
void token_run(const struct TokenModel *m, float *logits,
               const int32_t *ids, int n);

C_FUNCTIONS_END

#endif
