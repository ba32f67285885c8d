/* Tangled from chapters/workshop/quantised-weights.nw, "Losses with a stride".  Edit it there. */

/* eval_strided.h: `eval` with --stride. */
#ifndef PROGRAMS_EVAL_STRIDED_H
#define PROGRAMS_EVAL_STRIDED_H

#include "programs/open_shard.h"

/* Print loss, tokens, stride and perplexity of the open model m over the
 * data, and how often it agrees with the model `against` (NULL: none); or
 * end the program with the reason.  The result: is the loss a number? */
bool eval_strided(struct Model *m, const struct Loader *data,
                  const struct ShardSource *s, const char *init,
                  const char *against, int stride, int64_t batches);

#endif
