/* Numbers that the tests of bf16 operators hand to them: where the operators
 * run and here, between guards.  Included after rows.h. */
#ifndef TESTS_TENSOR_H
#define TESTS_TENSOR_H

#include "ops/kernels/bf16.h"
#include "backend/backend.h"

#pragma GCC diagnostic ignored "-Wunused-function"

/* ours: where the operators run, `each` bytes a number (2: bf16, 4: float);
 * host: the same bytes and the guards around them; plain and exact: what it
 * should hold, in float and in double, and at first what was sent.  A
 * tensor of zeros ({ 0 }) is one that a test does without: ours is NULL. */
struct Tensor {
    const char *name;
    size_t n, each;
    void *ours;
    unsigned char *host;
    float *plain;
    double *exact;
};

static double tensor_at(const struct Tensor *t, size_t i)
{
    const unsigned char *p = t->host + GUARD_BYTES + t->each * i;
    float f;
    bf16 h;
    if (t->each == 4) {
        memcpy(&f, p, 4);
        return f;
    }
    memcpy(&h, p, 2);
    return bf16_to_float(h);
}

static void tensor_set(struct Tensor *t, size_t i, double x)
{
    const float f = (float)x;
    const bf16 h = float_to_bf16(f);
    memcpy(t->host + GUARD_BYTES + t->each * i,
           t->each == 4 ? (const void *)&f : (const void *)&h, t->each);
    t->plain[i] = (float)tensor_at(t, i);
    t->exact[i] = tensor_at(t, i);
}

static size_t tensor_bytes(const struct Tensor *t)
{
    return t->n * t->each + 2 * GUARD_BYTES;
}

static unsigned char *tensor_block(const struct Tensor *t)
{
    return (unsigned char *)t->ours - GUARD_BYTES;
}

static void tensor_send(struct Tensor *t)
{
    backend_put(tensor_block(t), t->host, tensor_bytes(t));
}

/* Fetch it, and look at the guards. */
static void tensor_fetch(struct Tensor *t)
{
    backend_get(t->host, tensor_block(t), tensor_bytes(t));
    if (!backend_ok(NULL))
        fail_msg("%s", backend_current()->failure);
    const unsigned char *end = t->host + tensor_bytes(t) - GUARD_BYTES;
    for (size_t i = 0; i < GUARD_BYTES; i++)
        if (t->host[i] != GUARD || end[i] != GUARD)
            fail_msg("%s: %s was written", t->name, t->host[i] != GUARD
                     ? "what lies before it" : "what lies behind it");
}

/* n numbers shift + size * [-1, 1); NaN if that is NaN. */
static struct Tensor tensor(const char *name, size_t each, size_t n,
                            uint64_t seed, double shift, double size)
{
    struct Tensor t = { .name = name, .n = n, .each = each };
    const size_t bytes = tensor_bytes(&t);
    t.ours = (unsigned char *)backend_alloc(bytes, name) + GUARD_BYTES;
    t.host = malloc(bytes);
    t.plain = malloc((n + 1) * sizeof *t.plain);
    t.exact = malloc((n + 1) * sizeof *t.exact);
    if (!t.host || !t.plain || !t.exact)
        fail_msg("no memory for %s", name);
    memset(t.host, GUARD, bytes);
    for (size_t i = 0; i < n; i++)
        tensor_set(&t, i, shift + size * noise(seed, i));
    tensor_send(&t);
    return t;
}

static struct Tensor out16(const char *name, size_t n)
{
    return tensor(name, 2, n, 0, NAN, 0);
}

static struct Tensor out32(const char *name, size_t n)
{
    return tensor(name, 4, n, 0, NAN, 0);
}

/* Nothing but NaN where the operators run: what is not written shows. */
static void tensor_clear(struct Tensor *t)
{
    memset(t->host + GUARD_BYTES, 0xff, t->n * t->each);
    tensor_send(t);
}

/* Look at the guards once more, then free. */
static void tensor_free(struct Tensor *t)
{
    if (!t->ours)
        return;
    tensor_fetch(t);
    backend_free(tensor_block(t));
    free(t->host);
    free(t->plain);
    free(t->exact);
    t->ours = NULL;
}

#endif
