/* Appendix B, File formats: B.3.2 The parameter table */
/* Tangled from chapters/b-formats.nw by `make tangle`; edit it there. */

#include "base/alloc.h"

#include <stdlib.h>
#include "base/error.h"

static void *check(void *p, size_t size)
{
    if (!p && size)
        fail("no memory for a table of %zu bytes", size);
    return p;
}

void *xcalloc(size_t count, size_t size)
{
    return check(calloc(count, size), count * size);
}

void *xrealloc(void *old, size_t size)
{
    return check(realloc(old, size), size);
}
