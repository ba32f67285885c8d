/* Tangled from chapters/workshop/inference-plumbing.nw, "Texts".  Edit it there. */

#include "gpt2/writer.h"

#include <stdlib.h>
#include <string.h>
#include "base/text.h"

struct Round {
    struct Decoder *d;
    const struct Vocab *vocab;
    struct Sampler *s;
    const struct WriteOptions *o;
    size_t V;
    int next, count;            /* texts begun; texts being written */
    struct Continuation **active;   /* [rows], of them `count` are used */
    int *free;                  /* [rows], from `count` on: free rows */
    real *logits, *got;         /* [rows][V] of `active`; of a step */
    int *rows, *to;             /* [rows] of a step */
    int32_t *tokens;
    int32_t *windows;           /* of all texts, [n][T] */
};

static real *logits_of(const struct Round *r, int i)
{
    return r->logits + (size_t)i * r->V;
}

/* get the logits that follow the text */
/* The text's last token is in its window, but not yet in the decoder. */
static bool slide(struct Decoder *d, struct Continuation *t, real *logits,
                  struct Error *e)
{
    decoder_reset(d, t->row);
    return decoder_prefill(d, t->row, t->window, (int)t->used, logits, e);
}


/* open and close a text */
static void open_text(struct Continuation *t, int32_t *window, size_t T)
{
    t->window = window;
    t->used = 0;
    t->drawn = 0;
    t->full = t->done = false;
    t->waiting = (struct Waiting){ .n = 0 };
    for (size_t i = t->n > T ? t->n - T : 0; i < t->n; i++)
        window[t->used++] = t->prompt[i];
}

/* If the writing stops inside a character, its bytes go out as they are. */
static void close_text(struct Continuation *t)
{
    show_text(t->out, t->waiting.bytes, t->waiting.n);
    t->window = NULL;
}


/* begin and end the rounds */
static bool round_open(struct Round *r, struct Continuation *texts, int n,
                       struct Error *e)
{
    const size_t rows = (size_t)r->d->rows, T = (size_t)r->d->T;
    r->V = (size_t)r->d->m->config.V;
    r->active = calloc(rows, sizeof *r->active);
    r->free = calloc(rows, sizeof *r->free);
    r->rows = calloc(rows, sizeof *r->rows);
    r->to = calloc(rows, sizeof *r->to);
    r->tokens = calloc(rows, sizeof *r->tokens);
    r->logits = calloc(rows * r->V, sizeof *r->logits);
    r->got = calloc(rows * r->V, sizeof *r->got);
    r->windows = calloc((size_t)n * T, sizeof *r->windows);
    if (!r->active || !r->free || !r->rows || !r->to || !r->tokens
        || !r->logits || !r->got || !r->windows)
        return error_set(e, "out of memory to write %d texts", n);
    for (int i = 0; i < r->d->rows; i++)
        r->free[i] = i;
    for (int i = 0; i < n; i++)
        open_text(&texts[i], r->windows + (size_t)i * T, T);
    return true;
}

static void round_close(struct Round *r)
{
    for (int i = 0; i < r->count; i++)
        close_text(r->active[i]);
    void *all[] = { r->active, r->free, r->rows, r->to, r->tokens,
                    r->logits, r->got, r->windows };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}


/* give the free rows to waiting texts */
static bool admit(struct Round *r, struct Continuation *texts, int n,
                  struct Error *e)
{
    bool ok = true;
    while (ok && r->next < n && r->count < r->d->rows) {
        struct Continuation *t = &texts[r->next++];
        t->row = r->free[r->count];
        r->active[r->count] = t;
        ok = slide(r->d, t, logits_of(r, r->count++), e);
    }
    return ok;
}


/* take a token into a text */
static void take(struct Round *r, struct Continuation *t, int32_t token)
{
    t->done = token == r->vocab->eot || token == r->o->stop;
    if (t->done)
        return;
    const size_t T = (size_t)r->d->T;
    t->full = t->used == T;
    if (t->full)
        memmove(t->window, t->window + 1, --t->used * sizeof *t->window);
    t->window[t->used++] = token;
    t->drawn++;
    size_t length;
    const uint8_t *spelling = vocab_spelling(r->vocab, token, &length);
    write_spelling(t->out, &t->waiting, spelling, length);
}


/* remove the texts that are done */
static void remove_done(struct Round *r)
{
    for (int i = 0; i < r->count; ) {
        struct Continuation *t = r->active[i];
        if (!t->done) {
            i++;
            continue;
        }
        close_text(t);
        const int last = --r->count;
        r->active[i] = r->active[last];
        r->free[last] = t->row;
    }
}


/* draw a token for every text */
static bool draw_all(struct Round *r, struct Error *e)
{
    for (int i = 0; i < r->count; i++) {
        struct Continuation *t = r->active[i];
        real *logits = logits_of(r, i);
        if (t->drawn == r->o->count) {
            t->done = true;
            continue;
        }
        sampler_penalise(r->s, logits, t->window, t->used);
        r->s->seed = t->seed;
        const int32_t token = sampler_pick(r->s, logits,
                                           (uint64_t)t->drawn);
        if (token < 0)
            return model_ok(r->d->m, e) && error_set(e, "the model's "
                "logits are not numbers; its weights are damaged or its "
                "training went wrong");
        take(r, t, token);
    }
    remove_done(r);
    return true;
}


/* add the drawn tokens to all texts */
static bool step(struct Round *r, struct Error *e)
{
    int n = 0;
    for (int i = 0; i < r->count; i++) {
        struct Continuation *t = r->active[i];
        if (t->drawn == r->o->count)
            continue;
        if (!t->full) {
            r->rows[n] = t->row;
            r->tokens[n] = t->window[t->used - 1];
            r->to[n++] = i;
        } else if (!slide(r->d, t, logits_of(r, i), e))
            return false;
    }
    /* run the n texts together, and hand out their logits */
    if (n && !decoder_step(r->d, r->rows, r->tokens, n, r->got, e))
        return false;
    for (int i = 0; i < n; i++)
        memcpy(logits_of(r, r->to[i]), r->got + (size_t)i * r->V,
               r->V * sizeof *r->got);
    return true;
}


/* write all texts */
bool write_texts(struct Decoder *d, const struct Vocab *vocab,
                 struct Sampler *s, struct Continuation *texts, int n,
                 const struct WriteOptions *o, struct Error *e)
{
    struct Round r = { .d = d, .vocab = vocab, .s = s, .o = o };
    bool ok = round_open(&r, texts, n, e);
    while (ok && (r.next < n || r.count > 0))
        ok = admit(&r, texts, n, e) && draw_all(&r, e) && step(&r, e);
    round_close(&r);
    return ok;
}

/* continue one prompt */
bool generate_text(struct Model *m, const struct Vocab *vocab,
                   struct Sampler *s, FILE *out, const uint16_t *prompt,
                   size_t n, int count, struct Error *e)
{
    struct Continuation t = { .prompt = prompt, .n = n, .seed = s->seed,
                      .out = out };
    const struct WriteOptions o = { .count = count, .stop = -1 };
    struct Decoder d;
    if (!decoder_create(&d, m, 1, m->T, e))
        return false;
    const bool ok = write_texts(&d, vocab, s, &t, 1, &o, e);
    decoder_free(&d);
    return ok;
}
