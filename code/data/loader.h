/* Tangled from chapters/workshop/text-tables.nw, "Contracts".  Edit it there. */

#ifndef DATA_LOADER_H
#define DATA_LOADER_H

#include "data/shard.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct LoaderConfig {
    const char *pattern;    /* shards: "data/train-*.bin"; sorted by name */
    int T;                  /* tokens per sequence */
    int V;                  /* every token must be below this */
    bool shuffle;           /* false: in file order, for validation */
    uint64_t seed;          /* of the shuffle */
    int rank, world;        /* which process of how many; world 0 means 1 */
};

struct Loader {
    struct LoaderConfig config;
    struct Shard *shard;            /* [shards] */
    size_t shards;
    uint64_t *first_window;         /* [shards + 1] windows before each */
    uint64_t windows;               /* sequences in one epoch, all ranks */
    uint64_t tokens;                /* tokens in all shards */
};

/* Map all shards that match and check every token of them.  A shard with
 * fewer than T + 1 tokens is refused.  Close with loader_close. */
bool loader_open(struct Loader *l, const struct LoaderConfig *config,
                 struct Error *e);
void loader_close(struct Loader *l);

/* Rank r's B rows of a batch of world * B: row b is sequence number
 * first_sequence + r * B + b, counted from the start of training over all
 * epochs.  tokens, targets: int32 [B][T]; targets[b][t] is the token after
 * tokens[b][t].  A pure function of its arguments and the shards: there is
 * no position to save.  For a last batch of fewer rows pass a smaller B. */
void loader_batch(const struct Loader *l, int32_t *tokens, int32_t *targets,
                  uint64_t first_sequence, int B);

/* Where sequence number n comes from: window number in file order. */
uint64_t loader_window(const struct Loader *l, uint64_t n);

#endif
