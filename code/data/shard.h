/* Tangled from chapters/workshop/text-tables.nw, "Contracts".  Edit it there. */

#ifndef DATA_SHARD_H
#define DATA_SHARD_H

#include "base/file.h"

#include <stdint.h>

/* the layout of a shard */
#define SHARD_MAGIC   20240520
#define SHARD_VERSION 1
#define SHARD_HEADER  256       /* int32: magic, version, count, zeros */
#define SHARD_MAX     INT32_MAX /* tokens */

/* A shard in memory: token[0..count), mapped from its file. */
struct Shard {
    const uint16_t *token;
    size_t count;
    struct Mapped file;
    char path[4096];
};

/* Check a shard in memory; s->token then points into data, which must be
 * aligned for uint16_t.  The name stands in messages. */
bool shard_parse(struct Shard *s, const char *name,
                 const unsigned char *data, size_t size, struct Error *e);

/* Map a shard and check its header against its length.  On success close
 * with shard_close. */
bool shard_open(struct Shard *s, const char *path, struct Error *e);
void shard_close(struct Shard *s);

/* Is every token < V?  If not, the message has the first that is not. */
bool shard_check(const struct Shard *s, int V, struct Error *e);

/* A shard being written; visible under its name after shard_finish. */
struct ShardWriter {
    struct Writer file;
    size_t count;
};

bool shard_create(struct ShardWriter *w, const char *path, struct Error *e);
bool shard_append(struct ShardWriter *w, const uint16_t *tokens, size_t n);
bool shard_finish(struct ShardWriter *w, struct Error *e);
void shard_abandon(struct ShardWriter *w);  /* remove what was written */

#endif
