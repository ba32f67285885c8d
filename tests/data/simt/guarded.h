/* Arrays on the device between two guards, and rows of TAP; for the tests of
 * the ladders of fusion and recomputation. */
#ifndef TESTS_GUARDED_H
#define TESTS_GUARDED_H

#include "backend/cuda.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* n words on the device, all UNTOUCHED if h is NULL. */
struct Guarded { uint32_t *all; float *x; size_t n; };

static struct Guarded guarded_new(const void *h, size_t n)
{
    struct Guarded g = { NULL, NULL, n };
    uint32_t *words = (uint32_t *)room((n + 2 * GUARD) * 4);
    for (size_t i = 0; i < n + 2 * GUARD; i++)
        words[i] = UNTOUCHED;
    if (h)
        memcpy(words + GUARD, h, n * 4);
    CUDA_OK(cudaMalloc(&g.all, (n + 2 * GUARD) * 4));
    CUDA_OK(cudaMemcpy(g.all, words, (n + 2 * GUARD) * 4,
                       cudaMemcpyHostToDevice));
    g.x = (float *)(g.all + GUARD);
    free(words);
    return g;
}

/* What is in it now; *hurt: how many words of the guards have changed.  The
 * device's memory is freed, the result is the caller's to free. */
static float *guarded_take(struct Guarded *g, int *hurt)
{
    uint32_t *h = (uint32_t *)room((g->n + 2 * GUARD) * 4);
    CUDA_OK(cudaMemcpy(h, g->all, (g->n + 2 * GUARD) * 4,
                       cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < GUARD; i++)
        *hurt += (h[i] != UNTOUCHED) + (h[GUARD + g->n + i] != UNTOUCHED);
    memmove(h, h + GUARD, g->n * 4);
    CUDA_OK(cudaFree(g->all));
    g->all = NULL;
    return (float *)h;
}

static void guarded_free(struct Guarded *g, int *hurt)
{
    free(guarded_take(g, hurt));
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
