/* Tangled from chapters/workshop/file-formats.nw, "The weights of a model".  Edit it there. */

/* weights.h: the weights of a model in a file: --init FILE.safetensors. */
#ifndef IO_WEIGHTS_H
#define IO_WEIGHTS_H

#include "gpt2/model.h"
#include "io/safetensors.h"

/* The config of the model in a file; see hf_config_find. */
bool weights_config(struct Config *c, const char *path, int heads,
                    struct Error *e);

/* Read a GPT-2's weights into m->w.  Names may carry "transformer.";
 * buffers (h.N.attn.bias, h.N.attn.masked_bias) and a tied lm_head.weight
 * are skipped; any other missing or unknown tensor or shape is refused. */
bool weights_load(struct Model *m, const char *path, struct Error *e);
bool weights_save(const struct Model *m, const char *path,
                  struct Error *e);

/* weights_load in two steps: open the file and compare it with the model's
 * table, then read it.  Close s also after a failure. */
bool weights_open(struct Safetensors *s, const char *path,
                  const struct ParamTable *t, struct Error *e);
bool weights_read(struct Model *m, const struct Safetensors *s,
                  struct Error *e);

#endif
