/* Tangled from chapters/workshop/file-formats.nw, "A whole checkpoint".  Edit it there. */

/* checkpoint.h: weights and training states on disk.
 *
 *   OUT/step-000100/model.safetensors      the weights
 *                   optimizer.safetensors  m.NAME and v.NAME
 *                   config.json            as transformers wants it
 *                   train.json             step, and the caller's fields
 */
#ifndef IO_CHECKPOINT_H
#define IO_CHECKPOINT_H

#include "gpt2/model.h"
#include "gpt2/optimizer.h"
#include "io/train_state.h"

/* Write OUT/step-NNNNNN: whole or not at all, on disk when this returns
 * true.  A checkpoint of the same step is replaced. */
bool checkpoint_save(const char *out, int64_t step, const struct Model *m,
                     const struct Optimizer *o, const struct Field *field,
                     int n_fields, struct Error *e);

/* The config of a checkpoint directory, to create the model with. */
bool checkpoint_config(struct Config *c, const char *path,
                       struct Error *e);

/* Load a checkpoint directory into m, its optimiser and the fields.
 * Everything is checked against everything before the first byte of m
 * changes.  *step is what train.json says; it must agree with the
 * directory's name. */
bool checkpoint_load(const char *path, struct Model *m,
                     struct Optimizer *o, const struct Field *field,
                     int n_fields, int64_t *step, struct Error *e);

#endif
