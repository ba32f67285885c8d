/* Tangled from chapters/workshop/measuring-ceilings.nw, "prune: what a model loses".  Edit it there. */

/* prune.h: set weights to zero, the smallest first. */
#ifndef LESSONS_PRUNE_H
#define LESSONS_PRUNE_H

#include <stddef.h>

#include "base/error.h"

C_FUNCTIONS_BEGIN

/* ways to prune a matrix */
/* Set the smallest to zero, in w [rows][cols]: the given part of all n
 * numbers, or of the blocks of side x side, by their sum of squares; of
 * each four neighbours in a column two.  at_random: whichever.  Equal ones
 * in the order of their places. */
bool prune_numbers(float *w, size_t n, double part, bool at_random,
                   struct Error *e);
bool prune_blocks(float *w, size_t rows, size_t cols, size_t side,
                  double part, struct Error *e);
bool prune_two_four(float *w, size_t rows, size_t cols, struct Error *e);

C_FUNCTIONS_END

#endif
