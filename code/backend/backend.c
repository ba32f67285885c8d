/* Tangled from chapters/workshop/timing-operators.nw, "The backend".  Edit it there. */

#include "backend/backend.h"

#include "base/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

/* open and close */
struct Backend *backend_open(enum BackendKind kind, int device,
                             struct Error *e)
{
    const struct BackendRow *row = backend_rows;
    while (row->calls && row->calls->kind != kind)
        row++;
    if (!row->calls) {
        error_set(e, "%s", kind == BACKEND_CPU
                  ? "this program has no operators for the CPU"
                  : "this program runs on the CPU only: use the one whose "
                  "name ends in -cuda, or in -simt for the software GPU");
        return NULL;
    }
    struct Backend *b = calloc(1, sizeof *b);
    if (!b) {
        error_set(e, "no memory for a backend");
        return NULL;
    }
    *b = (struct Backend){ .calls = row->calls, .ops = row->ops,
                           .device = device };
    if (b->calls->open(b, e))
        return b;
    free(b);
    return NULL;
}

void backend_close(struct Backend *b)
{
    if (!b)
        return;
    struct Backend *before = backend_use(b);
    b->calls->close(b);
    backend_use(before == b ? NULL : before);
    free(b);
}

static struct Backend *backend_without(const struct BackendRow *row,
                                       const struct Error *e)
{
    static struct BackendCalls calls;
    static struct Backend b;
    calls = cpu_backend;
    calls.kind = row->calls->kind;
    calls.kind_name = row->calls->kind_name;
    b = (struct Backend){ .calls = &calls, .ops = row->ops,
                          .failed = true };
    snprintf(b.failure, sizeof b.failure, "%s", e->text);
    return &b;
}

/* the current backend of a thread */
static _Thread_local struct Backend *current;
static struct Backend *default_backend;
static pthread_once_t default_opened = PTHREAD_ONCE_INIT;

static void close_default(void)
{
    backend_close(default_backend);
}

static void open_default(void)
{
    struct Error e;
    default_backend = backend_open(backend_rows->calls->kind, 0, &e);
    if (default_backend)
        atexit(close_default);
    else
        default_backend = backend_without(backend_rows, &e);
}

struct Backend *backend_current(void)
{
    if (!current) {
        pthread_once(&default_opened, open_default);
        backend_use(default_backend);
    }
    return current;
}

struct Backend *backend_use(struct Backend *b)
{
    struct Backend *before = current;
    current = b;
    if (b && b != before)
        b->calls->use(b);
    return before;
}

/* keep the first failure */
bool backend_ok(struct Error *e)
{
    const struct Backend *b = backend_current();
    return !b->failed || error_set(e, "%s", b->failure);
}

void backend_failed(const char *format, ...)
{
    struct Backend *b = backend_current();
    va_list args;
    if (b->failed)
        return;
    va_start(args, format);
    vsnprintf(b->failure, sizeof b->failure, format, args);
    va_end(args);
    b->failed = true;
}

void backend_recover(void)
{
    backend_current()->failed = false;
}

/* hand a call on to the current backend */
void *backend_alloc(size_t bytes, const char *what)
{
    struct Backend *b = backend_current();
    return b->failed ? NULL : b->calls->alloc(b, bytes, what);
}

#define HAND_ON(name, params, ...) \
    void backend_##name params \
    { \
        struct Backend *b = backend_current(); \
        if (!b->failed) \
            b->calls->name(__VA_ARGS__); \
    }
HAND_ON(zero, (void *p, size_t bytes), b, p, bytes)
HAND_ON(copy, (void *to, const void *from, size_t n), b, to, from, n)
HAND_ON(put, (void *to, const void *host, size_t n), b, to, host, n)
HAND_ON(get, (void *host, const void *from, size_t n), b, host, from, n)
HAND_ON(put_async, (void *to, const void *host, size_t n), b, to, host, n)
HAND_ON(get_async, (void *host, const void *from, size_t n),
        b, host, from, n)
HAND_ON(replay, (void *recording), b, recording)

#define ALWAYS_HAND_ON(name, params, ...) \
    void backend_##name params \
    { \
        struct Backend *b = backend_current(); \
        b->calls->name(__VA_ARGS__); \
    }
ALWAYS_HAND_ON(free, (void *p), b, p)
ALWAYS_HAND_ON(host_free, (void *host), b, host)
ALWAYS_HAND_ON(put_wait, (void), b)
ALWAYS_HAND_ON(wait, (void), b)

void *backend_borrow(const void *p, size_t bytes)
{
    struct Backend *b = backend_current();
    return b->failed ? NULL : b->calls->lend(b, p, bytes, false);
}

void *backend_borrow_blank(void *p, size_t bytes)
{
    struct Backend *b = backend_current();
    return b->failed ? NULL : b->calls->lend(b, p, bytes, true);
}

void backend_return(void *p, void *host, size_t bytes, bool changed)
{
    struct Backend *b = backend_current();
    b->calls->take_back(b, p, host, bytes, changed);
}

void *backend_host_alloc(size_t bytes, const char *what)
{
    struct Backend *b = backend_current();
    return b->failed ? NULL : b->calls->host_alloc(b, bytes, what);
}

static void beside(int what)
{
    struct Backend *b = backend_current();
    b->calls->beside(b, what);
}

void backend_beside_begin(void) { beside(BESIDE_BEGIN); }
void backend_beside_end(void) { beside(BESIDE_END); }
void backend_beside_wait(void) { beside(BESIDE_WAIT); }

void *backend_record(void (*work)(void *arg), void *arg)
{
    struct Backend *b = backend_current();
    return b->calls->record && !b->profile.on && !b->failed
         ? b->calls->record(b, work, arg) : NULL;
}

void backend_forget(void *recording)
{
    struct Backend *b = backend_current();
    if (recording)
        b->calls->forget(b, recording);
}

enum BackendKind backend_kind(void)
{
    return backend_current()->calls->kind;
}

const char *backend_kind_name(void)
{
    return backend_current()->calls->kind_name;
}

int backend_device(void)
{
    return backend_current()->device;
}

const char *backend_name(void)
{
    struct Backend *b = backend_current();
    return b->calls->name(b);
}

bool backend_memory(size_t *left, size_t *all)
{
    struct Backend *b = backend_current();
    return b->calls->memory(b, left, all);
}

void profile_range(const char *what)
{
    struct Backend *b = backend_current();
    b->calls->range(b, what);
}

void profile_enable(bool on)
{
    backend_current()->profile.on = on;
}

bool profile_enabled(void)
{
    return backend_current()->profile.on;
}

void profile_print(FILE *out)
{
    struct Backend *b = backend_current();
    profile_range(NULL);
    b->calls->wait(b);
    if (!b->failed)
        b->calls->collect(b);
    profile_rows_print(&b->profile, out);
}
