/* Tangled from chapters/workshop/programs.nw, "The optimiser".  Edit it there. */

/* optimizer.h: AdamW for the parameters of a model: their moments, and the
 * step that moves them. */
#ifndef GPT2_OPTIMIZER_H
#define GPT2_OPTIMIZER_H

#include "gpt2/model.h"
#include "io/safetensors.h"

/* `struct OptimizerConfig`: what decides a step */
struct OptimizerConfig {
    double beta1, beta2, eps, decay;
    double clip;            /* longest gradient let through; 0: any */
};


/* `struct Optimizer`: what an optimiser keeps */
struct Optimizer {
    struct OptimizerConfig config;
    uint64_t seed;                  /* of stochastic rounding */
    struct Model *model;            /* whose parameters it moves */
    struct Shards *shards;          /* NULL: it has all of the arrays */
    real *m, *v;                    /* moments, [model->table.total] */
    real *host_m, *host_v;          /* where shards are together */
    struct AdamwSpan *span;         /* [model->table.n] */
};


/* declare the functions of an optimiser */
/* An optimiser whose moments are zero and lie where the model does.  The
 * model must stay at its address, and be freed after the optimiser.  False,
 * and everything is freed, if there is too little memory.  One that is all
 * zero can be freed, too. */
bool optimizer_create(struct Optimizer *o, struct Model *m,
                      const struct OptimizerConfig *config, uint64_t seed,
                      struct Error *e);
void optimizer_free(struct Optimizer *o);

/* The bytes of its moments, for a model with this table. */
size_t optimizer_bytes(const struct ParamTable *t);

/* Move the weights along the model's gradient, which is `norm` long: clip
 * it, update the moments, decay the matrices, make new bf16 weights where
 * the model has them.  step is 1 for the first.  model_ok tells whether it
 * has failed. */
void optimizer_step(struct Optimizer *o, double lr, double norm,
                    int64_t step);


/* Both moments of each parameter NAME in a file, as m.NAME and v.NAME. */
bool optimizer_save(const struct Optimizer *o, const char *path,
                    struct Error *e);

/* Open such a file and compare it with the model's table, then read it.
 * Close s also after a failure. */
bool optimizer_open(struct Safetensors *s, const char *path,
                    const struct ParamTable *t, struct Error *e);
bool optimizer_read(struct Optimizer *o, const struct Safetensors *s,
                    struct Error *e);

#endif
