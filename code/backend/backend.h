/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "One contract, two bodies".  Edit it there. */

/* machine.h: the memory that the operators work on.  machine.c: memory of
 * the host; machine.cu: memory of a GPU, real or simulated.  A program is
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
 * naming `what` if there are none.  machine_free(NULL) does nothing. */
void *machine_alloc(size_t bytes, const char *what);
void machine_free(void *p);

/* Both pointers are to such memory; the two parts are the same or do not
 * overlap. */
void machine_zero(void *p, size_t bytes);
void machine_copy(void *to, const void *from, size_t bytes);

/* copies between the host and the operators */
/* `host` is ordinary memory; it may be changed or freed after the call,
 * and after machine_get it holds the result of all operators before. */
void machine_put(void *to, const void *host, size_t bytes);
void machine_get(void *host, const void *from, size_t bytes);

/* The bytes at p as the host may read and write them: on the CPU p itself,
 * on a GPU a copy.  machine_return gives it back, after writing it to p
 * if it was changed; else p may be NULL.  What machine_room gives holds
 * anything: the caller is going to fill it, and nothing is copied. */
void *machine_borrow(const void *p, size_t bytes);
void *machine_room(void *p, size_t bytes);
void machine_return(void *p, void *host, size_t bytes, bool changed);

/* what a step that does not wait adds to the machine */
/* Host memory of which machine_send copies without waiting; it must not
 * change before machine_sent() has returned.  machine_unhost frees it. */
void *machine_host(size_t bytes, const char *what);
void machine_unhost(void *host);
void machine_send(void *to, const void *host, size_t bytes);
void machine_sent(void);

/* Ask for bytes at `from`; they are in host (of machine_host) after the
 * next machine_get or machine_wait. */
void machine_fetch(void *host, const void *from, size_t bytes);
void machine_wait(void);

/* Memory where the operators run; false if that cannot be said. */
bool machine_memory(size_t *left, size_t *all);

/* "cpu", "simt" (the software GPU) or "cuda". */
const char *machine_kind(void);

/* What follows, up to the next mark, is `what` (a constant; NULL: the end
 * of it).  On a real GPU a profiler shows it as an NVTX range.  While
 * machine_profile is on, the time between two marks is kept as well;
 * machine_profile_print waits, prints a row per name and forgets. */
void machine_mark(const char *what);
void machine_profile(bool on);
bool machine_profiled(void);
void machine_profile_print(FILE *out);

/* the machine by its name */
/* "NVIDIA H200; CUDA 13.0": what the rows of a measurement call it. */
const char *machine_name(void);

C_FUNCTIONS_END

#endif
