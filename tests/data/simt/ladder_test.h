/* What the tests of the ladders share: a command line, random numbers, and
 * arrays on the device between two guards. */
#ifndef TESTS_LADDER_TEST_H
#define TESTS_LADDER_TEST_H

#include "backend/cuda.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *only;    /* the second word of the rows to run, or NULL */

static bool wanted(const char *name)
{
    return !only || strcmp(only, name) == 0;
}

/* `PROGRAM check [WORD]` prints rows of TAP, `PROGRAM counts` the names of
 * what it launches. */
static int ladder_main(int argc, char **argv, void (*check)(void),
                       void (*counts)(void))
{
    only = argc > 2 ? argv[2] : NULL;
    if (argc > 1 && strcmp(argv[1], "counts") == 0)
        counts();
    else
        check();
    return 0;
}

enum { GUARD = 64 };                /* words before and behind an array */
static const uint32_t UNTOUCHED = 0x7fc0dead;           /* a NaN */

static uint32_t hash(uint32_t z)
{
    z = (z ^ (z >> 16)) * 0x85ebca6bu;
    z = (z ^ (z >> 13)) * 0xc2b2ae35u;
    return z ^ (z >> 16);
}

static void *room(size_t bytes)
{
    void *p = malloc(bytes + 16);
    if (!p)
        fail("no memory for %zu bytes", bytes);
    return p;
}

/* n numbers between -2 and 2 plus `more`, others for each seed; the caller
 * frees. */
static float *noise_new(size_t n, uint32_t seed, float more)
{
    float *x = (float *)room(n * 4);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(hash((uint32_t)i * 0x9e3779b9u + seed) >> 8)
             * 0x1p-22f - 2 + more;
    return x;
}

/* A copy on the device, for the caller to free. */
static void *device_copy(const void *h, size_t bytes)
{
    void *d;
    CUDA_OK(cudaMalloc(&d, bytes));
    CUDA_OK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
    return d;
}

/* n words on the device, all UNTOUCHED if h is NULL; x and words are the
 * same place. */
struct Guarded { uint32_t *all, *words; float *x; size_t n; };

static struct Guarded guarded_new(const void *h, size_t n)
{
    struct Guarded g = { NULL, NULL, NULL, n };
    uint32_t *words = (uint32_t *)room((n + 2 * GUARD) * 4);
    for (size_t i = 0; i < n + 2 * GUARD; i++)
        words[i] = UNTOUCHED;
    if (h)
        memcpy(words + GUARD, h, n * 4);
    g.all = (uint32_t *)device_copy(words, (n + 2 * GUARD) * 4);
    g.words = g.all + GUARD;
    g.x = (float *)g.words;
    free(words);
    return g;
}

/* What is in it now; *hurt: how many words of the guards have changed.  The
 * device's memory is freed, the result is the caller's to free. */
static uint32_t *guarded_words(struct Guarded *g, int *hurt)
{
    uint32_t *h = (uint32_t *)room((g->n + 2 * GUARD) * 4);
    CUDA_OK(cudaMemcpy(h, g->all, (g->n + 2 * GUARD) * 4,
                       cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < GUARD; i++)
        *hurt += (h[i] != UNTOUCHED) + (h[GUARD + g->n + i] != UNTOUCHED);
    memmove(h, h + GUARD, g->n * 4);
    CUDA_OK(cudaFree(g->all));
    g->all = NULL;
    return h;
}

static float *guarded_take(struct Guarded *g, int *hurt)
{
    return (float *)guarded_words(g, hurt);
}

static void guarded_free(struct Guarded *g, int *hurt)
{
    free(guarded_words(g, hurt));
}

/* Is it what it should be?  A NaN only where a NaN should be, and then not
 * the one that was there before. */
static bool near(float is, double should, double allowed)
{
    uint32_t bits;
    memcpy(&bits, &is, 4);
    if (isnan(should))
        return isnan(is) && bits != UNTOUCHED;
    return fabs(is - should) <= allowed;
}

#endif
