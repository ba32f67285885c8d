/* Tangled from chapters/workshop/simt-sanitizer.nw, "Three files".  Edit it there. */

#ifndef SIMT_SANITIZER_SHADOW_H
#define SIMT_SANITIZER_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* a stamp: who touched a word, and when */
/* strand << 6 | SEVERAL | lane.  A strand is what a warp does between two
 * moments at which something is put in order: the start of its block, a
 * barrier, a __syncwarp.  Strands are numbered in the order in which they
 * run and never used twice, so that a stamp needs no tidying up. */
typedef uint32_t Stamp;
enum { SEVERAL = 32, STRAND = 64 };     /* SEVERAL: and other lanes, too */

/* what happened to 128 bytes */
struct Line {
    struct Line *part;          /* [parts]: a line for each byte or half */
    int parts;                  /*   of the words; 2 or 4, and only if   */
    Stamp split;                /*   this is of the running launch       */
    Stamp writer[32];           /* the last that wrote each word,        */
    Stamp reader[32];           /*   read it since,                      */
    Stamp atomic[32];           /*   or worked on it atomically          */
    uint16_t written_at[32], read_at[32], atomic_at[32];    /* where     */
};

/* the moment an access is compared with */
struct Now {
    Stamp floor;                /* below: an earlier launch, or in       */
                                /*   shared memory an earlier block      */
    Stamp block;                /* from here: this block,                */
    Stamp era;                  /*   since its last barrier,             */
    Stamp own;                  /*   this warp since then,               */
    Stamp mine;                 /*   and since its last __syncwarp       */
    bool atomics;               /* has anything been atomic above floor? */
};

/* The three ways to touch a word. */
enum Touch { TOUCH_READ, TOUCH_WRITE, TOUCH_ATOMIC };

/* is x over before the access of me begins? */
/* true: certainly.  false: perhaps not. */
static inline bool over(Stamp x, Stamp me, const struct Now *n)
{
    return (x < n->floor) | (x - n->block < n->era - n->block)
           | (x - n->own < n->mine - n->own) | (x == me);
}

/* contracts for many words of a line */
/* Lanes that stand side by side touch words lo to hi - 1 of a line; word i
 * belongs to lane (4 i - first) >> shift.  True: no word was in anybody's
 * way, and all is noted down.  False: nothing was changed; ask word by
 * word. */
bool line_read(struct Line *, const struct Now *, int lo, int hi, int first,
               int shift, unsigned at);
bool line_write(struct Line *, const struct Now *, int lo, int hi,
                int first, int shift, unsigned at);

/* note a read or an atomic of one word */
static inline void note(Stamp *who, uint16_t *where, Stamp me,
                        const struct Now *n, unsigned at, bool on)
{
    Stamp x = *who;
    bool fresh = over(x, me, n), sibling = x / STRAND == me / STRAND;
    *who = !on ? x : fresh ? me : x | (sibling ? SEVERAL : 0);
    *where = (on & fresh) ? (uint16_t)at : *where;
}

/* one word, one lane */
static inline bool word_free(const struct Line *l, int i, enum Touch touch,
                             Stamp me, const struct Now *n)
{
    return over(l->writer[i], me, n)
           && (touch == TOUCH_READ || over(l->reader[i], me, n))
           && (touch == TOUCH_ATOMIC || !n->atomics
               || over(l->atomic[i], me, n));
}

static inline void word_note(struct Line *l, int i, enum Touch touch,
                             Stamp me, const struct Now *n, unsigned at)
{
    if (touch == TOUCH_READ) {
        note(&l->reader[i], &l->read_at[i], me, n, at, true);
    } else if (touch == TOUCH_ATOMIC) {
        note(&l->atomic[i], &l->atomic_at[i], me, n, at, true);
    } else {
        l->writer[i] = me;
        l->written_at[i] = (uint16_t)at;
        l->reader[i] = l->atomic[i] = 0;
    }
}

/* contracts for one word, and for parts */
/* What stands in the way of a word that is not free: 0 to 3 earlier
 * accesses that over() is not sure of. */
struct Clash { Stamp other; unsigned at; enum Touch touch; };

int word_clashes(const struct Line *, int i, enum Touch, Stamp me,
                 const struct Now *, struct Clash clash[3]);

/* Give bytes (parts = 4) or halves (2) of the words of a line a history of
 * their own; part is where: 2 or 4 lines. */
void line_split(struct Line *, int parts, struct Line *part,
                const struct Now *);
/* The number of histories: 1, 2 or 4. */
static inline int line_parts(const struct Line *l, const struct Now *n)
{
    return l->parts && l->split >= n->floor ? l->parts : 1;
}

#endif
