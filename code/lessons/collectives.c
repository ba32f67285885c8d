/* Tangled from chapters/workshop/exchange.nw, "collectives: one collective, its links and its time".  Edit it there. */

/* collectives: run one collective, count what each link carries. */
#include "base/args.h"
#include "base/clock.h"
#include "dist/collectives/cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the options of collectives: limits */
enum { TRACE_MOST = 16, STEPS_MOST = 64, ROUNDS_MOST = 1000 };

/* the options of collectives */
static int ranks = 4, count = 4, rounds;
static double alpha_us = 5, rate_gbs = 25;
static const char *name = "all-reduce", *algorithm = "ring",
                  *over = "shared";
static bool trace;

static const struct Option options[] = {
    { "ranks", OPT_INT, &ranks, 1, RANKS_MAX, "P", "processes", NULL },
    { "count", OPT_INT, &count, 0, 1 << 28, "N", "floats in each", NULL },
    { "collective", OPT_STRING, &name, 0, 0, "NAME", "broadcast, reduce-sc"
      "atter, all-gather, all-reduce or all-to-all", NULL },
    { "algorithm", OPT_STRING, &algorithm, 0, 0, "NAME", "ring; flat, tree,"
      " chain; direct; tree, doubling, halving; pairs", NULL },
    { "over", OPT_CHOICE, &over, 0, 0, "shared|sockets",
      "how the bytes travel", NULL },
    { "alpha", OPT_DOUBLE, &alpha_us, 0, 1e6, "US",
      "microseconds of a message in the model", NULL },
    { "rate", OPT_DOUBLE, &rate_gbs, 1e-6, 1e6, "GB/S",
      "bandwidth of a link in the model", NULL },
    { "trace", OPT_FLAG, &trace, 0, 0, NULL,
      "print what each rank holds after each step", NULL },
    { "time", OPT_INT, &rounds, 1, ROUNDS_MOST, "N",
      "time N rounds on this machine", NULL },
    { .type = OPT_END },
};

static const struct Usage usage = {
    "[options]", "Run one collective and count what each link carries.",
    NULL
};

/* what the ranks report */
struct Report {
    struct Sent sent[RANKS_MAX][RANKS_MAX];
    double clock_s[RANKS_MAX];
    double round_s[ROUNDS_MOST][RANKS_MAX];
    int steps[RANKS_MAX];
    float held[STEPS_MOST][RANKS_MAX][TRACE_MOST];
};

static struct Report *report;           /* shared by all ranks */

/* note what a rank holds after a step */
static void note_step(struct World *w, const float *x, size_t n)
{
    int *step = &report->steps[w->rank];
    if (*step < STEPS_MOST)
        memcpy(report->held[(*step)++][w->rank], x, n * sizeof *x);
}

static void fill(const struct World *w, float *x)
{
    float ten = 1;
    for (int r = 0; r < w->rank; r++)
        ten *= 10;
    for (int i = 0; i < count; i++)
        x[i] = trace ? ten * (float)(i + 1) : (float)(i % 7);
}


/* run the collective in a rank */
static bool be_one(struct World *w, void *argument, struct Error *e)
{
    const struct Collective *c = argument;
    float *x = calloc((size_t)count + 1, sizeof *x);
    if (!x)
        return error_set(e, "no memory for %d floats", count);
    fill(w, x);
    if (trace) {
        w->after_step = note_step;
        note_step(w, x, (size_t)count);
    }
    bool ok = c->run(w, x, (size_t)count, e);
    memcpy(report->sent[w->rank], w->sent, sizeof w->sent);
    report->clock_s[w->rank] = w->clock_s;
    w->after_step = NULL;
    for (int i = 0; ok && i < rounds; i++) {
        ok = barrier(w, e);
        const double start = now_s();
        ok = ok && c->run(w, x, (size_t)count, e);
        report->round_s[i][w->rank] = now_s() - start;
    }
    free(x);
    return ok;
}


/* print what the ranks held */
static void print_trace(void)
{
    for (int s = 0; s < STEPS_MOST && s < report->steps[0]; s++)
        for (int i = 0; i < count; i++) {
            if (i > 0)
                printf("%8s", "");
            else if (s == 0)
                printf("\nstart   ");
            else
                printf("\nstep %-3d", s);
            for (int r = 0; r < ranks; r++)
                printf(" %6g", report->held[s][r][i]);
            printf("\n");
        }
    printf("\n");
}


/* print what the links carried */
static bool print_links(const struct Collective *c)
{
    bool same = true;
    struct Sent *link = calloc((size_t)(ranks * ranks), sizeof *link);
    if (!link)
        fail("no memory for %d links", ranks * ranks);
    c->links(link, ranks, (size_t)count);
    printf("   link      messages        bytes   by the formula\n");
    for (int r = 0; r < ranks; r++)
        for (int q = 0; q < ranks; q++) {
            const struct Sent is = report->sent[r][q];
            const struct Sent should = link[r * ranks + q];
            same = same && is.messages == should.messages
                && is.bytes == should.bytes;
            if (is.messages || should.messages)
                printf("%3d -> %-3d %10llu %12llu   %llu, %llu\n", r, q,
                       (unsigned long long)is.messages,
                       (unsigned long long)is.bytes,
                       (unsigned long long)should.messages,
                       (unsigned long long)should.bytes);
        }
    free(link);
    return same;
}


/* print the times */
static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double slowest(const double *of_ranks)
{
    double s = 0;
    for (int r = 0; r < ranks; r++)
        s = of_ranks[r] > s ? of_ranks[r] : s;
    return s;
}

static void print_times(const struct Collective *c)
{
    const struct Link link = { alpha_us * 1e-6, 1e-9 / rate_gbs };
    printf("model: %.4g us, by the formula %.4g us\n",
           1e6 * slowest(report->clock_s),
           1e6 * cost_seconds(c->cost(ranks, 4.0 * count), link));
    double took[ROUNDS_MOST];
    for (int i = 0; i < rounds; i++)
        took[i] = slowest(report->round_s[i]);
    if (rounds == 0)
        return;
    qsort(took, (size_t)rounds, sizeof *took, by_size);
    printf("here: %.4g us, median of %d rounds, %.4g to %.4g\n",
           1e6 * took[rounds / 2], rounds, 1e6 * took[0],
           1e6 * took[rounds - 1]);
}

int main(int argc, char **argv)
{
    args_options(argc, argv, options, &usage);
    const struct Collective *c = collective_named(name, algorithm);
    if (!c)
        misuse("--collective %s --algorithm %s: there is no such pair; "
               "--help lists them", name, algorithm);
    if (trace && count > TRACE_MOST)
        misuse("--trace --count %d: at most %d floats can be printed",
               count, TRACE_MOST);
    report = ranks_shared(sizeof *report);
    if (!report)
        fail("no shared memory for the report");
    /* run it and print */
    struct Error e = { "" };
    const struct Launch l = {
        .ranks = ranks, .over = strcmp(over, "sockets") == 0 ? OVER_SOCKETS
                                                             : OVER_SHARED,
        .links.near = { alpha_us * 1e-6, 1e-9 / rate_gbs },
        .body = be_one, .argument = (void *)(uintptr_t)c };
    if (!ranks_run(&l, NULL, &e))
        fail("%s", e.text);
    printf("%s, %s: %d ranks, %d floats in each\n", c->name, c->algorithm,
           ranks, count);
    if (trace)
        print_trace();
    const bool same = print_links(c);
    print_times(c);
    if (!same)
        fail("the links did not carry what the formula says");
    return 0;
}
