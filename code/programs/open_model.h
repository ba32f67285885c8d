/* Tangled from chapters/workshop/file-formats.nw, "Opening a model".  Edit it there. */

/* open_model.h: a model to be read, for eval, prune and generate. */
#ifndef PROGRAMS_OPEN_MODEL_H
#define PROGRAMS_OPEN_MODEL_H

#include "base/args.h"
#include "base/file.h"
#include "gpt2/model.h"

/* What the command line says of the model, and the rows of an option
 * table (base/args.h) that read it.  init may be the directory of a
 * checkpoint. */
struct ModelSource { const char *init, *precision; int heads; };

#define WEIGHTS_FILE_OPTIONS(f)                                         \
    { "init", OPT_STRING, &(f).init, 0, 0, "FILE",                      \
      "weights (.safetensors), or a checkpoint's directory", NULL },    \
    { "heads", OPT_INT, &(f).heads, 1, 65536, "NH",                     \
      "if no config.json says it and they are not 64 wide", NULL }

#define MODEL_FILE_OPTIONS(f)                                           \
    WEIGHTS_FILE_OPTIONS(f),                                            \
    { "precision", OPT_CHOICE, &(f).precision, 0, 0, PRECISION_NAMES,   \
      "default: bf16 on a GPU, fp32 elsewhere", NULL }

/* That model for B rows of T tokens (0: as many as it can), its weights
 * loaded; or the program ends with the reason. */
void model_open(struct Model *m, const struct ModelSource *f, int B, int T);

/* The file with the weights of init: itself, or the one in a checkpoint's
 * directory, whose name is then put into path. */
const char *model_file(char path[FILE_PATH_MAX], const char *init);

#endif
