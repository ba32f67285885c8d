/* Tangled from chapters/workshop/timing-operators.nw, "The backend".  Edit it there. */

/* backend.h: the machines that operators run on.  Each has memory, a queue
 * of work, and a table of operators; each thread has a current one. */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "backend/profile.h"

C_FUNCTIONS_BEGIN

struct Error;                   /* base/error.h */

/* `struct Backend` */
enum BackendKind { BACKEND_CPU, BACKEND_SIMT, BACKEND_CUDA };

/* Which of several implementations; 0 is the default of each. */
struct Kernels {
    int gemm;                   /* gemm_use,            ops/matmul       */
    int fp32;                   /* fp32_mode_set,       ops/fp32         */
    int matmul_bf16;            /* matmul_bf16_use,     ops/matmul       */
    int attention_bf16;         /* attention_bf16_use,  ops/attention    */
};

struct Operators;               /* ops/operators.h                       */

struct Backend {
    const struct BackendCalls *calls;   /* what its kind can do          */
    const struct Operators *ops;
    int device;                         /* which, of several GPUs        */
    struct Kernels kernels;
    struct Profile profile;
    bool failed;                        /* with this message             */
    char failure[1024];
    void *state;                        /* of its kind: streams, buffers */
};

/* open a backend, and make it the current one */
/* A backend of that kind, on that device (0 for a CPU); NULL with a
 * message if this program or this machine has none.  backend_close frees
 * it, and what was allocated from it must be free by then. */
struct Backend *backend_open(enum BackendKind kind, int device,
                             struct Error *e);
void backend_close(struct Backend *b);

/* Make b the calling thread's current backend; the result is the one
 * before, NULL for none.  A thread that has none gets the default, the
 * first of backend_rows on device 0, when it needs one. */
struct Backend *backend_use(struct Backend *b);
struct Backend *backend_current(void);

/* what has failed */
/* A backend keeps its first failure: too little memory, a call of CUDA, a
 * size that an operator does not take.  From then on nothing can be
 * allocated from it, its operators and copies do nothing, and their
 * outputs have no meaning.  backend_ok: false, with the failure of the
 * current backend as the message. */
bool backend_ok(struct Error *e);

/* For operators: keep this failure, unless there has been one.  Called by
 * the thread whose current backend it is. */
void backend_failed(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Forget a failure; for a caller that has freed all it had allocated, and
 * has changed nothing else. */
void backend_recover(void);

/* memory where the operators run */
/* Backend memory, not cleared, aligned to 64; NULL, and a failure whose
 * message names `what`, if there is not enough.  backend_free(NULL) does
 * nothing. */
void *backend_alloc(size_t bytes, const char *what);
void backend_free(void *p);

/* All pointers are to such memory; source and target are equal or do not
 * overlap. */
void backend_zero(void *p, size_t bytes);
void backend_copy(void *to, const void *from, size_t bytes);

/* copies between the host and the operators */
/* `host` is ordinary memory; it may be changed or freed after the call,
 * and after backend_get it holds the result of all operators before. */
void backend_put(void *to, const void *host, size_t bytes);
void backend_get(void *host, const void *from, size_t bytes);

/* The bytes at p as the host may read and write them: on the CPU p itself,
 * on a GPU a copy.  backend_return gives it back, after writing it to p
 * if it was changed; else p may be NULL.  What backend_borrow_blank gives
 * holds anything: the caller is going to fill it, and nothing is copied.
 * NULL after a failure; backend_return then does nothing. */
void *backend_borrow(const void *p, size_t bytes);
void *backend_borrow_blank(void *p, size_t bytes);
void backend_return(void *p, void *host, size_t bytes, bool changed);

/* copies that are not waited for */
/* Host memory of which backend_put_async copies without waiting; it must
 * not change before backend_put_wait() has returned.  backend_host_free
 * frees it.  NULL after a failure. */
void *backend_host_alloc(size_t bytes, const char *what);
void backend_host_free(void *host);
void backend_put_async(void *to, const void *host, size_t bytes);
void backend_put_wait(void);

/* Ask for bytes at `from`; they are in host (of backend_host_alloc) after
 * the next backend_get or backend_wait. */
void backend_get_async(void *host, const void *from, size_t bytes);
void backend_wait(void);

/* a second queue, and recordings */
/* What is asked for between the two goes to a second queue, where it may
 * run beside what the first does; it begins when all that was asked before
 * is done.  backend_beside_wait: what follows begins when it is done. */
void backend_beside_begin(void);
void backend_beside_end(void);
void backend_beside_wait(void);

/* Record what work(arg) asks for, without doing it; NULL if this backend
 * cannot, has failed, or must not because a profile is wanted.  A recording
 * may be run as often as one likes, and always uses the addresses of the
 * recording. */
void *backend_record(void (*work)(void *arg), void *arg);
void backend_replay(void *recording);
void backend_forget(void *recording);

/* what a backend is called */
enum BackendKind backend_kind(void);
const char *backend_kind_name(void);        /* "cpu", "simt", "cuda"     */
int backend_device(void);

/* "NVIDIA H200; CUDA 13.0": what the rows of a measurement call it. */
const char *backend_name(void);

/* Memory where the operators run; false if that cannot be said. */
bool backend_memory(size_t *left, size_t *all);

/* What follows, up to the next range, is `what` (a constant; NULL: the end
 * of it).  On a real GPU a profiler shows it as an NVTX range.  While
 * profile_enable is on, the time of each range is kept as well;
 * profile_print waits, prints a row per name and forgets. */
void profile_range(const char *what);
void profile_enable(bool on);
bool profile_enabled(void);
void profile_print(FILE *out);

/* what each kind of backend has to do */
struct BackendCalls {
    enum BackendKind kind;
    const char *kind_name;
    bool (*open)(struct Backend *b, struct Error *e);
    void (*close)(struct Backend *b);
    void (*use)(struct Backend *b);
    void *(*alloc)(struct Backend *b, size_t bytes, const char *what);
    void (*free)(struct Backend *b, void *p);
    void (*zero)(struct Backend *b, void *p, size_t bytes);
    void (*copy)(struct Backend *b, void *to, const void *from,
                 size_t bytes);
    void (*put)(struct Backend *b, void *to, const void *host,
                size_t bytes);
    void (*get)(struct Backend *b, void *host, const void *from,
                size_t bytes);
    /* what else a kind of backend has to do */
    void *(*lend)(struct Backend *b, const void *p, size_t bytes, bool blank);
    void (*take_back)(struct Backend *b, void *p, void *host, size_t bytes,
                      bool changed);
    void *(*host_alloc)(struct Backend *b, size_t bytes, const char *what);
    void (*host_free)(struct Backend *b, void *host);
    void (*put_async)(struct Backend *b, void *to, const void *host,
                      size_t bytes);
    void (*put_wait)(struct Backend *b);
    void (*get_async)(struct Backend *b, void *host, const void *from,
                      size_t bytes);
    void (*wait)(struct Backend *b);
    void (*beside)(struct Backend *b, int what);    /* enum Beside           */
    /* NULL, all three, in a backend that cannot record */
    void *(*record)(struct Backend *b, void (*work)(void *arg), void *arg);
    void (*replay)(struct Backend *b, void *recording);
    void (*forget)(struct Backend *b, void *recording);
    bool (*memory)(struct Backend *b, size_t *left, size_t *all);
    const char *(*name)(struct Backend *b);
    void (*range)(struct Backend *b, const char *what);
    void (*collect)(struct Backend *b);     /* times into b->profile         */
};

/* What a program has, the default first; calls is NULL in the last row.
 * Given in ops/backends.c. */
extern const struct BackendRow {
    const struct BackendCalls *calls;
    const struct Operators *ops;
} backend_rows[];

extern const struct BackendCalls cpu_backend, gpu_backend;

enum Beside { BESIDE_BEGIN, BESIDE_END, BESIDE_WAIT };

C_FUNCTIONS_END

#endif
