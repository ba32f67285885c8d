/* Tangled from chapters/workshop/simt-sanitizer.nw, "Three files".  Edit it there. */

#include "simt/sanitizer/check.h"

#include "base/alloc.h"
#include "simt/executor/execute.h"
#include "simt/sanitizer/area.h"
#include "simt/sanitizer/async.h"
#include "simt/sanitizer/blocks.h"
#include "simt/sanitizer/order.h"
#include "simt/sanitizer/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* what is asked for */
static int wanted_checks;
static bool configured;
static bool context_lost;               /* nothing can be freed any more */

static const struct { const char *name; int what; } words[] = {
    { "on", CHECK_ALL }, { "strict", CHECK_ALL | CHECK_STRICT },
    { "off", 0 }, { "memory", CHECK_MEMORY },
    { "init", CHECK_INIT }, { "race", CHECK_RACE }, { "sync", CHECK_SYNC },
    { "leak", CHECK_LEAK },
};
enum { WORDS = sizeof words / sizeof *words };


bool check_configure(const char *text, struct Error *e)
{
    int what = text ? 0 : CHECK_ALL;
    for (const char *p = text; p; ) {
        size_t n = strcspn(p, ",");
        int i = 0;
        while (i < WORDS && (strlen(words[i].name) != n
                             || strncmp(p, words[i].name, n)))
            i++;
        if (i == WORDS)
            return error_set(e, "SIMT_CHECK=%s: '%.*s' is none of on, off,"
                             " strict, memory, init, race, sync, leak",
                             text, (int)n, p);
        what |= words[i].what;
        p = p[n] ? p + n + 1 : NULL;
    }
    wanted_checks = what & CHECK_ALL;
    notes_count = what & CHECK_STRICT;
    configured = true;
    simt_options.check = what != 0;
    return true;
}


/* Has anybody asked for these checks?  Without check_configure: for all. */
static bool wanted(int what)
{
    if (!configured)
        check_configure(NULL, NULL);
    return wanted_checks & what;
}


/* copies in the air */
struct Flight { uint32_t to, group; uint16_t at; uint8_t size, lane; };
static struct Flights {
    struct Flight *flight;
    int count, room;
    uint32_t group[LANES];      /* the open group of each lane           */
} flights[MAX_WARPS];
static uint64_t flying[(MAX_SHARED + 64) / 64]; /* bytes to be written   */
static int in_flight;

/* bytes in the hands of bulk copies */
static uint64_t arriving[(MAX_SHARED + 64) / 64], lent[sizeof arriving / 8];
static int bulk_busy;                   /* copies with bits in either    */
static Stamp proxy_fence[MAX_THREADS];  /* each thread's last            */

/* whose state it is */
static const struct Block *watched;     /* the running block             */
static bool together;                   /* with others of its cluster    */

/* Are races looked for? */
static bool ordered(void)
{
    return wanted(CHECK_RACE) && !order_lost && !together;
}

/* bits of local memory */
static uint64_t *local_valid;           /* a bit for each byte           */
static size_t local_words;

/* do all warps wait in one place? */
/* Warps that meet at a barrier, and have gone one instruction on, should
 * have come to it in one place. */
static void waits_elsewhere(const struct Block *b)
{
    const struct Kernel *k = b->launch->kernel;
    const struct Warp *first = NULL;
    char here[160], there[160];
    for (int i = 0; i < b->warps; i++) {
        struct Warp w = b->warp[i];
        w.pc--;
        /* first = whom to compare with; leave out who waits for another */
        if (w.state != WARP_AT_BARRIER
            || (first && w.waits_for != first->waits_for))
            continue;
        if (!first)
            first = b->warp + i;
        /* compare this warp's place with the first one's */
        where(k, first->pc - 1, there, sizeof there);
        if (strcmp(where(k, w.pc, here, sizeof here), there) == 0)
            continue;
        check_problem(PROBLEM_BARRIER, &w, w.active,
                      "waits here for a barrier to which warp %d comes at"
                      " %s.\n    All threads of a block have to meet at the"
                      " same __syncthreads().", first->index, there);
        return;
    }
}

/* barriers, syncs, fences */
void check_barrier(struct Block *b)
{
    if (wanted(CHECK_SYNC))
        waits_elsewhere(b);
    order_barrier();
}

void check_part_arrive(struct Warp *w, int id)
{
    if (ordered())
        order_part_arrive(w, id);
}

void check_part_barrier(struct Block *b, int id)
{
    if (wanted(CHECK_SYNC))
        waits_elsewhere(b);
    if (ordered())
        order_part_phase(id);
    for (int k = 0; ordered() && k < b->warps; k++)
        if (b->warp[k].state == WARP_AT_BARRIER &&
            b->warp[k].waits_for == id)
            order_part_wait(&b->warp[k], id);
}

void check_warp_sync(struct Warp *w, uint32_t lanes)
{
    order_sync(w, lanes);
}

void check_fence(struct Warp *w, uint32_t lanes, bool device)
{
    order_fence(w, lanes, device);
}

/* a question about one area */
struct Ask {
    const struct Warp *w;
    const struct Access *a;
    struct Area *area;
    const struct Now *now;
    enum Touch touch;
    const uint64_t *address;    /* of each lane, from the area's start   */
    uint32_t on;
    int size;
    bool several;               /* what a lane reads goes to all lanes   */
    enum Pass { CHECK_AND_NOTE, ONLY_CHECK, ONLY_NOTE } pass;
    /* what has been found wrong */
    struct Wrong { uint32_t lanes; uint64_t address; }
        race, unwritten, unwaited,          /* address: of the first     */
        arriving, lent;                     /* of bulk copies            */
    int lane;                   /* the first race: this lane,            */
    struct Clash clash;         /*   the other party,                    */
    bool at_once;               /*   in the very same instruction        */
};

static struct Ask question(const struct Warp *w, const struct Access *a,
                           struct Area *area, const uint64_t *address)
{
    struct Ask q;
    q.w = w, q.a = a, q.area = area, q.address = address;
    q.touch = TOUCH_READ;
    q.on = 0;
    q.size = a->size;
    q.several = false;
    q.pass = CHECK_AND_NOTE;
    q.race.lanes = q.unwritten.lanes = q.unwaited.lanes = 0;
    q.arriving.lanes = q.lent.lanes = 0;
    return q;
}

/* add to what was found */
static void add_lane(struct Wrong *x, int lane, uint64_t address)
{
    if (!x->lanes)
        x->address = address;
    x->lanes |= 1u << lane;
}

static void add_race(struct Ask *q, int lane, struct Clash c, bool at_once)
{
    if (!q->race.lanes) {
        q->lane = lane;
        q->clash = c;
        q->at_once = at_once;
    }
    add_lane(&q->race, lane, q->address[lane]);
}

/* all reports */
/* what was done, in words */
static enum Touch touch_of(enum AccessKind kind)
{
    return kind == ACCESS_STORE || kind == ACCESS_STMATRIX ? TOUCH_WRITE
         : kind == ACCESS_ATOM || kind == ACCESS_RED       ? TOUCH_ATOMIC
                                                           : TOUCH_READ;
}

static const char *deed(enum Touch touch)
{
    return touch == TOUCH_READ    ? "reads"
         : touch == TOUCH_WRITE   ? "writes"
                                  : "works atomically on";
}

static const char *spot_text(const struct Access *a, uint64_t x, char *to,
                             size_t room)
{
    if (a->space == SPACE_GLOBAL || a->space == SPACE_CONST)
        return address_text(x, to, room);
    snprintf(to, room, "byte %lld of %s memory", (long long)x,
             a->space == SPACE_SHARED ? "shared" : "local");
    return to;
}

/* report what is out of bounds or misaligned */
static void tell_illegal(const struct Warp *w, const struct Access *a)
{
    uint64_t x = a->address[__builtin_ctz(a->illegal)];
    const struct Area *below = area_below(x);
    bool global = a->space == SPACE_GLOBAL || a->space == SPACE_CONST;
    bool freed = global && below && below->freed
                 && x - below->base < below->bytes;
    char text[200], limit[80] = "";
    if (!global)
        snprintf(limit, sizeof limit, ", of which there are %zu bytes",
                 a->space == SPACE_SHARED
                     ? w->block->shared_bytes
                     : (size_t)w->block->launch->kernel->local_bytes);
    check_problem(freed ? PROBLEM_FREED : PROBLEM_OUT_OF_BOUNDS, w,
                  a->illegal, "%s %d bytes at %s%s",
                  deed(touch_of(a->kind)), a->size,
                  spot_text(a, x, text, sizeof text), limit);
}


static void tell_misaligned(const struct Warp *w, const struct Access *a)
{
    uint32_t lanes = a->misaligned & ~a->illegal;
    char text[200];
    check_problem(PROBLEM_MISALIGNED, w, lanes,
                  "%s %d bytes at once at %s, which is no multiple of %d",
                  deed(touch_of(a->kind)), a->size,
                  spot_text(a, a->address[__builtin_ctz(lanes)], text,
                            sizeof text), a->size);
}

/* report a race */
static const char *other_text(const struct Ask *q, char *to, size_t room)
{
    const struct Launch *l = q->w->block->launch;
    const struct Clash *c = &q->clash;
    char thread[60], block[60] = "the same block", place[160];
    bool near = c->other >= q->now->block;
    int lane = (int)(c->other % SEVERAL);
    if (near && warp_of(c->other) == PROXY) {
        snprintf(to, room, "the bulk copy at %s writes",
                 where(l->kernel, (int)c->at, place, sizeof place));
        return to;
    }
    bool same = near && warp_of(c->other) == q->w->index && lane == q->lane;
    if (!near)
        block_text(&l->grid, block_of(c->other), block, sizeof block);
    thread_text(&l->block, warp_of(c->other) * LANES + lane, thread,
                sizeof thread);
    snprintf(to, room, "%s%s of %s %s at %s",
             same ? "a neighbour in the warp of " : "", thread, block,
             deed(c->touch),
             where(l->kernel, (int)c->at, place, sizeof place));
    return to;
}


/* Are the two the load and the store of a line such as n[k]++: of one
 * address, as the instructions have it? */
static bool is_update(const struct Ask *q)
{
    const struct Instruction *code = q->w->block->launch->kernel->code;
    const struct Instruction *i = code + q->w->pc, *j = code + q->clash.at;
    return i->line == j->line && i->access != j->access &&
           i->a[0] == j->a[0] && i->offset == j->offset;
}

static const char *between_lanes(const struct Block *b)
{
    return b->warps == 1
           ? "The lanes of a warp need not run in step: put __syncwarp()"
             " between the two."
           : "The lanes of a warp need not run in step: put __syncwarp()"
             " between the two, or __syncthreads() if other warps use these"
             " bytes.";
}

static const char *between_blocks(const struct Kernel *k)
{
    for (const struct Instruction *i = k->code;
         i < k->code + k->instructions; i++)
        if (touch_of(i->access) == TOUCH_ATOMIC ||
            (i->access == ACCESS_LOAD && i->flags & FLAG_STRONG))
            return "The blocks of a launch run in any order: let each have"
                   " its own part, or launch twice. A counter or a flag"
                   " hands data over if a __threadfence() comes before it"
                   " is set, and one after it is read.";
    return "The blocks of a launch run in any order: let each have its"
           " own part, use atomics, or launch twice.";
}


static const char *advice(const struct Ask *q)
{
    const struct Clash *c = &q->clash;
    const struct Kernel *k = q->w->block->launch->kernel;
    enum AccessKind kind = k->code[c->at].access;
    if (q->at_once)
        return "They are lanes of one instruction and bring different"
               " values: which one stays is not defined.";
    if (c->other < q->now->block)
        return between_blocks(k);
    if (warp_of(c->other) == PROXY)
        return "Only a thread that has waited for the phase of its mbarrier"
               " may touch what a copy brings.";
    if (c->touch == TOUCH_WRITE && (kind == ACCESS_ASYNC_CA
                                    || kind == ACCESS_ASYNC_CG))
        return "Waiting for a copy shows it to the thread that asked for"
               " it: put __syncthreads() after the wait.";
    if (is_update(q))
        return "This line loads a number, changes it and stores it, and"
               " other threads come between: use an atomic operation, or"
               " give each thread a number of its own.";
    if (warp_of(c->other) == q->w->index)
        return between_lanes(q->w->block);
    return "No barrier lies between the two: put __syncthreads() there.";
}


static void race_text(const struct Ask *q, char *to, size_t room)
{
    char place[200], other[400];
    snprintf(to, room, "%s %d bytes at %s, which %s.\n    %s",
             deed(q->touch), q->size,
             place_text(q->area, q->race.address, place, sizeof place),
             other_text(q, other, sizeof other), advice(q));
}

static void tell_race(const struct Ask *q)
{
    char text[800];
    race_text(q, text, sizeof text);
    check_problem(PROBLEM_RACE, q->w, q->race.lanes, "%s", text);
}

/* report what was found */
static void tell_bits(const struct Ask *q, enum ProblemKind kind,
                      const struct Wrong *wrong, const char *why)
{
    char place[200];
    check_problem(kind, q->w, wrong->lanes, "%s %d bytes at %s, %s",
                  deed(q->touch), q->size,
                  place_text(q->area, wrong->address, place, sizeof place),
                  why);
}


static void tell(const struct Ask *q)
{
    if (q->unwaited.lanes) {
        tell_bits(q, PROBLEM_ASYNC, &q->unwaited,
                  "to which a cp.async is still on its way.\n    Wait for"
                  " its group first, then synchronise.");
        return;
    }
    /* tell of bytes of bulk copies */
    if (q->arriving.lanes) {
        tell_bits(q, PROBLEM_ASYNC, &q->arriving,
                  "to which a bulk copy is still on its way.\n    Wait for"
                  " the phase of its mbarrier first.");
        return;
    }
    if (q->lent.lanes)
        tell_bits(q, PROBLEM_ASYNC, &q->lent,
                  "which a bulk store has still to read.\n    Its thread has to"
                  " wait first, with cp.async.bulk.wait_group.read.");
    if (q->unwritten.lanes)
        tell_bits(q, PROBLEM_UNINITIALISED, &q->unwritten,
                  q->area->space == SPACE_SHARED
                  ? "which no thread has written yet.\n    If another one"
                    " does so later, put __syncthreads() between the two."
                  : "which no thread has written");
    if (q->race.lanes)
        tell_race(q);
}


/* all questions */
/* the bytes a store would write */
/* For a lane of the warp's running instruction; false: it is no store of
 * registers. */
static bool store_value(const struct Warp *w, int lane,
                        unsigned char to[16])
{
    const struct Instruction *i = w->block->launch->kernel->code + w->pc;
    if (i->access != ACCESS_STORE)
        return false;
    for (int k = 0; k < i->width; k++)
        memcpy(to + k * i->size, w->file + i->b[k]
                                 + lane * (i->flags & FLAG_WIDE ? 2 : 1),
               (size_t)i->size);
    return true;
}

/* Does memory hold the value already? */
static bool writes_the_same(const struct Ask *q, int lane)
{
    unsigned char value[16];
    const unsigned char *old = q->area->space == SPACE_SHARED
        ? q->w->block->shared + q->address[lane]
        : memory_bytes(q->area->base + q->address[lane]);
    return store_value(q->w, lane, value)
           && memcmp(value, old, (size_t)q->size) == 0;
}

/* made to be seen by other threads? */
/* The address of byte x of an area, unlike any in another area. */
static uint64_t absolute(const struct Ask *q, uint64_t x)
{
    return q->area == &shared_area ? SHARED_WINDOW + x : q->area->base + x;
}

static bool is_atomic(const struct Instruction *i)
{
    return touch_of(i->access) == TOUCH_ATOMIC;
}

static bool is_cas(const struct Warp *w)
{
    return w->block->launch->kernel->code[w->pc].op == OP_CAS;
}

static bool is_flag(const struct Ask *q, struct Clash c, int lane)
{
    const struct Instruction *code = q->w->block->launch->kernel->code;
    const struct Instruction *i = code + q->w->pc, *j = code + c.at;
    bool strong = (is_atomic(i) || i->flags & FLAG_STRONG) &&
                  (is_atomic(j) || j->flags & FLAG_STRONG);
    bool lanes = c.other >= q->now->block &&
                 warp_of(c.other) == q->w->index;
    if (order_passed_on(c.other, lane, q->now) &&
        (is_atomic(j) || j->flags & FLAG_STRONG))
        return true;
    return strong && (!lanes || is_atomic(i) || is_atomic(j) ||
                      (q->touch != TOUCH_READ && c.touch != TOUCH_READ) ||
                      (i->flags | j->flags) & FLAG_POLLS ||
                      order_published(absolute(q, q->address[lane])));
}

/* a guess before an atomic */
static struct Guess {
    uint64_t address;
    int thread;                 /* that has read, and may come to a CAS  */
    unsigned at;                /* its load                              */
    struct Warp w;              /* of the report, and at its place       */
    uint32_t lanes;
    char text[500];
} guesses[64];
static int n_guesses;
static bool has_cas;                    /* the kernel of this launch     */
static uint64_t excused[65536 / 64];    /* loads, by number              */

static bool is_excused(unsigned at)
{
    return excused[at / 64] >> at % 64 & 1;
}

/* Is the race one of a read that may be a guess?  Then it is kept. */
static bool may_be_guess(const struct Ask *q, struct Clash c, int lane)
{
    bool reads = q->touch == TOUCH_READ && c.touch == TOUCH_ATOMIC;
    bool meets = q->touch == TOUCH_ATOMIC && c.touch == TOUCH_READ;
    unsigned at = (uint16_t)(reads ? (unsigned)q->w->pc : c.at);
    if (!has_cas || !(reads || meets))
        return false;
    if (is_excused(at))
        return true;
    if ((meets && c.other < q->now->block) || n_guesses == 64)
        return false;
    struct Guess *g = &guesses[n_guesses++];
    *g = (struct Guess){ absolute(q, q->address[lane]),
        reads ? q->w->index * LANES + lane
              : warp_of(c.other) * LANES + (int)(c.other % SEVERAL),
        at, *q->w, 1u << lane, "" };
    /* write down what would be reported */
    struct Ask then = *q;
    then.race = (struct Wrong){ 0 };
    add_race(&then, lane, c, false);
    race_text(&then, g->text, sizeof g->text);
    return true;
}

static void excuse(unsigned at)
{
    excused[at / 64] |= (uint64_t)1 << at % 64;
}

/* The lane comes to word i by an atomicCAS. */
static void guess_was_checked(const struct Ask *q, const struct Line *l,
                              int i, int lane)
{
    Stamp x = l->reader[i];
    if (x >= q->now->block && warp_of(x) == q->w->index &&
        (int)(x % SEVERAL) == lane)
        excuse(l->read_at[i]);
}

static void guesses_checked(const struct Warp *w, int lane,
                            uint64_t address)
{
    int kept = 0;
    for (int i = 0; i < n_guesses; i++)
        if (guesses[i].address == address &&
            guesses[i].thread == w->index * LANES + lane)
            excuse(guesses[i].at);
    for (int i = 0; i < n_guesses; i++)
        if (!is_excused(guesses[i].at))
            guesses[kept++] = guesses[i];
    n_guesses = kept;
}

static void tell_guesses(void)
{
    for (int i = 0; i < n_guesses; i++)
        check_problem(PROBLEM_RACE, &guesses[i].w, guesses[i].lanes, "%s",
                      guesses[i].text);
    n_guesses = 0;
}

/* ask about one word */
static bool by_ldmatrix(const struct Ask *q, struct Clash c)
{
    const struct Kernel *k = q->w->block->launch->kernel;
    return c.touch == TOUCH_READ && c.other >= q->now->block
           && warp_of(c.other) == q->w->index
           && k->code[c.at].access == ACCESS_LDMATRIX;
}

/* reads of wgmma */
static bool by_wgmma(const struct Ask *q, struct Clash c, int lane)
{
    const struct Kernel *k = q->w->block->launch->kernel;
    return c.touch == TOUCH_READ && c.other >= q->now->block
           && k->code[c.at].run == run_wgmma
           && order_over_group(c.other, lane);
}
static bool harmless(const struct Ask *q, struct Clash c, int lane)
{
    return order_over(c.other, lane, q->several, q->now)
           || is_flag(q, c, lane)
           || by_ldmatrix(q, c)
           || by_wgmma(q, c, lane)
           || (q->touch == TOUCH_WRITE && c.touch == TOUCH_WRITE
               && writes_the_same(q, lane));
}

/* Word i is not free for the lane, it seems. */
static void suspect(struct Ask *q, const struct Line *l, int i, int lane,
                    Stamp me)
{
    struct Clash c[3];
    int found = word_clashes(l, i, q->touch, me, q->now, c);
    for (int k = 0; k < found; k++)
        if (!harmless(q, c[k], lane) && !may_be_guess(q, c[k], lane))
            add_race(q, lane, c[k], false);
}

static void touch_word(struct Ask *q, struct Line *l, int i, int lane)
{
    Stamp me = q->now->mine + (Stamp)lane + (q->several ? SEVERAL : 0);
    if (has_cas && is_cas(q->w))
        guess_was_checked(q, l, i, lane);
    if (q->pass != ONLY_NOTE && !word_free(l, i, q->touch, me, q->now))
        suspect(q, l, i, lane, me);
    if (q->pass != ONLY_CHECK)
        word_note(l, i, q->touch, me, q->now, (unsigned)q->w->pc);
}

/* ask about lanes side by side */
/* Words lo to hi - 1 of a line, word i by lane (4 i - first) >> shift. */
static void touch_words(struct Ask *q, struct Line *l, int lo, int hi,
                        int first, int shift)
{
    /* many words at once, if nothing is in their way */
    unsigned at = (unsigned)q->w->pc;
    bool many = hi - lo >= 8 && q->pass == CHECK_AND_NOTE && !q->several;
    if (many && q->touch == TOUCH_READ
        && line_read(l, q->now, lo, hi, first, shift, at))
        return;
    if (many && q->touch == TOUCH_WRITE
        && line_write(l, q->now, lo, hi, first, shift, at))
        return;
    for (int i = lo; i < hi; i++)
        touch_word(q, l, i, (4 * i - first) >> shift);
}

/* Bytes lo to hi - 1 of a line: its words, or the parts of its words. */
static void touch_line(struct Ask *q, struct Line *l, int lo, int hi,
                       int first, int shift)
{
    int parts = line_parts(l, q->now), need = 4 >> shift;
    if (parts < need && area_split(q->area, l, need, q->now))
        parts = need;
    for (int p = 0; p < parts; p++) {
        int skip = p * 4 / parts;
        int from = (lo - skip + 3) >> 2, to = (hi - skip + 3) >> 2;
        if (from < to)
            touch_words(q, parts == 1 ? l : l->part + p, from, to,
                        first - skip, shift);
    }
}

/* Lanes from `lane` on touch so many bytes in a row. */
static void touch_row(struct Ask *q, int lane, uint64_t from,
                      uint64_t bytes)
{
    int shift = __builtin_ctz((unsigned)q->size);
    while (bytes) {
        int lo = (int)(from % 128);
        int here = bytes < 128u - (unsigned)lo ? (int)bytes : 128 - lo;
        touch_line(q, q->area->line + from / 128, lo, lo + here,
                   lo - lane * q->size, shift);
        lane += here >> shift;
        from += (unsigned)here;
        bytes -= (unsigned)here;
    }
}

/* ask about scattered lanes */
/* Four bytes, in the middle of a line that is not split: most scattered
 * lanes end here, so this is what touch_word does, at once. */
static inline bool touch_free_word(const struct Ask *q, const struct Now *n,
                                   int lane, uint64_t x)
{
    struct Line *l = q->area->line + x / 128;
    int i = (int)(x / 4 % 32);
    Stamp me = n->mine + (Stamp)lane;
    if (l->parts || !word_free(l, i, q->touch, me, n))
        return false;
    word_note(l, i, q->touch, me, n, (unsigned)q->w->pc);
    return true;
}

static void touch_lane(struct Ask *q, int lane)
{
    touch_row(q, lane, q->address[lane], (unsigned)q->size);
}

/* How many lanes from this one on follow each other, step bytes apart? */
static int row_length(const struct Ask *q, int lane, int step)
{
    uint64_t next = q->address[lane];
    int n = 0;
    do {
        n++;
        next += (unsigned)step;
    } while (lane + n < LANES && q->on >> (lane + n) & 1
             && q->address[lane + n] == next);
    return n;
}

static uint32_t lanes_from(int lane, int n)
{
    return (uint32_t)ones((unsigned)lane, (unsigned)n);
}

/* Row by row; of neighbours that share an address the first and the last
 * speak for all. */
static void touch_scattered(struct Ask *q)
{
    const struct Now now = *q->now;
    bool simple = q->size == 4 && q->pass == CHECK_AND_NOTE &&
                  !(has_cas && is_cas(q->w));
    uint64_t before = ~0ull;
    for (uint32_t rest = q->on; rest; ) {
        int lane = __builtin_ctz(rest), n = row_length(q, lane, q->size);
        uint64_t x = q->address[lane];
        /* a long row at once, of a short one a lane */
        if (n * q->size >= 32)
            touch_row(q, lane, x, (unsigned)(n * q->size));
        else {
            /* one lane, unless its neighbours speak for it */
            int same = row_length(q, lane, 0);
            bool middle = x == before && same > 1;
            if (!middle && !(simple && touch_free_word(q, &now, lane, x)))
                touch_lane(q, lane);
            n = same - (same > 1);
        }
        before = x;
        rest &= ~lanes_from(lane, n);
    }
}

/* compare stores of one instruction */
/* Two lanes store to one place in one instruction.  Equal values do no
 * harm. */
static void stores_meet(struct Ask *q, int lane, int other)
{
    unsigned char x[16], y[16];
    struct Clash c = { q->now->mine + (Stamp)other, (unsigned)q->w->pc,
                       TOUCH_WRITE };
    if (!store_value(q->w, lane, x) || !store_value(q->w, other, y)
        || memcmp(x, y, (size_t)q->size))
        add_race(q, lane, c, true);
}

static void find_meetings(struct Ask *q)
{
    uint8_t seen[64] = { 0 };               /* lane + 1, by address      */
    for (uint32_t rest = q->on; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        uint64_t x = q->address[lane];
        unsigned slot = (unsigned)(x / (unsigned)q->size) % 64;
        while (seen[slot] && q->address[seen[slot] - 1] != x)
            slot = (slot + 1) % 64;
        if (seen[slot])
            stores_meet(q, lane, seen[slot] - 1);
        seen[slot] = (uint8_t)(lane + 1);
    }
}

/* ask about scattered stores */
/* Is each lane's address beyond that of the lane before? */
static bool all_apart(const struct Ask *q)
{
    uint64_t end = 0;
    for (uint32_t rest = q->on; rest; rest &= rest - 1) {
        uint64_t x = q->address[__builtin_ctz(rest)];
        if (x < end)
            return false;
        end = x + (unsigned)q->size;
    }
    return true;
}

/* If two stores may meet, all are compared with the past before any is
 * noted down, and then with each other. */
static void store_scattered(struct Ask *q)
{
    if (all_apart(q)) {
        touch_scattered(q);
        return;
    }
    q->pass = ONLY_CHECK;
    touch_scattered(q);
    q->pass = ONLY_NOTE;
    touch_scattered(q);
    find_meetings(q);
}

/* was it written? has it arrived? */
static void ask_bits(struct Ask *q, bool row, const uint64_t *bits,
                     bool want, struct Wrong *wrong)
{
    if (row) {
        uint64_t from = q->address[__builtin_ctz(q->on)];
        uint64_t n = (unsigned)(__builtin_popcount(q->on) * q->size);
        if (want ? bits_all(bits, from, n) : bits_none(bits, from, n))
            return;
    }
    for (uint32_t rest = q->on; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        uint64_t x = q->address[lane];
        uint64_t mask = ones(x % 64, (unsigned)q->size);
        if ((bits[x / 64] & mask) != (want ? mask : 0))
            add_lane(wrong, lane, x);
    }
}

static void note_written(struct Ask *q, bool row)
{
    uint64_t from = q->address[__builtin_ctz(q->on)];
    uint64_t n = (unsigned)(__builtin_popcount(q->on) * q->size);
    if (row)
        area_wrote(q->area, from, n);
    else
        for (uint32_t rest = q->on; rest; rest &= rest - 1)
            area_wrote(q->area, q->address[__builtin_ctz(rest)],
                       (unsigned)q->size);
}

/* ask about the order */
static void ask_order(struct Ask *q, bool row)
{
    int first = __builtin_ctz(q->on);
    order_turn(q->w);
    if (row)
        touch_row(q, first, q->address[first],
                  (unsigned)(__builtin_popcount(q->on) * q->size));
    else if (q->touch == TOUCH_WRITE)
        store_scattered(q);
    else
        touch_scattered(q);
}

/* Are the lanes side by side, with none missing between them? */
static bool in_a_row(const struct Ask *q)
{
    uint32_t lanes = q->on >> __builtin_ctz(q->on);
    return q->a->contiguous && !(lanes & (lanes + 1));
}

/* every question about one area */
static void ask(struct Ask *q)
{
    bool row = in_a_row(q), shared = q->area == &shared_area;
    struct Now *now = shared ? &now_shared : &now_global;
    q->now = now;
    /* of lanes that read one address two are enough */
    if (q->a->uniform && q->touch != TOUCH_WRITE)
        q->on = 1u << __builtin_ctz(q->on)
                | 1u << (31 - __builtin_clz(q->on));
    /* ask about bits: written, and not in the air */
    if (q->area->left && q->touch != TOUCH_WRITE
        && q->a->atomic != ATOMIC_EXCH && wanted(CHECK_INIT))
        ask_bits(q, row, q->area->valid, true, &q->unwritten);
    if (shared && in_flight && wanted(CHECK_SYNC))
        ask_bits(q, row, flying, false, &q->unwaited);

    /* ask about bytes of bulk copies */
    if (shared && bulk_busy && wanted(CHECK_SYNC)) {
        ask_bits(q, row, arriving, false, &q->arriving);
        if (q->touch != TOUCH_READ)
            ask_bits(q, row, lent, false, &q->lent);
    }
    now->atomics |= q->touch == TOUCH_ATOMIC;
    if (ordered())
        ask_order(q, row);
    if (q->area->left && q->touch != TOUCH_READ)
        note_written(q, row);
    if (q->race.lanes | q->unwritten.lanes | q->unwaited.lanes |
        q->arriving.lanes | q->lent.lanes)
        tell(q);
}

/* put threads in order */
static void put_in_order(const struct Ask *q)
{
    const struct Instruction *i =
        q->w->block->launch->kernel->code + q->w->pc;
    bool atomic = q->touch == TOUCH_ATOMIC;
    if (!atomic && !(i->flags & FLAG_STRONG))
        return;
    if (i->flags & FLAG_RELEASE)
        order_fence(q->w, q->on, !(i->flags & FLAG_BLOCK));
    for (uint32_t rest = q->on; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        uint64_t x = absolute(q, q->address[lane]);
        order_atomic(q->w, lane, x, atomic || q->touch == TOUCH_READ,
                     atomic || q->touch == TOUCH_WRITE);
        if (i->op == OP_CAS)
            guesses_checked(q->w, lane, x);
    }
}

/* ask about global memory */
static void ask_global(struct Warp *w, const struct Access *a, uint32_t on)
{
    uint64_t from[LANES];
    while (on) {
        struct Area *area = area_of(a->address[__builtin_ctz(on)]);
        if (!area)
            return;
        struct Ask q = question(w, a, area, from);
        q.touch = touch_of(a->kind);
        for (int l = 0; l < LANES; l++) {
            from[l] = a->address[l] - area->base;
            q.on |= (uint32_t)(from[l] < area->bytes) << l;
        }
        q.on &= on;
        on &= ~q.on;
        put_in_order(&q);
        ask(&q);
    }
}

/* ask about shared memory */
static void ask_shared(struct Warp *w, const struct Access *a, uint32_t on)
{
    struct Ask q = question(w, a, &shared_area, a->address);
    q.touch = touch_of(a->kind);
    q.on = on;
    if (a->kind == ACCESS_LDMATRIX || a->kind == ACCESS_STMATRIX) {
        q.size = 16;
        q.several = a->kind == ACCESS_LDMATRIX;
        if (a->matrices < 4)
            q.on &= (1u << 8 * a->matrices) - 1;
    }
    if (q.on) {
        put_in_order(&q);
        ask(&q);
    }
}

/* ask about local memory */
static bool piece_unwritten(uint64_t at, unsigned bytes)
{
    for (unsigned n; bytes; at += n, bytes -= n) {
        n = bytes < 8 ? bytes : 8;
        if (bits_none(local_valid, at, n))
            return true;
    }
    return false;
}

/* The value may be discarded, or only be copied: see the decoder. */
static bool is_early(const struct Warp *w)
{
    return w->block->launch->kernel->code[w->pc].flags & FLAG_EARLY;
}

static void ask_local(struct Warp *w, const struct Access *a, uint32_t on)
{
    uint64_t each = w->block->launch->kernel->local_bytes;
    uint32_t unwritten = 0;
    for (; on; on &= on - 1) {
        int lane = __builtin_ctz(on);
        uint64_t at = ((unsigned)(w->index * LANES + lane) +
                       w->block->rank * (unsigned)w->block->threads) * each
                      + a->address[lane];
        if (touch_of(a->kind) == TOUCH_WRITE)
            bits_put(local_valid, at, (unsigned)a->size, true);
        else if (piece_unwritten(at, (unsigned)a->size))
            unwritten |= 1u << lane;
    }
    if (unwritten && wanted(CHECK_INIT) && !is_early(w))
        check_problem(PROBLEM_UNINITIALISED, w, unwritten,
                      "reads %d bytes at byte %llu of local memory, where"
                      " the thread has not written", a->size,
                      (unsigned long long)
                      a->address[__builtin_ctz(unwritten)]);
}

/* copies take off */
static void take_off(struct Warp *w, const struct Access *a, uint32_t on)
{
    struct Flights *f = &flights[w->index];
    for (; on; on &= on - 1) {
        int lane = __builtin_ctz(on);
        /* make room for one more */
        if (f->count == f->room) {
            f->room = 2 * f->room + 64;
            f->flight = xrealloc(f->flight,
                                 (size_t)f->room * sizeof *f->flight);
        }
        f->flight[f->count++] = (struct Flight){
            .to = (uint32_t)a->to[lane], .group = f->group[lane],
            .at = (uint16_t)w->pc, .size = (uint8_t)a->size,
            .lane = (uint8_t)lane };
        bits_put(flying, a->to[lane], (unsigned)a->size, true);
        in_flight++;
    }
}

/* Lanes whose copy has a byte count with this bit set. */
static uint32_t lanes_with(const struct Access *a, int size)
{
    uint32_t lanes = 0;
    for (int l = 0; l < LANES; l++)
        lanes |= (uint32_t)!!(a->bytes[l] & size) << l;
    return lanes;
}

/* The sources are read: 16 bytes, or 8 and 4, or what is left. */
static void ask_sources(struct Warp *w, const struct Access *a, uint32_t on)
{
    struct Access from = *a;
    from.kind = ACCESS_LOAD;
    from.contiguous = from.uniform = false;
    for (from.size = 16; from.size; from.size /= 2) {
        uint32_t lanes = lanes_with(a, from.size) & on;
        if (lanes)
            ask_global(w, &from, lanes);
        for (int l = 0; l < LANES; l++)
            from.address[l] += a->bytes[l] & (unsigned)from.size;
    }
}

static void ask_async(struct Warp *w, const struct Access *a, uint32_t on)
{
    struct Access to = *a;
    to.kind = ACCESS_STORE;
    to.contiguous = to.uniform = false;
    memcpy(to.address, a->to, sizeof a->to);
    ask_sources(w, a, on);
    ask_shared(w, &to, on);
    take_off(w, a, on);
}

/* copies land */
/* Now the copy writes, as its thread's. */
static void land(const struct Warp *w, const struct Flight *x)
{
    bits_put(flying, x->to, x->size, false);
    in_flight--;
    if (!ordered())
        return;
    /* q = a store by this lane, at the instruction that took off */
    uint64_t address[LANES];
    address[x->lane] = x->to;
    struct Warp then = *w;
    then.pc = x->at;
    struct Ask q = { .w = &then, .area = &shared_area, .now = &now_shared,
                     .address = address, .touch = TOUCH_WRITE,
                     .size = x->size, .pass = ONLY_NOTE };
    order_turn(w);
    touch_lane(&q, x->lane);
}

void check_async_commit(struct Warp *w)
{
    for (int l = 0; l < LANES; l++)
        flights[w->index].group[l] += w->active >> l & 1;
}

/* All copies of these lanes land, but those of the last groups_left groups
 * of each; groups_left < 0: all. */
void check_async_wait(struct Warp *w, int groups_left)
{
    struct Flights *f = &flights[w->index];
    int kept = 0;
    for (int i = 0; i < f->count; i++) {
        /* copy i lands, or moves up */
        struct Flight x = f->flight[i];
        if (w->active >> x.lane & 1
            && (groups_left < 0
                || (int64_t)x.group + groups_left < f->group[x.lane]))
            land(w, &x);
        else
            f->flight[kept++] = x;
    }
    f->count = kept;
}

/* watch mbarriers */
void check_arrive(struct Warp *w, int lane, const struct Block *b,
                  uint32_t at, bool surplus)
{
    const struct Tracked *t = mbarrier_tracked(b, at);
    if (surplus && wanted(CHECK_SYNC))
        check_problem(PROBLEM_PHASE, w, 1u << lane, "arrives at the "
                      "mbarrier at byte %u of shared memory, whose phase %u"
                      " needs no more arrivals: it waits for bytes that no"
                      " copy has brought yet.\n    Count the arrivals that"
                      " init was told.", at, t ? t->phase : 0);
    if (b == w->block && ordered())
        order_arrive(w, lane, SHARED_WINDOW + at);
    if (blocks_watched) {
        if (b != w->block)              /* its init must be known */
            blocks_touch(w, 1u << lane, b->rank, at, 8, false);
        blocks_release(blocks_key(b->rank, at), w->block->rank);
    }
}

void check_phase(const struct Block *b, uint32_t at)
{
    if (blocks_watched)
        blocks_phase(blocks_key(b->rank, at));
    if (b == watched && ordered())
        order_phase(SHARED_WINDOW + at);
}

void check_waited(struct Warp *w, const uint64_t *address, bool generic,
                  uint32_t lanes)
{
    for (uint32_t m = lanes; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint64_t at = address[l] - (generic ? SHARED_WINDOW : 0);
        if (at >= w->block->shared_bytes)
            continue;
        if (ordered())
            order_wait(w, l, SHARED_WINDOW + at);
        if (blocks_watched)
            blocks_acquire(blocks_key(w->block->rank, (uint32_t)at),
                           w->block->rank);
    }
}

uint32_t check_mbarrier(struct Warp *w, const uint64_t *address,
                        bool generic, uint32_t lanes, bool write)
{
    struct Access a = { .kind = write ? ACCESS_STORE : ACCESS_ATOM,
                        .space = SPACE_SHARED, .size = 8 };
    for (int l = 0; l < LANES; l++) {
        a.address[l] = address[l] - (generic ? SHARED_WINDOW : 0);
        bool here = a.address[l] + 8 <= w->block->shared_bytes;
        a.lanes |= here ? lanes & 1u << l : 0;
    }
    struct Ask q = { .w = w, .a = &a, .area = &shared_area,
                     .address = a.address, .touch = touch_of(a.kind),
                     .on = a.lanes, .size = 8 };
    if (q.on)
        ask(&q);
    return lanes;
}

void check_mbarrier_init(struct Warp *w, int lane, uint32_t at,
                         uint32_t count, bool live)
{
    if (blocks_watched)
        blocks_touch(w, 1u << lane, w->block->rank, at, 8, true);
    if (wanted(CHECK_SYNC) && live)
        check_problem(PROBLEM_PHASE, w, 1u << lane, "initialises the"
                      " mbarrier at byte %u of shared memory again: "
                      "mbarrier.inval has to come first", at);
    if (wanted(CHECK_SYNC) && (count == 0 || count > (1u << 20) - 1))
        check_problem(PROBLEM_PHASE, w, 1u << lane, "initialises an "
                      "mbarrier for %u arrivals: 1 to 1048575 are possible",
                      count);
}

uint32_t check_mbarrier_made(struct Warp *w, int lane,
                             const struct Block *b)
{
    if (b != watched || !ordered())
        return 0;
    order_turn(w);
    return now_shared.mine + (Stamp)lane;
}

void check_mbarrier_known(struct Warp *w, int lane, const struct Block *b,
                          uint32_t at)
{
    const struct Tracked *t = mbarrier_tracked(b, at);
    if (!t->made || b != watched || !ordered())
        return;
    order_turn(w);
    if (over(t->made, now_shared.mine + (Stamp)lane, &now_shared) ||
        order_over(t->made, lane, false, &now_shared))
        return;
    char thread[60], place[160];
    thread_text(&b->launch->block, warp_of(t->made) * LANES +
                (int)(t->made % SEVERAL), thread, sizeof thread);
    check_problem(PROBLEM_RACE, w, 1u << lane, "waits for the mbarrier at "
                  "byte %u of shared memory, which %s initialises at %s."
                  "\n    Put __syncthreads() between the two.", at, thread,
                  where(b->launch->kernel, t->init, place, sizeof place));
}

/* watch bulk copies */
/* Compare, or note down, an access of a lane to bytes in a row. */
static void touch_range(struct Ask *q, int lane, uint64_t from,
                        uint64_t bytes)
{
    while (bytes) {
        int lo = (int)(from % 128);
        int here = bytes < 128u - (unsigned)lo ? (int)bytes : 128 - lo;
        touch_line(q, q->area->line + from / 128, lo, lo + here,
                   -128 * lane, 7);
        from += (unsigned)here;
        bytes -= (unsigned)here;
    }
}

static void ask_range(const struct BulkCopy *c, struct Area *area,
                      enum Touch touch, enum Pass pass, uint64_t from,
                      uint64_t bytes)
{
    uint64_t address[LANES];
    struct Warp then = *c->warp;
    struct Now *now = area == &shared_area ? &now_shared : &now_global;
    struct Ask q = { .w = &then, .area = area, .now = now, .touch = touch,
                     .address = address, .size = (int)bytes, .pass = pass };
    address[c->lane] = from;
    then.pc = c->pc;
    now->atomics |= touch == TOUCH_ATOMIC;
    order_turn(c->warp);
    touch_range(&q, c->lane, from, bytes);
    if (q.race.lanes)
        tell_race(&q);
}

static bool fenced_for(const struct BulkCopy *c, Stamp x)
{
    int me = c->warp->index * LANES + c->lane;
    if (x < now_shared.block || warp_of(x) == PROXY)
        return true;
    int other = warp_of(x) * LANES + (int)(x % SEVERAL);
    return proxy_fence[other] > x || proxy_fence[me] > x;
}

/* The first word of a range that is not; NULL: all are. */
static const struct Line *unfenced(const struct BulkCopy *c, uint64_t from,
                                   uint64_t bytes, int *word)
{
    for (uint64_t x = from / 4; x < (from + bytes) / 4; x++) {
        const struct Line *l = shared_area.line + x / 32;
        int parts = line_parts(l, &now_shared);
        *word = (int)(x % 32);
        if (parts == 1 && !fenced_for(c, l->writer[*word]))
            return l;
        for (int p = 0; parts > 1 && p < parts; p++)
            if (!fenced_for(c, l->part[p].writer[*word]))
                return l->part + p;
    }
    return NULL;
}

static void ask_proxy(const struct BulkCopy *c, uint64_t from,
                      uint64_t bytes, const char *what)
{
    int word;
    const struct Line *l = ordered() ? unfenced(c, from, bytes, &word)
                                     : NULL;
    if (!l)
        return;
    const struct Launch *launch = c->warp->block->launch;
    struct Warp then = *c->warp;
    Stamp x = l->writer[word];
    char thread[60], place[160];
    then.pc = c->pc;
    thread_text(&launch->block, warp_of(x) * LANES + (int)(x % SEVERAL),
                thread, sizeof thread);
    check_problem(PROBLEM_PROXY, &then, 1u << c->lane, "%s which %s wrote"
                  " at %s.\n    TMA may not see that: the writer has to "
                  "execute fence.proxy.async, and then synchronise.", what,
                  thread,
                  where(launch->kernel, l->written_at[word], place,
                        sizeof place));
}

void check_proxy_fence(struct Warp *w, uint32_t lanes)
{
    Stamp mine = ordered() ? order_split(w) : 0;
    for (int l = 0; l < LANES; l++)
        if (lanes >> l & 1)
            proxy_fence[w->index * LANES + l] = mine;
}

static bool here(const struct Block *b)
{
    return b == watched;
}

static void tell_copy(const struct BulkCopy *c, enum ProblemKind kind,
                      const char *text)
{
    struct Warp then = *c->warp;
    then.pc = c->pc;
    check_problem(kind, &then, 1u << c->lane, "%s", text);
}

static void destination_part(const struct BulkCopy *c, uint32_t at,
                             uint32_t bytes, void *to)
{
    bool *busy = to;
    *busy |= !bits_none(arriving, at, bytes) || !bits_none(lent, at, bytes);
    if (ordered()) {
        ask_range(c, &shared_area, TOUCH_WRITE, ONLY_CHECK, at, bytes);
        ask_proxy(c, at, bytes, "asks for a copy over bytes");
    }
    bits_put(arriving, at, bytes, true);
}

static void ask_destination(const struct BulkCopy *c, uint32_t to)
{
    bool busy = false;
    copy_parts(c, to, destination_part, &busy);
    bulk_busy++;
    if (busy && wanted(CHECK_SYNC))
        tell_copy(c, PROBLEM_ASYNC, "asks for a copy to shared memory that "
                  "another bulk copy still writes or reads.\n    Wait for "
                  "that one first.");
    if (ordered())
        ask_proxy(c, c->bar, 8,
                  "asks for a copy that counts on an mbarrier");
}

struct Source { bool busy, unwritten; };

static void source_part(const struct BulkCopy *c, uint32_t at,
                        uint32_t bytes, void *to)
{
    struct Source *s = to;
    s->busy |= !bits_none(arriving, at, bytes);
    s->unwritten |= shared_area.left &&
                    !bits_all(shared_area.valid, at, bytes);
    if (ordered()) {
        ask_range(c, &shared_area, TOUCH_READ, ONLY_CHECK, at, bytes);
        ask_proxy(c, at, bytes, "asks for a copy of bytes");
    }
    bits_put(lent, at, bytes, true);
}

static void ask_source(const struct BulkCopy *c)
{
    struct Source s = { false, false };
    copy_parts(c, c->shared, source_part, &s);
    bulk_busy++;
    if (wanted(CHECK_SYNC) && s.busy)
        tell_copy(c, PROBLEM_ASYNC, "asks for a copy from shared memory to "
                  "which another bulk copy is still on its way.\n    Wait "
                  "for the phase of its mbarrier first.");
    else if (wanted(CHECK_INIT) && s.unwritten)
        tell_copy(c, PROBLEM_UNINITIALISED, "asks for a copy from shared "
                  "memory of which nobody has written a part");
}

static void read_row(const struct CopyRow *r, void *to)
{
    struct Area *area = r->global ? area_of(r->global) : NULL;
    bool *told = to;
    if (!area)
        return;
    uint64_t from = r->global - area->base;
    if (area->left && wanted(CHECK_INIT) && !*told &&
        !bits_all(area->valid, from, r->bytes)) {
        tell_copy(r->copy, PROBLEM_UNINITIALISED, "asks for a copy of "
                  "bytes of global memory of which nobody has written a "
                  "part");
        *told = true;
    }
    if (ordered())
        ask_range(r->copy, area, TOUCH_READ, CHECK_AND_NOTE, from,
                  r->bytes);
}

static void write_row(const struct CopyRow *r, void *to)
{
    struct Area *area = r->global ? area_of(r->global) : NULL;
    (void)to;
    if (!area)
        return;
    uint64_t from = r->global - area->base;
    bool adds = r->copy->form->op != OP_NONE;
    if (ordered())
        ask_range(r->copy, area, adds ? TOUCH_ATOMIC : TOUCH_WRITE,
                  CHECK_AND_NOTE, from, r->bytes);
    if (area->left)
        area_wrote(area, from, r->bytes);
}

/* The copy's accesses to shared memory are those of the block that asks. */
static void blocks_part(const struct BulkCopy *c, uint32_t at,
                        uint32_t bytes, void *to)
{
    const struct Block *owner = to ? to : c->to;
    struct Warp then = *c->warp;
    then.pc = c->pc;
    blocks_touch(&then, 1u << c->lane, owner->rank, at, bytes,
                 to && owner == c->to);
}

void check_copy_begins(const struct BulkCopy *c)
{
    bool told = false;
    const bool across = c->form->way == BULK_ACROSS;
    if (blocks_watched && c->to && c->to != c->warp->block)
        blocks_part(c, c->bar, 8, NULL);        /* a barrier, not bytes */
    if (blocks_watched && c->to)
        copy_parts(c, across ? c->across : c->shared, blocks_part, c->to);
    if (blocks_watched && (across || c->form->way == BULK_STORE))
        copy_parts(c, c->shared, blocks_part, c->warp->block);
    switch (c->form->way) {
    case BULK_LOAD:
        if (here(c->to))
            ask_destination(c, c->shared);
        copy_rows(c, read_row, &told);
        break;
    case BULK_ACROSS:
        if (here(c->warp->block))
            ask_source(c);
        if (here(c->to))
            ask_destination(c, c->across);
        break;
    case BULK_STORE:
        if (here(c->warp->block))
            ask_source(c);
        break;
    case BULK_ARRIVE: break;
    }
}

static void note_part(const struct BulkCopy *c, uint32_t at,
                      uint32_t bytes, void *to)
{
    uint64_t address[LANES] = { at };
    struct Warp then = *c->warp;
    struct Ask q = { .w = &then, .area = &shared_area, .now = &now_shared,
                     .address = address, .touch = TOUCH_WRITE,
                     .size = (int)bytes, .pass = ONLY_NOTE };
    (void)to;
    then.pc = c->pc;
    bits_put(arriving, at, bytes, false);
    if (shared_area.left)
        area_wrote(&shared_area, at, bytes);
    if (ordered())
        touch_range(&q, 0, at, bytes);
}

void check_copy_came(const struct BulkCopy *c, const struct Block *b,
                     uint32_t phase)
{
    uint32_t to = c->form->way == BULK_ACROSS ? c->across : c->shared;
    char text[300];
    snprintf(text, sizeof text, "brings %u bytes after phase %u of the"
             " mbarrier at byte %u of shared memory is over: the phase has"
             " announced fewer bytes than its copies bring", c->bytes,
             c->phase, c->bar);
    if (phase != c->phase && wanted(CHECK_SYNC))
        tell_copy(c, PROBLEM_PHASE, text);
    if (blocks_watched)
        blocks_release(blocks_key(b->rank, c->bar), c->warp->block->rank);
    if (!here(b))
        return;
    bulk_busy--;
    if (ordered())
        order_copy();
    copy_parts(c, to, note_part, NULL);
    if (ordered())
        order_copy_came(SHARED_WINDOW + c->bar);
}

static void read_part(const struct BulkCopy *c, uint32_t at,
                      uint32_t bytes, void *to)
{
    (void)to;
    bits_put(lent, at, bytes, false);
    if (ordered())
        ask_range(c, &shared_area, TOUCH_READ, ONLY_NOTE, at, bytes);
}

void check_copy_read(const struct BulkCopy *c)
{
    if (!here(c->warp->block))
        return;
    bulk_busy--;
    copy_parts(c, c->shared, read_part, NULL);
}

void check_copy_wrote(const struct BulkCopy *c)
{
    copy_rows(c, write_row, NULL);
}

void check_copy_left(const struct BulkCopy *c)
{
    if (!wanted(CHECK_SYNC))
        return;
    if (c->form->way == BULK_STORE && !c->kept)
        tell_copy(c, PROBLEM_ASYNC, "has asked for a bulk store whose "
                  "source is still to be read when the block ends.\n    "
                  "Wait for it: cp.async.bulk.wait_group.read 0.");
    if (c->form->way == BULK_LOAD || c->form->way == BULK_ACROSS)
        tell_copy(c, PROBLEM_ASYNC, "has asked for a copy that is still on"
                  " its way when the block ends: nobody has waited for the"
                  " phase of its mbarrier.");
}

/* watch a cluster */
static struct View {
    uint64_t *valid, *arriving, *lent;
    size_t left;
    int bulk_busy;
} *views;
static size_t n_views;

/* As many blocks as run at once. */
static void views_grow(size_t n)
{
    if (n <= n_views)
        return;
    views = xrealloc(views, n * sizeof *views);
    memset(views + n_views, 0, (n - n_views) * sizeof *views);
    n_views = n;
}

static uint64_t *turn_bits(uint64_t *now, uint64_t *from)
{
    memcpy(now, from, sizeof arriving);
    return from;
}

static void keep_bits(uint64_t **to, const uint64_t *now)
{
    if (!*to)
        *to = xcalloc(1, sizeof arriving);
    memcpy(*to, now, sizeof arriving);
}

void check_block_turn(const struct Block *b)
{
    if (b == watched)
        return;
    if (watched) {
        struct View *v = &views[watched->rank];
        keep_bits(&v->valid, shared_area.valid);
        keep_bits(&v->arriving, arriving);
        keep_bits(&v->lent, lent);
        v->left = shared_area.left;
        v->bulk_busy = bulk_busy;
    }
    const struct View *v = &views[b->rank];
    watched = b;
    if (!v->valid)
        return;
    turn_bits(shared_area.valid, v->valid);
    turn_bits(arriving, v->arriving);
    turn_bits(lent, v->lent);
    shared_area.left = v->left;
    bulk_busy = v->bulk_busy;
}

void check_cluster_arrive(const struct Warp *w)
{
    if (blocks_watched)
        blocks_release(CLUSTER_BARRIER, w->block->rank);
}

void check_cluster_barrier(const struct Cluster *c)
{
    (void)c;
    if (blocks_watched)
        blocks_phase(CLUSTER_BARRIER);
    else if (wanted(CHECK_RACE) && !together)
        order_barrier();
}

void check_cluster_waited(const struct Warp *w)
{
    if (blocks_watched)
        blocks_acquire(CLUSTER_BARRIER, w->block->rank);
}

void check_remote(struct Warp *w, const struct Access *a,
                  const struct Block *b)
{
    int done = 0;
    for (int k = 0; k < b->warps; k++)
        done += b->warp[k].state == WARP_DONE;
    if (done == b->warps && wanted(CHECK_SYNC))
        check_problem(PROBLEM_FREED, w, a->lanes, "goes to the shared "
                      "memory of block %u of the cluster, which has ended."
                      "\n    All blocks have to wait before the first "
                      "returns: barrier.cluster at the end.", b->rank);
    check_block_turn(b);
    check_access(w, a);
    check_block_turn(w->block);
}

/* watch operands of wgmma */
bool check_wants_races(void)
{
    return wanted(CHECK_RACE);
}

bool check_wants_sync(void)
{
    return wanted(CHECK_SYNC);
}

bool check_operand_fenced(struct Warp *w, uint64_t at)
{
    struct BulkCopy reads = { .warp = w, .pc = w->pc };
    const struct Launch *launch = w->block->launch;
    char thread[60], place[160];
    int word;
    const struct Line *l = ordered() && here(w->block)
                         ? unfenced(&reads, at, 16, &word) : NULL;
    if (!l)
        return true;
    Stamp x = l->writer[word];
    thread_text(&launch->block, warp_of(x) * LANES + (int)(x % SEVERAL),
                thread, sizeof thread);
    check_problem(PROBLEM_PROXY, w, ALL_LANES, "multiplies what %s wrote at"
                  " %s.\n    wgmma may not see that: the writer has to "
                  "execute fence.proxy.async, and then synchronise.",
                  thread, where(launch->kernel, l->written_at[word], place,
                                sizeof place));
    return false;
}

/* the short way, and all others */
/* are lanes side by side all free? */
/* Lanes from `lane` on, size bytes each: is every word free? */
static bool row_is_free(struct Area *area, const struct Now *now,
                        bool write, int lane, int size, uint64_t from,
                        uint64_t left, unsigned at)
{
    int shift = __builtin_ctz((unsigned)size);
    while (left) {
        /* words a to b of line l: as much of the row as lies in it */
        struct Line *l = area->line + from / 128;
        int lo = (int)(from % 128);
        int here = left < 128u - (unsigned)lo ? (int)left : 128 - lo;
        int first = lo - lane * size, a = lo >> 2, b = (lo + here) >> 2;
        if (l->parts || !(write ? line_write : line_read)(l, now, a, b,
                                                          first, shift, at))
            return false;
        lane += here >> shift;
        from += (unsigned)here;
        left -= (unsigned)here;
    }
    return true;
}

/* the short way */
static bool is_strong(const struct Warp *w)
{
    const struct Instruction *code = w->block->launch->kernel->code;
    return code[w->pc].flags & FLAG_STRONG;
}

/* Most accesses are reads or writes of lanes side by side, and nothing is
 * wrong with them.  True: this was one, and it is noted down.  False: ask
 * all questions; what was noted already does no harm. */
static bool all_well(const struct Warp *w, const struct Access *a,
                     uint32_t on)
{
    bool shared = a->space == SPACE_SHARED, write = a->kind == ACCESS_STORE;
    int f = __builtin_ctz(on);
    /* leave anything unusual to the long way */
    uint32_t lanes = on >> f;
    if (!a->contiguous || a->size < 4 || lanes & (lanes + 1)
        || (a->kind != ACCESS_LOAD && !write) || (shared && in_flight)
        || wanted_checks != CHECK_ALL || !ordered() || is_strong(w))
        return false;
    /* where the bytes lie, and how many they are */
    struct Area *area = shared ? &shared_area : area_of(a->address[f]);
    if (!area)
        return false;
    uint64_t from = a->address[f] - area->base;
    uint64_t bytes = (unsigned)(__builtin_popcount(lanes) * a->size);
    if (shared && bulk_busy && (!bits_none(arriving, from, bytes) ||
                                (write && !bits_none(lent, from, bytes))))
        return false;
    /* write the bytes, or see that they are written */
    if (write)
        area_wrote(area, from, bytes);
    else if (area->left && !bits_all(area->valid, from, bytes))
        return false;
    order_turn(w);
    return row_is_free(area, shared ? &now_shared : &now_global, write, f,
                       a->size, from, bytes, (unsigned)w->pc);
}

/* one warp instruction */
uint32_t check_access(struct Warp *w, const struct Access *a)
{
    uint32_t on = a->lanes & ~(a->illegal | a->misaligned);
    if (a->illegal && wanted(CHECK_MEMORY))
        tell_illegal(w, a);
    if (a->misaligned & ~a->illegal && wanted(CHECK_MEMORY))
        tell_misaligned(w, a);
    if (blocks_watched)
        blocks_access(w, a, on, watched->rank);
    if (!on || ((a->space == SPACE_GLOBAL || a->space == SPACE_SHARED)
                && all_well(w, a, on)))
        return on;
    /* go the long way */
    if (a->kind == ACCESS_ASYNC_CA || a->kind == ACCESS_ASYNC_CG)
        ask_async(w, a, on);
    else if (a->space == SPACE_GLOBAL || a->space == SPACE_CONST)
        ask_global(w, a, on);
    else if (a->space == SPACE_SHARED)
        ask_shared(w, a, on);
    else if (a->space == SPACE_LOCAL)
        ask_local(w, a, on);
    return on;
}

/* launches and blocks */
static void forget_flights(void)
{
    for (int i = 0; i < MAX_WARPS; i++) {
        flights[i].count = 0;
        memset(flights[i].group, 0, sizeof flights[i].group);
    }
    if (in_flight)
        memset(flying, 0, sizeof flying);
    in_flight = 0;
}

void check_launch_begin(struct Launch *l)
{
    if (wanted(CHECK_INIT) && l->sample > 1)
        wanted_checks &= ~CHECK_INIT;   /* who knows what was written? */
    areas_unsplit();
    if (!order_launch()) {
        areas_clear();
        order_restart();
    }
    n_guesses = has_cas = 0;
    memset(excused, 0, sizeof excused);
    for (int i = 0; i < l->kernel->instructions; i++)
        has_cas |= l->kernel->code[i].op == OP_CAS;
    size_t threads = (size_t)l->block.x * l->block.y * l->block.z *
                     l->cluster.x * l->cluster.y * l->cluster.z;
    watched = NULL;
    together = l->cluster.x * l->cluster.y * l->cluster.z > 1;
    views_grow(l->cluster.x * l->cluster.y * l->cluster.z);
    size_t need = l->kernel->local_bytes * threads / 64 + 1;
    if (need > local_words) {
        local_valid = xrealloc(local_valid, need * sizeof *local_valid);
        local_words = need;
    }
}


void check_launch_end(struct Launch *l)
{
    context_lost |= l->fault != FAULT_NONE;
    order_warp = NULL;
}

void check_block_begin(struct Block *b)
{
    if (b->rank == 0)
        blocks_begin(b->launch, (uint32_t)b->cluster->n);
    check_block_turn(b);
    memset(arriving, 0, sizeof arriving);
    memset(lent, 0, sizeof lent);
    memset(proxy_fence, 0, sizeof proxy_fence);
    bulk_busy = 0;
    area_new_block(b->shared_bytes);
    if (!order_block(b->linear)) {
        areas_clear();
        order_restart();
        order_block(b->linear);
    }
    forget_flights();
    if (b->launch->kernel->local_bytes && b->rank == 0)
        memset(local_valid, 0, local_words * sizeof *local_valid);
}

void check_block_end(struct Block *b)
{
    (void)b;
    tell_guesses();
    order_warp = NULL;
}

/* the host allocates and copies */
void check_allocated(uint64_t address, size_t bytes)
{
    const struct Allocation *a = memory_find(address);
    if (!wanted(CHECK_ALL))
        return;
    area_new(address, bytes);
    if (a && a->name)           /* variables start as zeroes             */
        check_host_wrote(address, bytes);
}

void check_label(uint64_t address, const char *name)
{
    struct Area *a = area_of(address);
    if (a && a->base == address)
        a->label = name;
}

void check_freed(uint64_t address)
{
    area_free(address);
}

void check_bad_free(uint64_t address)
{
    char text[200];
    if (wanted(CHECK_MEMORY))
        check_problem(PROBLEM_FREED, NULL, 0,
                      "cudaFree of %s; it wants the start of an allocation"
                      " that was not freed yet",
                      address_text(address, text, sizeof text));
}


void check_host_wrote(uint64_t address, size_t bytes)
{
    struct Area *a = area_of_range(address, bytes);
    if (a)
        area_wrote(a, address - a->base, bytes);
}

void check_host_reads(uint64_t address, size_t bytes)
{
    struct Area *a = area_of_range(address, bytes);
    if (!wanted(CHECK_INIT) || !a || !a->left)
        return;
    uint64_t from = address - a->base, holes = 0, first = 0;
    for (uint64_t i = bytes; i-- > 0; )
        if (!bits_all(a->valid, from + i, 1)) {
            holes++;
            first = i;
        }
    char text[160];
    if (holes)
        check_problem(PROBLEM_UNINITIALISED, NULL, 0,
                      "a copy to the host reads %zu bytes of which %llu"
                      " were never written; the first is %s", bytes,
                      (unsigned long long)holes,
                      address_text(address + first, text, sizeof text));
}


void check_copied(uint64_t to, uint64_t from, size_t bytes)
{
    struct Area *a = area_of_range(from, bytes);
    struct Area *b = area_of_range(to, bytes);
    for (uint64_t i = 0; a && b && i < bytes; i++) {
        bool set = bits_all(a->valid, from - a->base + i, 1);
        b->left += bits_put(b->valid, to - b->base + i, 1, set);
        b->left -= set;
    }
}

/* the program ends */
void check_exit(void)
{
    char name[120];
    const struct Area *a;
    bool leaks = wanted(CHECK_LEAK) && !context_lost;
    for (int i = 0; leaks && (a = area_at(i)); i++) {
        const struct Allocation *x = a->freed ? NULL : memory_find(a->base);
        if (!a->freed && !(x && x->name))
            check_problem(PROBLEM_LEAK, NULL, 0, "%s was never freed",
                          area_text(a, name, sizeof name));
    }
    problems_end();
}
