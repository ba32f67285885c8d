/* Tangled from chapters/workshop/ptx.nw, "The rest of the executor".  Edit it there. */

#include "simt/executor/execute.h"
#include "simt/executor/lanes.h"
#include "simt/executor/tensor.h"

#include <string.h>

/* predicates are bits */
static void set_bits(struct Warp *w, uint32_t unit, uint32_t bits,
                     uint32_t on)
{
    w->file[unit] = (w->file[unit] & ~on) | (bits & on);
}

static uint32_t combine(int op, uint32_t a, uint32_t b)
{
    return op == OP_AND ? a & b : op == OP_OR ? a | b :
           op == OP_XOR ? a ^ b : a;
}

void run_setp(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint32_t bits = i->compare(w, i);
    uint32_t c = w->file[i->c[0]] ^ (i->flags & FLAG_NOT ? ALL_LANES : 0);
    uint32_t p = combine(i->op, bits, c), q = combine(i->op, ~bits, c);
    set_bits(w, i->d[0], p, on);
    set_bits(w, i->d[1], q, on);
}

void run_logic_pred(struct Warp *w, const struct Instruction *i,
                    uint32_t on)
{
    set_bits(w, i->d[0], combine(i->op, w->file[i->a[0]],
                                 w->file[i->b[0]]), on);
}

void run_mov_pred(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    set_bits(w, i->d[0], w->file[i->a[0]], on);
}

/* choose */
#define SELECT(name, slot)                                              \
    void name(struct Warp *w, const struct Instruction *i, uint32_t on) \
    {                                                                   \
        slot *d = REGISTER(w, i->d[0], slot);                           \
        const slot *a = REGISTER(w, i->a[0], const slot);               \
        const slot *b = REGISTER(w, i->b[0], const slot);               \
        uint32_t c = w->file[i->c[0]] ^                                 \
                     (i->flags & FLAG_NOT ? ALL_LANES : 0);             \
        EACH_LANE(on, d, c & lane_bit[l] ? a[l] : b[l])                 \
    }
SELECT(run_select4, slot4)
SELECT(run_select8, slot8)

/* pack and unpack */
void run_pack(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint64_t mask = ((uint64_t)1 << 8 * i->size) - 1;
    for (uint32_t m = on; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t value = 0;
        for (int k = 0; k < i->width; k++)
            value |= (w->file[i->a[k] + l] & mask) << 8 * i->size * k;
        if (i->flags & FLAG_WIDE)
            REGISTER(w, i->d[0], slot8)[l] = value;
        else
            w->file[i->d[0] + l] = (uint32_t)value;
    }
}

void run_unpack(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint64_t mask = ((uint64_t)1 << 8 * i->size) - 1;
    for (uint32_t m = on; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t value = i->flags & FLAG_WIDE
            ? REGISTER(w, i->a[0], const slot8)[l] : w->file[i->a[0] + l];
        for (int k = 0; k < i->width; k++)
            w->file[i->d[k] + l] =
                (uint32_t)(value >> 8 * i->size * k & mask);
    }
}

/* a group of lanes */
/* Lanes that pass one mask: `named`.  Those that take part with it are in
 * `who`, which may also be elsewhere in the code. */
struct Group { uint32_t lanes, named, who; };

/* what of lanes that are not here */
static void tell_absent(struct Warp *w, const struct Instruction *i,
                        uint32_t lanes, uint32_t named, uint32_t absent)
{
    check_problem(PROBLEM_LANES, w, lanes, "%.40s names the lanes 0x%08x, "
                  "but 0x%08x of them are elsewhere", i->name, named,
                  absent);
}

static void named_lanes(struct Warp *w, const struct Instruction *i,
                        const struct Group *g)
{
    uint32_t absent = g->named & w->alive & ~g->who;
    uint32_t extra = g->lanes & ~g->named;
    if (absent)
        tell_absent(w, i, g->lanes, g->named, absent);
    else if (extra)
        check_problem(PROBLEM_LANES, w, extra, "%.40s names the lanes "
                      "0x%08x; 0x%08x take part without being named",
                      i->name, g->named, extra);
}

/* are the named lanes here */
/* The next group of the lanes in *rest; false: there is none. */
static bool next_group(struct Warp *w, const struct Instruction *i,
                       uint32_t *rest, struct Group *g)
{
    if (!*rest)
        return false;
    g->named = w->file[i->c[1] + (unsigned)__builtin_ctz(*rest)];
    g->lanes = same_mask(w, i, *rest);
    g->who = g->named & (w->exchange ? w->exchange->lanes : g->lanes);
    *rest &= ~g->lanes;
    if (w->block->launch->check)
        named_lanes(w, i, g);
    return true;
}

static uint64_t value_of(const struct Warp *w, const struct Instruction *i,
                         int l)
{
    return w->exchange ? w->exchange->value[l] : i->flags & FLAG_WIDE
        ? REGISTER(w, i->a[0], const slot8)[l]
        : w->file[i->a[0] + (unsigned)l];
}

static uint32_t votes_of(const struct Warp *w, const struct Instruction *i)
{
    return w->exchange ? w->exchange->yes :
           w->file[i->a[0]] ^ (i->flags & FLAG_NOT ? ALL_LANES : 0);
}

/* shuffle */
/* The lane that lane l reads; -1: outside of its segment, it keeps its
 * own. */
static int shuffle_source(int op, int l, int b, uint32_t c)
{
    int segment = (int)(c >> 8 & 31), clamp = (int)(c & 31);
    int low = l & segment, last = low | (clamp & ~segment);
    int from = op == OP_UP ? l - b : op == OP_DOWN ? l + b :
               op == OP_BFLY ? l ^ b : low | (b & ~segment & 31);
    return op == OP_UP ? (from >= last ? from : -1)
                       : (from <= last ? from : -1);
}

void run_shuffle(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint32_t from[LANES], inside = 0, read = 0, rest = on;
    uint32_t here = w->exchange ? w->exchange->lanes : on;
    uint32_t *d = w->file + i->d[0];
    const uint32_t *b = w->file + i->b[0], *c = w->file + i->c[0];
    struct Group g = { 0 };
    while (w->block->launch->check && next_group(w, i, &rest, &g))
        ;
    memcpy(from, w->file + i->a[0], sizeof from);
    for (int l = 0; w->exchange && l < LANES; l++)
        from[l] = (uint32_t)w->exchange->value[l];
    for (uint32_t m = on; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        int s = shuffle_source(i->op, l, (int)(b[l] & 31), c[l]);
        if (s >= 0)
            inside |= lane_bit[l];
        s = s < 0 ? l : s;
        read |= lane_bit[s];
        d[l] = here >> s & 1 ? from[s] : NOBODY;
    }
    set_bits(w, i->d[1], inside, on);
    if (w->path[w->now].missed & read && w->block->launch->check)
        tell_absent(w, i, on, g.named, w->path[w->now].missed & read);
}

/* vote */
void run_vote(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint32_t rest = on, votes = votes_of(w, i);
    struct Group g;
    while (next_group(w, i, &rest, &g)) {
        uint32_t yes = votes & g.who;
        bool result = i->op == OP_ALL ? yes == g.who
                    : i->op == OP_ANY ? yes != 0
                    : yes == g.who || yes == 0;
        if (i->op == OP_BALLOT) {
            slot4 *d = REGISTER(w, i->d[0], slot4);
            EACH_LANE(g.lanes, d, yes)
        } else {
            set_bits(w, i->d[0], result ? ALL_LANES : 0, g.lanes);
        }
    }
}

/* match */
static void match_group(struct Warp *w, const struct Instruction *i,
                        const struct Group *g)
{
    uint32_t all = 0, same[LANES] = { 0 };
    uint64_t value[LANES];
    for (int l = 0; l < LANES; l++)
        value[l] = value_of(w, i, l);
    for (uint32_t m = g->who; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        for (int k = 0; k < LANES; k++)
            same[l] |= g->who & lane_bit[k] && value[k] == value[l]
                ? lane_bit[k] : 0;
        all |= same[l] == g->who ? lane_bit[l] : 0;
    }
    for (uint32_t m = g->lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        w->file[i->d[0] + l] = i->op == OP_ANY ? same[l] : all ? g->who : 0;
    }
    if (i->op == OP_ALL)
        set_bits(w, i->d[1], all ? ALL_LANES : 0, g->lanes);
}

void run_match(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint32_t rest = on;
    struct Group g;
    while (next_group(w, i, &rest, &g))
        match_group(w, i, &g);
}

/* reduce */
static uint32_t reduce_group(const struct Warp *w,
                             const struct Instruction *i,
                             const struct Group *g)
{
    uint32_t x = 0;
    if (g->who)
        x = (uint32_t)value_of(w, i, __builtin_ctz(g->who));
    for (uint32_t m = g->who & (g->who - 1); m; m &= m - 1) {
        uint32_t y = (uint32_t)value_of(w, i, __builtin_ctz(m));
        bool less = i->type == S32 ? (int32_t)y < (int32_t)x : y < x;
        switch (i->op) {
        case OP_ADD: x += y; break;
        case OP_AND: x &= y; break;
        case OP_OR:  x |= y; break;
        case OP_XOR: x ^= y; break;
        case OP_MIN: x = less ? y : x; break;
        default:     x = less ? x : y;
        }
    }
    return x;
}

void run_redux(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint32_t rest = on;
    struct Group g;
    while (next_group(w, i, &rest, &g)) {
        uint32_t x = reduce_group(w, i, &g);
        slot4 *d = REGISTER(w, i->d[0], slot4);
        EACH_LANE(g.lanes, d, x)
    }
}

/* which lanes are here */
void run_activemask(struct Warp *w, const struct Instruction *i,
                    uint32_t on)
{
    slot4 *d = REGISTER(w, i->d[0], slot4);
    EACH_LANE(on, d, on)
}

/* look at the clock */
uint64_t clock_base;            /* instructions of earlier blocks */

void run_clock(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    static uint64_t last;
    uint64_t now = clock_base + w->block->steps;
    last = now > last ? now : last + 1;
    if (i->size == 8) {
        slot8 *d = REGISTER(w, i->d[0], slot8);
        EACH_LANE(on, d, last)
    } else {
        slot4 *d = REGISTER(w, i->d[0], slot4);
        EACH_LANE(on, d, (uint32_t)last)
    }
}

/* wait for the warp */
void run_warp_sync(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint32_t rest = on;
    struct Group g;
    while (w->block->launch->check && next_group(w, i, &rest, &g))
        check_warp_sync(w, g.named & (g.who | ~w->alive));
}

void run_fence(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    if (w->block->launch->check)
        check_fence(w, on, !(i->flags & FLAG_BLOCK));
}

/* wait for the block */
void run_barrier(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    struct Block *block = w->block;
    uint32_t id = w->file[i->a[0] + (unsigned)__builtin_ctz(on)];
    uint32_t expected = w->file[i->b[0] + (unsigned)__builtin_ctz(on)];
    if (on != w->alive) {
        /* complain of a barrier that some lanes do not reach */
        if (block->launch->check)
            check_problem(PROBLEM_BARRIER, w, on, "%.40s is reached by the lanes "
                          "0x%08x, while 0x%08x are elsewhere", i->name, on,
                          w->alive & ~on);
        else
            launch_fault(w, FAULT_BARRIER, "%.40s is reached by the lanes 0x%08x, "
                         "while 0x%08x are elsewhere; a barrier is for all threads "
                         "of a block", i->name, on, w->alive & ~on);
        return;
    }
    if (id >= BARRIERS || expected % LANES) {
        launch_fault(w, FAULT_INSTRUCTION, "%.40s of barrier %u with %u "
                     "threads; there are %d barriers, for whole warps",
                     i->name, id, expected, BARRIERS);
        return;
    }
    struct Barrier *b = &block->barrier[id];
    b->arrived++;
    b->expected = expected;
    if (block->launch->check && expected)
        check_part_arrive(w, (int)id);
    if (i->op != OP_NONE) {
        uint32_t yes = w->file[i->c[0]] ^
                       (i->flags & FLAG_NOT ? ALL_LANES : 0);
        b->votes += (unsigned)__builtin_popcount(yes & on);
        b->voters += (unsigned)__builtin_popcount(on);
    }
    if (i->size)                /* bar.arrive goes on */
        return;
    w->state = WARP_AT_BARRIER;
    w->waits_for = (int)id;
}

/* multiply matrices */
void run_mma(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint32_t *d[4];
    const uint32_t *a[4], *b[4], *c[4];
    if (on != ALL_LANES) {
        launch_fault(w, FAULT_INSTRUCTION, "%.60s wants all 32 lanes",
                     i->name);
        return;
    }
    for (int k = 0; k < 4; k++) {
        d[k] = w->file + i->d[k];
        a[k] = w->file + i->a[k];
        b[k] = w->file + i->b[k];
        c[k] = w->file + i->c[k];
    }
    if (!i->mma->sparse)
        mma_sync(i->mma, d, a, b, c);
    else if (!mma_sp(i->mma, d, a, b, c, w->file + i->metadata, i->op))
        launch_fault(w, FAULT_INSTRUCTION, "%.60s: of the four places of a "
                     "group, the metadata must name two, the lower one "
                     "first", i->name);
}
