/* Tangled from chapters/workshop/file-formats.nw, "A model and a shard".  Edit it there. */

/* open_shard.h: a model and a shard of tokens, for eval and prune. */
#ifndef PROGRAMS_OPEN_SHARD_H
#define PROGRAMS_OPEN_SHARD_H

#include "data/loader.h"
#include "programs/open_model.h"

/* What the command line says of the shard, and the rows that read it.
 * seq: tokens in a row, 0 for the model's context until it is open */
struct ShardSource { const char *pattern; int batch, seq; };

#define SHARD_OPTIONS(s)                                                \
    { "data", OPT_STRING, &(s).pattern, 0, 0, "SHARD",                  \
      "tokens, as tokenize encode writes them", NULL },                 \
    { "batch", OPT_INT, &(s).batch, 1, 65536, "B", "rows at a time",    \
      NULL },                                                           \
    { "seq", OPT_INT, &(s).seq, 1, 65536, "T",                          \
      "tokens in a row (default: the model's context)", NULL }

/* Both, for rows of s->seq tokens; or the program ends with the reason. */
void model_and_shard_open(struct Model *m, struct Loader *data,
                          const struct ModelSource *f,
                          struct ShardSource *s);

/* The mean loss of the first `rows` windows, in nats.
 *   needs   rows <= data->windows */
double shard_loss(struct Model *m, const struct Loader *data,
                  const struct ShardSource *s, uint64_t rows);

#endif
