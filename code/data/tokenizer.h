/* Tangled from chapters/workshop/text-tables.nw, "Contracts".  Edit it there. */

#ifndef DATA_TOKENIZER_H
#define DATA_TOKENIZER_H

#include "data/merge.h"

/* A growing list of token ids.  Start from {0}; free with free(t.at). */
struct Tokens {
    uint16_t *at;
    size_t count, capacity;
};

/* A vocabulary made ready for encoding.  One thread at a time may use it:
 * it remembers the words it has seen. */
struct Tokenizer {
    struct Vocab vocab;
    /* `struct Tokenizer` fields */
    struct PairTable pairs;
    struct CachedWord *cache;       /* [CACHE_WORDS] */
};

/* Read the vocabulary in DIR (see vocab_read) and prepare it.  NULL and e
 * filled on failure.  Free with tokenizer_free. */
struct Tokenizer *tokenizer_read(const char *dir, struct Error *e);

/* The same for a vocabulary in memory, which now belongs to the result.
 * NULL if there is no memory; the vocabulary is then freed. */
struct Tokenizer *tokenizer_new(struct Vocab vocab);
void tokenizer_free(struct Tokenizer *t);

/* Append the tokens of text to out: whole pieces, beginning at byte `from`
 * (the start of a piece), until byte `upto` is reached or passed; returns
 * the byte reached.  text[0..size) is looked at beyond `upto`, so encoding
 * in several calls gives what one call gives.  from = 0, upto = size
 * encodes everything.  Never appends <|endoftext|>.  The byte reached is
 * below `upto` if there was no memory for the tokens of the next piece. */
size_t tokenizer_encode(struct Tokenizer *t, struct Tokens *out,
                        const uint8_t *text, size_t size,
                        size_t from, size_t upto);

#endif
