/* The vocabulary reader on any two files (a byte 0xFF, which neither may
 * contain, stands between them).  What it accepts must encode and decode
 * any text, by every way of merging. */
#include "data/tokenizer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void try_text(struct Tokenizer *t, const unsigned char *text,
                     size_t size)
{
    struct Tokens out = {0};
    size_t at = 0;
    uint16_t plain[64];
    tokenizer_encode(t, &out, text, size, 0, size);
    for (size_t i = 0; i < out.count; i++) {
        size_t n;
        const uint8_t *b = vocab_spelling(&t->vocab, out.at[i], &n);
        if (out.at[i] == t->vocab.eot || n > size - at
            || memcmp(b, text + at, n))
            abort();
        at += n;
    }
    if (at != size)
        abort();
    if (size > 64)
        size = 64;
    for (size_t i = 0; i < size; i++)
        plain[i] = t->vocab.byte_token[text[i]];
    size_t n = merge_plain(&t->vocab, plain, size);
    for (size_t i = 0; i < size; i++)
        out.at[i] = t->vocab.byte_token[text[i]];
    if (size && (merge_long(&t->pairs, out.at, size) != n
                 || memcmp(plain, out.at, n * sizeof *plain)))
        abort();
    free(out.at);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    const unsigned char *cut = size ? memchr(data, 0xFF, size) : NULL;
    struct Vocab v;
    struct Error e;
    if (!cut)
        return 0;
    size_t first = (size_t)(cut - data);
    if (!vocab_parse(&v, "vocab.bpe", (const char *)data, first,
                     "encoder.json", (const char *)cut + 1,
                     size - first - 1, &e))
        return 0;
    struct Tokenizer *t = tokenizer_new(v);
    try_text(t, data, size);
    tokenizer_free(t);
    return 0;
}
