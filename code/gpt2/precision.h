/* Tangled from chapters/workshop/gpu-model.nw, "Options of a model".  Edit it there. */

/* precision.h: in which numbers a model computes, and what it keeps. */
#ifndef GPT2_PRECISION_H
#define GPT2_PRECISION_H

#include <stdbool.h>
#include "backend/backend.h"
#include "base/error.h"

C_FUNCTIONS_BEGIN

/* precision and recomputation */
enum Precision { FP32, TF32, BF16 };
#define PRECISION_NAMES "fp32|tf32|bf16"

/* What the backward pass computes again instead of finding it: each also
 * what those before it do. */
enum Recompute { KEEP_ALL, REDO_GELU, REDO_NORM, REDO_BLOCK };
#define RECOMPUTE_NAMES "none|gelu|gelu+layernorm|block"

struct ModelOptions {
    struct Kernels kernels;         /* if chosen; else the backend's now */
    bool chosen;
    enum Precision precision;
    enum Recompute recompute;       /* bf16 only */
    bool no_master;                 /* bf16 only: no fp32 weights */
    int  rows;                      /* of logits at a time; 0: we choose */
    bool no_graph;                  /* launch every kernel of a step */
    int  shards;                    /* ranks that share the optimiser's */
};                                  /* arrays; 0: nobody shares them */

/* Options from words.  precision NULL: bf16 on a real GPU, else fp32;
 * recompute NULL: none.  The kernels are chosen on the current backend.
 * False if a word is unknown, if recompute or !master is asked for without
 * bf16, or if the backend has no tf32. */
bool precision_options(struct ModelOptions *o, const char *precision,
                       const char *recompute, bool master,
                       struct Error *e);
const char *precision_name(enum Precision p);

C_FUNCTIONS_END

#endif
