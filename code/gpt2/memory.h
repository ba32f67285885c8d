/* Tangled from chapters/workshop/file-formats.nw, "Printing the plan".  Edit it there. */

/* memory.h: what a model and its optimiser will allocate. */
#ifndef GPT2_MEMORY_H
#define GPT2_MEMORY_H

#include <stdio.h>
#include "gpt2/model.h"

/* Print what model_create_as would allocate, and with `moments` the
 * optimiser's two buffers: name, shape, bytes, live range, total. */
bool model_print_plan(FILE *out, const struct Config *config, int B, int T,
                      bool training, bool moments,
                      const struct ModelOptions *o, struct Error *e);

/* The total that it prints, in bytes; 0 if there is no such model. */
size_t model_bytes(const struct Config *config, int B, int T,
                   bool training, bool moments,
                   const struct ModelOptions *o);

#endif
