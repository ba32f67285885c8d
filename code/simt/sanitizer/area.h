/* Tangled from chapters/workshop/sanitizer-records.nw, "Areas".  Edit it there. */

#ifndef SIMT_SANITIZER_AREA_H
#define SIMT_SANITIZER_AREA_H

#include "simt/sanitizer/shadow.h"
#include "simt/simt.h"

/* an area: memory with a shadow */
/* One allocation, or the shared memory of the running block. */
struct Area {
    enum Space space;
    uint64_t base;              /* device address; 0 of shared memory    */
    size_t bytes;
    struct Line *line;          /* the shadow, a line for 128 bytes      */
    uint64_t *valid;            /* a bit for each byte: ever written?    */
    size_t left;                /* bytes nobody has written yet          */
    bool freed;                 /* no more than a memory of it           */
    uint64_t serial;            /* 1, 2, ... in order of allocation      */
    const char *label;          /* what reports call it; NULL: its serial */
};
extern struct Area shared_area;

/* what can be done with areas */
void area_new(uint64_t address, size_t bytes);
void area_free(uint64_t address);
/* The living area that holds the address, or all of a range; or NULL. */
struct Area *area_of(uint64_t address);
struct Area *area_of_range(uint64_t address, size_t bytes);
/* The area, living or freed, that starts nearest at or below; or NULL. */
const struct Area *area_below(uint64_t address);
/* Number i in order of address; NULL past the last. */
const struct Area *area_at(int i);

/* A block begins, with so much shared memory, and nothing in it. */
void area_new_block(size_t shared_bytes);
/* Forget all histories: every stamp is 0 again. */
void areas_clear(void);
/* From here on no line of global memory is split. */
void areas_unsplit(void);
/* Split a line of the area into parts; false: no room is left. */
bool area_split(struct Area *, struct Line *, int parts,
                const struct Now *);

/* bits: which bytes were written */
static inline uint64_t ones(uint64_t from, uint64_t n)
{
    return (n >= 64 ? ~0ull : (1ull << n) - 1) << from;
}
/* Are bits from, ..., from + n - 1 all set?  All clear? */
bool bits_all(const uint64_t *bits, uint64_t from, uint64_t n);
bool bits_none(const uint64_t *bits, uint64_t from, uint64_t n);
/* Set or clear them; how many were set before? */
uint64_t bits_put(uint64_t *bits, uint64_t from, uint64_t n, bool set);
/* Bytes of an area are written. */
void area_wrote(struct Area *, uint64_t from, uint64_t bytes);

/* Address space that takes memory when it is touched, and is zero. */
void *map_zeroes(size_t bytes);

/* where something lies, in words */
/* "byte 128 of allocation 2 (4096 bytes)" */
const char *place_text(const struct Area *, uint64_t at, char *to,
                       size_t room);
/* The same of a device address, or "12 bytes past the end of ...", or
 * what else it may be. */
const char *address_text(uint64_t address, char *to, size_t room);
const char *area_text(const struct Area *, char *to, size_t room);

#endif
