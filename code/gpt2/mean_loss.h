/* Tangled from chapters/workshop/file-formats.nw, "The program eval".  Edit it there. */

#ifndef GPT2_MEAN_LOSS_H
#define GPT2_MEAN_LOSS_H

#include "data/loader.h"
#include "gpt2/model.h"

double model_mean_loss(struct Model *m, const struct Loader *data,
                       uint64_t rows, int B, int T, int32_t *x, int32_t *y);

#endif
