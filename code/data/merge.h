/* Tangled from chapters/workshop/text-tables.nw, "Contracts".  Edit it there. */

#ifndef DATA_MERGE_H
#define DATA_MERGE_H

#include "data/vocab.h"

/* `struct PairTable` */
#define NO_RANK 0xFFFF          /* over every rank: V <= 65536 */

struct PairSlot {
    uint32_t pair;              /* left << 16 | right */
    uint16_t rank, token;       /* NO_RANK: an empty slot */
};

struct PairTable {
    struct PairSlot *slot;      /* a power of two of them */
    size_t mask;
    int shift;
};

/* Without memory its slot is NULL. */
struct PairTable pair_table_build(const struct Vocab *v);
void pair_table_free(struct PairTable *p);

/* find a pair */
/* What the pair becomes and at which rank; rank NO_RANK if it stays. */
static inline struct PairSlot pair_find(const struct PairTable *p,
                                        uint16_t left, uint16_t right)
{
    uint32_t pair = (uint32_t)left << 16 | right;
    size_t i = pair * 0x9E3779B97F4A7C15u >> p->shift;
    while (p->slot[i].pair != pair && p->slot[i].rank != NO_RANK)
        i = (i + 1) & p->mask;
    return p->slot[i];
}

/* All of these replace the n byte tokens of one piece by the tokens that
 * GPT-2 makes of it, in place, and return how many there are.  They differ
 * in what they cost. */

/* The definition: n rounds at most, each looks at each pair, and finds its
 * rank by asking merge after merge. */
size_t merge_plain(const struct Vocab *v, uint16_t *token, size_t n);

/* The same rounds with ranks from the table: time n squared. */
size_t merge_hashed(const struct PairTable *p, uint16_t *token, size_t n);

/* Ranks kept from round to round: n squared, but only in comparisons.
 * n <= MERGE_SHORT. */
#define MERGE_SHORT 32
size_t merge_short(const struct PairTable *p, uint16_t *token, size_t n);

/* A heap of pairs: n log n.  Memory: 24 bytes per token; 0 if there is not
 * enough, or if n is 2^32 - 1 or more. */
size_t merge_long(const struct PairTable *p, uint16_t *token, size_t n);

#endif
