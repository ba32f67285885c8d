/* Tangled from chapters/workshop/file-formats.nw, "The planner".  Edit it there. */

/* plan.h: where each buffer of a computation is, and from when to when.
 * Two buffers whose live ranges do not overlap may share their memory. */
#ifndef GPT2_PLAN_H
#define GPT2_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "base/real.h"

C_FUNCTIONS_BEGIN

struct PlanItem {
    char   name[40];
    size_t rows, cols, size_bytes;       /* of all [rows][cols] */
    int    from, to;                     /* first and last step of use */
    int    layer;                        /* that it belongs to, or -1 */
    size_t offset;                       /* bytes from the arena's start */
    void  *where;                        /* a pointer, set by plan_bind */
};

struct Plan {
    int    n, capacity;
    struct PlanItem *item;
    size_t sum_bytes;                    /* if nothing were shared */
    size_t total_bytes;                  /* the arena, after plan_layout */
    size_t live_bytes;                   /* most bytes alive in one step */
    bool   failed;                       /* no memory to list a buffer: */
    struct PlanItem unlisted;            /* it is here, and is lost */
};

/* Add real name[rows][cols], alive in the steps from .. to; where, if not
 * NULL, will point to it after plan_bind.  Returns it, of no layer; the
 * next one that is added may move it.  Without memory to list it, the plan
 * has failed, and plan_layout says so. */
struct PlanItem *plan_add(struct Plan *p, const char *name, size_t rows,
                          size_t cols, int from, int to, real **where);

/* The same for elements of `bytes` bytes; where is the address of a
 * pointer to them. */
struct PlanItem *plan_add_sized(struct Plan *p, const char *name,
                                size_t rows, size_t cols, size_t bytes,
                                int from, int to, void *where);

/* Choose the offsets: no two buffers that live in the same step overlap.
 * With share false every buffer has its own memory (for tests).  False if
 * there was no memory for the plan, now or in plan_add. */
bool plan_layout(struct Plan *p, bool share);

void plan_bind(const struct Plan *p, void *arena);
void plan_free(struct Plan *p);

C_FUNCTIONS_END

#endif
