/* Tangled from chapters/workshop/text-tables.nw, "Shards and loader, the rest".  Edit it there. */

#include "data/shard.h"

#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "shards are little-endian and are mapped as they are");

/* check a shard's header */
bool shard_parse(struct Shard *s, const char *name,
                 const unsigned char *data, size_t size, struct Error *e)
{
    int32_t h[SHARD_HEADER];
    if (size < sizeof h)
        return error_set(e, "%s: %zu bytes; a shard begins with a header "
                         "of %zu", name, size, sizeof h);
    memcpy(h, data, sizeof h);
    /* check the magic number and the version */
    if (h[0] != SHARD_MAGIC)
        return error_set(e, "%s: byte 0: magic number %d; expected %d, a "
            "shard of tokens (made by `tokenize encode`)", name, h[0],
            SHARD_MAGIC);
    if (h[1] != SHARD_VERSION)
        return error_set(e, "%s: byte 4: version %d; expected %d", name,
                         h[1], SHARD_VERSION);
    /* check the count against the size */
    if (h[2] < 0)
        return error_set(e, "%s: byte 8: count %d is negative", name, h[2]);
    size_t expected = sizeof h + 2 * (size_t)h[2];
    if (size != expected)
        return error_set(e, "%s: byte 8: %d tokens need a file of %zu bytes, "
            "but it has %zu: %s", name, h[2], expected, size,
            size < expected ? "it was cut off" : "something was appended");
    s->token = (const uint16_t *)(data + sizeof h);
    s->count = (size_t)h[2];
    return true;
}

/* open a shard */
bool shard_open(struct Shard *s, const char *path, struct Error *e)
{
    *s = (struct Shard){0};
    snprintf(s->path, sizeof s->path, "%s", path);
    if (!map_file(&s->file, path, e))
        return false;
    if (shard_parse(s, path, s->file.data, s->file.size, e))
        return true;
    unmap_file(&s->file);
    return false;
}

void shard_close(struct Shard *s)
{
    unmap_file(&s->file);
    *s = (struct Shard){0};
}

/* check a shard's tokens */
static unsigned largest(const uint16_t *token, size_t n)
{
    uint16_t most = 0;
    for (size_t i = 0; i < n; i++)
        most = token[i] > most ? token[i] : most;
    return most;
}

bool shard_check(const struct Shard *s, int V, struct Error *e)
{
    const size_t block = 4096;
    for (size_t at = 0; at < s->count; at += block) {
        size_t n = s->count - at < block ? s->count - at : block;
        if (largest(s->token + at, n) < (unsigned)V)
            continue;
        /* report the first token that is too large */
        while (s->token[at] < V)
            at++;
        return error_set(e, "%s: token %zu (byte %zu) is %d, but the "
            "vocabulary has only %d: it was encoded with another one",
            s->path, at, 4 * SHARD_HEADER + 2 * at, s->token[at], V);
    }
    return true;
}

/* begin a shard and append to it */
bool shard_create(struct ShardWriter *w, const char *path, struct Error *e)
{
    int32_t header[SHARD_HEADER] = {0};
    w->count = 0;
    if (!writer_open(&w->file, path, e))
        return false;
    writer_write(&w->file, header, sizeof header);
    return true;
}

bool shard_append(struct ShardWriter *w, const uint16_t *tokens, size_t n)
{
    w->count += n;
    return writer_write(&w->file, tokens, n * sizeof *tokens);
}

void shard_abandon(struct ShardWriter *w)
{
    writer_abort(&w->file);
}

/* write a shard */
bool shard_finish(struct ShardWriter *w, struct Error *e)
{
    /* refuse more tokens than a shard holds */
    if (w->count > SHARD_MAX) {
        writer_abort(&w->file);
        return error_set(e, "%s: %zu tokens; a shard holds at most %d: "
            "encode the texts into several", w->file.path, w->count,
            SHARD_MAX);
    }
    int32_t header[SHARD_HEADER] = { SHARD_MAGIC, SHARD_VERSION,
                                     (int32_t)w->count };
    rewind(w->file.file);
    writer_write(&w->file, header, sizeof header);
    return writer_commit(&w->file, e);
}
