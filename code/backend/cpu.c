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
void *machine_alloc(size_t bytes, const char *what)
{
    void *p = pages_alloc(bytes);
    if (!p)
        fail("no memory for %s: %.1f MB asked for; use a smaller batch, "
             "a shorter sequence or a smaller model", what,
             (double)bytes / 1e6);
    return p;
}

/* the rest of the CPU's machine */
void machine_free(void *p)
{
    free(p);
}

void machine_zero(void *p, size_t bytes)
{
    memset(p, 0, bytes);
}

void machine_copy(void *to, const void *from, size_t bytes)
{
    memmove(to, from, bytes);
}

void machine_put(void *to, const void *host, size_t bytes)
{
    memcpy(to, host, bytes);
}

void machine_get(void *host, const void *from, size_t bytes)
{
    memcpy(host, from, bytes);
}

void *machine_borrow(const void *p, size_t bytes)
{
    (void)bytes;
    return (void *)(uintptr_t)p;
}

void *machine_room(void *p, size_t bytes)
{
    return machine_borrow(p, bytes);
}

void machine_return(void *p, void *host, size_t bytes, bool changed)
{
    (void)p, (void)host, (void)bytes, (void)changed;
}

/* the CPU's part in a step that does not wait */
void *machine_host(size_t bytes, const char *what)
{
    return machine_alloc(bytes, what);
}

void machine_unhost(void *host)
{
    machine_free(host);
}

void machine_send(void *to, const void *host, size_t bytes)
{
    memcpy(to, host, bytes);
}

void machine_fetch(void *host, const void *from, size_t bytes)
{
    memcpy(host, from, bytes);
}

void machine_sent(void) { }
void machine_wait(void) { }

const char *machine_kind(void)
{
    return "cpu";
}

bool machine_memory(size_t *left, size_t *all)
{
    *left = *all = 0;
    return false;
}

static bool profiling;
static const char *now;
static double since_s;

void machine_mark(const char *what)
{
    if (!profiling)
        return;
    double t = now_s();
    if (now)
        marks_add(now, t - since_s);
    now = what;
    since_s = t;
}

void machine_profile(bool on)
{
    profiling = on;
    now = NULL;
}

bool machine_profiled(void)
{
    return profiling;
}

void machine_profile_print(FILE *out)
{
    machine_mark(NULL);
    marks_print(out);
}

/* the name of the CPU */
const char *machine_name(void)
{
    return cpu_name();
}
