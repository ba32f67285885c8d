/* Tangled from chapters/workshop/gpu-model.nw, "The rest of the plan".  Edit it there. */

/* model_bf16.h: what the model in bf16 has, for its two files. */
#ifndef GPT2_MODEL_BF16_H
#define GPT2_MODEL_BF16_H

#include "gpt2/model_calls.h"

/* the bf16 activations and weights */
#define TYPE_ACT bf16               /* of a row of this kind */
#define TYPE_STAT float
#define BF16_FIELD(field, kind, ...) TYPE_##kind *field;
struct Bf16LayerActs { ACTS_LAYER(BF16_FIELD) GRADS_LAYER(BF16_FIELD) };

#define BF16_PARAM(field, ...) bf16 *field;
struct Bf16LayerWeights { PARAMS_LAYER(BF16_PARAM) };
struct Bf16Weights {
    bf16 *base;
    PARAMS_FIRST(BF16_PARAM)          /* wte has Vp rows */
    PARAMS_LAST(BF16_PARAM)
    struct Bf16LayerWeights *h;            /* [L] */
};

/* `struct Bf16Model` */
enum { GRAPHS = 4 };

struct Bf16Model {
    int    Vp;                           /* V, to whole tiles */
    size_t total;                        /* elements of w.base */
    struct Bf16Weights w;
    struct Bf16LayerActs *h;             /* [L + 1] as the forward ... */
    struct Bf16LayerActs *again;         /* ... and the backward sees it */
    bf16  *ln_f, *logits, *dx;           /* ln_f becomes its gradient */
    float *mean_f, *rstd_f, *losses;
    float *last;                         /* [B][Vp] logits of a sampler */
    double *mean, *h_mean;               /* two mean losses, and here */
    void  *token_index;                  /* of embedding_bf16_index */
    int    graphs;
    struct Graph {
        int B, T;
        float scale;
        bool add, tells;                 /* ... of final gradients */
        void *recording;                 /* NULL: has run once, without */
    } graph[GRAPHS];
};

/* what the bf16 plan is asked for */
/* Make m->bf16, decide m->chunk, and put the buffers into m->plan.  These
 * two are false if there is no memory for their tables. */
bool bf16_plan(struct Model *m);
void bf16_forget(struct Model *m);

/* Where the i-th tensor of the table begins in the bf16 weights; those of
 * m->bf16->w, and where wte's rows of zeros are. */
size_t bf16_offset(const struct Model *m, int i);
bool bf16_bind(struct Model *m, bf16 *base);

/* After plan_bind: what is not made again is found where it was. */
void bf16_keep(struct Model *m);

#endif
