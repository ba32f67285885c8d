/* Tangled from chapters/workshop/measuring-a-cpu.nw, "A time".  Edit it there. */

#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stdlib.h>

enum { MAX_RUNS = 200 };

/* The times of up to MAX_RUNS runs, in seconds, the fastest first. */
struct Sample {
    int runs;
    double s[MAX_RUNS];
};

static inline int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void sample_add(struct Sample *t, double seconds)
{
    if (t->runs < MAX_RUNS)
        t->s[t->runs++] = seconds;
    qsort(t->s, (size_t)t->runs, sizeof *t->s, by_size);
}

static inline double median(const struct Sample *t)
{
    return t->s[t->runs / 2];
}

static inline double fastest(const struct Sample *t) { return t->s[0]; }

static inline double slowest(const struct Sample *t)
{
    return t->s[t->runs - 1];
}

#endif
