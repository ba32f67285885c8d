/* Tangled from chapters/workshop/schemes.nw, "The simulation of a pipeline".  Edit it there. */

#include "lessons/pipeline.h"

#include <stdlib.h>
#include <string.h>

/* the state of a simulation */
/* done[w][stage][chunk][micro]: when that piece ended, or -1 */
struct State {
    const struct Pipeline *p;
    double *done[3];
    double free[STAGES_MOST];           /* when each stage is free */
    int next[STAGES_MOST];              /* in its order of F and B */
    int next_weights[STAGES_MOST];
    int kept[STAGES_MOST];              /* activations, now */
};

static double *cell(const struct State *s, enum Work work, int stage,
                    int chunk, int micro)
{
    const struct Pipeline *p = s->p;
    return &s->done[work][(stage * p->chunks + chunk) * p->micro + micro];
}


/* when a piece may start */
/* The moment from which on a piece may start, or -1: not known yet.  The
 * layers of chunk c of stage s are number c stages + s. */
static double ready(const struct State *s, const struct Piece *x, int stage)
{
    const struct Pipeline *p = s->p;
    const int last = p->stages * p->chunks - 1;
    int at = x->chunk * p->stages + stage;
    double from;
    if (x->work == WEIGHTS)
        return *cell(s, BACKWARD, stage, x->chunk, x->micro);
    if (x->work == FORWARD && at == 0)
        return 0;
    if (x->work == BACKWARD && at == last)
        return *cell(s, FORWARD, stage, x->chunk, x->micro);
    at += x->work == FORWARD ? -1 : 1;
    from = *cell(s, x->work, at % p->stages, at / p->stages, x->micro);
    return from < 0 ? -1 : from + p->send;
}


/* the order of 1F1B and GPipe */
/* The i-th forward or backward of a stage: micro-batches in groups of as
 * many as there are stages, each group through all chunks. */
static struct Piece nth(const struct Pipeline *p, enum Work work, int i)
{
    const int group = p->stages * p->chunks, in = i % group;
    int chunk = in / p->stages;
    if (work == BACKWARD)
        chunk = p->chunks - 1 - chunk;
    return (struct Piece){ work, i / group * p->stages + in % p->stages,
                           chunk, 0, 0 };
}

/* Forwards of a stage before its first backward. */
static int warm_up(const struct Pipeline *p, int stage)
{
    const int all = p->micro * p->chunks, after = p->stages - 1 - stage;
    const int n = p->schedule == GPIPE ? all
                : p->schedule == INTERLEAVED
                ? 2 * after + (p->chunks - 1) * p->stages : after;
    return n < all ? n : all;
}

static struct Piece in_order(const struct Pipeline *p, int stage, int i)
{
    const int all = p->micro * p->chunks, w = warm_up(p, stage);
    const int pairs = all - w;
    if (i < w)
        return nth(p, FORWARD, i);
    if (i < w + 2 * pairs)
        return (i - w) % 2 ? nth(p, BACKWARD, (i - w) / 2)
                           : nth(p, FORWARD, w + (i - w) / 2);
    return nth(p, BACKWARD, i - all);
}


/* choose the next piece */
static double duration(const struct Pipeline *p, enum Work work)
{
    const double of[] = { p->forward, p->backward, p->weights };
    const bool split = p->schedule == ZERO_BUBBLE;
    const double whole = work == BACKWARD && !split ? p->weights : 0;
    return (of[work] + whole) / p->chunks;
}

/* What a stage does next, and from when on it can; -1: nothing yet. */
static double choose(const struct State *s, int stage, struct Piece *x)
{
    const struct Pipeline *p = s->p;
    const double now = s->free[stage];
    double start = -1;
    if (s->next[stage] < 2 * p->micro * p->chunks) {
        *x = in_order(p, stage, s->next[stage]);
        const double from = ready(s, x, stage);
        start = from < 0 ? -1 : from > now ? from : now;
    }
    const struct Piece w = { WEIGHTS, s->next_weights[stage], 0, 0, 0 };
    if (p->schedule != ZERO_BUBBLE || w.micro == p->micro ||
        ready(s, &w, stage) < 0)
        return start;
    const bool full = x->work == FORWARD && s->kept[stage] >= p->stages;
    if (start < 0 || start > now || full) {
        *x = w;
        start = now;
    }
    return start;
}


/* run the pieces */
static void take(struct State *s, struct Timeline *t, int stage,
                 struct Piece x, double start)
{
    x.start = start;
    x.end = start + duration(s->p, x.work);
    *cell(s, x.work, stage, x.chunk, x.micro) = s->free[stage] = x.end;
    t->piece[stage][t->n[stage]++] = x;
    if (x.work == WEIGHTS)
        s->next_weights[stage]++;
    else
        s->next[stage]++;
    const enum Work last = s->p->schedule == ZERO_BUBBLE ? WEIGHTS
                                                         : BACKWARD;
    s->kept[stage] += (x.work == FORWARD) - (x.work == last);
    if (s->kept[stage] > t->kept[stage])
        t->kept[stage] = s->kept[stage];
    t->end = x.end > t->end ? x.end : t->end;
}


/* simulate a pipeline */
static bool check_pipeline(const struct Pipeline *p, struct Error *e)
{
    if (p->stages < 1 || p->stages > STAGES_MOST || p->micro < 1 ||
        p->micro > MICRO_MOST || p->chunks < 1 || p->chunks > CHUNKS_MOST)
        return error_set(e, "%d stages, %d micro-batches, %d chunks: at "
                         "most %d, %d and %d, and at least 1 of each",
                         p->stages, p->micro, p->chunks, STAGES_MOST,
                         MICRO_MOST, CHUNKS_MOST);
    if (p->chunks > 1 && p->schedule != INTERLEAVED)
        return error_set(e, "%d chunks of a stage: only the interleaved "
                         "schedule has more than 1", p->chunks);
    if (p->chunks > 1 && p->micro % p->stages)
        return error_set(e, "%d micro-batches: the interleaved schedule "
                         "needs a multiple of the %d stages", p->micro,
                         p->stages);
    return true;
}

static bool room_for(struct State *s, struct Timeline *t, struct Error *e)
{
    const size_t all = (size_t)(s->p->micro * s->p->chunks);
    bool ok = true;
    for (int k = 0; k < 3; k++) {
        const size_t cells = (size_t)s->p->stages * all;
        ok = (s->done[k] = malloc(cells * sizeof(double))) && ok;
        for (size_t i = 0; s->done[k] && i < cells; i++)
            s->done[k][i] = -1;
    }
    for (int i = 0; i < s->p->stages; i++)
        ok = (t->piece[i] = calloc(3 * all, sizeof **t->piece)) && ok;
    return ok || error_set(e, "no memory for %zu pieces of work", all);
}


bool pipeline_run(struct Timeline *t, const struct Pipeline *p,
                  struct Error *e)
{
    struct State s = { .p = p };
    memset(t, 0, sizeof *t);
    if (!check_pipeline(p, e))
        return false;
    bool ok = room_for(&s, t, e);
    for (int going = 1; ok && going;) {
        struct Piece first, x = { 0 };
        double earliest = -1;
        int who = -1;
        for (int stage = 0; stage < p->stages; stage++) {
            const double start = choose(&s, stage, &x);
            if (start >= 0 && (who < 0 || start < earliest)) {
                earliest = start;
                first = x;
                who = stage;
            }
        }
        going = who >= 0;
        if (going)
            take(&s, t, who, first, earliest);
    }
    const double busy = p->micro * (p->forward + p->backward + p->weights);
    t->bubble = t->end - busy;
    for (int k = 0; k < 3; k++)
        free(s.done[k]);
    if (!ok)
        timeline_free(t);
    return ok;
}

void timeline_free(struct Timeline *t)
{
    for (int i = 0; i < STAGES_MOST; i++)
        free(t->piece[i]);
    memset(t, 0, sizeof *t);
}
