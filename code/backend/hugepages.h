/* Tangled from chapters/workshop/measuring-a-cpu.nw, "Huge pages".  Edit it there. */

#ifndef BACKEND_HUGEPAGES_H
#define BACKEND_HUGEPAGES_H

#include <stddef.h>

/* Memory for large arrays: aligned to 64 bytes, not cleared, on large
 * pages where the system has them and the array is larger than one.  NULL
 * if there is none; give it back with free. */
void *hugepages_alloc(size_t bytes);

/* prefetch a range */
/* Ask for the lines from p on, which will be needed soon.  Nobody waits,
 * and an address without memory is no mistake. */
static inline void prefetch_range(const void *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const char *)p + i);
}

#endif
