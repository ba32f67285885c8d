/* Tangled from chapters/workshop/measuring-a-cpu.nw, "Huge pages".  Edit it there. */

#include "backend/hugepages.h"

#include <stdlib.h>
#include <sys/mman.h>

/* allocate huge pages */
#define LARGE ((size_t)1 << 21)

void *hugepages_alloc(size_t bytes)
{
    size_t align = bytes < LARGE ? 64 : LARGE;
    size_t size = (bytes / align + 1) * align;
    void *p = size > bytes ? aligned_alloc(align, size) : NULL;
#ifdef MADV_HUGEPAGE
    if (p && align == LARGE)
        madvise(p, size, MADV_HUGEPAGE);    /* a wish: may be refused */
#endif
    return p;
}
