/* Tangled from chapters/workshop/ground-floor.nw, "Memory in one piece".  Edit it there. */

#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#define ARENA_ALIGN 64  /* bytes: a cache line, and an AVX-512 register */

/* One block of memory, given away from the front. */
struct Arena {
    unsigned char *base;
    size_t size, used;      /* bytes */
};

/* Reserve size bytes, aligned to ARENA_ALIGN; ends the program with a
 * message naming `what` if there is no memory.  Pages are not touched:
 * they cost nothing until they are written. */
void arena_create(struct Arena *a, size_t size, const char *what);

/* The next size bytes, aligned to ARENA_ALIGN, not cleared.  Asking for
 * more than is left is a mistake of the program and ends it. */
void *arena_alloc(struct Arena *a, size_t size);

/* What arena_alloc takes out of the arena for a request of size bytes. */
size_t arena_round(size_t size);

void arena_reset(struct Arena *a);      /* forget all, keep the block */
void arena_free(struct Arena *a);       /* give the block back */

#endif
