/* Tangled from chapters/workshop/text-tables.nw, "Merging and remembering, the rest".  Edit it there. */

#include "data/tokenizer.h"

#include "data/split.h"

#include <stdlib.h>
#include <string.h>

/* `struct CachedWord` */
#define CACHE_WORDS 32768       /* 1 MiB: half of a core's L2 or all */
#define CACHE_BYTES 16
#define CACHE_TOKENS 7

struct CachedWord {
    uint64_t text[2];           /* padded with zeros */
    uint8_t length, count;      /* length 0: empty */
    uint16_t token[CACHE_TOKENS];
};
_Static_assert(sizeof(struct CachedWord) == 32, "two to a cache line");

/* make a tokenizer */
struct Tokenizer *tokenizer_new(struct Vocab vocab)
{
    struct Tokenizer *t = calloc(1, sizeof *t);
    if (!t) {
        vocab_free(&vocab);
        return NULL;
    }
    t->vocab = vocab;
    t->pairs = pair_table_build(&vocab);
    t->cache = aligned_alloc(64, CACHE_WORDS * sizeof *t->cache);
    if (!t->pairs.slot || !t->cache) {
        tokenizer_free(t);
        return NULL;
    }
    memset(t->cache, 0, CACHE_WORDS * sizeof *t->cache);
    return t;
}

struct Tokenizer *tokenizer_read(const char *dir, struct Error *e)
{
    struct Vocab v;
    if (!vocab_read(&v, dir, e))
        return NULL;
    struct Tokenizer *t = tokenizer_new(v);
    if (!t)
        error_set(e, "out of memory for a tokenizer");
    return t;
}

void tokenizer_free(struct Tokenizer *t)
{
    if (!t)
        return;
    vocab_free(&t->vocab);
    pair_table_free(&t->pairs);
    free(t->cache);
    free(t);
}

/* merge the tokens of a piece */
static size_t merge_piece(const struct Tokenizer *t, uint16_t *token,
                          const uint8_t *piece, size_t n)
{
    for (size_t i = 0; i < n; i++)
        token[i] = t->vocab.byte_token[piece[i]];
    return n <= MERGE_SHORT ? merge_short(&t->pairs, token, n)
                            : merge_long(&t->pairs, token, n);
}

/* find the slot of a piece */
static struct CachedWord *cache_slot(const struct Tokenizer *t,
                                     struct CachedWord *key,
                                     const uint8_t *piece, size_t n)
{
    *key = (struct CachedWord){ .length = (uint8_t)n };
    memcpy(key->text, piece, n);
    uint64_t h = key->text[0] * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 32 ^ key->text[1]) * 0xC2B2AE3D27D4EB4Fu;
    return &t->cache[(h >> 40) % CACHE_WORDS];
}

/* look a piece up */
static size_t encode_piece(struct Tokenizer *t, uint16_t *token,
                           const uint8_t *piece, size_t n)
{
    if (n > CACHE_BYTES)
        return merge_piece(t, token, piece, n);
    struct CachedWord key, *slot = cache_slot(t, &key, piece, n);
    /* return the tokens if the slot holds this piece */
    if (slot->length == n && slot->text[0] == key.text[0]
        && slot->text[1] == key.text[1]) {
        memcpy(token, slot->token, sizeof slot->token);
        return slot->count;
    }
    size_t count = merge_piece(t, token, piece, n);
    /* remember the piece if its tokens fit */
    if (count <= CACHE_TOKENS) {
        key.count = (uint8_t)count;
        memcpy(key.token, token, count * sizeof *token);
        *slot = key;
    }
    return count;
}

/* make room for tokens */
static bool reserve(struct Tokens *t, size_t more)
{
    if (t->count + more <= t->capacity)
        return true;
    size_t capacity = 2 * t->capacity + more;
    void *at = realloc(t->at, capacity * sizeof *t->at);
    if (!at)
        return false;
    t->at = at;
    t->capacity = capacity;
    return true;
}

/* encode whole pieces */
size_t tokenizer_encode(struct Tokenizer *t, struct Tokens *out,
                        const uint8_t *text, size_t size,
                        size_t from, size_t upto)
{
    for (size_t end, n; from < upto; from = end, out->count += n) {
        end = piece_end(text, size, from);
        if (!reserve(out, end - from + CACHE_TOKENS))
            break;
        n = encode_piece(t, out->at + out->count, text + from, end - from);
        if (!n)
            break;
    }
    return from;
}
