/* Tangled from chapters/workshop/file-formats.nw, "The model's own plumbing".  Edit it there. */

/* model_calls.h: what each precision does; for the files of the model. */
#ifndef GPT2_MODEL_CALLS_H
#define GPT2_MODEL_CALLS_H

#include "gpt2/model.h"

struct ModelCalls {
    /* can its backend run this model? */
    bool (*check)(const struct Model *m, struct Error *e);
    bool (*plan)(struct Model *m);          /* chunk, Vp, m->plan        */
    void (*forget)(struct Model *m);        /* what plan has allocated   */
    bool (*create)(struct Model *m);        /* the bf16 weights          */
    void (*bound)(struct Model *m);         /* after plan_bind           */
    void (*free)(struct Model *m);          /* what create has allocated */
    size_t (*copy_bytes)(const struct Model *m);    /* of bf16 weights   */
    bf16 *(*copy_of)(const struct Model *m, int i);
    void (*put)(struct Model *m, const real *host);
    void (*get)(const struct Model *m, real *host);
    double (*loss)(struct Model *m, const int32_t *tokens,
                   const int32_t *targets, int B, int T);
    void (*train)(struct Model *m, const int32_t *tokens,
                  const int32_t *targets, int B, int T, real scale,
                  bool accumulate);
    double (*train_loss)(struct Model *m);
    double (*grad_sumsq)(struct Model *m);
    void (*logits)(struct Model *m, real *logits, const int32_t *tokens,
                   int B, int T);
};
extern const struct ModelCalls model_fp32, model_bf16;

/* Everything about a model except its memory: what model_create_as does
 * first.  model_forget frees it, also after a failure. */
bool model_describe(struct Model *m, const struct Config *c, int B, int T,
                    bool training, const struct ModelOptions *o,
                    struct Error *e);
void model_forget(struct Model *m);

/* V in whole tiles of a product that pads it. */
static inline int whole_tiles(int V)
{
    return (V + 127) / 128 * 128;
}

/* Plan what both precisions have outside the layers: the stream's end, its
 * LayerNorm, a chunk of logits of Vp columns; then the stream's gradient,
 * if the model trains.  A number of them has `act` bytes, mean and rstd
 * `stat`.  These are addresses of pointers to them. */
struct EndBuffers { void *x, *ln_f, *mean_f, *rstd_f, *logits; };
void plan_ends(struct Model *m, size_t act, size_t stat, int Vp,
               const struct EndBuffers *to);
void plan_dx(struct Model *m, size_t act, void *dx);

/* number the steps of the plan */
/* Step 0 is the embedding; layer l runs its operator s at fwd(l, s); the
 * last LayerNorm is operator 0 of a layer L that has no other; then the
 * classifier.  The backward pass runs through them in reverse order. */
static inline int fwd(int l, int s)
{
    return 1 + LAYER_STEPS * l + s;
}

static inline int classifier_step(const struct Config *c)
{
    return fwd(c->L, LN_1) + 1;
}

static inline int bwd(const struct Config *c, int l, int s)
{
    return 2 * classifier_step(c) - fwd(l, s);
}

/* Rows of the chunk of logits that begins at row n of N. */
static inline int chunk_rows(const struct Model *m, int n, int N)
{
    return N - n < m->chunk ? N - n : m->chunk;
}

/* say which gradients are final */
/* No gradient from this one on will change. */
static inline void gradients_final(const struct Model *m, const real *g)
{
    if (m->ready.call)
        m->ready.call(m->ready.arg, (size_t)(g - m->g.base));
}

#endif
