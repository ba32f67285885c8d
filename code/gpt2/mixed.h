/* Tangled from chapters/workshop/gpu-model.nw, "The seam".  Edit it there. */

/* mixed.h: the model's body in bf16, for model.c.  mixed.cu is the one
 * for a GPU, real or simulated; mixed.c refuses. */
#ifndef GPT2_MIXED_H
#define GPT2_MIXED_H

#include "gpt2/model.h"

C_FUNCTIONS_BEGIN

/* what the bf16 body does for the model */
/* Allocate what m->options.precision == BF16 needs beside the gradients
 * and the fp32 weights; false if this program or this model cannot.
 * mixed_free also after a failure. */
bool mixed_create(struct Model *m, struct Error *e);
void mixed_free(struct Model *m);

/* The bf16 weights from host [table.total], rounded to nearest, and back,
 * which is exact. */
void mixed_put(struct Model *m, const real *host);
void mixed_get(const struct Model *m, real *host);

/* As model_loss, model_train_start and model_logits. */
double mixed_loss(struct Model *m, const int32_t *tokens,
                  const int32_t *targets, int B, int T);
void mixed_train(struct Model *m, const int32_t *tokens,
                 const int32_t *targets, int B, int T, real scale,
                 bool accumulate);
double mixed_train_loss(struct Model *m);
void mixed_logits(struct Model *m, real *logits, const int32_t *tokens,
                  int B, int T);

C_FUNCTIONS_END

#endif
