/* Tangled from chapters/workshop/file-formats.nw, "The model's own plumbing".  Edit it there. */

/* model.h: GPT-2, forward and backward. */
#ifndef GPT2_MODEL_H
#define GPT2_MODEL_H

#include <stdint.h>
#include <stdio.h>
#include "base/error.h"
#include "gpt2/params.h"
#include "gpt2/plan.h"
#include "gpt2/precision.h"
#include "ops/kernels/bf16.h"

C_FUNCTIONS_BEGIN

/* list the rows of the activation table */
enum Step { LN_1, QKV, ATTENTION, PROJ, LN_2, FC, GELU, FC_PROJ,
            LAYER_STEPS, BEFORE = -1 };


/* The columns: field; kind; numbers for each token; operator that writes
 * it; last reader in the forward pass; earliest operator whose derivative
 * reads it; first mode of recomputation that does not keep it. */
#define ACTS_LAYER(X)                                                   \
    X(x,      ACT,  C,   BEFORE,    PROJ,        LN_1,      NEVER)      \
    X(ln_1,   ACT,  C,   LN_1,      QKV,         QKV,       REDO_NORM)  \
    X(mean_1, STAT, 1,   LN_1,      LN_1,        LN_1,      REDO_BLOCK) \
    X(rstd_1, STAT, 1,   LN_1,      LN_1,        LN_1,      REDO_BLOCK) \
    X(qkv,    ACT,  3*C, QKV,       ATTENTION,   ATTENTION, REDO_BLOCK) \
    X(att,    ACT,  C,   ATTENTION, PROJ,        ATTENTION, REDO_BLOCK) \
    X(lse,    STAT, NH,  ATTENTION, ATTENTION,   ATTENTION, REDO_BLOCK) \
    X(mid,    ACT,  C,   PROJ,      FC_PROJ,     LN_2,      REDO_BLOCK) \
    X(ln_2,   ACT,  C,   LN_2,      FC,          FC,        REDO_NORM)  \
    X(mean_2, STAT, 1,   LN_2,      LN_2,        LN_2,      REDO_BLOCK) \
    X(rstd_2, STAT, 1,   LN_2,      LN_2,        LN_2,      REDO_BLOCK) \
    X(fc,     ACT,  4*C, FC,        GELU,        GELU,      REDO_BLOCK) \
    X(gelu,   ACT,  4*C, GELU,      FC_PROJ,     FC_PROJ,   REDO_GELU)

/* Field; kind; numbers for each token; operators whose derivatives write
 * it and read it. */
#define GRADS_LAYER(X)                                                  \
    X(dfc,    ACT,  4*C, FC_PROJ,   FC)                                 \
    X(dln_2,  ACT,  C,   FC,        LN_2)                               \
    X(datt,   ACT,  C,   PROJ,      ATTENTION)                          \
    X(dqkv,   ACT,  3*C, ATTENTION, QKV)                                \
    X(dln_1,  ACT,  C,   QKV,       LN_1)

enum { NEVER = REDO_BLOCK + 1 };

/* `struct LayerActs`: a pointer per row */
#define ACT_FIELD(field, ...) real *field;
struct LayerActs { ACTS_LAYER(ACT_FIELD) GRADS_LAYER(ACT_FIELD) };

struct Acts {
    struct LayerActs *h;                 /* [L + 1]; of the last only x */
    real *ln_f, *mean_f, *rstd_f;        /* ln_f becomes its gradient */
    real *logits, *lse, *losses;         /* one chunk of rows */
    real *dx;                            /* of the residual stream */
};

/* `struct GradientsReady`: who is told of gradients */
/* Called, if it is not NULL, while a gradient is computed: once what has
 * been asked of the backend is done, the numbers of g from `from` on are
 * final.  The last call has from = 0. */
struct GradientsReady { void (*call)(void *arg, size_t from); void *arg; };

/* After gradients and weights is room for numbers, so that a part of them
 * can be a multiple of GRAD_UNIT numbers for each of so many ranks. */
enum { GRAD_UNIT = 16, GRAD_RANKS = 1024,
       RANKS_ROOM = GRAD_UNIT * GRAD_RANKS };


/* `struct Model` */
struct Model {
    /* `struct Model`: what the model was made for */
    struct Config config;
    int    B, T;                         /* the largest batch it can take */
    bool   training;
    struct ModelOptions options;
    struct Backend *backend;             /* where it is, and computes */
    struct Kernels kernels;
    const struct ModelCalls *calls;        /* what its precision does */
    int    chunk, Vp;                    /* rows of logits at a time, and */
                                         /* their length, at least V */
    /* `struct Model`: tables and pointers */
    struct ParamTable table;
    struct Weights w, g;                 /* g only if training */
    struct Plan plan;
    struct Acts acts;
    struct Bf16Model *bf16;              /* in bf16: instead of acts */
    void   *acts_memory;
    int32_t *tokens, *targets;           /* [B][T], beside the weights */
    double loss, batch_loss;             /* of model_train_start */
    double sumsq;                        /* of gradients of matrices */
    struct GradientsReady ready;
    real  *masters;                      /* of shards, for the host */
    bool   changed;                      /* weights, by model_return */
};

/* declare what a model can do */
/* Mean cross-entropy, in nats, of targets [B,T] given tokens [B,T].
 * B and T are at most the model's.  All ids are in 0 .. V-1, which is
 * asserted: a function that reads ids from a file has to check them. */
double model_loss(struct Model *m, const int32_t *tokens,
                  const int32_t *targets, int B, int T);


/* The same, and the gradient of scale * loss: written to m->g, or added
 * if accumulate.  Accumulating K micro-batches: scale = 1/K, accumulate
 * false for the first.  Needs training. */
double model_forward_backward(struct Model *m, const int32_t *tokens,
                              const int32_t *targets, int B, int T,
                              real scale, bool accumulate);

/* The sum of the squares of all gradients, as the last
 * model_forward_backward left them: on a CPU it has been added up on the
 * way, see gemm_sumsq. */
double model_grad_sumsq(struct Model *m);


/* logits [B,V] of the token that follows each row of tokens [B,T]. */
void model_logits(struct Model *m, real *logits, const int32_t *tokens,
                  int B, int T);

/* declare the rest of what a model can do */
/* A model for batches of up to B rows of T <= config->T tokens; weights
 * and gradients are zero, in the gaps between tensors, too.  Gradients and
 * what the backward pass needs are there only if training.  False, and
 * everything is freed, if there is no such model or too little memory; the
 * backend can then be used for a smaller one. */
bool model_create(struct Model *m, const struct Config *config, int B,
                  int T, bool training, struct Error *e);
bool model_create_as(struct Model *m, const struct Config *config, int B,
                     int T, bool training, const struct ModelOptions *o,
                     struct Error *e);
void model_free(struct Model *m);


/* False, with a message, once anything has failed on the model's backend.
 * From then on losses, sums of squares and logits are NaN, and weights and
 * gradients have no meaning: do not save them. */
bool model_ok(const struct Model *m, struct Error *e);

/* Random weights with the variances of GPT-2's initialisation; a function
 * of seed and config. */
void model_init(struct Model *m, uint64_t seed);

/* model_forward_backward in two halves.  The first may return before the
 * work is done, and tokens and targets (of backend_host_alloc) must not
 * change before backend_put_wait() has returned; the second waits, and
 * gives the mean loss of the batch, summed over the batches whose
 * gradients were added. */
void model_train_start(struct Model *m, const int32_t *tokens,
                       const int32_t *targets, int B, int T, real scale,
                       bool accumulate);
double model_train_loss(struct Model *m);


/* Make the model's backend and kernels the current ones, for what is done
 * with its memory from outside; model_unuse puts back what was before. */
struct ModelUse { struct Backend *before; struct Kernels kernels; };
struct ModelUse model_use(const struct Model *m);
void model_unuse(const struct Model *m, struct ModelUse u);

/* The i-th tensor of the table as the products read it, where that is a
 * copy in bf16; else NULL.  All copies are in one piece of memory. */
bf16 *model_copy_of(const struct Model *m, int i);

/* The weights as floats [table.total] for the host, whatever they are
 * stored in; give them back, and say whether they have changed.  NULL
 * after a failure (model_ok), which need not be given back. */
real *model_borrow(const struct Model *m);
void model_return(struct Model *m, real *host, bool changed);

C_FUNCTIONS_END

#endif
