/* Tangled from chapters/workshop/programs.nw, "The sampler".  Edit it there. */

/* sampler.h: from logits to a token, from a model to text. */
#ifndef GPT2_SAMPLER_H
#define GPT2_SAMPLER_H

#include "data/tokenizer.h"
#include "gpt2/model.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* `struct Sampler`: the settings, and room for the candidates */
struct Candidate { double weight; int32_t token; };

struct Sampler {
    double temperature;     /* >= 0; 0: always the largest */
    int    top_k;           /* keep the k largest; 0: all */
    double top_p;           /* keep the first to reach p; 1: all */
    double penalty;         /* >= 1, of tokens that are there; 1: none */
    uint64_t seed;
    int    V;
    struct Candidate *candidate;    /* [V] */
    bool  *there;                   /* [V], all false between calls */
};

/* declare the functions of a sampler */
/* Settings are not checked here: the programs' options have ranges.  False
 * if there is no memory for V candidates. */
bool sampler_create(struct Sampler *s, int V, double temperature,
                    int top_k, double top_p, uint64_t seed);
void sampler_free(struct Sampler *s);

/* A token drawn from logits [V]: a function of its arguments, number =
 * 0, 1, ... says which draw of the seed.  -1 if a logit is NaN or none is
 * finite. */
int32_t sampler_pick(struct Sampler *s, const real *logits,
                     uint64_t number);

/* Make the logits of the n tokens of a text smaller by s->penalty, those
 * that are there several times once. */
void sampler_penalise(struct Sampler *s, real *logits,
                      const int32_t *text, size_t n);

/* declare the functions that write a text */
/* How many of the n bytes can be shown now: all but the beginning of a
 * UTF-8 character that the next bytes may complete. */
size_t utf8_whole(const uint8_t *bytes, size_t n);


/* Bytes that wait, and what writes the others.  Start with no bytes; write
 * those that still wait at the end with show_text. */
struct Waiting { char bytes[4]; size_t n; };
void write_spelling(FILE *out, struct Waiting *w, const uint8_t *spelling,
                    size_t length);

#endif
