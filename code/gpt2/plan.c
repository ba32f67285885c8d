/* Tangled from chapters/workshop/file-formats.nw, "The planner".  Edit it there. */

#include "gpt2/plan.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* add a buffer to the plan */
enum { LINE = 64 };         /* buffers begin at multiples of it */

/* The place of one more buffer in the list. */
static struct PlanItem *next_item(struct Plan *p)
{
    if (p->n == p->capacity) {
        const int room = p->capacity ? 2 * p->capacity : 64;
        void *more = realloc(p->item, (size_t)room * sizeof *p->item);
        p->failed |= !more;
        if (!more)
            return &p->unlisted;
        p->item = more;
        p->capacity = room;
    }
    return &p->item[p->n++];
}

struct PlanItem *plan_add_sized(struct Plan *p, const char *name,
                                size_t rows, size_t cols, size_t bytes,
                                int from, int to, void *where)
{
    struct PlanItem *i = next_item(p);
    *i = (struct PlanItem){ .rows = rows, .cols = cols, .from = from,
                            .to = to, .layer = -1, .where = where };
    snprintf(i->name, sizeof i->name, "%s", name);
    i->size_bytes = (rows * cols * bytes + LINE - 1) / LINE * LINE;
    p->sum_bytes += i->size_bytes;
    return i;
}

struct PlanItem *plan_add(struct Plan *p, const char *name, size_t rows,
                          size_t cols, int from, int to, real **where)
{
    return plan_add_sized(p, name, rows, cols, sizeof(real), from, to,
                          where);
}

/* place one buffer at the lowest free offset */
static bool ranges_overlap(const struct PlanItem *a,
                           const struct PlanItem *b)
{
    return a->from <= b->to && b->from <= a->to;
}


/* placed[0 .. n) is sorted by offset: the first gap that is wide enough. */
static size_t first_fit(struct PlanItem *const *placed, int n,
                        const struct PlanItem *item)
{
    size_t offset = 0;
    for (int i = 0; i < n; i++) {
        if (!ranges_overlap(placed[i], item))
            continue;
        if (placed[i]->offset >= offset + item->size_bytes)
            return offset;
        size_t end = placed[i]->offset + placed[i]->size_bytes;
        offset = end > offset ? end : offset;
    }
    return offset;
}

/* compare and insert by size and offset */
static int by_size(const void *a, const void *b)
{
    const struct PlanItem *x = *(struct PlanItem *const *)a;
    const struct PlanItem *y = *(struct PlanItem *const *)b;
    if (x->size_bytes != y->size_bytes)
        return x->size_bytes < y->size_bytes ? 1 : -1;
    return x < y ? -1 : x > y;              /* else as they were added */
}

static void insert(struct PlanItem **placed, int n, struct PlanItem *item)
{
    while (n > 0 && placed[n - 1]->offset > item->offset) {
        placed[n] = placed[n - 1];
        n--;
    }
    placed[n] = item;
}

/* lay the plan out, largest first */
static bool place_all(struct Plan *p, bool share)
{
    size_t n = (size_t)p->n;
    struct PlanItem **order = calloc(2 * n + 1, sizeof *order);
    struct PlanItem **placed = order + n;
    if (!order)
        return false;
    for (size_t i = 0; i < n; i++)
        order[i] = &p->item[i];
    qsort(order, n, sizeof *order, by_size);
    /* place the buffers one after another */
    p->total_bytes = 0;
    for (int i = 0; i < p->n; i++) {
        struct PlanItem *item = order[i];
        item->offset = share ? first_fit(placed, i, item) : p->total_bytes;
        insert(placed, i, item);
        size_t end = item->offset + item->size_bytes;
        p->total_bytes = end > p->total_bytes ? end : p->total_bytes;
    }
    free(order);
    return true;
}

/* the bytes alive in the fullest step */
static size_t bytes_alive(const struct Plan *p, int step)
{
    size_t bytes = 0;
    for (int i = 0; i < p->n; i++)
        if (p->item[i].from <= step && step <= p->item[i].to)
            bytes += p->item[i].size_bytes;
    return bytes;
}

bool plan_layout(struct Plan *p, bool share)
{
    if (p->failed || !place_all(p, share))
        return false;
    p->live_bytes = 0;
    for (int i = 0; i < p->n; i++) {        /* it is fullest at a birth */
        size_t bytes = bytes_alive(p, p->item[i].from);
        p->live_bytes = bytes > p->live_bytes ? bytes : p->live_bytes;
    }
    return true;
}

/* give the buffers their addresses */
void plan_bind(const struct Plan *p, void *arena)
{
    for (int i = 0; i < p->n; i++) {
        void *at = (unsigned char *)arena + p->item[i].offset;
        if (p->item[i].where)           /* of whatever type it is */
            memcpy(p->item[i].where, &at, sizeof at);
    }
}

void plan_free(struct Plan *p)
{
    free(p->item);
    *p = (struct Plan){ 0 };
}
