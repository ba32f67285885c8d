/* Tangled from chapters/beyond/many-gpus.nw, "Buckets, and the overlap with the backward pass".  Edit it there. */

#include "gpt2/share.h"

#include <stdlib.h>
#include "backend/backend.h"
#include "base/clock.h"
#include "ops/operators.h"

/* decide the buckets */
static size_t unit_of(const struct Share *s)
{
    return GRAD_UNIT * (size_t)share_world(s);
}

static size_t round_up(size_t x, size_t to)
{
    return (x + to - 1) / to * to;
}

size_t share_part(const struct ParamTable *t, int ranks)
{
    return round_up(t->total, GRAD_UNIT * (size_t)ranks) / (size_t)ranks;
}

static void add_bucket(struct Share *s, size_t from, size_t to)
{
    s->bucket[s->buckets++] = (struct Bucket){ from, to, s->own };
    s->own += (to - from) / (size_t)share_world(s);
}


/* One ends where a layer does, when it is large enough. */
static void cut_buckets(struct Share *s)
{
    const struct Model *m = s->model;
    const size_t unit = unit_of(s);
    const size_t least = s->config.bucket_bytes / sizeof(real);
    size_t to = round_up(m->table.total, unit);
    for (int l = m->config.L - 1; l >= 0; l--) {
        const size_t from = round_up((size_t)(m->g.h[l].ln_1_w
                                              - m->g.base), unit);
        if (from >= to || to - from < least)
            continue;
        add_bucket(s, from, to);
        to = from;
    }
    add_bucket(s, 0, to);
}


/* send what is ready */
static void send_bucket(struct Share *s, const struct Bucket *b)
{
    const size_t n = b->to - b->from;
    real *g = s->model->g.base + b->from;
    if (s->config.shards)
        dist_reduce_scatter(s->config.dist, s->sum + b->own, g,
                            n / (size_t)share_world(s));
    else
        dist_all_reduce(s->config.dist, g, n);
}

/* The model calls this when its gradients from number `from` on are
 * final. */
static void gradients_ready(void *arg, size_t from)
{
    struct Share *s = arg;
    while (s->sent < s->buckets && s->bucket[s->sent].from >= from)
        send_bucket(s, &s->bucket[s->sent++]);
    if (from == 0)
        dist_join(s->config.dist);
}


/* add in the order of the micro-batches */
/* sum += the parts that all ranks have of bucket b for this one. */
static void add_in_order(struct Share *s, const struct Bucket *b, int k)
{
    const int world = share_world(s);
    const size_t n = (b->to - b->from) / (size_t)world;
    real *sum = s->sum + b->own;
    dist_all_to_all(s->config.dist, s->parts, s->model->g.base + b->from,
                    n * sizeof *sum);
    dist_join(s->config.dist);
    for (int r = 0; r < world; r++) {
        const real *x = s->parts + (size_t)r * n;
        if (k == 0 && r == 0)
            backend_copy(sum, x, n * sizeof *sum);
        else
            residual_fwd(sum, sum, x, n);
    }
}


/* The sums go to all ranks, and become the gradient. */
static void spread_sum(struct Share *s, const struct Bucket *b)
{
    const size_t n = (b->to - b->from) / (size_t)share_world(s);
    real *to = s->model->g.base + b->from;
    backend_copy(to + (size_t)share_rank(s) * n, s->sum + b->own,
                 n * sizeof *to);
    dist_all_gather(s->config.dist, to, n * sizeof *to);
}


/* share the gradient of a micro-batch */
int share_world(const struct Share *s)
{
    return s->config.dist ? s->config.dist->world : 1;
}

int share_rank(const struct Share *s)
{
    return s->config.dist ? s->config.dist->rank : 0;
}

bool share_adds(const struct Share *s, int k)
{
    return k > 0 && !s->config.fixed;
}

static bool overlaps(const struct Share *s)
{
    return !s->config.fixed && !s->config.late
        && s->config.dist->calls->overlaps;
}


void share_begin(struct Share *s, bool last)
{
    s->sent = 0;
    s->begun_s = now_s();
    if (!s->config.dist)
        return;
    s->early = last && overlaps(s) && !s->look;
    s->model->ready = (struct GradientsReady){
        s->early ? gradients_ready : NULL, s };
}

void share_end(struct Share *s, int k, bool last)
{
    if (!s->config.dist)
        return;
    profile_range("sum over ranks");
    if (s->look) {
        backend_wait();
        s->own_s += now_s() - s->begun_s;
    }
    if (last && !s->config.fixed && !s->early)
        gradients_ready(s, 0);
    if (!s->config.fixed)
        return;
    for (int i = 0; i < s->buckets; i++)
        add_in_order(s, &s->bucket[i], k);
    for (int i = 0; last && i < s->buckets; i++)
        spread_sum(s, &s->bucket[i]);
    dist_join(s->config.dist);
}


void share_exchange(struct Share *s)
{
    s->sent = 0;
    s->early = false;
    share_end(s, 0, true);
}


/* create and free a share */
static bool reserve(struct Share *s, struct Error *e)
{
    size_t largest = 0;
    if (s->config.fixed || s->config.shards)
        s->sum = backend_alloc(s->own * sizeof *s->sum,
                               "the sums of gradients");
    if (!s->config.fixed)
        return backend_ok(e);
    for (int i = 0; i < s->buckets; i++)
        if (s->bucket[i].to - s->bucket[i].from > largest)
            largest = s->bucket[i].to - s->bucket[i].from;
    s->parts = backend_alloc(largest * sizeof *s->parts,
                             "the gradients of other ranks");
    return backend_ok(e);
}


bool share_create(struct Share *s, const struct ShareConfig *config,
                  struct Model *m, struct Error *e)
{
    *s = (struct Share){ .config = *config, .model = m };
    if (!config->dist)
        return true;
    if (config->dist->world > GRAD_RANKS)
        return error_set(e, "%d ranks; the gradients have room for %d",
                         config->dist->world, GRAD_RANKS);
    s->bucket = calloc((size_t)m->config.L + 1, sizeof *s->bucket);
    if (!s->bucket)
        return error_set(e, "no memory for a list of buckets");
    cut_buckets(s);
    const struct ModelUse u = model_use(m);
    const bool good = reserve(s, e);
    model_unuse(m, u);
    return good;
}

void share_free(struct Share *s)
{
    if (s->model) {
        const struct ModelUse u = model_use(s->model);
        backend_free(s->sum);
        backend_free(s->parts);
        model_unuse(s->model, u);
    }
    free(s->bucket);
    *s = (struct Share){ 0 };
}
