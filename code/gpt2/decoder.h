/* Tangled from chapters/workshop/inference-plumbing.nw, "The decoder".  Edit it there. */

/* decoder.h: a model that reads texts token by token. */
#ifndef GPT2_DECODER_H
#define GPT2_DECODER_H

#include "gpt2/model.h"
#include "gpt2/quantised_model.h"
#include "ops/attention/cached.h"
#include "ops/token/token.h"

C_FUNCTIONS_BEGIN

/* `struct Decoder` */
struct Decoder {
    struct Model *m;            /* its weights, backend and kernels */
    int    rows, T;             /* texts, and positions of each */
    int    most;                /* tokens of a pass */
    int   *length;              /* [rows]: tokens of each text */
    int32_t *text;              /* [rows][T]: the tokens */
    struct Cache *cache;        /* [L]; NULL: compute all again ... */
    struct TokenModel *token;   /* ... unless there is this, in bf16 */
    const struct QuantisedModel *quantised;     /* or NULL */
    real  *memory;              /* of all caches */
    real  *acts;                /* and of what follows, [most][...] */
    real  *x, *norm, *mean, *rstd, *qkv, *att, *mid, *fc, *logits;
    int32_t *ids;               /* [3][most] tokens, rows, positions */
    int32_t *h_ids;             /* the same, on the host */
};

/* declare what a decoder can do */
/* A decoder of up to `rows` texts of up to T tokens; T is at most that of
 * the model, and the model outlives it.  False, with a message, if there
 * is too little memory. */
bool decoder_create(struct Decoder *d, struct Model *m, int rows, int T,
                    struct Error *e);

/* The same without caches: each token computes its whole text again. */
bool decoder_create_uncached(struct Decoder *d, struct Model *m, int rows,
                             int T, struct Error *e);
void decoder_free(struct Decoder *d);

/* Multiply steps of up to eight texts by these codes of the model's
 * matrices; they outlive d.  A model in fp32 only. */
void decoder_quantise(struct Decoder *d, const struct QuantisedModel *q);

/* Forget the text of a row. */
void decoder_reset(struct Decoder *d, int row);

/* Append tokens [n >= 1] to the text of a row, and get the logits [V] of
 * the token that follows (NULL: not wanted).  The text must not become
 * longer than T, which is asserted.  False once the backend has failed. */
bool decoder_prefill(struct Decoder *d, int row, const int32_t *tokens,
                     int n, real *logits, struct Error *e);

/* Append token[i] to the text of rows[i], for n different rows, and get
 * the logits [n][V] of the tokens that follow. */
bool decoder_step(struct Decoder *d, const int *rows, const int32_t *token,
                  int n, real *logits, struct Error *e);

C_FUNCTIONS_END

#endif
