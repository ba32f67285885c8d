/* Chapter 4, What a kernel may not do: the sanitizer: 4.11 The whole of it */
/* Tangled from chapters/04-sanitizer.nw by `make tangle`; edit it there. */

#include "simt/order.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STRANDS = 1 << 26 };

struct Now now_global, now_shared;
const struct Warp *order_warp;
bool order_lost;

/* the numbers of the running launch (P.1) */
static uint32_t next = 1;               /* strand                        */
static uint32_t first;                  /* strand of the launch          */
static uint8_t *warps;                  /* [strand - first]: whose it is */
static size_t warps_room;
static struct Start { uint32_t strand; uint64_t block; } *starts;
static size_t n_starts, starts_room;

/* what a warp has synchronised in this era (4.5) */
static struct Synced {
    uint64_t era;               /* the rest is of this era               */
    Stamp own;                  /* since when nobody else ran            */
    Stamp full;                 /* since the last sync of all lanes      */
    bool partial;               /* has there been one of some lanes?     */
    Stamp known[LANES][LANES];  /* [a][b]: before this, b is over for a  */
} synced[MAX_WARPS];
static uint64_t era;                    /* barriers and blocks ever      */

/* a fence, and an atomic after it (4.5) */
struct Set { uint64_t *bits; size_t words; };
struct Release { uint64_t address; struct Set blocks; };
static struct Release releases[1024];
static int n_releases;
static bool fenced, fenced_here;        /* in this launch; block         */
static struct Set acquired;             /* by this block                 */

/* sets of blocks (P.1) */
static void set_grow(struct Set *s, size_t words)
{
    if (words <= s->words)
        return;
    s->bits = xrealloc(s->bits, words * 8);
    memset(s->bits + s->words, 0, (words - s->words) * 8);
    s->words = words;
}

static void set_add(struct Set *s, size_t i)
{
    set_grow(s, i / 64 < s->words ? s->words : i / 32 + 1);
    s->bits[i / 64] |= 1ull << i % 64;
}

/* sets of blocks, continued (P.1) */

static bool set_has(const struct Set *s, size_t i)
{
    return i / 64 < s->words && s->bits[i / 64] >> i % 64 & 1;
}

static void set_join(struct Set *s, const struct Set *other)
{
    set_grow(s, other->words);
    for (size_t i = 0; i < other->words; i++)
        s->bits[i] |= other->bits[i];
}

/* the next strand is this warp's (4.2) */
static Stamp new_strand(const struct Warp *w)
{
    /* note whose strand this is (4.2) */
    if (next - first == warps_room) {
        warps_room = 2 * warps_room + 4096;
        warps = xrealloc(warps, warps_room);
    }
    warps[next - first] = (uint8_t)w->index;
    now_global.mine = now_shared.mine = next * STRAND;
    if (next < MOST_STRANDS - 1)
        next++;
    else
        order_lost = true;
    return now_global.mine;
}

/* the present moves on (4.2) */
void order_barrier(void)
{
    era++;
    order_warp = NULL;
    now_global.era = now_shared.era = next * STRAND;
}

/* the present moves on, continued (4.2) */
bool order_block(uint64_t linear)
{
    /* note where this block starts (4.2) */
    if (n_starts == starts_room) {
        starts_room = 2 * starts_room + 64;
        starts = xrealloc(starts, starts_room * sizeof *starts);
    }
    starts[n_starts++] = (struct Start){ next, linear };
    order_barrier();
    now_global.block = now_shared.block = next * STRAND;
    now_shared.floor = next * STRAND;
    now_shared.atomics = false;
    fenced_here = false;
    if (acquired.words)
        memset(acquired.bits, 0, acquired.words * 8);
    return next < MOST_STRANDS / 4 * 3;
}

/* the present moves on, continued (4.2) */
bool order_launch(void)
{
    first = next;
    n_starts = 0;
    now_global.floor = next * STRAND;
    now_global.atomics = false;
    for (int i = 0; i < n_releases; i++)
        free(releases[i].blocks.bits);
    n_releases = 0;
    fenced = false;
    return next < MOST_STRANDS / 2;
}

/* the present moves on, continued (4.2) */
void order_restart(void)
{
    next = 1;
    order_lost = false;
    order_launch();
}

/* turns of a warp (4.2) */
void order_turn_to(const struct Warp *w)
{
    struct Synced *s = &synced[w->index];
    Stamp mine = new_strand(w);
    if (s->era != era) {
        s->era = era;
        s->full = mine;
        s->partial = false;
    }
    s->own = now_global.own = now_shared.own = mine;
    order_warp = w;
}

/* syncs of a warp (4.5) */
void order_sync(const struct Warp *w, uint32_t lanes)
{
    order_turn(w);
    struct Synced *s = &synced[w->index];
    Stamp mine = new_strand(w), all[LANES] = { 0 };
    /* if these are all lanes, one number says it (4.5) */
    int threads = w->block->threads - w->index * LANES;
    uint32_t born = threads < LANES ? (1u << threads) - 1 : ALL_LANES;
    if (!(born & ~lanes)) {
        s->full = mine;
        return;
    }
    if (!s->partial)
        memset(s->known, 0, sizeof s->known);
    s->partial = true;
    /* each of these lanes learns what any of them knew (4.5) */
    for (int a = 0; a < LANES; a++)
        for (int b = 0; b < LANES && lanes >> a & 1; b++)
            if (s->known[a][b] > all[b])
                all[b] = s->known[a][b];
    for (int a = 0; a < LANES; a++)
        for (int b = 0; b < LANES && lanes >> a & 1; b++)
            s->known[a][b] = lanes >> b & 1 ? mine : all[b];
    s->own = now_global.own = now_shared.own = mine;
}

/* meet at an atomic (4.5) */
void order_fence(void)
{
    fenced = fenced_here = true;
}

/* meet at an atomic, continued (4.5) */
void order_atomic(uint64_t address)
{
    enum { MOST = sizeof releases / sizeof *releases };
    int i = 0;
    if (!fenced)
        return;
    while (i < n_releases && releases[i].address != address)
        i++;
    if (i < n_releases)
        set_join(&acquired, &releases[i].blocks);
    /* behind a fence: leave there this block, and all that it knows of (4.5) */
    if (!fenced_here || i == MOST)
        return;
    if (i == n_releases)
        releases[n_releases++] = (struct Release){ .address = address };
    set_add(&acquired, n_starts - 1);
    set_join(&releases[i].blocks, &acquired);
}

/* whose stamp is it? (P.1) */
int warp_of(Stamp x)
{
    return warps[x / STRAND - first];
}

static size_t start_of(Stamp x)
{
    size_t lo = 0, hi = n_starts;
    while (hi - lo > 1) {
        size_t mid = (lo + hi) / 2;
        if (starts[mid].strand <= x / STRAND)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

uint64_t block_of(Stamp x)
{
    return starts[start_of(x)].block;
}

/* is it really not over? (4.5) */
bool order_over(Stamp x, int lane, bool several, const struct Now *n)
{
    const struct Synced *s = &synced[order_warp->index];
    int other = x % SEVERAL;
    if (x < n->block)
        return set_has(&acquired, start_of(x));
    if (warp_of(x) != order_warp->index)
        return false;
    if (x < s->full)
        return true;
    if (s->partial)
        return other == lane
               || s->known[lane][other] > x - x % STRAND;
    return other == lane && !several && !(x & SEVERAL);
}
