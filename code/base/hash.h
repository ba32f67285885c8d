/* Tangled from chapters/workshop/ranks.nw, "Starting ranks".  Edit it there. */

/* A hash of bytes, for what is compared and need not be kept. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a of the bytes, beginning from `hash` (0 for the first). */
static inline uint64_t hash_bytes(uint64_t hash, const void *at,
                                  size_t bytes)
{
    const unsigned char *b = (const unsigned char *)at;
    hash = hash ? hash : 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ b[i]) * 1099511628211u;
    return hash;
}

#endif
