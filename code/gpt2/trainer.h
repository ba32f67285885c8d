/* Tangled from chapters/workshop/programs.nw, "Making and ending a run".  Edit it there. */

/* trainer.h: the weights, their optimiser, the data, and the loop body
 * that joins them. */
#ifndef GPT2_TRAINER_H
#define GPT2_TRAINER_H

#include "data/loader.h"
#include "gpt2/model.h"
#include "gpt2/optimizer.h"
#include "gpt2/schedule.h"
#include "gpt2/share.h"
#include "gpt2/shards.h"
#include "io/train_state.h"

/* `struct TrainConfig`: what decides a run */
struct TrainConfig {
    int      B, T;          /* sequences of a micro-batch, their length */
    int      accumulate;    /* K: micro-batches per step, of all ranks */
    uint64_t seed;          /* of the weights and of the data's order */
    struct OptimizerConfig optimizer;
    struct Schedule schedule;
    struct ModelOptions options;    /* precision, and what is kept */
    struct ShareConfig share;       /* with other ranks */
};


/* `struct Trainer`: what a run consists of */
struct Trainer {
    struct TrainConfig config;
    struct Model model;
    struct Loader data, val;        /* val.shards == 0: no validation */
    struct Optimizer optimizer;
    struct Share share;             /* of the gradient, among ranks */
    struct Shards shards;           /* of the optimiser, among ranks */
    double loss;                    /* of micro-batches, see share_adds */
    bool stop;                      /* all ranks end after this step */
    char fault[200];                /* where a step was not finite, or "" */
    int32_t *tokens, *targets;      /* one micro-batch, [B][T] */
    int64_t loaded;                 /* its first sequence, or -1: none */
    int64_t step;                   /* steps done */
    int64_t sequences;              /* sequences seen: where to go on */
};


/* `struct StepReport`: what a step reports */
/* Seconds that ranks needed for their own gradients; slowest is a rank,
 * or -1: they were not measured in this step. */
struct RankTimes { int slowest; double least_s, median_s, most_s; };

struct StepReport { double loss, norm, lr; struct RankTimes ranks; };


/* declare the functions of a trainer */
/* A trainer for this model on the shards that match `data`, validated on
 * those that match `val` (NULL: none).  Weights are zero: call model_init,
 * weights_load or trainer_resume next.  Free also after a failure. */
bool trainer_create(struct Trainer *t, const struct TrainConfig *config,
                    const struct Config *model, const char *data,
                    const char *val, struct Error *e);
void trainer_free(struct Trainer *t);


/* One step; false if loss or norm is not finite, with nothing changed, or
 * if the model has failed (model_ok). */
bool trainer_step(struct Trainer *t, struct StepReport *r, struct Error *e);

/* Its second half: clip, move the weights along model.g, count the step.
 * r->loss is set by the caller. */
bool trainer_update(struct Trainer *t, struct StepReport *r,
                    struct Error *e);


/* Mean loss over the first `batches` batches of the validation shards, in
 * file order; 0 or too many: over all of them.  NaN if there are none, or
 * if the model has failed. */
double trainer_validate(struct Trainer *t, int64_t batches);


/* The entropy, in nats, of single tokens in the training data: what a
 * model pays that knows frequencies and nothing else. */
double trainer_unigram(const struct Trainer *t);


#define TRAINER_FIELDS 64

/* Write the state to OUT/step-NNNNNN, or read it from such a directory.
 * field [n < TRAINER_FIELDS] are the caller's own entries of train.json. */
bool trainer_save(const struct Trainer *t, const char *out,
                  const struct Field *field, int n, struct Error *e);
bool trainer_resume(struct Trainer *t, const char *path, struct Error *e);

#endif
