/* Tangled from chapters/workshop/gpu-model.nw, "The rest of the plan".  Edit it there. */

/* mixed_plan.h: the buffers of the bf16 model, and where they lie. */
#ifndef GPT2_MIXED_PLAN_H
#define GPT2_MIXED_PLAN_H

#include "gpt2/model.h"
#include "ops/kernels/bf16.h"

C_FUNCTIONS_BEGIN

/* the rows of the bf16 activation table */
/* field  type   columns written by  last reader  first whose    computed
 *               a token             forward      derivative     again
 *                                                needs it       from   */
#define ACTS16_LAYER(X)                                                  \
    X(x,      bf16,  C,   BEFORE,    PROJ,        LN_1,      NEVER)      \
    X(ln_1,   bf16,  C,   LN_1,      QKV,         QKV,       REDO_NORM)  \
    X(mean_1, float, 1,   LN_1,      LN_1,        LN_1,      REDO_BLOCK) \
    X(rstd_1, float, 1,   LN_1,      LN_1,        LN_1,      REDO_BLOCK) \
    X(qkv,    bf16,  3*C, QKV,       ATTENTION,   ATTENTION, REDO_BLOCK) \
    X(att,    bf16,  C,   ATTENTION, PROJ,        ATTENTION, REDO_BLOCK) \
    X(lse,    float, NH,  ATTENTION, ATTENTION,   ATTENTION, REDO_BLOCK) \
    X(mid,    bf16,  C,   PROJ,      FC_PROJ,     LN_2,      REDO_BLOCK) \
    X(ln_2,   bf16,  C,   LN_2,      FC,          FC,        REDO_NORM)  \
    X(mean_2, float, 1,   LN_2,      LN_2,        LN_2,      REDO_BLOCK) \
    X(rstd_2, float, 1,   LN_2,      LN_2,        LN_2,      REDO_BLOCK) \
    X(fc,     bf16,  4*C, FC,        GELU,        FC_PROJ,   REDO_BLOCK) \
    X(gelu,   bf16,  4*C, FC,        FC_PROJ,     FC_PROJ,   REDO_GELU)

/* field  type   columns written by  last reader, both backward */
#define GRADS16_LAYER(X)                                                 \
    X(dfc,    bf16,  4*C, FC_PROJ,   FC)                                 \
    X(dln_2,  bf16,  C,   FC,        LN_2)                               \
    X(datt,   bf16,  C,   PROJ,      ATTENTION)                          \
    X(dqkv,   bf16,  3*C, ATTENTION, QKV)                                \
    X(dln_1,  bf16,  C,   QKV,       LN_1)

enum { NEVER = REDO_BLOCK + 1 };

/* a pointer per row of the bf16 table */
#define ACT16_FIELD(field, type, ...) type *field;
struct LayerActs16 { ACTS16_LAYER(ACT16_FIELD)
                     GRADS16_LAYER(ACT16_FIELD) };

/* the bf16 weights */
#define PARAM16_FIELD(field, ...) bf16 *field;
struct LayerWeights16 { PARAMS_LAYER(PARAM16_FIELD) };
struct Weights16 {
    bf16 *base;
    PARAMS_FIRST(PARAM16_FIELD)          /* wte has Vp rows */
    PARAMS_LAST(PARAM16_FIELD)
    struct LayerWeights16 *h;            /* [L] */
};

/* `struct Mixed` */
struct Mixed {
    int    Vp;                           /* V, to whole tiles */
    size_t total;                        /* elements of w.base */
    struct Weights16 w;
    struct LayerActs16 *h;               /* [L + 1] as the forward ... */
    struct LayerActs16 *again;           /* ... and the backward sees it */
    bf16  *ln_f, *logits, *dx;           /* ln_f becomes its gradient */
    float *mean_f, *rstd_f, *losses;
    float *last;                         /* [B][Vp] logits of a sampler */
    double *mean, *h_mean;               /* two mean losses, and here */
    struct Words *words;
    struct Graphs *graphs;
};

/* what the bf16 plan is asked for */
/* Make m->mixed, decide m->chunk, and put the buffers into m->plan. */
void mixed_plan(struct Model *m);
void mixed_plan_free(struct Model *m);

/* Where the i-th tensor of the table begins in the bf16 weights; those of
 * m->mixed->w, and where wte's rows of zeros are. */
size_t mixed_offset(const struct Model *m, int i);
void mixed_bind(struct Model *m, bf16 *base);

/* After plan_bind: what is not made again is found where it was. */
void mixed_keep(struct Model *m);

C_FUNCTIONS_END

#endif
