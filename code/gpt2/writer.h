/* Tangled from chapters/workshop/inference-plumbing.nw, "Texts".  Edit it there. */

/* writer.h: texts from a model, several at once. */
#ifndef GPT2_WRITER_H
#define GPT2_WRITER_H

#include "gpt2/decoder.h"
#include "gpt2/sampler.h"

struct Continuation {
    const uint16_t *prompt;     /* what it continues, [n], n >= 1 */
    size_t   n;
    uint64_t seed;
    FILE    *out;               /* its tokens go there as they come */
    /* of write_texts */
    int32_t *window;
    size_t   used;
    int      row, drawn;
    bool     full, done;
    struct Waiting waiting;
};

struct WriteOptions {
    int     count;              /* tokens of a text, at most */
    int32_t stop;               /* a text ends before this token; or -1 */
};

/* Continue all texts, d->rows of them at a time.  A text stops early at
 * <|endoftext|> or o->stop, which are not written; the model sees the last
 * d->T tokens of each.  What a text says does not depend on the others, if
 * the backend's sums do not depend on the number of rows.  The sampler's
 * seed is that of the text.  False if a logit is not a number, if the model
 * has failed, or if there is too little memory. */
bool write_texts(struct Decoder *d, const struct Vocab *vocab,
                 struct Sampler *s, struct Continuation *texts, int n,
                 const struct WriteOptions *o, struct Error *e);

/* declare generate_text */
/* Continue one prompt [n >= 1] by up to `count` tokens, with the seed of
 * the sampler and as many tokens of context as the model was made for. */
bool generate_text(struct Model *m, const struct Vocab *vocab,
                   struct Sampler *s, FILE *out, const uint16_t *prompt,
                   size_t n, int count, struct Error *e);

#endif
