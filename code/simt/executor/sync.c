/* Tangled from chapters/workshop/ptx.nw, "Lanes that wait for lanes".  Edit it there. */

#include "simt/executor/execute.h"
#include "simt/executor/lanes.h"

#include <string.h>

/* paths that wait */
static uint32_t named_by(const struct Warp *, const struct Instruction *,
                         uint32_t on);

static const struct Instruction *instruction_of(const struct Warp *w, int k)
{
    return &w->block->launch->kernel->code[w->path[k].pc];
}

/* Does path k wait for the instruction i, with this mask? */
static bool waits_for(const struct Warp *w, int k,
                      const struct Instruction *i, uint32_t mask)
{
    if (!(w->used >> k & 1) || !w->path[k].waits)
        return false;
    const struct Instruction *other = instruction_of(w, k);
    bool same = i->sync == SYNC_MASK && other->sync == SYNC_MASK &&
                !strcmp(i->name, other->name);
    return (i == other || same) &&
           named_by(w, other, w->path[k].lanes) == mask;
}

/* is everybody here? */
/* All lanes named by any of `on`. */
static uint32_t named_by(const struct Warp *w, const struct Instruction *i,
                         uint32_t on)
{
    const uint32_t *mask = w->file + i->c[1];
    uint32_t named = 0;
    if (i->sync == SYNC_ALL)
        return ALL_LANES;
    for (int l = 0; l < LANES; l++)
        named |= on & lane_bit[l] ? mask[l] : 0;
    return named;
}

/* Have all come, with these lanes, that the mask names? */
static bool complete(const struct Warp *w, const struct Instruction *i,
                     uint32_t lanes, uint32_t mask)
{
    for (int k = 0; k < MAX_PATHS; k++)
        if (waits_for(w, k, i, mask))
            lanes |= w->path[k].lanes;
    return !(mask & w->alive & ~lanes);
}

/* divide a path by its masks */
uint32_t same_mask(const struct Warp *w, const struct Instruction *i,
                   uint32_t lanes)
{
    const uint32_t *mask = w->file + i->c[1];
    uint32_t same = 0, first = mask[__builtin_ctz(lanes)];
    if (i->sync == SYNC_ALL)
        return lanes;
    for (int l = 0; l < LANES; l++)
        same |= mask[l] == first ? lane_bit[l] : 0;
    return same & lanes;
}

/* False: all lanes are on and pass one mask. */
static bool divide(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    struct Path p = w->path[w->now];
    int whole = w->now;
    uint32_t off = w->active & ~on, rest = on, part = same_mask(w, i, on);
    if (!off && part == on)
        return false;
    /* make a path of each part */
    p.sides = 0;
    p.pc = w->pc + 1;
    p.lanes = off;
    if (off)
        path_new(w, p);
    for (p.pc = w->pc; rest; rest &= ~part) {
        part = same_mask(w, i, rest);
        p.lanes = part;
        path_new(w, p);
    }
    path_end(w, whole);
    return true;
}

/* execute in several places at once */
static void stop_waiting(struct Warp *w, int k);

static bool execute_together(struct Warp *w, const struct Instruction *i)
{
    for (int k = 0; k < MAX_PATHS; k++)
        if (waits_for(w, k, i, ALL_LANES)) {
            w->active |= w->path[k].lanes;
            stop_waiting(w, k);
            w->path[k].pc++;
        }
    return true;
}

/* What all lanes bring that take part, from wherever they are. */
static void collect(const struct Warp *w, const struct Instruction *i,
                    uint32_t lanes, struct Exchange *e)
{
    e->lanes |= lanes;
    e->yes |= lanes & (w->file[i->a[0]] ^
                       (i->flags & FLAG_NOT ? ALL_LANES : 0));
    for (uint32_t m = lanes; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        e->value[l] = i->flags & FLAG_WIDE
            ? REGISTER(w, i->a[0], const slot8)[l]
            : w->file[i->a[0] + (unsigned)l];
    }
}

static void execute_path(struct Warp *w, int k)
{
    const struct Instruction *i = instruction_of(w, k);
    struct Site *site = w->block->launch->site;
    w->now = k;
    w->active = w->path[k].lanes;
    w->pc = w->path[k].pc++;
    if (site) {
        site[w->pc].executed++;
        site[w->pc].active += (unsigned)__builtin_popcount(w->active);
        if (i->guarded)
            site[w->pc].on += (unsigned)__builtin_popcount(w->active);
    }
    i->run(w, i, w->active);
}

static bool execute_apart(struct Warp *w, const struct Instruction *i,
                          uint32_t mask)
{
    struct Exchange e = { 0 };
    uint64_t others = 0;
    int now = w->now;
    w->path[now].pc = w->pc;
    collect(w, i, w->active, &e);
    for (int k = 0; k < MAX_PATHS; k++)
        if (waits_for(w, k, i, mask)) {
            others |= (uint64_t)1 << k;
            collect(w, instruction_of(w, k), w->path[k].lanes, &e);
        }
    w->exchange = &e;
    for (; others; others &= others - 1) {
        stop_waiting(w, __builtin_ctzll(others));
        execute_path(w, __builtin_ctzll(others));
    }
    execute_path(w, now);
    w->exchange = NULL;
    w->pc++;
    return false;
}

/* join those who waited */
static void stop_waiting(struct Warp *w, int k)
{
    w->path[k].waits = false;
    w->waiting--;
}

/* The running path and all that wait for the same; returns what sync_ready
 * returns. */
static bool join(struct Warp *w, const struct Instruction *i, uint32_t mask)
{
    struct Path *p = &w->path[w->now];
    bool elsewhere = false;
    p->forced = false;
    for (int k = 0; k < MAX_PATHS; k++) {
        struct Path *q = &w->path[k];
        if (!waits_for(w, k, i, mask))
            continue;
        p->missed |= q->missed;
        p->passed &= ~q->lanes;
        q->passed &= ~p->lanes;
        if (q->pc != w->pc || q->parent != p->parent) {
            elsewhere = true;
            continue;
        }
        p->lanes |= q->lanes;
        stop_waiting(w, k);
        path_end(w, k);
    }
    path_idle(w, p->parent);
    w->active = p->lanes;
    p->passed &= ~p->lanes;
    if (elsewhere)
        return i->sync == SYNC_MASK ? execute_apart(w, i, mask)
                                    : execute_together(w, i);
    return true;
}

/* may the path go on? */
bool sync_ready(struct Warp *w, const struct Instruction *i)
{
    struct Path *p = &w->path[w->now];
    uint32_t on = w->active & (w->file[i->guard] ^ i->guard_not);
    if (!p->woken)
        p->missed = 0;
    p->woken = false;
    if (!on || !(named_by(w, i, on) & w->alive & ~on))
        return true;
    if (divide(w, i, on))
        return false;
    uint32_t mask = named_by(w, i, on);
    if (p->forced || complete(w, i, on, mask))
        return join(w, i, mask);
    p->waits = true;
    p->since = ++w->ages;
    p->pc = w->pc;
    w->waiting++;
    w->now = -1;
    return false;
}

/* lanes that never come */
void sync_lanes_left(struct Warp *w, uint32_t lanes)
{
    for (int k = 0; w->waiting && k < MAX_PATHS; k++) {
        struct Path *p = &w->path[k];
        if (!(w->used >> k & 1) || !p->waits)
            continue;
        const struct Instruction *i = instruction_of(w, k);
        uint32_t mask = named_by(w, i, p->lanes);
        p->missed |= mask & lanes & p->passed;
        if (complete(w, i, p->lanes, mask)) {
            stop_waiting(w, k);
            p->woken = true;
        }
    }
}

static void tell_hang(struct Warp *w, int k)
{
    const struct Instruction *i = instruction_of(w, k);
    uint32_t lanes = w->path[k].lanes, mask = named_by(w, i, lanes);
    w->pc = w->path[k].pc;
    launch_fault(w, FAULT_BARRIER, "%.40s is reached by the lanes 0x%08x, "
                 "while 0x%08x are elsewhere and wait, too: they would for "
                 "ever", i->name, lanes, mask & w->alive & ~lanes);
}

void sync_force(struct Warp *w)
{
    int oldest = -1;
    for (uint64_t m = w->used; m; m &= m - 1) {
        int k = __builtin_ctzll(m);
        if (w->path[k].waits &&
            (oldest < 0 || w->path[k].since < w->path[oldest].since))
            oldest = k;
    }
    stop_waiting(w, oldest);
    w->path[oldest].forced = true;
    w->path[oldest].ran = false;
    if (!w->block->launch->check)
        tell_hang(w, oldest);
}
