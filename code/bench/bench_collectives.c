/* Tangled from chapters/workshop/ranks.nw, "Measuring collectives".  Edit it there. */

/* bench-collectives: how long ranks need for a sum, by size. */
#include "backend/backend.h"
#include "base/args.h"
#include "base/clock.h"
#include "programs/ranks.h"

#include <stdio.h>
#include <stdlib.h>

/* list the collectives that are timed */
enum { GPUS_MOST = 1024 };

struct Work { struct Dist *d; real *in, *out; size_t n; };

static void reduce(const struct Work *w)
{
    dist_all_reduce(w->d, w->in, w->n);
}

static void scatter(const struct Work *w)
{
    dist_reduce_scatter(w->d, w->out, w->in, w->n / (size_t)w->d->world);
}

static void gather(const struct Work *w)
{
    dist_all_gather(w->d, w->in,
                    w->n / (size_t)w->d->world * sizeof *w->in);
}

static void exchange_all(const struct Work *w)
{
    dist_all_to_all(w->d, w->out, w->in,
                    w->n / (size_t)w->d->world * sizeof *w->in);
}


/* link: bytes that each link carries in a direction, in arrays, times
 * world - 1 over world. */
static const struct Collective {
    const char *name;
    void (*ask)(const struct Work *w);
    int link;
} collectives[] = {
    { "all-reduce", reduce, 2 }, { "reduce-scatter", scatter, 1 },
    { "all-gather", gather, 1 }, { "all-to-all", exchange_all, 1 },
};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };


/* check a sum before it is timed */
static real value(int rank, size_t i)
{
    return (real)(rank + 1) * (real)(i % 7);
}

static void check(struct Ranks *r, struct Work *w)
{
    enum { COUNT = 4096 };
    static real host[COUNT];
    const int world = r->dist.world;
    struct Error e;
    for (size_t i = 0; i < COUNT; i++)
        host[i] = value(r->dist.rank, i);
    backend_put(w->in, host, sizeof host);
    dist_all_reduce(w->d, w->in, COUNT);
    dist_join(w->d);
    if (!dist_wait(w->d, &e))
        ranks_fail(r, e.text);
    backend_get(host, w->in, sizeof host);
    for (size_t i = 0; i < COUNT; i++)
        if (!(host[i] == value(world * (world + 1) / 2 - 1, i)))
            fail("number %zu of a sum is %g, and should be %g", i,
                 (double)host[i],
                 (double)value(world * (world + 1) / 2 - 1, i));
}


/* time a collective */
enum { TIMES = 7 };

static double seconds(struct Ranks *r, const struct Collective *c,
                      const struct Work *w, int calls)
{
    struct Error e;
    char all[GPUS_MOST], mine = 0;
    if (!dist_wait(w->d, &e)
        || !dist_exchange(w->d, all, &mine, 1, &e))
        ranks_fail(r, e.text);
    const double start = now_s();
    for (int i = 0; i < calls; i++)
        c->ask(w);
    dist_join(w->d);
    if (!dist_wait(w->d, &e))
        ranks_fail(r, e.text);
    return (now_s() - start) / calls;
}


static int smaller(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(struct Ranks *r, const struct Collective *c,
                    const struct Work *w)
{
    double s[TIMES];
    const size_t bytes = w->n * sizeof *w->in;
    const int world = r->dist.world, calls = bytes > 1 << 26 ? 5 : 20;
    seconds(r, c, w, 2);                        /* the first is slow */
    for (int i = 0; i < TIMES; i++)
        s[i] = seconds(r, c, w, calls);
    qsort(s, TIMES, sizeof *s, smaller);
    printf("%s,%d,%zu,%.2f,%.2f,%.2f,%.1f\n", c->name, world, bytes,
           s[TIMES / 2] * 1e6, s[0] * 1e6, s[TIMES - 1] * 1e6,
           (double)bytes * c->link * (world - 1) / world
           / s[TIMES / 2] / 1e9);
    fflush(stdout);
}


/* main of bench-collectives */
static int gpus = 2, most_mb = 512;

static const struct Option options[] = {
    { "gpus", OPT_INT, &gpus, 2, GPUS_MOST, "N", "ranks, one a GPU",
      NULL },
    { "most", OPT_INT, &most_mb, 1, 4096, "MB", "largest array", NULL },
    { .type = OPT_END },
};

static const struct Usage usage = {
    "[--gpus N] [--most MB]",
    "Measure collectives of N ranks on this host, for arrays of 16 KiB\n"
    "and more: a row of CSV for each.", NULL,
};

static void run(struct Ranks *r)
{
    const size_t most = (size_t)most_mb << 20;
    struct Work w = { .d = &r->dist };
    w.in = backend_alloc(most, "an array");
    w.out = backend_alloc(most, "an array");
    backend_zero(w.in, most);
    backend_zero(w.out, most);
    check(r, &w);
    printf("collective,ranks,bytes,us,us_least,us_most,link_GBps\n");
    for (int c = 0; c < COLLECTIVES; c++)
        for (size_t bytes = 1 << 14; bytes <= most; bytes *= 4) {
            w.n = bytes / sizeof *w.in / (size_t)r->dist.world
                * (size_t)r->dist.world;
            measure(r, &collectives[c], &w);
        }
    backend_free(w.in);
    backend_free(w.out);
}


int main(int argc, char **argv)
{
    static struct Ranks ranks;
    char **again = malloc((size_t)(argc + 1) * sizeof *again);
    struct Error e;
    if (!again)
        fail("out of memory");
    for (int i = 0; i <= argc; i++)
        again[i] = argv[i];
    args_options(argc, argv, options, &usage);
    if (!place_from_environment(&ranks.place))
        launch_ranks(again, gpus, 0);
    ranks_join(&ranks, 60);
    run(&ranks);
    if (!backend_ok(&e))
        ranks_fail(&ranks, e.text);
    ranks_leave(&ranks);
    free(again);
    return 0;
}
