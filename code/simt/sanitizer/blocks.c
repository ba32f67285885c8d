/* Tangled from chapters/workshop/simt-hopper.nw, "Races between blocks".  Edit it there. */

#include "simt/sanitizer/blocks.h"

#include "base/alloc.h"
#include "simt/sanitizer/check.h"
#include "simt/sanitizer/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* what blocks know */
struct Known { uint32_t step[MAX_CLUSTER]; };   /* up to there, of each  */

bool blocks_watched;
static uint32_t base;           /* steps before are of another cluster   */
static uint32_t now[MAX_CLUSTER];
static struct Known knows[MAX_CLUSTER];

static void learn(struct Known *to, const struct Known *from)
{
    for (int q = 0; q < MAX_CLUSTER; q++)
        if (to->step[q] < from->step[q])
            to->step[q] = from->step[q];
}

static struct Meeting {
    uint64_t key;
    uint32_t base;              /* of its cluster                        */
    struct Known all, done;     /* released; and up to the last phase    */
} *syncs;
static size_t n_syncs, syncs_room;      /* the room: a power of two      */

static struct Meeting *slot_of(struct Meeting *table, size_t room,
                               uint64_t key)
{
    size_t i = key * 0x9e3779b97f4a7c15u >> 20 & (room - 1);
    while (table[i].base == base && table[i].key != key)
        i = (i + 1) & (room - 1);
    return &table[i];
}

static void syncs_grow(void)
{
    size_t room = syncs_room ? 2 * syncs_room : 64;
    struct Meeting *old = syncs;
    syncs = xcalloc(room, sizeof *syncs);
    for (size_t i = 0; i < syncs_room; i++)
        if (old[i].base == base)
            *slot_of(syncs, room, old[i].key) = old[i];
    syncs_room = room;
    free(old);
}

static struct Meeting *sync_at(uint64_t key)
{
    if (2 * n_syncs >= syncs_room)
        syncs_grow();
    struct Meeting *s = slot_of(syncs, syncs_room, key);
    if (s->base != base) {
        *s = (struct Meeting){ .key = key, .base = base };
        n_syncs++;
    }
    return s;
}

/* a word that blocks share */
struct Event {
    uint32_t step;              /* of the block; before base: nothing    */
    uint16_t at;                /* instruction                           */
    uint8_t rank, bytes;        /* which of the four bytes               */
};
static struct Shared {
    struct Event write, own, other;
} *shared[MAX_CLUSTER];
static size_t words;

void blocks_begin(const struct Launch *l, uint32_t n)
{
    size_t need = (shared_of(l->kernel, l->dynamic_shared) + 3) / 4;
    blocks_watched = n > 1 && n <= MAX_CLUSTER && !l->workspace &&
                     check_wants_races();
    if (!blocks_watched)
        return;
    for (int r = 0; r < MAX_CLUSTER && need > words; r++) {
        free(shared[r]);
        shared[r] = xcalloc(need, sizeof **shared);
    }
    words = need > words ? need : words;
    for (int r = 0; r < MAX_CLUSTER; r++)
        base = now[r] >= base ? now[r] + 1 : base;
    for (int r = 0; r < MAX_CLUSTER; r++) {
        now[r] = base;
        knows[r] = (struct Known){ { 0 } };
    }
    n_syncs = 0;
}

/* blocks release and acquire */
void blocks_release(uint64_t key, uint32_t rank)
{
    struct Meeting *s = sync_at(key);
    knows[rank].step[rank] = now[rank];
    learn(&s->all, &knows[rank]);
    now[rank]++;
}

void blocks_phase(uint64_t key)
{
    struct Meeting *s = sync_at(key);
    s->done = s->all;
}

void blocks_acquire(uint64_t key, uint32_t rank)
{
    learn(&knows[rank], &sync_at(key)->done);
}

/* compare an access of a block */
static bool clash(const struct Event *e, uint32_t rank, uint8_t bytes)
{
    return e->step >= base && e->rank != rank && e->bytes & bytes &&
           knows[rank].step[e->rank] < e->step;
}

static void note(struct Event *e, uint32_t rank, uint8_t bytes, int at)
{
    bool more = e->step == now[rank] && e->rank == rank;
    *e = (struct Event){ now[rank], (uint16_t)at, (uint8_t)rank,
                         more ? e->bytes | bytes : bytes };
}

static void tell(const struct Warp *w, uint32_t lanes, uint32_t owner,
                 uint32_t at, bool write, const struct Event *e, bool wrote)
{
    char place[160];
    check_problem(PROBLEM_RACE, w, lanes, "%s byte %u of the shared memory "
                  "of block %u of the cluster, which block %u %s at %s.\n"
                  "    Nothing puts the two blocks in order: put "
                  "barrier.cluster, or cluster.sync(), between the two.",
                  write ? "writes" : "reads", at, owner, e->rank,
                  wrote ? "writes" : "reads",
                  where(w->block->launch->kernel, e->at, place,
                        sizeof place));
}

/* an access of a block */
static bool touch_word(const struct Warp *w, uint32_t lanes,
                       uint32_t owner, uint32_t at, uint8_t bytes,
                       bool write)
{
    struct Shared *s = &shared[owner][at / 4];
    const uint32_t rank = w->block->rank;
    const struct Event *e = clash(&s->write, rank, bytes) ? &s->write :
        write && clash(&s->own, rank, bytes) ? &s->own :
        write && clash(&s->other, rank, bytes) ? &s->other : NULL;
    if (e)
        tell(w, lanes, owner, at, write, e, e == &s->write);
    note(write ? &s->write : rank == owner ? &s->own : &s->other, rank,
         bytes, w->pc);
    return !e;
}

void blocks_touch(const struct Warp *w, uint32_t lanes, uint32_t owner,
                  uint32_t at, uint32_t bytes, bool write)
{
    bool well = true;
    for (uint32_t end = at + bytes; well && at < end; at = at / 4 * 4 + 4) {
        uint32_t first = at % 4, last = end - at / 4 * 4;
        last = last > 4 ? 4 : last;
        well = touch_word(w, lanes, owner, at, (uint8_t)((1u << last) -
                          (1u << first)), write);
    }
}

void blocks_access(const struct Warp *w, const struct Access *a,
                   uint32_t on, uint32_t owner)
{
    const struct Instruction *i = &w->block->launch->kernel->code[w->pc];
    const bool orders = a->kind == ACCESS_ATOM || a->kind == ACCESS_RED ||
                        i->flags & FLAG_STRONG;
    const bool near = a->space == SPACE_SHARED;
    if (!near && (!orders || a->space != SPACE_GLOBAL))
        return;
    for (uint32_t m = on; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint64_t key = near ? blocks_key(owner, (uint32_t)a->address[l])
                            : a->address[l];
        if (orders) {
            blocks_release(key, w->block->rank);
            blocks_phase(key);
            blocks_acquire(key, w->block->rank);
        } else {
            blocks_touch(w, 1u << l, owner, (uint32_t)a->address[l],
                         a->kind == ACCESS_LDMATRIX ||
                         a->kind == ACCESS_STMATRIX ? 16
                                                    : (uint32_t)a->size,
                         a->kind == ACCESS_STORE ||
                         a->kind == ACCESS_STMATRIX);
        }
    }
}
