/* Tangled from chapters/workshop/simt-executor.nw, "Tables, traps and faults".  Edit it there. */

#include "simt/executor/execute.h"
#include "simt/runtime/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* paths come and go */
int path_new(struct Warp *w, struct Path p)
{
    if (!~w->used) {
        launch_fault(w, FAULT_INSTRUCTION, "lanes of a warp are on more "
                     "than %d different ways", MAX_PATHS);
        return 0;
    }
    int k = __builtin_ctzll(~w->used);
    p.age = ++w->ages;
    w->used |= (uint64_t)1 << k;
    w->path[k] = p;
    if (p.parent >= 0)
        w->path[p.parent].sides++;
    return k;
}

void path_end(struct Warp *w, int k)
{
    w->used &= ~((uint64_t)1 << k);
    if (w->path[k].parent >= 0)
        w->path[w->path[k].parent].sides--;
    if (w->now == k)
        w->now = -1;
}

/* whose turn it is */
/* The youngest leaf that has not had its turn; -1: none. */
static int youngest(const struct Warp *w)
{
    int best = -1;
    for (uint64_t m = w->used; m; m &= m - 1) {
        int k = __builtin_ctzll(m);
        const struct Path *p = &w->path[k];
        if (!p->sides && !p->waits && !p->ran &&
            (best < 0 || p->age > w->path[best].age))
            best = k;
    }
    return best;
}

enum { POLLS = 1024, POLL = 64, REPEATS = 8, PATIENCE = 80 };
enum { REPEATS_COST = 20, LOOKS_COST = 4, SLICE_COST = 1 };

/* The first lane speaks for all. */
void warp_looked(struct Warp *w, uint64_t address, uint64_t value)
{
    struct Poll *p = &w->poll[w->pc % 4], now = { w->pc, address, value };
    bool same = p->pc == now.pc && p->address == address &&
                p->value == value;
    w->polls += same ? POLL : 1;
    w->repeats += same;
    *p = now;
}

static void end_turn(struct Warp *w, int cost)
{
    w->polls = w->repeats = 0;
    w->turns++;
    w->patience += cost;
    w->path[w->now].pc = w->pc;
    w->path[w->now].ran = true;
    w->now = -1;
}

/* waits for an mbarrier */
void warp_waits(struct Warp *w)
{
    w->stuck = true;
    w->polls = POLLS + 8;
}

void warp_waited(struct Warp *w)
{
    w->waits.block = NULL;
    w->patience = 0;
}

/* Lanes that have come to the reconvergence point and wait for others. */
static uint32_t arrived(const struct Warp *w, int k)
{
    uint32_t lanes = w->path[k].lanes;
    for (uint64_t m = w->used; m; m &= m - 1)
        if (w->path[__builtin_ctzll(m)].parent == k)
            lanes &= ~w->path[__builtin_ctzll(m)].lanes;
    return lanes;
}

/* Drop parent k, if it has nobody to wait for. */
void path_idle(struct Warp *w, int k)
{
    if (k < 0 || w->path[k].sides != 1 || arrived(w, k))
        return;
    for (uint64_t m = w->used; m; m &= m - 1) {
        struct Path *side = &w->path[__builtin_ctzll(m)];
        if (side->parent != k)
            continue;
        side->parent = w->path[k].parent;
        side->meet = w->path[k].meet;
        w->used &= ~((uint64_t)1 << k);
        return;
    }
}

/* Lanes at the reconvergence point k go on; all sides of k are behind. */
static void passed_by(struct Warp *w, int k, uint32_t lanes)
{
    for (uint64_t m = w->used; m; m &= m - 1) {
        struct Path *p = &w->path[__builtin_ctzll(m)];
        int up = p->parent;
        while (up >= 0 && up != k)
            up = w->path[up].parent;
        p->passed |= up == k ? lanes : 0;
    }
}

/* Let the youngest such lanes go on alone; false: there are none. */
static bool let_go(struct Warp *w)
{
    int best = -1;
    for (uint64_t m = w->used; m; m &= m - 1) {
        int k = __builtin_ctzll(m);
        const struct Path *p = &w->path[k];
        if (p->sides && p->pc >= 0 && arrived(w, k) &&
            (best < 0 || p->age > w->path[best].age))
            best = k;
    }
    if (best < 0)
        return false;
    /* make a path of the lanes that have arrived at `best` */
    struct Path *p = &w->path[best], q = { .pc = p->pc, .meet = p->meet,
        .lanes = arrived(w, best), .parent = p->parent, .passed = p->passed };
    p->lanes &= ~q.lanes;
    passed_by(w, best, q.lanes);
    path_new(w, q);
    path_idle(w, best);
    return true;
}

/* Pick the path that runs next.  False: all have had their turn. */
static bool next_path(struct Warp *w)
{
    int k;
    bool ran = false;
    while ((k = youngest(w)) < 0) {
        for (uint64_t m = w->used; m; m &= m - 1) {
            const struct Path *p = &w->path[__builtin_ctzll(m)];
            ran |= !p->sides && !p->waits && p->ran;
        }
        if (ran)
            return false;
        if (!let_go(w))
            sync_force(w);
    }
    w->now = k;
    w->pc = w->path[k].pc;
    return true;
}

/* which path runs */
static bool settle(struct Warp *w)
{
    while (w->now < 0 || !w->path[w->now].lanes ||
           w->pc == w->path[w->now].meet) {
        if (w->now >= 0) {
            path_end(w, w->now);
            w->patience = 0;
        }
        if (!w->used) {
            w->active = 0;
            w->state = WARP_DONE;
            return false;
        }
        if (!next_path(w))
            return false;
    }
    w->active = w->path[w->now].lanes;
    return true;
}

/* lanes diverge */
/* The path whose sides the running path's lanes become; it waits at
 * `meet`. */
static int diverge(struct Warp *w, int meet)
{
    int k = w->now;
    struct Path *p = &w->path[k];
    w->next = meet;
    w->now = -1;
    p->pc = meet;
    if (meet != p->meet)
        return k;
    path_end(w, k);
    return p->parent;           /* it waits there already */
}

static void add_side(struct Warp *w, int parent, int pc, int meet,
                     uint32_t lanes, uint32_t passed)
{
    if (lanes && pc != meet)
        path_new(w, (struct Path){ .pc = pc, .meet = meet, .lanes = lanes,
                                   .parent = parent, .passed = passed });
}

/* lanes return */
static void leave(struct Warp *w, uint32_t lanes)
{
    if (!lanes)
        return;
    for (uint64_t m = w->used; m; m &= m - 1)
        w->path[__builtin_ctzll(m)].lanes &= ~lanes;
    w->alive &= ~lanes;
    w->active &= ~lanes;
    w->patience = 0;
    sync_lanes_left(w, lanes);
}

void run_exit(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    (void)i;
    leave(w, on);
}

/* branch */
void run_branch(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint32_t off = w->active & ~on;
    /* lanes that branch to a return go at once */
    if (i->leaves & LEAVES_IF_TAKEN) {
        leave(w, on);
        return;                 /* the others fall through */
    }
    if (i->leaves & LEAVES_IF_NOT) {
        leave(w, off);
        w->next = i->target;
        return;
    }
    if (!off) {
        w->next = i->target;
        return;
    }
    /* make both sides */
    if (w->block->launch->site)
        w->block->launch->site[w->pc].divergent++;
    uint32_t passed = w->path[w->now].passed;
    int fall = w->pc + 1, parent = diverge(w, i->meet);
    add_side(w, parent, i->target, i->meet, on, passed);
    add_side(w, parent, fall, i->meet, off, passed);
}

/* branch through a table */
void run_branch_table(struct Warp *w, const struct Instruction *i,
                      uint32_t on)
{
    const uint32_t *index = w->file + i->a[0];
    uint32_t rest = on, off = w->active & ~on;
    uint32_t passed = w->path[w->now].passed;
    int fall = w->pc + 1, meet = i->meet, parent = w->now;
    /* refuse an index outside of the table */
    for (uint32_t m = on; m; m &= m - 1) {
        uint32_t entry = index[__builtin_ctz(m)];
        if (entry >= (uint32_t)i->width) {
            launch_fault(w, FAULT_INSTRUCTION, "brx.idx: entry %u of a table "
                         "of %d", entry, i->width);
            return;
        }
    }
    while (rest) {
        /* find the lanes that go the way of the first */
        int to = i->table[index[__builtin_ctz(rest)]];
        uint32_t lanes = 0;
        for (uint32_t m = rest; m; m &= m - 1)
            if (i->table[index[__builtin_ctz(m)]] == to)
                lanes |= m & -m;
        /* send them there */
        if (lanes == w->active) {       /* nobody goes another way */
            w->next = to;
            return;
        }
        if (w->now >= 0)
            parent = diverge(w, meet);
        add_side(w, parent, to, meet, lanes, passed);
        rest &= ~lanes;
    }
    add_side(w, parent, fall, meet, off, passed);
    if (w->block->launch->site)
        w->block->launch->site[w->pc].divergent++;
}

/* how many lanes */
static inline unsigned lanes_in(uint32_t mask)
{
    return mask == ALL_LANES ? LANES : (unsigned)__builtin_popcount(mask);
}

/* run a warp */
void warp_run(struct Warp *w, int slice)
{
    struct Launch *launch = w->block->launch;
    const struct Instruction *code = launch->kernel->code;
    struct Site *site = launch->site;
    int steps = 0;
    /* begin a turn */
    w->polls = w->repeats = 0;
    if (w->now < 0 && youngest(w) < 0) {
        for (uint64_t m = w->used; m; m &= m - 1)
            w->path[__builtin_ctzll(m)].ran = false;
        if (w->patience >= PATIENCE && let_go(w))
            w->patience = 0;
    }
    while (steps < slice && launch->fault == FAULT_NONE && settle(w)) {
        /* execute a straight run */
        const struct Instruction *i = &code[w->pc];
        if (i->sync && !sync_ready(w, i))
            continue;               /* another path goes on */
        uint32_t active = w->active;
        int first = w->pc;

        /* count the run */
        /* All instructions of a straight run are executed as often as its first,
         * by the same lanes: counted there, spread when the launch is over. */
        if (site) {
            site[first].executed++;
            site[first].active += lanes_in(active);
        }
        for (;; i++) {
            uint32_t on = active & (w->file[i->guard] ^ i->guard_not);
            w->next = w->pc + 1;
            if (i->guarded && site)
                site[w->pc].on += lanes_in(on);
            if (simt_options.step)
                simt_options.step(w, on);
            if (i->near_wgmma && on)
                wgmma_look(w, i, on);
            if (on || i->leaves)
                i->run(w, i, on);
            if (i->ends)
                break;
            w->pc++;
        }
        steps += w->pc - first + 1;
        w->block->steps += (unsigned)(w->pc - first + 1);
        w->pc = w->next;
        if (w->state != WARP_READY)
            break;
        if (w->now >= 0 && w->polls >= POLLS &&
            w->polls++ >= POLLS + w->turns % 8)
            end_turn(w, w->repeats >= REPEATS ? REPEATS_COST : LOOKS_COST);
    }
    if (steps >= slice && w->state == WARP_READY && w->now >= 0)
        end_turn(w, SLICE_COST);
}

/* stop a launch */
bool launch_fault(struct Warp *w, enum Fault fault, const char *format, ...)
{
    struct Launch *l = w->block->launch;
    if (l->fault != FAULT_NONE)
        return false;
    const struct Instruction *i = &l->kernel->code[w->pc];
    /* what went wrong, and where in the source */
    char what[500], where[300] = "", name[100];
    va_list args;
    va_start(args, format);
    plain_name(name, sizeof name, l->kernel->name);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (i->line && i->file < l->kernel->n_files &&
        l->kernel->files[i->file])
        snprintf(where, sizeof where, "%s:%d: ", l->kernel->files[i->file],
                 i->line);
    l->fault = fault;
    return error_set(&l->error, "%skernel %s, block (%u,%u,%u), warp %d: "
                     "%s", where, name, w->block->index.x,
                     w->block->index.y, w->block->index.z, w->index, what);
}

/* a trap, and nothing */
void run_trap(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    (void)i;
    struct Dim3 t = thread_index(w, __builtin_ctz(on));
    launch_fault(w, FAULT_TRAP, "thread (%u,%u,%u) executed a trap", t.x,
                 t.y, t.z);
}

void run_nothing(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    (void)w, (void)i, (void)on;
}
