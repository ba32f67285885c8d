/* Tangled from chapters/workshop/simt-hopper.nw, "An mbarrier and its phases".  Edit it there. */

#include "simt/executor/hopper.h"
#include "simt/executor/lanes.h"
#include "simt/sanitizer/async.h"

#include <stdlib.h>
#include <string.h>

/* an mbarrier in its eight bytes */
enum { COUNT = 20, LIVE = 1 };
static const uint64_t low20 = (1u << COUNT) - 1;

bool mbarrier_read(const struct Block *b, uint32_t at, struct Mbarrier *m)
{
    uint64_t x;
    memcpy(&x, b->shared + at, 8);
    m->pending = (uint32_t)(x & low20);
    m->expected = (uint32_t)(x >> COUNT & low20);
    m->bytes = (int32_t)((int64_t)(x << 3) >> 43);
    m->parity = (uint32_t)(x >> 63);
    return (x >> 61 & 3) == LIVE;
}

void mbarrier_write(struct Block *b, uint32_t at, struct Mbarrier m)
{
    uint64_t bytes = (uint64_t)m.bytes & ((1u << 21) - 1);
    uint64_t x = (uint64_t)m.parity << 63 | (uint64_t)LIVE << 61 |
                 bytes << 40 | (uint64_t)m.expected << COUNT | m.pending;
    memcpy(b->shared + at, &x, 8);
}

/* the barriers of a block */
struct Tracked *mbarrier_tracked(const struct Block *b, uint32_t at)
{
    struct Hopper *h = b->hopper;
    for (int k = 0; h && k < h->barriers; k++)
        if (h->barrier[k].at == at)
            return &h->barrier[k];
    return NULL;
}

static struct Tracked *track(struct Block *b, uint32_t at)
{
    struct Hopper *h = b->hopper;
    struct Tracked *t = mbarrier_tracked(b, at);
    if (t)
        return t;
    if (h->barriers == h->barrier_room) {
        h->barrier_room = 2 * h->barrier_room + 16;
        h->barrier = realloc(h->barrier, (size_t)h->barrier_room *
                                         sizeof *h->barrier);
        if (!h->barrier)
            fail("no memory for the barriers of a block");
    }
    t = &h->barrier[h->barriers++];
    *t = (struct Tracked){ .at = at };
    return t;
}

void hopper_begin(struct Block *b)
{
    struct Hopper *h = b->hopper;
    if (!h)
        return;
    h->barriers = h->copies = 0;
    if (h->grouped)
        memset(h->group, 0, sizeof h->group);
    h->grouped = false;
}

struct Hopper *hopper_of(struct Block *b)
{
    if (!b->hopper)
        b->hopper = calloc(1, sizeof *b->hopper);
    if (!b->hopper)
        fail("no memory for the barriers of a block");
    return b->hopper;
}

/* find a place in shared memory */
struct Block *shared_place(struct Warp *w, const struct Instruction *i,
                           int lane, uint64_t address, bool generic,
                           uint32_t align, uint32_t *at)
{
    uint64_t x = generic ? address - SHARED_WINDOW : address;
    struct Block *b = x >> RANK_SHIFT ? cluster_block(w->block,
                             (uint32_t)(x >> RANK_SHIFT) - 1) : w->block;
    struct Dim3 t = thread_index(w, lane);
    *at = (uint32_t)(x & ((1u << RANK_SHIFT) - 1));
    if (!b || x >> 32 || *at >= b->shared_bytes)
        launch_fault(w, FAULT_ILLEGAL_ADDRESS, "%.40s of thread (%u,%u,%u) "
            "at 0x%llx, which is not in shared memory", i->name, t.x, t.y,
            t.z, (unsigned long long)address);
    else if (*at % align)
        launch_fault(w, FAULT_MISALIGNED_ADDRESS, "%.40s of thread "
            "(%u,%u,%u) at byte %u of shared memory, which is no multiple "
            "of %u", i->name, t.x, t.y, t.z, *at, align);
    else
        return b;
    return NULL;
}

/* is it a barrier? */
static bool is_mbarrier(struct Warp *w, const struct Instruction *i,
                        int lane, struct Block *b, uint32_t at)
{
    struct Mbarrier m;
    if (i->op == MBARRIER_INIT || mbarrier_read(b, at, &m))
        return true;
    const struct Tracked *t = mbarrier_tracked(b, at);
    const char *why = !t ? "which no mbarrier.init has set up" : !t->live ?
        "whose mbarrier was invalidated" :
        "whose mbarrier was overwritten by ordinary stores";
    if (b->launch->check)
        check_problem(PROBLEM_PHASE, w, lane_bit[lane], "needs an mbarrier "
                      "at byte %u of shared memory, %s", at, why);
    launch_fault(w, FAULT_BARRIER, "%.40s at byte %u of shared memory, %s",
                 i->name, at, why);
    return false;
}

/* arrive at a barrier */
void mbarrier_count(struct Block *b, uint32_t at, uint32_t arrivals,
                    int32_t bytes)
{
    struct Mbarrier m;
    struct Tracked *t = mbarrier_tracked(b, at);
    if (!mbarrier_read(b, at, &m))
        return;
    m.bytes += bytes;
    m.pending -= arrivals < m.pending ? arrivals : m.pending;
    b->cluster->moved++;
    if (!m.pending && !m.bytes) {
        m.pending = m.expected;
        m.parity ^= 1;
        if (t)
            t->phase++;
        if (b->launch->check)
            check_phase(b, at);
    }
    mbarrier_write(b, at, m);
}

static void arrive(struct Warp *w, const struct Instruction *i, int lane,
                   struct Block *b, uint32_t at)
{
    bool wide = i->op == MBARRIER_ARRIVE || i->op == MBARRIER_DROP;
    uint32_t n = w->file[i->b[0] + (unsigned)lane];
    int32_t bytes = i->type & ANNOUNCES ? (int32_t)n : 0;
    struct Mbarrier m;
    if (!mbarrier_read(b, at, &m))
        return;
    n = i->type & ANNOUNCES ? 1 : n;
    if (w->block->launch->check)
        check_arrive(w, lane, b, at, n > m.pending);
    if (wide && i->d[0])
        memcpy(w->file + i->d[0] + 2 * lane, b->shared + at, 8);
    if (i->op == MBARRIER_DROP && m.expected) {
        m.expected--;
        mbarrier_write(b, at, m);
    }
    if (bytes)
        mbarrier_count(b, at, 0, bytes);
    mbarrier_count(b, at, n, 0);
}

/* look at a barrier */
static bool is_over(const struct Block *b, uint32_t at, uint32_t parity)
{
    struct Mbarrier m;
    mbarrier_read(b, at, &m);
    return m.parity != parity;
}

static bool look(struct Warp *w, const struct Instruction *i, int lane,
                 struct Block *b, uint32_t at)
{
    uint32_t parity = i->type & BY_PARITY
        ? w->file[i->b[0] + (unsigned)lane] & 1
        : (uint32_t)(REGISTER(w, i->b[0], const slot8)[lane] >> 63);
    if (is_over(b, at, parity))
        return true;
    copies_arrive(b, at);
    if (i->op == MBARRIER_TRY && is_over(b, at, parity))
        return true;
    w->waits = (struct MbarrierWait){ b, w->pc, at, parity };
    return false;
}

void run_mbarrier_wait(struct Warp *w, const struct Instruction *i,
                       uint32_t on)
{
    uint64_t address[LANES];
    uint32_t done = 0;
    bool generic = i->space == SPACE_GENERIC;
    lane_addresses(w, i->a[0], i->flags & FLAG_A64, i->offset, address);
    for (uint32_t m = on; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint32_t at;
        struct Block *b = shared_place(w, i, l, address[l], generic, 8,
                                       &at);
        if (!b || !is_mbarrier(w, i, l, b, at))
            return;
        if (b->launch->check)
            check_mbarrier_known(w, l, b, at);
        done |= look(w, i, l, b, at) ? lane_bit[l] : 0;
    }
    if (done && w->block->launch->check)
        check_waited(w, address, generic, done);
    w->file[i->d[0]] = (w->file[i->d[0]] & ~on) | done;
    if (on & ~done)
        warp_waits(w);
    else
        warp_waited(w);
}

/* execute an instruction on a barrier */
static void change(struct Warp *w, const struct Instruction *i, int lane,
                   struct Block *b, uint32_t at)
{
    uint32_t n = w->file[i->b[0] + (unsigned)lane];
    struct Tracked *t;
    switch (i->op) {
    case MBARRIER_INIT:
        hopper_of(b);
        t = track(b, at);
        if (b->launch->check)
            check_mbarrier_init(w, lane, at, n, t->live);
        *t = (struct Tracked){ at, 0, w->pc,
            b->launch->check ? check_mbarrier_made(w, lane, b) : 0, true };
        mbarrier_write(b, at, (struct Mbarrier){ n, n, 0, 0 });
        break;
    case MBARRIER_INVAL:
        t = mbarrier_tracked(b, at);
        if (t)
            t->live = false;
        memset(b->shared + at, 0xff, 8);
        break;
    case MBARRIER_EXPECT: mbarrier_count(b, at, 0, (int32_t)n); break;
    case MBARRIER_COMPLETE: mbarrier_count(b, at, 0, -(int32_t)n); break;
    default: arrive(w, i, lane, b, at);
    }
}

void run_mbarrier(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint64_t address[LANES];
    lane_addresses(w, i->a[0], i->flags & FLAG_A64, i->offset, address);
    if (w->block->launch->check)
        on = check_mbarrier(w, address, i->space == SPACE_GENERIC, on,
                            i->op == MBARRIER_INIT ||
                            i->op == MBARRIER_INVAL);
    for (uint32_t m = on; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint32_t at;
        struct Block *b = shared_place(w, i, l, address[l],
                                       i->space == SPACE_GENERIC, 8, &at);
        if (!b || !is_mbarrier(w, i, l, b, at))
            return;
        change(w, i, l, b, at);
    }
}

void run_mbarrier_pending(struct Warp *w, const struct Instruction *i,
                          uint32_t on)
{
    const slot8 *a = REGISTER(w, i->a[0], const slot8);
    for (int l = 0; l < LANES; l++)
        if (on >> l & 1)
            w->file[i->d[0] + (unsigned)l] = (uint32_t)(a[l] & low20);
}
