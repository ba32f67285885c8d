/* Tangled from chapters/workshop/file-formats.nw, "A model to be read".  Edit it there. */

/* open_model.h: a model to be read, for eval and generate. */
#ifndef PROGRAMS_OPEN_MODEL_H
#define PROGRAMS_OPEN_MODEL_H

#include "base/args.h"
#include "gpt2/model.h"

/* What the command line says of it, and the rows (see base/args.h) that
 * ask.  A checkpoint's directory stands for the weights in it. */
struct ModelFile { const char *init, *precision; int heads; };

#define MODEL_FILE_OPTIONS(f)                                           \
    { "init", OPT_STRING, &(f).init, 0, 0, "FILE",                      \
      "weights (.safetensors), or a checkpoint's directory", NULL },    \
    { "heads", OPT_INT, &(f).heads, 1, 65536, "NH",                     \
      "if no config.json says it and they are not 64 wide", NULL },     \
    { "precision", OPT_CHOICE, &(f).precision, 0, 0, PRECISION_NAMES,   \
      "default: bf16 on a GPU, fp32 elsewhere", NULL }

/* That model for B rows of T tokens (0: as many as it can), its weights
 * loaded; or the program ends with the reason. */
void model_open(struct Model *m, const struct ModelFile *f, int B, int T);

#endif
