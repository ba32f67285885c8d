/* Tangled from chapters/workshop/simt-sanitizer.nw, "Three files".  Edit it there. */

#include "simt/sanitizer/order.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STRANDS = 1 << 26 };

struct Now now_global, now_shared;
const struct Warp *order_warp;
bool order_lost;

/* the numbers of the running launch */
static uint32_t next = 1;               /* strand                        */
static uint32_t first;                  /* strand of the launch          */
static uint8_t *warps;                  /* [strand - first]: whose it is */
static size_t warps_room;
static struct Start {
    uint32_t strand;
    uint64_t block;
    Stamp published;            /* its accesses before this              */
} *starts;
static size_t n_starts, starts_room;

/* what threads know */
static uint64_t era;                    /* barriers and blocks ever      */

struct Clock {
    uint64_t era;               /* void in another                       */
    uint64_t warps;             /* that have entries; all others are 0   */
    uint32_t changes;           /* so far                                */
    Stamp known[MAX_WARPS + 1][LANES];      /* and the copies'       */
};
static struct Clock *clocks[MAX_THREADS];       /* NULL: knows nothing   */

static bool knows_any(const struct Clock *c)
{
    return c && c->era == era;
}

static Stamp known(const struct Clock *c, int thread)
{
    int w = thread / LANES;
    return knows_any(c) && c->warps >> w & 1 ? c->known[w][thread % LANES]
                                             : 0;
}

/* The entries of a warp, to be written. */
static Stamp *entries(struct Clock *c, int w)
{
    if (c->era != era)
        c->warps = 0;
    c->era = era;
    if (!(c->warps >> w & 1))
        memset(c->known[w], 0, sizeof c->known[w]);
    c->warps |= (uint64_t)1 << w;
    return c->known[w];
}

static void learn(struct Clock *c, int w, uint32_t lanes, Stamp x)
{
    Stamp *to = entries(c, w);
    for (int l = 0; l < LANES; l++)
        if (lanes >> l & 1 && to[l] < x) {
            to[l] = x;
            c->changes++;
        }
}

static void learn_all(struct Clock *c, const struct Clock *from)
{
    for (int w = 0; knows_any(from) && w <= MAX_WARPS; w++) {
        if (!(from->warps >> w & 1))
            continue;
        Stamp *to = entries(c, w), more = 0;
        for (int l = 0; l < LANES; l++) {
            Stamp x = from->known[w][l] > to[l] ? from->known[w][l] : to[l];
            more |= x ^ to[l];
            to[l] = x;
        }
        c->changes += more != 0;
    }
}

static struct Clock *clock_of(int thread)
{
    if (!clocks[thread])
        clocks[thread] = xcalloc(1, sizeof *clocks[thread]);
    return clocks[thread];
}

/* what a warp has synchronised in this era */
static struct Synced {
    uint64_t era;               /* the rest is of this era               */
    Stamp own;                  /* from here on all lanes know all       */
    Stamp full;                 /* since the last sync of all lanes      */
    bool clocks;                /* has a lane one?                       */
    Stamp fence[LANES];         /* end of what its last fence covers     */
    Stamp device_fence[LANES];  /* likewise, __threadfence only          */
    Stamp full_then[LANES];     /* `full` at its last fence              */
} synced[MAX_WARPS + 1];
static Stamp fences;            /* the block's, up to the last barrier   */
static Stamp last_fence;        /* and the last of all                   */

/* what has been published */
struct Set { uint64_t *bits; size_t words; };
struct Release {
    uint64_t address;           /* 0: nothing here                       */
    struct Set blocks;
    struct Clock *clock;        /* NULL: nothing of this block           */
};
static struct Release *releases;        /* a hash table                  */
static size_t n_releases, releases_room;
static bool fenced;                     /* in this launch?               */
static struct Set acquired;             /* by this block                 */

/* sets of blocks */
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

/* the releases of a launch */
static struct Release *slot_of(struct Release *table, size_t room,
                               uint64_t address)
{
    size_t i = address * 0x9e3779b97f4a7c15u >> 20 & (room - 1);
    while (table[i].address && table[i].address != address)
        i = (i + 1) & (room - 1);
    return &table[i];
}

static void releases_grow(void)
{
    size_t room = releases_room ? 2 * releases_room : 1024;
    struct Release *old = releases;
    releases = xcalloc(room, sizeof *releases);
    for (size_t i = 0; i < releases_room; i++)
        if (old[i].address)
            *slot_of(releases, room, old[i].address) = old[i];
    releases_room = room;
    free(old);
}

/* NULL: none, and none is to be made. */
static struct Release *release_at(uint64_t address, bool make)
{
    if (make && 2 * n_releases >= releases_room)
        releases_grow();
    if (!releases_room)
        return NULL;
    struct Release *r = slot_of(releases, releases_room, address);
    if (!r->address && !make)
        return NULL;
    n_releases += !r->address;
    r->address = address;
    return r;
}

static void releases_forget(void)
{
    for (size_t i = 0; n_releases && i < releases_room; i++) {
        free(releases[i].blocks.bits);
        free(releases[i].clock);
        releases[i] = (struct Release){ 0 };
    }
    n_releases = 0;
}

/* the next strand is this warp's */
static Stamp new_strand(const struct Warp *w)
{
    /* note whose strand this is */
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

/* the present moves on */
void order_barrier(void)
{
    era++;
    fences = last_fence;
    order_warp = NULL;
    now_global.era = now_shared.era = next * STRAND;
}

bool order_block(uint64_t linear)
{
    /* note where this block starts */
    if (n_starts == starts_room) {
        starts_room = 2 * starts_room + 64;
        starts = xrealloc(starts, starts_room * sizeof *starts);
    }
    starts[n_starts++] = (struct Start){ next, linear, 0 };
    order_barrier();
    now_global.block = now_shared.block = next * STRAND;
    now_shared.floor = next * STRAND;
    now_shared.atomics = false;
    fences = last_fence = 0;
    if (acquired.words)
        memset(acquired.bits, 0, acquired.words * 8);
    return next < MOST_STRANDS / 4 * 3;
}

bool order_launch(void)
{
    first = next;
    n_starts = 0;
    now_global.floor = next * STRAND;
    now_global.atomics = false;
    releases_forget();
    fenced = false;
    return next < MOST_STRANDS / 2;
}

void order_restart(void)
{
    next = 1;
    order_lost = false;
    order_launch();
}

/* turns of a warp */
void order_turn_to(const struct Warp *w)
{
    struct Synced *s = &synced[w->index];
    Stamp mine = new_strand(w);
    if (s->era != era) {
        s->era = era;
        s->full = mine;
        s->clocks = false;
        memset(s->fence, 0, sizeof s->fence);
        memset(s->device_fence, 0, sizeof s->device_fence);
    }
    s->own = now_global.own = now_shared.own = mine;
    order_warp = w;
}

/* syncs of a warp */
void order_sync(const struct Warp *w, uint32_t lanes)
{
    order_turn(w);
    struct Synced *s = &synced[w->index];
    Stamp mine = new_strand(w);
    /* if these are all lanes, one number says it */
    int threads = w->block->threads - w->index * LANES;
    uint32_t born = threads < LANES ? (1u << threads) - 1 : ALL_LANES;
    bool whole = !(born & ~lanes);
    static struct Clock all;
    all.warps = 0;
    if (!whole || s->clocks) {
        /* each of these lanes learns what any of them knew */
        int lane_0 = w->index * LANES;
        for (uint32_t m = lanes; m; m &= m - 1)
            learn_all(&all, clocks[lane_0 + __builtin_ctz(m)]);
        learn(&all, w->index, lanes, mine);
        for (uint32_t m = lanes; m; m &= m - 1)
            learn_all(clock_of(lane_0 + __builtin_ctz(m)), &all);
        s->clocks = true;
    }
    if (whole)
        s->full = mine;
    else
        s->own = now_global.own = now_shared.own = mine;
}

/* acquire, publish */
static void acquire(const struct Warp *w, int lane, const struct Release *r)
{
    if (r->address < SHARED_WINDOW)
        set_join(&acquired, &r->blocks);
    if (!knows_any(r->clock))
        return;
    learn_all(clock_of(w->index * LANES + lane), r->clock);
    synced[w->index].clocks = true;
}

static void publish(const struct Warp *w, int lane, struct Release *r)
{
    const struct Synced *s = &synced[w->index];
    Stamp covered = s->device_fence[lane] > fences ? s->device_fence[lane]
                                                   : fences;
    if (r->address < SHARED_WINDOW && covered) {
        struct Start *block = &starts[n_starts - 1];
        block->published = covered > block->published ? covered
                                                      : block->published;
        set_add(&acquired, n_starts - 1);
        set_join(&r->blocks, &acquired);
    }
    if (!s->fence[lane])
        return;                 /* the fence came before a barrier */
    if (!r->clock)
        r->clock = xcalloc(1, sizeof *r->clock);
    learn_all(r->clock, clocks[w->index * LANES + lane]);
    learn(r->clock, w->index, ALL_LANES, s->full_then[lane]);
    learn(r->clock, w->index, 1u << lane, s->fence[lane]);
}

/* has anything changed? */
static struct Seen {
    uint64_t era, address;
    uint32_t there, here;       /* changes of both clocks                */
    Stamp fence;
} seen[MAX_THREADS];

static struct Seen see(const struct Warp *w, int lane,
                       const struct Release *r)
{
    const struct Clock *there = r->clock;
    const struct Clock *here = clocks[w->index * LANES + lane];
    return (struct Seen){ era, r->address, there ? there->changes : 0,
                          here ? here->changes : 0,
                          synced[w->index].fence[lane] };
}

static void note_seen(const struct Warp *w, int lane,
                      const struct Release *r)
{
    seen[w->index * LANES + lane] = see(w, lane, r);
}

static bool nothing_new(const struct Warp *w, int lane,
                        const struct Release *r)
{
    const struct Seen *s = &seen[w->index * LANES + lane];
    struct Seen now = see(w, lane, r);
    return s->era == now.era && s->address == now.address &&
           s->there == now.there && s->here == now.here &&
           s->fence == now.fence;
}

/* a release and its acquire */
void order_fence(const struct Warp *w, uint32_t lanes, bool device)
{
    order_turn(w);
    struct Synced *s = &synced[w->index];
    Stamp mine = new_strand(w);
    for (int l = 0; l < LANES; l++)
        if (lanes >> l & 1) {
            s->fence[l] = mine;
            s->full_then[l] = s->full;
            s->device_fence[l] = device ? mine : s->device_fence[l];
        }
    s->own = now_global.own = now_shared.own = mine;
    fenced = true;
    if (device)
        last_fence = mine;
}

void order_atomic(const struct Warp *w, int lane, uint64_t address,
                  bool reads, bool writes)
{
    if (!fenced)
        return;
    order_turn(w);
    writes &= fences || synced[w->index].fence[lane];
    struct Release *r = release_at(address, writes);
    if (!r || nothing_new(w, lane, r))
        return;
    if (reads)
        acquire(w, lane, r);
    if (writes)
        publish(w, lane, r);
    note_seen(w, lane, r);
}

bool order_published(uint64_t address)
{
    const struct Release *r = fenced ? release_at(address, false) : NULL;
    return r && knows_any(r->clock);
}

/* whose stamp is it? */
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

/* is it really not over? */
bool order_over(Stamp x, int lane, bool several, const struct Now *n)
{
    const struct Warp *w = order_warp;
    const struct Synced *s = &synced[w->index];
    if (x < n->block)
        return set_has(&acquired, start_of(x)) &&
               x < starts[start_of(x)].published;
    int other = warp_of(x) * LANES + (int)(x % SEVERAL);
    int me = w->index * LANES + lane;
    bool mine = other / LANES == w->index;
    if (mine && x < s->full)
        return true;
    if (s->clocks && known(clocks[me], other) > x - x % STRAND)
        return true;
    return other == me && !several && !(x & SEVERAL);
}

/* Has the lane learned what the thread of x published by its last fence?
 * Then the access to the flag is over, too. */
bool order_passed_on(Stamp x, int lane, const struct Now *n)
{
    if (x < n->block)
        return set_has(&acquired, start_of(x));
    int w = warp_of(x), l = (int)(x % SEVERAL);
    Stamp fence = synced[w].era == era ? synced[w].fence[l] : 0;
    return fence && known(clocks[order_warp->index * LANES + lane],
                          w * LANES + l) >= fence;
}

/* order.c: arrivals and waits */
void order_arrive(const struct Warp *w, int lane, uint64_t address)
{
    order_fence(w, 1u << lane, false);
    publish(w, lane, release_at(address, true));
}

void order_phase(uint64_t address)
{
    struct Release *done = release_at(address + 1, true);
    if (!done->clock)
        done->clock = xcalloc(1, sizeof *done->clock);
    done = release_at(address + 1, true);
    const struct Release *all = release_at(address, false);
    if (all && all->clock)
        learn_all(done->clock, all->clock);
}

void order_wait(const struct Warp *w, int lane, uint64_t address)
{
    const struct Release *done = release_at(address + 1, false);
    order_turn(w);
    if (done)
        acquire(w, lane, done);
}

/* Where barrier id keeps its clocks: no shared memory is there. */
static uint64_t part_key(int id)
{
    return SHARED_WINDOW + (1u << 30) + 2 * (uint64_t)id;
}

void order_part_arrive(const struct Warp *w, int id)
{
    order_sync(w, w->alive);
    struct Release *r = release_at(part_key(id), true);
    int lane = w->index * LANES + __builtin_ctz(w->alive);
    if (!r->clock)
        r->clock = xcalloc(1, sizeof *r->clock);
    if (knows_any(clocks[lane]))
        learn_all(r->clock, clocks[lane]);
    learn(r->clock, w->index, w->alive, now_shared.mine);
}

void order_part_phase(int id)
{
    order_phase(part_key(id));
}

void order_part_wait(const struct Warp *w, int id)
{
    const struct Release *done = release_at(part_key(id) + 1, false);
    order_turn(w);
    for (uint32_t m = w->alive; done && m; m &= m - 1)
        acquire(w, __builtin_ctz(m), done);
}

/* The next writes are a copy's. */
void order_copy(void)
{
    static const struct Warp nobody = { .index = PROXY };
    new_strand(&nobody);
    order_warp = NULL;
}

/* They count on this barrier. */
void order_copy_came(uint64_t address)
{
    struct Release *all = release_at(address, true);
    if (!all->clock)
        all->clock = xcalloc(1, sizeof *all->clock);
    learn(all->clock, PROXY, 1, now_shared.mine + 1);
}

/* A fence that publishes nothing. */
Stamp order_split(const struct Warp *w)
{
    order_turn(w);
    struct Synced *s = &synced[w->index];
    Stamp mine = new_strand(w);
    s->own = now_global.own = now_shared.own = mine;
    return mine;
}

bool order_over_group(Stamp x, int lane)
{
    const struct Clock *c = clocks[order_warp->index * LANES + lane];
    int group = warp_of(x) / 4 * 4 * LANES;
    for (int t = group; t < group + 4 * LANES; t++)
        if (known(c, t) > x - x % STRAND)
            return true;
    return false;
}
