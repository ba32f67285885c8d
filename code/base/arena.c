/* Tangled from chapters/workshop/ground-floor.nw, "Memory in one piece".  Edit it there. */

#include "base/arena.h"
#include "base/error.h"

#include <stdlib.h>

size_t arena_round(size_t size)
{
    return (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
}

void arena_create(struct Arena *a, size_t size, const char *what)
{
    a->size = arena_round(size ? size : 1);
    a->used = 0;
    a->base = aligned_alloc(ARENA_ALIGN, a->size);
    if (!a->base)
        fail("no memory for %s: %.1f MB asked for; use a smaller batch, "
             "a shorter sequence or a smaller model", what,
             (double)a->size / 1e6);
}

void *arena_alloc(struct Arena *a, size_t size)
{
    size_t rounded = arena_round(size);
    if (rounded < size || rounded > a->size - a->used)
        fail("arena: %zu bytes asked for, %zu of %zu left (a bug)", size,
             a->size - a->used, a->size);
    void *p = a->base + a->used;
    a->used += rounded;
    return p;
}

void arena_reset(struct Arena *a)
{
    a->used = 0;
}

void arena_free(struct Arena *a)
{
    free(a->base);
    *a = (struct Arena){0};
}
