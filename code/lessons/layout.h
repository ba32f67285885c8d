/* Tangled from chapters/workshop/measuring-tensor-cores.nw, "Composing layouts".  Edit it there. */

/* layout.h: layouts, functions from an index to an offset. */
#ifndef LESSONS_LAYOUT_H
#define LESSONS_LAYOUT_H

#include <stdbool.h>

/* define a layout */
enum { LAYOUT_MODES = 8 };

struct Layout {
    int modes, size[LAYOUT_MODES], stride[LAYOUT_MODES];
};

/* evaluate a layout */
/* The offset of index i >= 0.  The last mode is not bounded. */
static inline int layout_at(const struct Layout *l, int i)
{
    int at = 0;
    for (int k = 0; k < l->modes; k++) {
        const bool last = k == l->modes - 1;
        at += (last ? i : i % l->size[k]) * l->stride[k];
        i /= l->size[k];
    }
    return at;
}

/* compose two layouts */
static inline int layout_size(const struct Layout *l)
{
    int n = 1;
    for (int k = 0; k < l->modes; k++)
        n *= l->size[k];
    return n;
}

static inline bool layout_add(struct Layout *l, int size, int stride)
{
    if (l->modes == LAYOUT_MODES)
        return false;
    l->size[l->modes] = size;
    l->stride[l->modes++] = stride;
    return true;
}

/* Append to c: a at 0, skip, 2 skip ... (take of them).  False if that is
 * no layout: sizes do not divide. */
static inline bool layout_take(struct Layout *c, const struct Layout *a,
                               int take, int skip)
{
    int k = 0;
    for (; k < a->modes - 1 && skip % a->size[k] == 0; k++)
        skip /= a->size[k];
    for (; k < a->modes - 1 && take > 1; k++) {
        if (a->size[k] % skip != 0)
            return false;
        const int left = a->size[k] / skip;
        const int here = take < left ? take : left;
        if (take % here != 0 || !layout_add(c, here, skip * a->stride[k]))
            return false;
        take /= here, skip = 1;
    }
    return take == 1 || layout_add(c, take, skip * a->stride[k]);
}

/* c(i) = a(b(i)) for every index of b.  False if a and b do not divide,
 * or a's modes are mixed by the sums of b's. */
static inline bool layout_compose(struct Layout *c, const struct Layout *a,
                                  const struct Layout *b)
{
    c->modes = 0;
    for (int k = 0; k < b->modes; k++) {
        const int before = c->modes;
        if (!layout_take(c, a, b->size[k], b->stride[k]))
            return false;
        if (c->modes == before && !layout_add(c, 1, 0))
            return false;
    }
    for (int i = 0; i < layout_size(b); i++)
        if (layout_at(c, i) != layout_at(a, layout_at(b, i)))
            return false;
    return true;
}

/* swizzle an address */
/* Where TMA puts byte x of a tile of rows of 128 bytes. */
static inline unsigned swizzle_128(unsigned x)
{
    return x ^ (x >> 3 & 0x70);
}

#endif
