/* Chapter 15b, The operators on the GPU, first versions: 15b.1 One contract, two bodies */
/* Tangled from chapters/15b-operators-on-the-gpu.nw by `make tangle`; edit it there. */

/* machine.h: the memory that the operators work on.  machine.c: memory of
 * the host; machine.cu: memory of a GPU, real or simulated.  A program is
 * linked with one of them, and with the operators that go with it. */
#ifndef OPS_MACHINE_H
#define OPS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* memory where the operators run (15b.1) */
/* bytes of it, not cleared, aligned to 64; ends the program with a message
 * naming `what` if there are none.  machine_free(NULL) does nothing. */
void *machine_alloc(size_t bytes, const char *what);
void machine_free(void *p);

/* Both pointers are to such memory; the two parts are the same or do not
 * overlap. */
void machine_zero(void *p, size_t bytes);
void machine_copy(void *to, const void *from, size_t bytes);

/* copies between the host and the operators (15b.1) */
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

C_FUNCTIONS_END

#endif
