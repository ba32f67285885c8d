/* Tangled from chapters/workshop/ptx.nw, "What a text becomes".  Edit it there. */

#include "simt/reader/ptx.h"

#include <stdlib.h>
#include <string.h>

struct PoolBlock {
    struct PoolBlock *before;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

void *pool_alloc(struct Pool *p, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (!p->last || p->last->size - p->last->used < bytes) {
        size_t size = bytes > 65536 ? bytes : 65536;
        struct PoolBlock *b = calloc(1, sizeof *b + size);
        if (!b)
            fail("no memory for a kernel: %zu bytes", size);
        b->before = p->last;
        b->size = size;
        p->last = b;
    }
    void *at = p->last->bytes + p->last->used;
    p->last->used += bytes;
    p->total += bytes;
    return at;
}

void pool_free(struct Pool *p)
{
    while (p->last) {
        struct PoolBlock *b = p->last;
        p->last = b->before;
        free(b);
    }
    p->total = 0;
}

void *pool_grow(struct Pool *p, void *array, int n, int *room, size_t size)
{
    if (n < *room)
        return array;
    *room = *room ? 2 * *room : 16;
    void *larger = pool_alloc(p, (size_t)*room * size);
    if (n)
        memcpy(larger, array, (size_t)n * size);
    return larger;
}
