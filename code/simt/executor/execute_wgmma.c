/* Tangled from chapters/workshop/simt-wgmma.nw, "In flight".  Edit it there. */

#include "simt/executor/wgmma.h"
#include "simt/executor/device_math.h"
#include "simt/executor/lanes.h"

#include <stdlib.h>
#include <string.h>

/* what a warp knows of its wgmmas */
enum { FLIGHTS = 64, GROUPS = 64 };

struct Flight {                 /* a wgmma that is not waited for        */
    const struct Instruction *i;
    int pc;
    struct Operands a, b;
    uint64_t sum;               /* of the bytes of both operands         */
};

struct WgmmaState {
    uint32_t issued, committed, done;   /* numbers of wgmmas             */
    uint32_t groups, group[GROUPS];     /* last of a group, a ring       */
    struct Flight flight[FLIGHTS];      /* a ring, too                   */
    bool yielded;               /* the others have had their turn        */
    int registers, changed_at;  /* setmaxnreg: how many, and where       */
    /* what it knows of registers */
    uint32_t *written, *read;   /* by which wgmma; 0: none               */
    uint32_t *touched;          /* when by something else; 0: never      */
    uint32_t clock, fenced;     /* now; the last fence, 0: none          */
};

static struct WgmmaState *state_of(struct Warp *w)
{
    size_t places = w->block->launch->kernel->units / 16 + 1;
    if (w->wgmma)
        return w->wgmma;
    struct WgmmaState *s = calloc(1, sizeof *s);
    uint32_t *marks = calloc(3 * places, sizeof *marks);
    if (!s || !marks)
        fail("no memory for the matmuls of a warpgroup");
    s->written = marks;
    s->read = marks + places;
    s->touched = marks + 2 * places;
    return w->wgmma = s;
}

static void forget(struct Warp *w)
{
    if (w->wgmma)
        free(w->wgmma->written);
    free(w->wgmma);
    w->wgmma = NULL;
}

static int registers_at_start(const struct Block *b)
{
    int n = 65536 / (b->warps * LANES) / 8 * 8;
    return n < 255 ? n : 255;
}

static int registers_of(const struct Warp *w)
{
    return w->wgmma && w->wgmma->registers ? w->wgmma->registers
                                           : registers_at_start(w->block);
}

static void registers_at_end(struct Block *);

/* is the whole warpgroup here? */
enum { AHEAD = 256, GROUP_WARPS = 4 };

struct Together {               /* a wgmma as the first warp issued it   */
    uint32_t number;
    int pc, warps;              /* a bit for each that has come          */
    uint64_t a, b;
};

struct WgmmaGroup { struct Together ring[AHEAD]; };

static bool is_together(struct Warp *w, uint32_t number, uint64_t a,
                        uint64_t b)
{
    struct WgmmaGroup *all = w->block->wgmma;
    struct Together *t = &all[w->index / GROUP_WARPS].ring[number % AHEAD];
    if (t->number < number)
        *t = (struct Together){ number, w->pc, 0, a, b };
    bool late = t->number > number;     /* the others are far ahead */
    if (!late && (t->pc != w->pc || t->a != a || t->b != b))
        return launch_fault(w, FAULT_INSTRUCTION, "%.60s: the warps of a "
            "warpgroup must execute the same wgmma with the same "
            "descriptors; this one has %llx and %llx, another line %d with "
            "%llx and %llx", w->block->launch->kernel->code[w->pc].name,
            (unsigned long long)a, (unsigned long long)b,
            w->block->launch->kernel->code[t->pc].line,
            (unsigned long long)t->a, (unsigned long long)t->b);
    t->warps |= late ? 0 : 1 << w->index % GROUP_WARPS;
    return true;
}

static bool has_warpgroup(struct Warp *w, const struct Instruction *i,
                          uint32_t on)
{
    struct Block *b = w->block;
    int groups = (b->warps + GROUP_WARPS - 1) / GROUP_WARPS;
    if (on != ALL_LANES)
        return launch_fault(w, FAULT_INSTRUCTION, "%.60s wants all 32 "
                            "lanes", i->name);
    if ((w->index | 3) >= b->warps || b->threads % LANES)
        return launch_fault(w, FAULT_INSTRUCTION, "%.60s wants a warpgroup:"
            " four whole warps from one whose number is a multiple of 4; "
            "the block has %d threads", i->name, b->threads);
    if (!b->wgmma)
        b->wgmma = calloc((size_t)groups, sizeof *b->wgmma);
    if (!b->wgmma)
        fail("no memory for the warpgroups of a block");
    return true;
}

void wgmma_block_end(struct Block *b)
{
    int groups = (b->warps + GROUP_WARPS - 1) / GROUP_WARPS;
    for (int g = 0; b->wgmma && g < groups; g++)
        for (int k = 0; k < AHEAD; k++) {
            const struct Together *t = &b->wgmma[g].ring[k];
            struct Warp *first = &b->warp[g * GROUP_WARPS];
            if (!t->number || t->warps == 15)
                continue;
            first->pc = t->pc;
            launch_fault(first, FAULT_INSTRUCTION, "%.60s was executed by "
                "%d warps of a warpgroup; all four must, or it waits for "
                "ever", b->launch->kernel->code[t->pc].name,
                __builtin_popcount((unsigned)t->warps));
        }
    free(b->wgmma);
    b->wgmma = NULL;
    registers_at_end(b);
    for (int k = 0; k < b->warps; k++)
        forget(&b->warp[k]);
}

/* look at the operands */
typedef unsigned char Rows[TENSOR_N][32];

static void check_operand(struct Warp *w, const struct Operands *o,
                          int from, int n, int size)
{
    struct Access a = { .kind = ACCESS_LOAD, .space = SPACE_SHARED,
                        .size = 16 };
    bool fenced = true;
    int lanes = 0, down = o->transposed ? 8 : 1;
    int deep = o->transposed ? 1 : 16 / size;
    for (int r = 0; r < n; r += down)
        for (int k = 0; k < 32 / size; k += deep) {
            a.address[lanes] = operand_chunk(o, from + r, k, size);
            fenced = fenced && check_operand_fenced(w, a.address[lanes]);
            a.lanes |= lane_bit[lanes++];
            if (lanes == LANES) {
                check_access(w, &a);
                a.lanes = 0, lanes = 0;
            }
        }
    if (lanes)
        check_access(w, &a);
}

static bool look_at(struct Warp *w, Rows rows, const struct Operands *o,
                    int from, int n, enum TensorType type)
{
    uint32_t outside;
    struct Block *b = w->block;
    int size = tensor_bytes(type);
    if (!operand_read(rows, o, from, n, size, b->shared, b->shared_bytes,
                      &outside))
        return launch_fault(w, FAULT_ILLEGAL_ADDRESS, "the descriptor that "
            "starts at %u with leading offset %u, stride %u and a swizzle "
            "of %d bytes leads to byte %u of shared memory; the block has "
            "%zu", o->start, o->lead, o->stride,
            o->width == 16 ? 0 : o->width, outside, b->shared_bytes);
    return true;
}

static uint64_t mix(uint64_t sum, Rows rows, int n)
{
    for (int r = 0; r < n; r++)
        for (int k = 0; k < 32; k += 8) {
            uint64_t x;
            memcpy(&x, rows[r] + k, 8);
            sum = (sum ^ x) * 0x9e3779b97f4a7c15u;
            sum ^= sum >> 29;
        }
    return sum;
}

static int first_row(const struct Warp *w)
{
    return w->index % GROUP_WARPS * 16;
}

/* Read what is in shared memory; false, and a fault, if it reaches out. */
static bool read_shared(struct Warp *w, struct Flight *f, Rows a, Rows b)
{
    const struct Wgmma *g = f->i->wgmma;
    if (g->a_shared && !look_at(w, a, &f->a, first_row(w), 16, g->a))
        return false;
    if (!look_at(w, b, &f->b, 0, g->n, g->b))
        return false;
    f->sum = mix(g->a_shared ? mix(0, a, 16) : 0, b, g->n);
    return true;
}

/* multiply a quarter */
static void read_registers(const struct Warp *w,
                           const struct Instruction *i, Rows a)
{
    for (int r = 0; r < 4; r++)
        for (int l = 0; l < LANES; l++)
            memcpy(a[l / 4 + r % 2 * 8] + r / 2 * 16 + l % 4 * 4,
                   &w->file[i->a[r] + (unsigned)l], 4);
}

/* Where row r, column c of the sums is: the register, and its lane. */
static uint32_t *place_of(const struct Warp *w, const struct Wgmma *g,
                          int r, int c)
{
    int eight = c / 8, lane = r % 8 * 4 + c % 8 / 2, low = r / 8;
    int k = g->half_sum ? 2 * eight + low : 4 * eight + 2 * low + c % 2;
    return &w->file[g->d[k] + (unsigned)lane];
}

static void load_sums(const struct Warp *w, const struct Wgmma *g, int r,
                      float *sum)
{
    for (int c = 0; c < g->n; c++) {
        const uint32_t *from = place_of(w, g, r, c);
        if (g->half_sum)
            sum[c] = float_from_half((uint16_t)(*from >> c % 2 * 16));
        else
            memcpy(&sum[c], from, 4);
    }
}

static void store_sums(struct Warp *w, const struct Wgmma *g, int r,
                       const float *sum)
{
    for (int c = 0; c < g->n; c++) {
        uint32_t *to = place_of(w, g, r, c);
        if (!g->half_sum)
            memcpy(to, &sum[c], 4);
        else if (c % 2 == 0)
            *to = half_from_float(sum[c]);
        else
            *to |= (uint32_t)half_from_float(sum[c]) << 16;
    }
}

static void negate(struct Factors *f, int k, int n)
{
    for (int q = 0; q < k; q++)
        for (int r = 0; r < n; r++) {
            int *e = &f->exponent[q][r];
            f->value[q][r] = -f->value[q][r];
            *e = *e == TENSOR_PLUS ? TENSOR_MINUS :
                 *e == TENSOR_MINUS ? TENSOR_PLUS : *e;
        }
}

static void multiply(struct Warp *w, const struct Instruction *i, Rows a,
                     Rows b, bool keep)
{
    static _Thread_local struct Factors fa, fb;
    const struct Wgmma *g = i->wgmma;
    struct TensorRule rule = tensor_rule(g->a, true);
    union { float f[TENSOR_N]; int32_t i[TENSOR_N]; } sum;
    for (int r = 0; r < 16; r++)
        tensor_unpack(&fa, r, g->k, g->a, a[r]);
    for (int c = 0; c < g->n; c++)
        tensor_unpack(&fb, c, g->k, g->b, b[c]);
    if (g->minus_a != g->minus_b)
        negate(&fa, g->k, 16);
    for (int r = 0; r < 16; r++) {
        memset(&sum, 0, sizeof sum);
        if (keep)
            load_sums(w, g, r, sum.f);
        if (g->integers)
            tensor_add_integers(sum.i, g->n, g->k, &fa, r, &fb,
                                g->saturate);
        else
            tensor_add(sum.f, g->n, g->k, &fa, r, &fb, rule, g->half_sum);
        store_sums(w, g, r, sum.f);
    }
}

/* registers of a wgmma */
static bool is_move(const struct Instruction *i)
{
    return !strncmp(i->name, "mov.", 4) && i->width == 1;
}

static void copy_marks(struct WgmmaState *s, uint32_t to, uint32_t from)
{
    s->written[to] = s->written[from];
    s->touched[to] = s->touched[from];
    s->read[to] = 0;
}

static void look_at_source(struct Warp *w, const struct Instruction *i,
                           uint32_t place, uint32_t on)
{
    struct WgmmaState *s = w->wgmma;
    bool spill = i->space == SPACE_LOCAL && i->access == ACCESS_STORE;
    if (s->written[place] <= s->done || spill)
        return;
    bool committed = s->written[place] <= s->committed;
    check_problem(PROBLEM_WGMMA, w, on, "reads a register that wgmma is "
        "still writing (line %d).\n    %s",
        s->flight[s->written[place] % FLIGHTS].i->line, committed ?
        "Wait for its group first." : "Commit its group, and wait for it.");
}

static void look_at_result(struct Warp *w, uint32_t place, uint32_t on)
{
    struct WgmmaState *s = w->wgmma;
    uint32_t by = s->read[place] > s->done ? s->read[place]
                : s->written[place] > s->done ? s->written[place] : 0;
    if (by)
        check_problem(PROBLEM_WGMMA, w, on, "overwrites a register that "
            "wgmma is still %s (line %d).\n    Wait for its group first.",
            s->read[place] > s->done ? "reading" : "writing",
            s->flight[by % FLIGHTS].i->line);
    s->written[place] = s->read[place] = 0;
    s->touched[place] = ++s->clock;
}

void wgmma_look(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    if (!w->block->launch->check || i->wgmma || !check_wants_sync())
        return;
    struct WgmmaState *s = state_of(w);
    if (is_move(i)) {
        copy_marks(s, i->d[0] / 16, i->a[0] / 16);
        return;
    }
    for (int k = 0; k < 4; k++) {
        look_at_source(w, i, i->a[k] / 16, on);
        look_at_source(w, i, i->b[k] / 16, on);
        look_at_source(w, i, i->c[k] / 16, on);
    }
    for (int k = 0; k < 4; k++)
        if (i->d[k])
            look_at_result(w, i->d[k] / 16, on);
}

static void look_at_fence(struct Warp *w, uint32_t place, bool factor)
{
    struct WgmmaState *s = w->wgmma;
    if (s->written[place] > s->done && factor)
        check_problem(PROBLEM_WGMMA, w, ALL_LANES, "takes A from a register"
            " that wgmma is still writing (line %d).\n    Wait for its "
            "group first.",
            s->flight[s->written[place] % FLIGHTS].i->line);
    else if (!s->fenced || s->touched[place] > s->fenced)
        check_problem(PROBLEM_WGMMA, w, ALL_LANES, "%s registers that were "
            "written %s.\n    Execute wgmma.fence between that and this.",
            factor ? "takes A from" : "adds to", s->fenced ?
            "since the last wgmma.fence" : "before, without a wgmma.fence");
}

static void registers_issued(struct Warp *w, const struct Instruction *i)
{
    const struct Wgmma *g = i->wgmma;
    struct WgmmaState *s = w->wgmma;
    uint32_t problems = 0;
    for (int k = 0; k < g->sums && !problems; k++) {
        uint32_t place = g->d[k] / 16;
        problems = !s->fenced || s->touched[place] > s->fenced;
        if (problems)
            look_at_fence(w, place, false);
    }
    for (int k = 0; k < 4 && !g->a_shared && !problems; k++)
        look_at_fence(w, i->a[k] / 16, true);
    for (int k = 0; k < g->sums; k++)
        s->written[g->d[k] / 16] = s->issued + 1;
    for (int k = 0; k < 4 && !g->a_shared; k++)
        s->read[i->a[k] / 16] = s->issued + 1;
}

/* issue a wgmma */
static bool same_in_all(struct Warp *w, const struct Instruction *i,
                        uint32_t unit, uint64_t *value)
{
    const slot8 *x = REGISTER(w, unit, const slot8);
    *value = x[0];
    for (int l = 1; l < LANES; l++)
        if (x[l] != x[0])
            return launch_fault(w, FAULT_INSTRUCTION, "%.60s: lane 0 has "
                "the descriptor %llx, lane %d has %llx; all lanes must have"
                " the same", i->name, (unsigned long long)x[0], l,
                (unsigned long long)x[l]);
    return true;
}

static bool may_issue(struct Warp *w, const struct Instruction *i,
                      uint32_t on, uint64_t *a, uint64_t *b)
{
    *a = 0;
    return has_warpgroup(w, i, on) &&
           (!i->wgmma->a_shared || same_in_all(w, i, i->a[0], a)) &&
           same_in_all(w, i, i->b[0], b) &&
           is_together(w, state_of(w)->issued + 1, *a, *b);
}

static void count_operands(const struct Warp *w,
                           const struct Instruction *i)
{
    const struct Wgmma *g = i->wgmma;
    struct Site *s = w->block->launch->site;
    if (!s)
        return;
    s += w->pc;
    s->kind = ACCESS_WGMMA;
    int rows = (g->a_shared ? 16 : 0) + (w->index % 4 ? 0 : g->n);
    s->in[SPACE_SHARED].requests++;
    s->in[SPACE_SHARED].wavefronts += (uint64_t)rows * 32 / 128;
}

void run_wgmma(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    static _Thread_local Rows ra, rb;
    const struct Wgmma *g = i->wgmma;
    uint64_t a, b;
    if (!may_issue(w, i, on, &a, &b))
        return;
    struct WgmmaState *s = w->wgmma;
    struct Flight f = { .i = i, .pc = w->pc,
                        .a = operands_of(a, g->a_transposed),
                        .b = operands_of(b, g->b_transposed) };
    if (!read_shared(w, &f, ra, rb))
        return;
    if (w->block->launch->check) {
        if (g->a_shared)
            check_operand(w, &f.a, first_row(w), 16, tensor_bytes(g->a));
        check_operand(w, &f.b, 0, g->n, tensor_bytes(g->b));
    }
    if (w->block->launch->check && check_wants_sync())
        registers_issued(w, i);
    count_operands(w, i);
    if (!g->a_shared)
        read_registers(w, i, ra);
    bool keep = !!w->file[i->c[0]] != g->scale_not;
    multiply(w, i, ra, rb, keep);
    s->flight[++s->issued % FLIGHTS] = f;
}

/* fence, commit, wait */
static void arrive(struct Warp *w, struct Flight *f)
{
    static _Thread_local Rows a, b;
    uint64_t was = f->sum;
    int pc = w->pc;
    if (!read_shared(w, f, a, b) || f->sum == was)
        return;
    w->pc = f->pc;
    if (w->block->launch->check && check_wants_sync())
        check_problem(PROBLEM_WGMMA, w, ALL_LANES, "multiplies, but an "
            "operand in shared memory was overwritten before this wgmma was"
            " waited for.\n    Wait for its group first, then give the "
            "buffer back.");
    w->pc = pc;
    for (int k = 0; k < f->i->wgmma->sums; k++)
        for (int l = 0; l < LANES; l++)
            w->file[f->i->wgmma->d[k] + (unsigned)l] = 0x7fffffff;
}

void run_wgmma_fence(struct Warp *w, const struct Instruction *i,
                     uint32_t on)
{
    if (has_warpgroup(w, i, on))
        state_of(w)->fenced = ++state_of(w)->clock;
}

void run_wgmma_commit(struct Warp *w, const struct Instruction *i,
                      uint32_t on)
{
    if (!has_warpgroup(w, i, on))
        return;
    struct WgmmaState *s = state_of(w);
    s->committed = s->group[++s->groups % GROUPS] = s->issued;
}

static void let_others_run(struct Warp *w)
{
    struct Site *site = w->block->launch->site;
    w->wgmma->yielded = true;
    w->state = WARP_YIELDS;
    w->next = w->pc;
    if (site) {                 /* it is executed twice, counted once */
        site[w->pc].executed--;
        site[w->pc].active -= LANES;
    }
}

void run_wgmma_wait(struct Warp *w, const struct Instruction *i,
                    uint32_t on)
{
    if (!has_warpgroup(w, i, on))
        return;
    struct WgmmaState *s = state_of(w);
    uint32_t left = (uint32_t)i->offset;
    uint32_t to = s->groups > left ? s->group[(s->groups - left) % GROUPS]
                                   : 0;
    if (to <= s->done)
        return;
    if (!s->yielded) {
        let_others_run(w);
        return;
    }
    s->yielded = false;
    while (s->done < to)
        if (s->issued - ++s->done < FLIGHTS)
            arrive(w, &s->flight[s->done % FLIGHTS]);
}

/* instructions around a wgmma */
void run_elect(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    const uint32_t *mask = w->file + i->c[1];
    uint32_t leads = 0;
    for (uint32_t m = on; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint32_t named = mask[l] & w->alive;
        int first = named ? __builtin_ctz(named) : l;
        w->file[i->d[0] + (unsigned)l] = (uint32_t)first;
        leads |= first == l ? lane_bit[l] : 0;
    }
    w->file[i->d[1]] = (w->file[i->d[1]] & ~on) | leads;
}

void run_movmatrix(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint16_t x[8][8];
    if (on != ALL_LANES) {
        launch_fault(w, FAULT_INSTRUCTION, "%.60s wants all 32 lanes",
                     i->name);
        return;
    }
    for (int l = 0; l < LANES; l++)
        memcpy(&x[l / 4][l % 4 * 2], &w->file[i->a[0] + (unsigned)l], 4);
    for (int l = 0; l < LANES; l++)
        w->file[i->d[0] + (unsigned)l] = x[l % 4 * 2][l / 4] |
            (uint32_t)x[l % 4 * 2 + 1][l / 4] << 16;
}

void run_setmaxnreg(struct Warp *w, const struct Instruction *i,
                    uint32_t on)
{
    int n = (int)i->offset, old = registers_of(w);
    bool more = i->op == OP_INC;
    if (!has_warpgroup(w, i, on))
        return;
    if (more ? n < old : n > old) {
        launch_fault(w, FAULT_INSTRUCTION, "%.60s %d: a thread has %d "
                     "registers; %s", i->name, n, old, more ?
                     "inc wants at least as many" : "dec at most as many");
        return;
    }
    state_of(w)->registers = n;
    state_of(w)->changed_at = w->pc;
}

static void registers_at_end(struct Block *b)
{
    int all = 0, have = registers_at_start(b) * b->warps;
    struct Warp *last = NULL;
    for (int k = 0; k < b->warps; k++) {
        struct Warp *w = &b->warp[k], *first = &b->warp[k & ~3];
        all += registers_of(w);
        last = w->wgmma && w->wgmma->registers ? w : last;
        if (registers_of(w) == registers_of(first))
            continue;
        w->pc = (w->wgmma && w->wgmma->registers ? w : first)
                ->wgmma->changed_at;
        launch_fault(w, FAULT_INSTRUCTION, "setmaxnreg: warp %d has %d "
            "registers a thread, warp %d of its warpgroup has %d; all four "
            "must execute it", w->index, registers_of(w), first->index,
            registers_of(first));
        return;
    }
    if (!last || all <= have)
        return;
    last->pc = last->wgmma->changed_at;
    launch_fault(last, FAULT_INSTRUCTION, "setmaxnreg: the warps want %d "
        "registers a lane together, and begin with %d: the last inc would "
        "wait for ever", all, have);
}
