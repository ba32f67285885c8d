/* Tangled from chapters/beyond/many-gpus.nw, "Dividing the optimiser: ZeRO".  Edit it there. */

#include "gpt2/shards.h"

#include <stdlib.h>
#include "backend/backend.h"
#include "ops/adamw/adamw.h"

/* find this rank's part of a bucket */
static size_t part_size(const struct Shards *s, const struct Bucket *b)
{
    return (b->to - b->from) / (size_t)share_world(s->share);
}

static size_t part_from(const struct Shards *s, const struct Bucket *b)
{
    return b->from + (size_t)share_rank(s->share) * part_size(s, b);
}

static struct Model *model_of(const struct Shards *s)
{
    return s->optimizer->model;
}


/* list the tensors in this rank's parts */
static int add_spans(struct Shards *s, const struct Bucket *b, int n)
{
    const struct Model *m = model_of(s);
    const bf16 *copy = model_copy_of(m, 0);
    const size_t lo = part_from(s, b), hi = lo + part_size(s, b);
    for (int i = 0; i < m->table.n; i++) {
        const struct Param *p = &m->table.row[i];
        const size_t from = p->offset > lo ? p->offset : lo;
        const size_t end = p->offset + p->size;
        const size_t to = end < hi ? end : hi;
        if (from >= to)
            continue;
        const size_t at = copy ? (size_t)(model_copy_of(m, i) - copy) : 0;
        s->span[n++] = (struct AdamwSpan){
            .offset = from - lo, .size = to - from, .decays = p->decay,
            .offset16 = copy ? at + (from - p->offset) : 0 };
    }
    return n;
}

static void list_parts(struct Shards *s)
{
    for (int i = 0; i < s->share->buckets; i++)
        s->first[i + 1] = add_spans(s, &s->share->bucket[i], s->first[i]);
}


/* take the weights that were given to the model */
/* own = this rank's parts of the host's numbers. */
static void take_parts(const struct Shards *s, real *own, const real *host)
{
    for (int i = 0; i < s->share->buckets; i++) {
        const struct Bucket *b = &s->share->bucket[i];
        backend_put(own + b->own, host + part_from(s, b),
                    part_size(s, b) * sizeof *own);
    }
}

static void take_weights(struct Shards *s)
{
    struct Model *m = model_of(s);
    if (!m->changed)
        return;
    if (s->w && m->masters)
        take_parts(s, s->w, m->masters);
    else if (s->w)
        backend_failed("the fp32 weights of this rank are not known");
    free(m->masters);
    m->masters = NULL;
    m->changed = false;
}


/* move this rank's part of a bucket */
static void move_part(struct Shards *s, int i, const struct AdamwStep *step)
{
    const struct Bucket *b = &s->share->bucket[i];
    const struct Optimizer *o = s->optimizer;
    struct Model *m = model_of(s);
    real *w = s->w ? s->w + b->own
            : m->w.base ? m->w.base + part_from(s, b) : NULL;
    adamw_all(w, model_copy_of(m, 0), o->m + b->own, o->v + b->own,
              s->share->sum + b->own, s->span + s->first[i],
              s->first[i + 1] - s->first[i], step);
}


/* give the new weights to all ranks */
/* Numbers from .. to - 1 of the bf16 weights, to or from the line, whose
 * first is number `first`. */
static void copy_piece(const struct Shards *s, size_t first, size_t from,
                       size_t to, size_t shift, bool out)
{
    bf16 *at = model_copy_of(model_of(s), 0) + from + shift;
    bf16 *line = s->line + (from - first);
    if (from < to)
        backend_copy(out ? line : at, out ? at : line,
                     (to - from) * sizeof *at);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}


/* The bucket whose weights are in two pieces, before and after the rows
 * of zeros that follow wte: through a line. */
static void give_in_two(struct Shards *s, const struct Bucket *b,
                        size_t split, size_t shift)
{
    const size_t n = part_size(s, b), lo = part_from(s, b), hi = lo + n;
    copy_piece(s, b->from, lo, least(hi, split), 0, true);
    copy_piece(s, b->from, most(lo, split), hi, shift, true);
    dist_all_gather(s->share->config.dist, s->line, n * sizeof *s->line);
    dist_join(s->share->config.dist);
    copy_piece(s, b->from, b->from, split, 0, false);
    copy_piece(s, b->from, split, b->to, shift, false);
}


static void give_part(struct Shards *s, const struct Bucket *b)
{
    struct Dist *d = s->share->config.dist;
    const struct Model *m = model_of(s);
    const size_t n = part_size(s, b), split = m->table.row[1].offset;
    bf16 *copy = model_copy_of(m, 0);
    if (!copy) {
        dist_all_gather(d, m->w.base + b->from, n * sizeof(real));
        return;
    }
    const size_t shift = (size_t)(model_copy_of(m, 1) - copy) - split;
    if (b->from < split && b->to > split && shift > 0)
        give_in_two(s, b, split, shift);
    else
        dist_all_gather(d, copy + b->from + (b->from < split ? 0 : shift),
                        n * sizeof *copy);
}


/* take a step with all parts */
void shards_step(struct Shards *s, const struct AdamwStep *step)
{
    take_weights(s);
    for (int i = 0; i < s->share->buckets; i++) {
        move_part(s, i, step);
        give_part(s, &s->share->bucket[i]);
    }
    dist_join(s->share->config.dist);
}

void shards_give(struct Shards *s)
{
    if (!s->optimizer)
        return;
    for (int i = 0; i < s->share->buckets; i++)
        give_part(s, &s->share->bucket[i]);
    dist_join(s->share->config.dist);
}


/* bring all parts together on the host */
/* The gradients' memory, idle between steps, holds them on the way. */
static bool collect(const struct Shards *s, const real *own, real *host,
                    struct Error *e)
{
    struct Dist *d = s->share->config.dist;
    const struct Model *m = model_of(s);
    real *all = m->g.base;
    for (int i = 0; i < s->share->buckets; i++) {
        const struct Bucket *b = &s->share->bucket[i];
        const size_t bytes = part_size(s, b) * sizeof *own;
        backend_copy(all + part_from(s, b), own + b->own, bytes);
        dist_all_gather(d, all + b->from, bytes);
    }
    dist_join(d);
    if (!dist_wait(d, e))
        return false;
    if (host)
        backend_get(host, all, m->table.total * sizeof *all);
    return model_ok(m, e);
}


static bool room(real **to, const struct Model *m, struct Error *e)
{
    if (!*to)
        *to = calloc(m->table.total + RANKS_ROOM, sizeof **to);
    return *to || error_set(e, "no memory for a copy of %zu numbers",
                            m->table.total);
}

bool shards_expect(const struct Shards *s, struct Error *e)
{
    struct Optimizer *o = s->optimizer;
    return !o || ((!s->w || room(&o->model->masters, o->model, e))
                  && room(&o->host_m, o->model, e)
                  && room(&o->host_v, o->model, e));
}


bool shards_collect(const struct Shards *s, struct Error *e)
{
    struct Optimizer *o = s->optimizer;
    if (!o)
        return true;
    const bool first = share_rank(s->share) == 0;
    if (first && !shards_expect(s, e))
        return false;
    const struct ModelUse u = model_use(o->model);
    const bool good = (!s->w || collect(s, s->w, first ? o->model->masters
                                                       : NULL, e))
        && collect(s, o->m, first ? o->host_m : NULL, e)
        && collect(s, o->v, first ? o->host_v : NULL, e);
    model_unuse(o->model, u);
    return good;
}


/* forget the host's copies */
void shards_drop(const struct Shards *s)
{
    struct Optimizer *o = s->optimizer;
    if (!o)
        return;
    free(o->host_m);
    free(o->host_v);
    free(o->model->masters);
    o->host_m = o->host_v = o->model->masters = NULL;
}

bool shards_spread(struct Shards *s, struct Error *e)
{
    struct Optimizer *o = s->optimizer;
    if (!o)
        return true;
    const struct ModelUse u = model_use(o->model);
    take_parts(s, o->m, o->host_m);
    take_parts(s, o->v, o->host_v);
    take_weights(s);
    model_unuse(o->model, u);
    shards_drop(s);
    return model_ok(o->model, e);
}


/* create and free shards */
static bool reserve(struct Shards *s, struct Error *e)
{
    struct Model *m = model_of(s);
    const struct Share *share = s->share;
    const bool copies = model_copy_of(m, 0) != NULL;
    size_t largest = 0;
    for (int i = 0; i < share->buckets; i++)
        largest = most(largest, share->bucket[i].to
                                - share->bucket[i].from);
    if (copies)
        s->line = backend_alloc(largest * sizeof *s->line,
                                "the weights of other ranks");
    if (copies && !m->options.no_master)
        s->w = backend_alloc(share->own * sizeof *s->w,
                             "the fp32 weights");
    return model_ok(m, e) && (!s->w || room(&m->masters, m, e));
}


bool shards_create(struct Shards *s, struct Optimizer *o,
                   struct Share *share, struct Error *e)
{
    *s = (struct Shards){ 0 };
    if (!share->config.shards)
        return true;
    *s = (struct Shards){ .optimizer = o, .share = share };
    const int spans = o->model->table.n + share->buckets;
    s->span = calloc((size_t)spans, sizeof *s->span);
    s->first = calloc((size_t)share->buckets + 1, sizeof *s->first);
    if (!s->span || !s->first)
        return error_set(e, "no memory for a list of %d parts", spans);
    list_parts(s);
    o->shards = s;
    const struct ModelUse u = model_use(o->model);
    const bool good = reserve(s, e);
    model_unuse(o->model, u);
    return good;
}

void shards_free(struct Shards *s)
{
    if (s->optimizer) {
        const struct ModelUse u = model_use(model_of(s));
        backend_free(s->w);
        backend_free(s->line);
        model_unuse(model_of(s), u);
        shards_drop(s);
        s->optimizer->shards = NULL;
    }
    free(s->span);
    free(s->first);
    *s = (struct Shards){ 0 };
}
