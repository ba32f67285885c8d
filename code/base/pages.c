/* Chapter 17b, A matmul for two cores: 17b.10 Two threads, the same bits */
/* Tangled from chapters/17b-cpu-matmul.nw by `make tangle`; edit it there. */

#include "base/pages.h"

#include <stdlib.h>
#include <sys/mman.h>

/* memory on large pages (17b.10) */
#define LARGE ((size_t)1 << 21)

void *pages_alloc(size_t bytes)
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
