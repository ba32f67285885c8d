/* Tangled from chapters/workshop/measuring-ceilings.nw, "Every operator on paper".  Edit it there. */

#ifndef BENCH_OPERATOR_COSTS_H
#define BENCH_OPERATOR_COSTS_H

#include <stdbool.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* what a machine and a kernel are */
/* A pair of ceilings: FLOP and bytes in a second. */
struct Roof { double flops, bytes; };

/* What a kernel must do: each input read once, each output written once,
 * and the FLOP between. */
struct Work {
    char name[32];
    int calls;                  /* in one training step               */
    double bytes, flop;         /* of one call                        */
    bool matrix;                /* tensor cores can do the arithmetic */
};

/* the functions of a roof */
double work_intensity(const struct Work *w);        /* FLOP per byte  */
double roof_ridge(struct Roof r);
double roof_at(struct Roof r, double intensity);    /* FLOP/s         */
double roof_seconds(struct Roof r, const struct Work *w);

/* the table of operators */
/* The sizes of a step: as in struct Config, with the batch, and P
 * parameters in all. */
struct Sizes { int B, T, L, C, NH, V; double P; };

enum { WORKS_MAX = 48 };

/* Every operator of a training step: of the float32 operators of ops/, or
 * of the bf16 ones, fused.  Returns how many. */
int works_float(struct Work w[WORKS_MAX], const struct Sizes *s);
int works_bf16(struct Work w[WORKS_MAX], const struct Sizes *s);

/* The row of that name, or NULL. */
const struct Work *work_find(const struct Work *w, int n,
                             const char *name);

C_FUNCTIONS_END

#endif
