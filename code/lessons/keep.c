/* Tangled from chapters/workshop/measuring-fusion.nw, "The planner of checkpoints".  Edit it there. */

#include "lessons/keep.h"

#include <stdlib.h>
#include <string.h>

#include "gpt2/model_bf16.h"

/* the rows of the trainer's table */
#define BIT(field) (1u << KEEP_##field)

/* An activation of the table, with GELU in its product's step. */
struct Row { const char *name; int written, reader, needed, redo; };

static int fused(int step, int with)
{
    return step == GELU ? with : step;
}

#define KEEP_ROW(field, kind, columns, written, reader, needed, redo) \
    { #field, written, reader, needed, redo },
static const struct Row rows[KEEP_ACTS] = { ACTS_LAYER(KEEP_ROW) };

/* list what operators and derivatives read */
/* What an operator reads when it runs forward, of its own layer. */
static const unsigned reads[LAYER_STEPS] = {
    [LN_1] = BIT(x), [QKV] = BIT(ln_1), [ATTENTION] = BIT(qkv),
    [PROJ] = BIT(att) | BIT(x), [LN_2] = BIT(mid), [FC] = BIT(ln_2),
    [GELU] = BIT(fc), [FC_PROJ] = BIT(gelu) | BIT(mid),
};

/* What its derivative reads; GELU's is part of the next product's. */
static const unsigned needs[LAYER_STEPS] = {
    [LN_1] = BIT(x) | BIT(mean_1) | BIT(rstd_1), [QKV] = BIT(ln_1),
    [ATTENTION] = BIT(qkv) | BIT(att) | BIT(lse), [PROJ] = BIT(att),
    [LN_2] = BIT(mid) | BIT(mean_2) | BIT(rstd_2), [FC] = BIT(ln_2),
    [FC_PROJ] = BIT(gelu) | BIT(fc),
};

/* when a dropped activation is made again */
/* The backward pass runs the steps from the last to the first.  again[s] =
 * the step before which operator s runs a second time, or BEFORE. */
static void remake(int *again, unsigned set)
{
    unsigned wanted = 0;                /* so far, and not kept */
    for (int s = 0; s < LAYER_STEPS; s++)
        again[s] = BEFORE;
    for (int now = LAYER_STEPS - 1; now >= 0; now--) {
        wanted |= needs[now] & ~set;
        for (int s = LAYER_STEPS - 1; s >= 0; s--)
            /* run operator s again, if its result is wanted */
            for (int a = 0; a < KEEP_ACTS && again[s] == BEFORE; a++)
                if (wanted >> a & 1 && rows[a].written == s) {
                    again[s] = now;
                    wanted |= reads[s] & ~set;
                }
    }
}

/* bytes alive in a step of the layer */
static size_t alive_forward(const struct KeepGraph *g, unsigned set,
                            int now)
{
    size_t bytes = now == FC_PROJ ? g->bytes[KEEP_x] : 0;  /* the next x */
    for (int a = 0; a < KEEP_ACTS; a++) {
        const int last = set >> a & 1 ? LAYER_STEPS : rows[a].reader;
        if (fused(rows[a].written, FC) <= now && now <= last)
            bytes += g->bytes[a];
    }
    return bytes;
}

#define KEEP_GRAD(field, kind, columns, written, reader) \
    { #field, written, reader, 0, 0 },
static const struct Row grads[KEEP_GRADS] = { GRADS_LAYER(KEEP_GRAD) };

static size_t alive_backward(const struct KeepGraph *g, unsigned set,
                             const int *again, int now)
{
    size_t bytes = g->dx;
    for (int a = 0; a < KEEP_ACTS; a++) {
        const int first = set >> a & 1 ? LAYER_STEPS
                                       : again[rows[a].written];
        if (fused(rows[a].needed, FC_PROJ) <= now && now <= first)
            bytes += g->bytes[a];
    }
    for (int d = 0; d < KEEP_GRADS; d++)
        if (grads[d].reader <= now && now <= grads[d].written)
            bytes += g->grad_bytes[d];
    return bytes;
}

/* the cost of a set */
struct KeepCost keep_cost(const struct KeepGraph *g, unsigned set)
{
    struct KeepCost cost = { 0, 0, 0 };
    int again[LAYER_STEPS];
    remake(again, set);
    for (int a = 0; a < KEEP_ACTS; a++)
        cost.kept += set >> a & 1 ? g->bytes[a] : 0;
    for (int s = 0; s < LAYER_STEPS; s++) {
        const size_t f = alive_forward(g, set, s);
        const size_t b = alive_backward(g, set, again, s);
        cost.peak = f > cost.peak ? f : cost.peak;
        cost.peak = b > cost.peak ? b : cost.peak;
        cost.seconds += again[s] == BEFORE ? 0 : g->seconds[s];
    }
    if (again[GELU] != BEFORE && again[FC] != BEFORE)
        cost.seconds += g->epilogue - g->seconds[GELU];
    return cost;
}

/* read the graph from the trainer's plan */
static size_t lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Forward once more, by what each operator moves or multiplies. */
static void price(struct KeepGraph *g, const struct Config *c, double N,
                  double T, const struct KeepRates *r)
{
    const double C = c->C, square = 2 * N * C * C / r->matmul_flop;
    const double tensor = 2 * N * C / r->bytes;         /* bf16, once */
    g->seconds[LN_1] = g->seconds[LN_2] = 2 * tensor;
    g->seconds[QKV] = 3 * square;
    g->seconds[ATTENTION] = 2 * N * C * T / r->attention_flop;
    g->seconds[PROJ] = square;
    g->seconds[FC] = 4 * square;
    g->seconds[GELU] = 8 * tensor;
    g->epilogue = 4 * tensor;
    g->seconds[FC_PROJ] = 4 * square;
}

#define ACT_BYTES(field, kind, columns, ...) \
    g->bytes[i++] = lines(N * (size_t)(columns) * sizeof(TYPE_##kind));
#define GRAD_BYTES(field, kind, columns, ...) \
    g->grad_bytes[d++] = lines(N * (size_t)(columns) * sizeof(TYPE_##kind));

bool keep_graph(struct KeepGraph *g, const struct Config *c, int B, int T,
                const struct KeepRates *rates, struct Error *e)
{
    const size_t N = (size_t)B * (size_t)T;
    const int C = c->C, NH = c->NH;
    const struct ModelOptions o = { .precision = BF16 };
    struct Model m;
    int i = 0, d = 0;
    *g = (struct KeepGraph){ .L = c->L };
    if (!model_describe(&m, c, B, T, true, &o, e)) {
        model_forget(&m);
        return false;
    }
    ACTS_LAYER(ACT_BYTES)
    GRADS_LAYER(GRAD_BYTES)
    /* dx, and the fullest step outside the layers */
    for (int s = fwd(c->L, LN_1); s <= bwd(c, c->L, LN_1); s++) {
        size_t bytes = 0;
        for (int k = 0; k < m.plan.n; k++) {
            const struct PlanItem *p = &m.plan.item[k];
            bytes += p->layer < 0 && p->from <= s && s <= p->to ? p->size_bytes
                                                                : 0;
        }
        g->ends = bytes > g->ends ? bytes : g->ends;
    }
    g->dx = g->bytes[KEEP_x];
    price(g, c, (double)N, T, rates);
    model_forget(&m);
    return true;
}

const char *keep_name(int act)
{
    return rows[act].name;
}

unsigned keep_mode(enum Recompute mode)
{
    unsigned set = 0;
    for (int a = 0; a < KEEP_ACTS; a++)
        set |= (unsigned)(rows[a].redo > (int)mode) << a;
    return set;
}

/* sets that no other set beats */
static bool beats(struct KeepCost a, struct KeepCost b)
{
    return a.kept <= b.kept && a.peak <= b.peak && a.seconds <= b.seconds;
}

/* Put a set in, unless one that is there beats it; take out what it
 * beats.  Returns the new number of sets. */
static int enter(unsigned *set, int n, int room, const struct KeepGraph *g,
                 unsigned more)
{
    const struct KeepCost cost = keep_cost(g, more);
    int left = 0;
    for (int i = 0; i < n; i++)
        if (beats(keep_cost(g, set[i]), cost))
            return n;
    for (int i = 0; i < n; i++)
        if (!beats(cost, keep_cost(g, set[i])))
            set[left++] = set[i];
    if (left < room)
        set[left++] = more;
    return left;
}

int keep_front(unsigned *set, int room, const struct KeepGraph *g)
{
    int n = 0;
    for (unsigned more = 0; more < 1u << KEEP_ACTS; more++)
        if (more & BIT(x))
            n = enter(set, n, room, g, more);
    /* sort the sets by seconds */
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && keep_cost(g, set[k]).seconds
                                 < keep_cost(g, set[k - 1]).seconds; k--) {
            const unsigned other = set[k];
            set[k] = set[k - 1];
            set[k - 1] = other;
        }
    return n;
}

/* add up a plan */
void keep_sum(struct KeepPlan *p, const struct KeepGraph *g)
{
    size_t before = 0;                  /* kept by the layers below */
    p->peak = 0;
    p->seconds = 0;
    for (int l = 0; l < g->L; l++) {
        const struct KeepCost cost = keep_cost(g, p->set[l]);
        if (before + cost.peak > p->peak)
            p->peak = before + cost.peak;
        before += cost.kept;
        p->seconds += cost.seconds;
    }
    if (before + g->ends > p->peak)
        p->peak = before + g->ends;
}

/* hold a list of labels */
/* The layers so far: what they keep, what they cost, the last one's set,
 * and the label of the layers before it. */
struct Label { size_t kept; double seconds; int set, from; };
struct Labels { int n, room; struct Label *at; };

static bool label_add(struct Labels *to, struct Label more)
{
    if (to->n == to->room) {
        const int room = to->room ? 2 * to->room : 256;
        void *at = realloc(to->at, (size_t)room * sizeof *to->at);
        if (!at)
            return false;
        to->at = at;
        to->room = room;
    }
    to->at[to->n++] = more;
    return true;
}

static int by_kept(const void *a, const void *b)
{
    const struct Label *x = a, *y = b;
    if (x->kept != y->kept)
        return x->kept < y->kept ? -1 : 1;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* extend every label by every set */
/* The labels of one layer more, without those that another one beats. */
static bool extend(struct Labels *to, const struct Labels *from,
                   const struct KeepCost *cost, int n, size_t limit)
{
    to->n = 0;
    for (int i = 0; i < from->n; i++)
        for (int k = 0; k < n; k++)
            if (from->at[i].kept + cost[k].peak <= limit
                && !label_add(to, (struct Label){
                        from->at[i].kept + cost[k].kept,
                        from->at[i].seconds + cost[k].seconds, k, i }))
                return false;
    if (to->n)
        qsort(to->at, (size_t)to->n, sizeof *to->at, by_kept);
    int left = 0;
    for (int i = 0; i < to->n; i++)
        if (left == 0 || to->at[i].seconds < to->at[left - 1].seconds)
            to->at[left++] = to->at[i];
    to->n = left;
    return true;
}

/* find the cheapest plan */
enum { MOST_SETS = 512 };

static bool search(struct KeepPlan *p, struct Labels *labels,
                   const struct KeepGraph *g, size_t limit, struct Error *e)
{
    unsigned set[MOST_SETS];
    struct KeepCost cost[MOST_SETS];
    const int n = keep_front(set, MOST_SETS, g);
    for (int k = 0; k < n; k++)
        cost[k] = keep_cost(g, set[k]);
    bool ok = label_add(&labels[0], (struct Label){ 0, 0, 0, 0 });
    for (int l = 0; ok && l < g->L; l++)
        ok = extend(&labels[l + 1], &labels[l], cost, n, limit);
    if (!ok)
        return error_set(e, "no memory for the plans of %d layers", g->L);
    const struct Labels *last = &labels[g->L];
    int i = last->n - 1;                /* the most kept, the cheapest */
    while (i >= 0 && last->at[i].kept + g->ends > limit)
        i--;
    if (i < 0)
        return error_set(e, "no plan fits %.2f GB", (double)limit / 1e9);
    for (int l = g->L; l > 0; i = labels[l--].at[i].from)
        p->set[l - 1] = set[labels[l].at[i].set];
    keep_sum(p, g);
    return true;
}

bool keep_best(struct KeepPlan *p, const struct KeepGraph *g, size_t limit,
               struct Error *e)
{
    struct Labels *labels = calloc((size_t)g->L + 1, sizeof *labels);
    if (!labels)
        return error_set(e, "no memory for the plans of %d layers", g->L);
    const bool ok = search(p, labels, g, limit, e);
    for (int l = 0; l <= g->L; l++)
        free(labels[l].at);
    free(labels);
    return ok;
}

/* count the steps of a chain */
int keep_chain(int steps, int slots)
{
    static int best[KEEP_CHAIN + 1];    /* of a chain of n, for s slots */
    static int fewer[KEEP_CHAIN + 1];   /* the same for s - 1           */
    for (int n = 1; n <= steps; n++)
        best[n] = n * (n - 1) / 2;      /* from the start each time */
    for (int s = 2; s <= slots; s++) {
        memcpy(fewer, best, sizeof best);
        for (int n = 2; n <= steps; n++)
            for (int k = 1; k < n; k++) {
                const int here = k + fewer[n - k] + best[k];
                best[n] = here < best[n] ? here : best[n];
            }
    }
    return best[steps];
}
