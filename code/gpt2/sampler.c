/* Tangled from chapters/workshop/programs.nw, "The sampler".  Edit it there. */

#include "gpt2/sampler.h"

#include "base/rng.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* make and free a sampler */
bool sampler_create(struct Sampler *s, int V, double temperature,
                    int top_k, double top_p, uint64_t seed)
{
    *s = (struct Sampler){ .temperature = temperature, .top_k = top_k,
        .top_p = top_p, .penalty = 1, .seed = seed, .V = V };
    s->candidate = malloc((size_t)V * sizeof *s->candidate);
    s->there = calloc((size_t)V, sizeof *s->there);
    if (!s->candidate || !s->there)
        sampler_free(s);
    return s->candidate;
}

void sampler_free(struct Sampler *s)
{
    free(s->candidate);
    free(s->there);
    s->candidate = NULL;
    s->there = NULL;
}


/* find the largest logit, or -1 */
static int32_t largest(const real *logits, int V)
{
    int32_t best = 0;
    for (int32_t i = 0; i < V; i++) {
        if (isnan(logits[i]))
            return -1;
        if (logits[i] > logits[best])
            best = i;
    }
    return isfinite(logits[best]) ? best : -1;
}


/* compare two candidates by weight */
static int by_weight(const void *a, const void *b)
{
    const struct Candidate *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->token - y->token;
}


/* list the candidates, largest first */
static int list_candidates(struct Sampler *s, const real *logits, real max)
{
    bool all = s->top_k == 0 || s->top_k >= s->V;
    for (int32_t i = 0; i < s->V; i++) {
        double below = (double)logits[i] - (double)max;
        s->candidate[i].token = i;
        s->candidate[i].weight = exp(below / s->temperature);
    }
    if (!all || s->top_p < 1)
        qsort(s->candidate, (size_t)s->V, sizeof *s->candidate, by_weight);
    return all ? s->V : s->top_k;
}


/* draw a token */
int32_t sampler_pick(struct Sampler *s, const real *logits, uint64_t number)
{
    int32_t best = largest(logits, s->V);
    if (best < 0 || s->temperature == 0)
        return best;
    int n = list_candidates(s, logits, logits[best]);
    /* keep the first n whose weights reach top_p of the sum */
    double sum = 0, reached = 0;
    for (int i = 0; i < n; i++)
        sum += s->candidate[i].weight;
    if (s->top_p < 1) {
        int kept = 0;
        while (kept < n && (kept == 0 || reached < s->top_p * sum))
            reached += s->candidate[kept++].weight;
        n = kept;
        sum = reached;
    }
    /* draw one of the n candidates by weight */
    struct Rng r = rng_new(s->seed, number);
    double u = (double)(rng_u64(&r) >> 11) * 0x1p-53 * sum;
    for (int i = 0; i < n - 1; i++) {
        u -= s->candidate[i].weight;
        if (u < 0)
            return s->candidate[i].token;
    }
    return s->candidate[n - 1].token;
}

/* penalise the tokens of a text */
void sampler_penalise(struct Sampler *s, real *logits, const int32_t *text,
                      size_t n)
{
    const real penalty = (real)s->penalty;
    for (size_t i = 0; i < n && penalty != 1; i++) {
        real *x = &logits[text[i]];
        if (!s->there[text[i]])
            *x = *x > 0 ? *x / penalty : *x * penalty;
        s->there[text[i]] = true;
    }
    for (size_t i = 0; i < n; i++)
        s->there[text[i]] = false;
}


/* count the bytes of whole characters */
size_t utf8_whole(const uint8_t *bytes, size_t n)
{
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        uint8_t b = bytes[n - back];
        size_t length = b >= 0xf0 && b < 0xf5 ? 4
                      : b >= 0xe0 && b < 0xf0 ? 3
                      : b >= 0xc2 && b < 0xe0 ? 2 : 1;
        if (length > back)
            return n - back;
        if ((b & 0xc0) != 0x80)
            break;
    }
    return n;
}


/* write the whole characters */
void write_spelling(FILE *out, struct Waiting *w, const uint8_t *spelling,
                    size_t length)
{
    for (size_t i = 0; i < length; i++) {
        w->bytes[w->n++] = (char)spelling[i];
        size_t whole = utf8_whole((const uint8_t *)w->bytes, w->n);
        show_text(out, w->bytes, whole);
        w->n -= whole;
        memmove(w->bytes, w->bytes + whole, w->n);
    }
    fflush(out);
}

