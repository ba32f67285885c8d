/* Tangled from chapters/workshop/timing-operators.nw, "The backend".  Edit it there. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "backend/backend.h"
#include "backend/hugepages.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"

/* memory of the host */
static void *host_alloc(struct Backend *b, size_t bytes, const char *what)
{
    (void)b;
    void *p = hugepages_alloc(bytes);
    if (!p)
        backend_failed("no memory for %s: %.1f MB asked for; use a smaller "
                       "batch, a shorter sequence or a smaller model",
                       what, (double)bytes / 1e6);
    return p;
}

static void host_free(struct Backend *b, void *p)
{
    (void)b;
    free(p);
}

static void host_zero(struct Backend *b, void *p, size_t bytes)
{
    (void)b;
    memset(p, 0, bytes);
}

static void host_copy(struct Backend *b, void *to, const void *from,
                      size_t bytes)
{
    (void)b;
    memmove(to, from, bytes);
}

/* copies on the host */
static void copy_over(struct Backend *b, void *to, const void *from,
                      size_t bytes)
{
    (void)b;
    memcpy(to, from, bytes);
}

static void *lend(struct Backend *b, const void *p, size_t bytes,
                  bool blank)
{
    (void)b, (void)bytes, (void)blank;
    return (void *)(uintptr_t)p;
}

static void take_back(struct Backend *b, void *p, void *host, size_t bytes,
                      bool changed)
{
    (void)b, (void)p, (void)host, (void)bytes, (void)changed;
}

/* asynchronous calls, at once on the CPU */
static bool host_open(struct Backend *b, struct Error *e)
{
    return b->device == 0 || error_set(e, "the CPU is device 0, and there "
                                       "is no device %d", b->device);
}

static void nothing(struct Backend *b)
{
    (void)b;
}

static void no_queue(struct Backend *b, int what)
{
    (void)b, (void)what;
}

static bool host_memory(struct Backend *b, size_t *left, size_t *all)
{
    (void)b;
    *left = *all = 0;
    return false;
}

static void host_range(struct Backend *b, const char *what)
{
    struct Profile *p = &b->profile;
    if (!p->on)
        return;
    double t = now_s();
    if (p->now)
        profile_add(p, p->now, t - p->since_s);
    p->now = what;
    p->since_s = t;
}

static const char *host_name(struct Backend *b)
{
    (void)b;
    return cpu_name();
}

/* the row of the CPU */
const struct BackendCalls cpu_backend = {
    .kind = BACKEND_CPU, .kind_name = "cpu",
    .open = host_open, .close = nothing, .use = nothing,
    .alloc = host_alloc, .free = host_free, .zero = host_zero,
    .copy = host_copy, .put = copy_over, .get = copy_over,
    .lend = lend, .take_back = take_back,
    .host_alloc = host_alloc, .host_free = host_free,
    .put_async = copy_over, .put_wait = nothing,
    .get_async = copy_over, .wait = nothing, .beside = no_queue,
    .memory = host_memory, .name = host_name,
    .range = host_range, .collect = nothing,
};
