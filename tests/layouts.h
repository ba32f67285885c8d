/* The buffers of a plan in places by chance.  Our own rule puts nothing where
 * most of them were, so it hides a life that is too short. */
#ifndef TESTS_LAYOUTS_H
#define TESTS_LAYOUTS_H

#include "base/rng.h"
#include "gpt2/plan.h"

/* Lay the buffers out by first fit, but in an order by chance: the bytes.
 * A life that the plan ends too early is overwritten in some such order. */
static inline size_t lay_out(struct Plan *p, struct Rng *r)
{
    size_t total = 0;
    for (int i = 0; i < p->n; i++) {
        int k = i + (int)rng_below(r, (uint64_t)(p->n - i));
        struct PlanItem x = p->item[k];
        p->item[k] = p->item[i];
        x.offset = 0;
        for (k = 0; k < i; k++) {
            const struct PlanItem *y = &p->item[k];
            size_t end = y->offset + y->size_bytes;
            if (x.from <= y->to && y->from <= x.to && x.offset < end
                && y->offset < x.offset + x.size_bytes) {
                x.offset = end;
                k = -1;                     /* all of them again */
            }
        }
        p->item[i] = x;
        size_t end = x.offset + x.size_bytes;
        total = end > total ? end : total;
    }
    return total;
}

#endif
