/* Tangled from chapters/workshop/simt-sanitizer.nw, "Three files".  Edit it there. */

#include "simt/sanitizer/shadow.h"

#include "base/real.h"

/* do these words stand in the way? */
#define IN_THE_WAY(who)                                                \
    for (int i = 0; i < 32; i++) {                                     \
        Stamp me = now.mine + (Stamp)((4 * i - first) >> shift);       \
        bool on = (i >= lo) & (i < hi);                                \
        bad |= on & !over(who[i], me, &now);                           \
    }

/* read many words of a line */
SIMD_CLONES
static bool read_words(struct Line *l, const struct Now *n, int lo, int hi,
                       int first, int shift, unsigned at)
{
    const struct Now now = *n;
    uint32_t bad = 0;
    IN_THE_WAY(l->writer)
    if (now.atomics)
        IN_THE_WAY(l->atomic)
    if (bad)
        return false;
    /* these words have one more reader */
    for (int i = 0; i < 32; i++) {
        Stamp me = now.mine + (Stamp)((4 * i - first) >> shift);
        bool on = (i >= lo) & (i < hi);
        note(&l->reader[i], &l->read_at[i], me, &now, at, on);
    }
    return true;
}

/* write many words of a line */
SIMD_CLONES
static bool write_words(struct Line *l, const struct Now *n, int lo, int hi,
                        int first, int shift, unsigned at)
{
    const struct Now now = *n;
    uint32_t bad = 0;
    IN_THE_WAY(l->writer)
    IN_THE_WAY(l->reader)
    if (now.atomics)
        IN_THE_WAY(l->atomic)
    if (bad)
        return false;
    /* these words have a new writer, and nobody else */
    for (int i = 0; i < 32; i++) {
        Stamp me = now.mine + (Stamp)((4 * i - first) >> shift);
        bool on = (i >= lo) & (i < hi);
        l->writer[i] = on ? me : l->writer[i];
        l->reader[i] = on ? 0 : l->reader[i];
        l->written_at[i] = on ? (uint16_t)at : l->written_at[i];
    }
    if (now.atomics)
        for (int i = lo; i < hi; i++)
            l->atomic[i] = 0;
    return true;
}

bool line_read(struct Line *l, const struct Now *n, int lo, int hi,
               int first, int shift, unsigned at)
{
    return read_words(l, n, lo, hi, first, shift, at);
}

bool line_write(struct Line *l, const struct Now *n, int lo, int hi,
                int first, int shift, unsigned at)
{
    return write_words(l, n, lo, hi, first, shift, at);
}

/* what stands in the way of one word */
int word_clashes(const struct Line *l, int i, enum Touch touch, Stamp me,
                 const struct Now *n, struct Clash clash[3])
{
    int found = 0;
    if (!over(l->writer[i], me, n))
        clash[found++] = (struct Clash){ l->writer[i], l->written_at[i],
                                         TOUCH_WRITE };
    if (touch != TOUCH_READ && !over(l->reader[i], me, n))
        clash[found++] = (struct Clash){ l->reader[i], l->read_at[i],
                                         TOUCH_READ };
    if (touch != TOUCH_ATOMIC && n->atomics && !over(l->atomic[i], me, n))
        clash[found++] = (struct Clash){ l->atomic[i], l->atomic_at[i],
                                         TOUCH_ATOMIC };
    return found;
}

/* split a line */
void line_split(struct Line *l, int parts, struct Line *part,
                const struct Now *n)
{
    int before = line_parts(l, n);
    for (int p = 0; p < parts; p++) {
        part[p] = before == 1 ? *l : l->part[p * before / parts];
        part[p].parts = 0;
    }
    l->part = part;
    l->parts = parts;
    l->split = n->mine;
}
