/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "One contract, two bodies".  Edit it there. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "backend/backend.h"
#include "backend/hugepages.h"
#include "backend/profile.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"

/* memory of the host */
void *backend_alloc(size_t bytes, const char *what)
{
    void *p = hugepages_alloc(bytes);
    if (!p)
        fail("no memory for %s: %.1f MB asked for; use a smaller batch, "
             "a shorter sequence or a smaller model", what,
             (double)bytes / 1e6);
    return p;
}

/* the rest of the CPU's machine */
void backend_free(void *p)
{
    free(p);
}

void backend_zero(void *p, size_t bytes)
{
    memset(p, 0, bytes);
}

void backend_copy(void *to, const void *from, size_t bytes)
{
    memmove(to, from, bytes);
}

void backend_put(void *to, const void *host, size_t bytes)
{
    memcpy(to, host, bytes);
}

void backend_get(void *host, const void *from, size_t bytes)
{
    memcpy(host, from, bytes);
}

void *backend_borrow(const void *p, size_t bytes)
{
    (void)bytes;
    return (void *)(uintptr_t)p;
}

void *backend_borrow_blank(void *p, size_t bytes)
{
    return backend_borrow(p, bytes);
}

void backend_return(void *p, void *host, size_t bytes, bool changed)
{
    (void)p, (void)host, (void)bytes, (void)changed;
}

/* the CPU's part in a step that does not wait */
void *backend_host_alloc(size_t bytes, const char *what)
{
    return backend_alloc(bytes, what);
}

void backend_host_free(void *host)
{
    backend_free(host);
}

void backend_put_async(void *to, const void *host, size_t bytes)
{
    memcpy(to, host, bytes);
}

void backend_get_async(void *host, const void *from, size_t bytes)
{
    memcpy(host, from, bytes);
}

void backend_put_wait(void) { }
void backend_wait(void) { }

const char *backend_kind(void)
{
    return "cpu";
}

bool backend_memory(size_t *left, size_t *all)
{
    *left = *all = 0;
    return false;
}

static bool profiling;
static const char *now;
static double since_s;

void profile_range(const char *what)
{
    if (!profiling)
        return;
    double t = now_s();
    if (now)
        profile_add(now, t - since_s);
    now = what;
    since_s = t;
}

void profile_enable(bool on)
{
    profiling = on;
    now = NULL;
}

bool profile_enabled(void)
{
    return profiling;
}

void profile_print(FILE *out)
{
    profile_range(NULL);
    profile_rows_print(out);
}

/* the name of the CPU */
const char *backend_name(void)
{
    return cpu_name();
}
