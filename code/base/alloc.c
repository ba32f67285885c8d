/* Tangled from chapters/workshop/file-formats.nw, "The parameter table".  Edit it there. */

#include "base/alloc.h"

#include <stdlib.h>
#include "base/fail.h"

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
