/* Tangled from chapters/workshop/text-tables.nw, "Contracts".  Edit it there. */

#ifndef DATA_VOCAB_H
#define DATA_VOCAB_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* limits of a vocabulary */
#define VOCAB_MAX 65536             /* an id must fit in uint16 */
#define VOCAB_MAX_BYTES 67108864    /* all spellings together */
#define EOT_TEXT "<|endoftext|>"

/* `struct Vocab` */
/* A merge: the pair (left, right) becomes one token. */
struct Merge {
    uint16_t left, right, token;
};


/* size tokens: 256 single bytes, one for each merge, <|endoftext|>. */
struct Vocab {
    int size;                   /* V = merges + 257 */
    int merges;
    int eot;                    /* the id of <|endoftext|> */
    uint16_t byte_token[256];   /* byte -> its token */
    struct Merge *merge;        /* [merges], in order of rank */
    uint32_t *start, *length;   /* [size], of a token's spelling ... */
    uint8_t *bytes;             /* ... in here */
};

/* Read DIR/vocab.bpe and DIR/encoder.json, both in GPT-2's form, and check
 * them against each other.  Messages name the file and the line.  On
 * success free with vocab_free; on failure nothing is left to free. */
bool vocab_read(struct Vocab *v, const char *dir, struct Error *e);

/* The same from memory; the names stand in messages. */
bool vocab_parse(struct Vocab *v, const char *bpe_name, const char *bpe,
                 size_t bpe_size, const char *json_name, const char *json,
                 size_t json_size, struct Error *e);

/* Write the same two files into DIR, which is made if need be. */
bool vocab_write(const struct Vocab *v, const char *dir, struct Error *e);

/* Build a vocabulary from its merges: ids as GPT-2 gives them, bytes first
 * (in the order of byte_order), then the merges, then <|endoftext|>.
 * merge[i].left and .right are such ids, below 256 + i.  On failure,
 * spellings that are too long or no memory, nothing is left to free. */
bool vocab_from_merges(struct Vocab *v, const struct Merge *merge,
                       int merges, struct Error *e);
void vocab_free(struct Vocab *v);

/* The bytes that a token stands for (not ended by 0); token < v->size. */
const uint8_t *vocab_spelling(const struct Vocab *v, int token,
                              size_t *length);

/* byte_order[i] is the byte whose token has the id i: printable ones
 * first, as in GPT-2's encoder.json. */
extern const uint8_t byte_order[256];

#endif
