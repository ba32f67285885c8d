/* Tangled from chapters/workshop/text-tables.nw, "Merging and remembering, the rest".  Edit it there. */

#include "data/merge.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* merge by the definition */
/* Replace the pair (left, right) wherever it stands, from the left. */
static size_t replace_all(uint16_t *token, size_t n, uint16_t left,
                          uint16_t right, uint16_t made)
{
    size_t out = 0;
    for (size_t i = 0; i < n; i++) {
        bool here = i + 1 < n && token[i] == left && token[i + 1] == right;
        token[out++] = here ? made : token[i];
        i += here;
    }
    return out;
}

size_t merge_plain(const struct Vocab *v, uint16_t *token, size_t n)
{
    for (int rank = 0; rank < v->merges && n > 1; rank++) {
        const struct Merge *m = &v->merge[rank];
        n = replace_all(token, n, m->left, m->right, m->token);
    }
    return n;
}

/* put all pairs into a table */
struct PairTable pair_table_build(const struct Vocab *v)
{
    struct PairTable p = { .mask = 255, .shift = 56 };
    for (; p.mask < 2 * (size_t)v->merges; p.shift--)
        p.mask = 2 * p.mask + 1;
    p.slot = malloc((p.mask + 1) * sizeof *p.slot);
    if (!p.slot)
        return p;
    for (size_t i = 0; i <= p.mask; i++)
        p.slot[i] = (struct PairSlot){ 0, NO_RANK, 0 };
    /* enter every merge */
    for (int rank = 0; rank < v->merges; rank++) {
        const struct Merge *m = &v->merge[rank];
        uint32_t pair = (uint32_t)m->left << 16 | m->right;
        size_t i = pair * 0x9E3779B97F4A7C15u >> p.shift;
        while (p.slot[i].rank != NO_RANK)
            i = (i + 1) & p.mask;
        p.slot[i] = (struct PairSlot){ pair, (uint16_t)rank, m->token };
    }
    return p;
}

void pair_table_free(struct PairTable *p)
{
    free(p->slot);
    *p = (struct PairTable){0};
}

/* merge with ranks from the table */
size_t merge_hashed(const struct PairTable *p, uint16_t *token, size_t n)
{
    for (;;) {
        /* find the pair of the lowest rank */
        struct PairSlot best = { .rank = NO_RANK };
        for (size_t i = 0; i + 1 < n; i++) {
            struct PairSlot s = pair_find(p, token[i], token[i + 1]);
            if (s.rank < best.rank)
                best = s;
        }
        if (best.rank == NO_RANK)
            return n;
        n = replace_all(token, n, (uint16_t)(best.pair >> 16),
                        (uint16_t)best.pair, best.token);
    }
}

/* merge a short piece */
size_t merge_short(const struct PairTable *p, uint16_t *token, size_t n)
{
    struct PairSlot s[MERGE_SHORT + 1];     /* s[i]: token i and i + 1 */
    for (size_t i = 0; i + 1 < n; i++)
        s[i] = pair_find(p, token[i], token[i + 1]);
    while (n > 1) {
        /* find the place of the lowest rank */
        size_t best = 0;
        for (size_t i = 1; i + 1 < n; i++)
            if (s[i].rank < s[best].rank)
                best = i;
        if (s[best].rank == NO_RANK)
            break;
        /* merge the pair at best and look up its neighbours */
        token[best] = s[best].token;
        n--;
        for (size_t i = best + 1; i < n; i++) {
            token[i] = token[i + 1];
            s[i - 1] = s[i];
        }
        if (best > 0)
            s[best - 1] = pair_find(p, token[best - 1], token[best]);
        if (best + 1 < n)
            s[best] = pair_find(p, token[best], token[best + 1]);
    }
    return n;
}

/* `struct Chain` */
struct Chain {
    const struct PairTable *pairs;
    uint16_t *token;
    uint32_t *previous, *next;  /* next == 0: swallowed by its left */
    uint64_t *heap;             /* rank << 32 | position, least on top */
    size_t entries;
    uint32_t n;
};

/* push and pop entries of a chain */
static void chain_push(struct Chain *c, uint64_t entry)
{
    size_t i = c->entries++;
    for (; i && entry < c->heap[(i - 1) / 4]; i = (i - 1) / 4)
        c->heap[i] = c->heap[(i - 1) / 4];
    c->heap[i] = entry;
}

static uint64_t chain_pop(struct Chain *c)
{
    uint64_t top = c->heap[0], last = c->heap[--c->entries];
    size_t i = 0, child;
    while ((child = 4 * i + 1) < c->entries) {
        size_t end = child + 4 < c->entries ? child + 4 : c->entries;
        for (size_t k = child + 1; k < end; k++)
            if (c->heap[k] < c->heap[child])
                child = k;
        if (c->heap[child] >= last)
            break;
        c->heap[i] = c->heap[child];
        i = child;
    }
    c->heap[i] = last;
    return top;
}

/* merge a long piece */
static void offer_pair(struct Chain *c, uint32_t at)
{
    uint32_t right = c->next[at];
    if (right == c->n)
        return;
    struct PairSlot s = pair_find(c->pairs, c->token[at], c->token[right]);
    if (s.rank != NO_RANK)
        chain_push(c, (uint64_t)s.rank << 32 | at);
}

static void merge_top(struct Chain *c)
{
    uint64_t top = chain_pop(c);
    uint32_t at = (uint32_t)top, right = c->next[at];
    if (right == 0 || right == c->n)
        return;                             /* swallowed, or the last */
    struct PairSlot s = pair_find(c->pairs, c->token[at], c->token[right]);
    if (s.rank != top >> 32)
        return;                             /* has changed since */
    /* join the token with its right neighbour */
    c->token[at] = s.token;
    c->next[at] = c->next[right];
    if (c->next[right] != c->n)
        c->previous[c->next[right]] = at;
    c->next[right] = 0;
    if (at > 0)
        offer_pair(c, c->previous[at]);
    offer_pair(c, at);
}

size_t merge_long(const struct PairTable *p, uint16_t *token, size_t n)
{
    struct Chain c = { .pairs = p, .token = token, .n = (uint32_t)n };
    /* make room for a chain of n */
    if (n >= UINT32_MAX)
        return 0;
    c.previous = malloc(n * sizeof *c.previous);
    c.next = malloc(n * sizeof *c.next);
    c.heap = malloc(2 * n * sizeof *c.heap);
    if (!c.previous || !c.next || !c.heap)
        n = 0;                              /* and so is the result */
    /* link n tokens and offer their pairs */
    for (uint32_t i = 0; i < n; i++) {
        c.previous[i] = i - 1;
        c.next[i] = i + 1;
    }
    for (uint32_t i = 0; i < n; i++)
        offer_pair(&c, i);
    while (c.entries)
        merge_top(&c);
    size_t out = 0;
    for (uint32_t i = 0; i < n; i = c.next[i])
        token[out++] = token[i];
    /* give the room back */
    free(c.previous);
    free(c.next);
    free(c.heap);
    return out;
}
