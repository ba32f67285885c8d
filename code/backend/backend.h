/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "One contract, two bodies".  Edit it there. */

/* backend.h: the memory that the operators work on.  cpu.c: memory of
 * the host; cuda.cu: memory of a GPU, real or simulated.  A program is
 * linked with one of them, and with the operators that go with it. */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* memory where the operators run */
/* bytes of it, not cleared, aligned to 64; ends the program with a message
 * naming `what` if there are none.  backend_free(NULL) does nothing. */
void *backend_alloc(size_t bytes, const char *what);
void backend_free(void *p);

/* Both pointers are to such memory; the two parts are the same or do not
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
 * holds anything: the caller is going to fill it, and nothing is copied. */
void *backend_borrow(const void *p, size_t bytes);
void *backend_borrow_blank(void *p, size_t bytes);
void backend_return(void *p, void *host, size_t bytes, bool changed);

/* what a step that does not wait adds to the machine */
/* Host memory of which backend_put_async copies without waiting; it must
 * not change before backend_put_wait() has returned.  backend_host_free
 * frees it. */
void *backend_host_alloc(size_t bytes, const char *what);
void backend_host_free(void *host);
void backend_put_async(void *to, const void *host, size_t bytes);
void backend_put_wait(void);

/* Ask for bytes at `from`; they are in host (of backend_host_alloc) after
 * the next backend_get or backend_wait. */
void backend_get_async(void *host, const void *from, size_t bytes);
void backend_wait(void);

/* Memory where the operators run; false if that cannot be said. */
bool backend_memory(size_t *left, size_t *all);

/* "cpu", "simt" (the software GPU) or "cuda". */
const char *backend_kind(void);

/* What follows, up to the next mark, is `what` (a constant; NULL: the end
 * of it).  On a real GPU a profiler shows it as an NVTX range.  While
 * profile_enable is on, the time between two marks is kept as well;
 * profile_print waits, prints a row per name and forgets. */
void profile_range(const char *what);
void profile_enable(bool on);
bool profile_enabled(void);
void profile_print(FILE *out);

/* the machine by its name */
/* "NVIDIA H200; CUDA 13.0": what the rows of a measurement call it. */
const char *backend_name(void);

C_FUNCTIONS_END

#endif
