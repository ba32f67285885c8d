/* Tangled from chapters/workshop/file-formats.nw, "The parameter table".  Edit it there. */

#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

/* For programs: calloc and realloc that end them if there is no memory, so
 * no caller checks. */
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);

#endif
