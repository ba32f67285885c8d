/* interpret.h: the tree of a kernel, executed.  A part of generate.c.
 *
 * All lanes of a block execute a statement before any executes the next.
 * That is one of the orders which CUDA allows, save for the statements in
 * which lanes wait for each other; those are known by what they do. */

struct State {
    uint64_t wide[WIDES], shared_wide[BLOCKS][SHARED_WIDES];
    uint32_t word[WORDS], shared_word[BLOCKS][SHARED_WORDS];
    uint32_t shared_guarded[BLOCKS][SHARED_LOCKS];
    float real[REALS];
    uint32_t lock[LOCKS], guarded[LOCKS], next[LOCKS], serving[LOCKS];
    uint32_t cell[BLOCKS * THREADS], flag[FLAGS][BLOCKS * THREADS];
    uint32_t news[FLAGS][BLOCKS * THREADS];
    uint32_t partial[BLOCKS], done, total, ticket, turn, relay;
    uint32_t bag_count, spare, bag[BAG];
};
struct Shared {
    uint64_t wide[SHARED_WIDES];
    uint32_t word[SHARED_WORDS], lock[SHARED_LOCKS], guarded[SHARED_LOCKS];
    uint32_t next[SHARED_LOCKS], serving[SHARED_LOCKS];
    uint32_t cell[THREADS], flag[FLAGS][THREADS], news[FLAGS][THREADS];
};

/* A set of the threads of a block. */
struct Set { uint32_t warp[WARPS]; };

static bool in_set(struct Set s, int t)
{
    return s.warp[t / LANES] >> t % LANES & 1;
}
static struct Set with(struct Set s, int t)
{
    s.warp[t / LANES] |= 1u << t % LANES;
    return s;
}
static struct Set without(struct Set s, struct Set other)
{
    for (int w = 0; w < WARPS; w++)
        s.warp[w] &= ~other.warp[w];
    return s;
}
static struct Set joined(struct Set s, struct Set other)
{
    for (int w = 0; w < WARPS; w++)
        s.warp[w] |= other.warp[w];
    return s;
}
static bool is_empty(struct Set s)
{
    return !(s.warp[0] | s.warp[1] | s.warp[2] | s.warp[3]);
}
static const struct Set nobody;

/* The launch and the block that are being executed. */
static struct State memory;
static struct Shared shared;
static uint32_t input[INPUTS], result[BLOCKS * THREADS];
static uint32_t local[THREADS][LOCALS];
static int blocks, threads, block, blocks_done;
static struct Set running;             /* threads that have not left */
static bool backwards;
static uint64_t steps;

#define EACH(t, on) \
    for (int n_ = 0, t = backwards ? threads - 1 : 0; n_ < threads; \
         n_++, t += backwards ? -1 : 1) \
        if (in_set(on, t))

struct Frame {
    const struct Function *function;
    uint64_t (*v)[THREADS];
    struct Set broke, continued, returned;
    uint64_t value[THREADS];            /* that is returned */
};
static struct Frame *frame;

static uint64_t frame_memory[6 * VARIABLES][THREADS];
static int frame_used;

static struct Set run_list(const struct List *l, struct Set on);
static uint64_t eval(Tree e, int t);

static void open_frame(struct Frame *f, const struct Function *called)
{
    f->function = called;
    f->v = frame_memory + frame_used;
    f->broke = f->continued = f->returned = nobody;
    frame_used += called->variables;
    if (frame_used > (int)(sizeof frame_memory / sizeof *frame_memory))
        fail("calls too deep");
}

/* Run a function for some threads; its parameters are set before. */
static void run_function(struct Frame *f, struct Set on)
{
    struct Frame *caller = frame;
    frame = f;
    struct Set rest = run_list(&f->function->body, on);
    if (f->function->value)
        EACH(t, rest)
            f->value[t] = eval(f->function->value, t);
    frame = caller;
    frame_used -= f->function->variables;
}

/* ---- expressions, of one thread ------------------------------------------ */
static uint32_t permuted(uint32_t a, uint32_t b, uint32_t how)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t x = 0;
    for (int i = 0; i < 4; i++)
        x |= (uint32_t)(bytes >> 8 * (how >> 4 * i & 7) & 255) << 8 * i;
    return x;
}

static uint64_t eval_binary(Tree e, uint64_t x, uint64_t y)
{
    bool wide = e->type == U64;
    unsigned by = (unsigned)y & (wide ? 63 : 31);
    uint32_t a = (uint32_t)x, b = (uint32_t)y;
    uint64_t r = 0;
    switch (e->op) {
    case ADD: r = x + y; break;
    case SUB: r = x - y; break;
    case MUL: r = x * y; break;
    case AND: r = x & y; break;
    case OR: r = x | y; break;
    case XOR: r = x ^ y; break;
    case SHL: r = x << by; break;
    case SHR: r = x >> by; break;
    case SAR: r = a >> by | (a >> 31 ? ~(0xffffffffu >> by) : 0); break;
    case DIV: r = a / (b | 1); break;
    case REM: r = a % (b | 1); break;
    case MOD: r = wide ? x % y : a % b; break;
    case MIN: r = a < b ? a : b; break;
    case MAX: r = a < b ? b : a; break;
    case MULHI: r = (uint64_t)a * b >> 32; break;
    case FUNNEL: r = b << e->value | a >> (32 - e->value); break;
    case PERM: r = permuted(a, b, (uint32_t)e->value); break;
    default: fail("no such binary operation");
    }
    return wide ? r : (uint32_t)r;
}

static uint64_t eval_unary(Tree e, uint64_t x)
{
    uint32_t a = (uint32_t)x, r = 0;
    switch (e->op) {
    case NOT: return e->type == U64 ? ~x : (uint32_t)~a;
    case NEG: return (uint32_t)(0 - a);
    case POPC: return (uint64_t)__builtin_popcount(a);
    case CLZ: return a ? (uint64_t)__builtin_clz(a) : 32;
    case FFS: return (uint64_t)__builtin_ffs((int)a);
    case BREV:
        for (int i = 0; i < 32; i++)
            r |= (a >> i & 1) << (31 - i);
        return r;
    default: fail("no such unary operation");
    }
}

static bool eval_compare(enum Op op, uint64_t x, uint64_t y)
{
    switch (op) {
    case LT: return x < y;
    case LE: return x <= y;
    case EQ: return x == y;
    case NE: return x != y;
    default: return (int32_t)(uint32_t)x < (int32_t)(uint32_t)y;
    }
}

static uint64_t eval_call(Tree e, int t)
{
    struct Frame f;
    uint64_t a = eval(e->a, t), b = eval(e->b, t);
    open_frame(&f, e->function);
    f.v[0][t] = a;
    f.v[1][t] = b;
    run_function(&f, with(nobody, t));
    return f.value[t];
}

static uint64_t eval(Tree e, int t)
{
    steps++;
    switch (e->kind) {
    case E_CONST: return e->value;
    case E_VAR: return frame->v[e->value][t];
    case E_THREAD: return (uint64_t)t;
    case E_LANE: return (uint64_t)t % LANES;
    case E_WARP: return (uint64_t)t / LANES;
    case E_BLOCK: return (uint64_t)block;
    case E_SIZE: return (uint64_t)threads;
    case E_GRID: return (uint64_t)blocks;
    case E_INPUT: return input[eval(e->a, t) & (INPUTS - 1)];
    case E_BINARY: {
        uint64_t x = eval(e->a, t);
        return eval_binary(e, x, eval(e->b, t));
    }
    case E_UNARY: return eval_unary(e, eval(e->a, t));
    case E_COMPARE: {
        uint64_t x = eval(e->a, t);
        return eval_compare(e->op, x, eval(e->b, t));
    }
    case E_AND: return eval(e->a, t) && eval(e->b, t);
    case E_OR: return eval(e->a, t) || eval(e->b, t);
    case E_NOT: return !eval(e->a, t);
    case E_SELECT: return eval(e->a, t) ? eval(e->b, t) : eval(e->c, t);
    case E_CAST: {
        uint64_t x = eval(e->a, t);
        return e->type == U64 ? x : (uint32_t)x;
    }
    case E_CALL: return eval_call(e, t);
    case E_CELL: return shared.cell[eval(e->a, t)];
    case E_GLOBAL_CELL: return memory.cell[block * THREADS + (int)eval(e->a, t)];
    case E_LOCAL: return local[t][eval(e->a, t) & 3];
    case E_FLOAT: {
        uint64_t x = eval(e->a, t), y = eval(e->b, t);
        return x * y + eval(e->c, t);
    }
    case E_WITHIN: {
        uint32_t m = (uint32_t)eval(e->a, t), x = (uint32_t)eval(e->b, t);
        return (uint64_t)(t / LANES * LANES) +
               (m >> x & 1 ? x : (uint32_t)t % LANES);
    }
    }
    fail("no such expression");
}

/* ---- lanes that talk ----------------------------------------------------- */
/* The masks of all lanes are what CUDA allows; the lanes that take part with
 * each are those of its mask that still run. */
static void masks_of(Tree mask, struct Set on, uint32_t *m)
{
    EACH(t, on)
        m[t] = (uint32_t)eval(mask, t);
    EACH(t, on) {
        int w = t / LANES;
        uint32_t alive = m[t] & running.warp[w];
        if (!(m[t] >> t % LANES & 1))
            fail("seed %" PRIu64 ": thread %d is not in its mask %08x",
                 kernel->seed, t, m[t]);
        for (int l = 0; l < LANES; l++)
            if (alive >> l & 1 && (!in_set(on, w * LANES + l) ||
                                   m[w * LANES + l] != m[t]))
                fail("seed %" PRIu64 ": thread %d names lane %d, which is "
                     "elsewhere or names others", kernel->seed, t, l);
    }
    EACH(t, on)
        m[t] &= running.warp[t / LANES];
}

/* The lane that a shuffle reads, be it inside the mask or not. */
static int shuffle_from(const struct Stmt *s, int lane, uint32_t by)
{
    int w = s->width, first = lane & ~(w - 1), last = first + w - 1, from;
    switch (s->op) {
    case W_IDX: return first + (int)(by & (unsigned)(w - 1));
    case W_UP: from = lane - (int)by; return from < first ? lane : from;
    case W_DOWN: from = lane + (int)by; return from > last ? lane : from;
    default: from = lane ^ (int)by; return from > last ? lane : from;
    }
}

static uint32_t reduce(int op, uint32_t x, uint32_t y)
{
    bool less = op == W_SMIN || op == W_SMAX ? (int32_t)y < (int32_t)x
                                              : y < x;
    switch (op) {
    case W_ADD: return x + y;
    case W_AND: return x & y;
    case W_OR: return x | y;
    case W_XOR_ALL: return x ^ y;
    case W_MIN: case W_SMIN: return less ? y : x;
    default: return less ? x : y;
    }
}

/* What all lanes of a mask get. */
static uint64_t together(const struct Stmt *s, uint32_t m, const uint64_t *a)
{
    uint32_t yes = 0, all = 0, equal = 0;
    int first = __builtin_ctz(m);
    for (int l = 0; l < LANES; l++)
        if (m >> l & 1) {
            yes |= (uint32_t)(a[l] != 0) << l;
            equal |= (uint32_t)(a[l] == a[first]) << l;
            all = l == first ? (uint32_t)a[l]
                             : reduce(s->op, all, (uint32_t)a[l]);
        }
    switch (s->op) {
    case W_BALLOT: return yes;
    case W_ANY: return yes != 0;
    case W_ALL: return yes == m;
    case W_UNI: return yes == m || yes == 0;
    case W_MATCH_ALL: return equal == m ? m ^ 1 : 0;
    default: return all;
    }
}

static void run_warp(const struct Stmt *s, struct Set on)
{
    uint32_t m[THREADS], by[THREADS];
    uint64_t a[THREADS] = { 0 }, d[THREADS];
    masks_of(s->mask, on, m);
    EACH(t, on) {
        a[t] = eval(s->a, t);
        by[t] = s->b ? (uint32_t)eval(s->b, t) : 0;
    }
    EACH(t, on) {
        const uint64_t *warp = a + t / LANES * LANES;
        if (s->op <= W_XOR) {
            int from = shuffle_from(s, t % LANES, by[t]);
            if (s->form == 2 && !(m[t] >> from & 1))
                fail("seed %" PRIu64 ": a shuffle from lane %d, which is "
                     "not in the mask", kernel->seed, from);
            d[t] = m[t] >> from & 1 ? warp[from] : a[t];
        } else if (s->op == W_MATCH_ANY) {
            d[t] = 0;
            for (int l = 0; l < LANES; l++)
                if (m[t] >> l & 1 && warp[l] == a[t])
                    d[t] |= 1u << l;
        } else {
            d[t] = together(s, m[t], warp);
        }
    }
    EACH(t, on)
        frame->v[s->variable][t] = d[t];
}

/* ---- memory -------------------------------------------------------------- */
static uint64_t combined(int op, enum Type type, uint64_t x, uint64_t y)
{
    uint64_t r = 0;
    bool less = op == S_MIN || op == S_MAX
        ? (int32_t)(uint32_t)y < (int32_t)(uint32_t)x : y < x;
    switch (op) {
    case ADD: r = x + y; break;
    case SUB: r = x - y; break;
    case MUL: r = x * y; break;
    case AND: r = x & y; break;
    case OR: r = x | y; break;
    case XOR: r = x ^ y; break;
    case MIN: case S_MIN: r = less ? y : x; break;
    case INC: r = x >= y ? 0 : x + 1; break;
    case DEC: r = x == 0 || x > y ? y : x - 1; break;
    case EXCH: r = y; break;
    default: r = less ? x : y;
    }
    return type == U64 ? r : (uint32_t)r;
}

/* An update of one place by every thread; what was there before. */
static void run_update(const struct Stmt *s, struct Set on)
{
    EACH(t, on) {
        uint64_t key = s->b ? eval(s->b, t) : 0, by = eval(s->a, t), old;
        int i = s->index + (int)key;
        if (s->kind == S_LOCK) {
            uint32_t *p = s->shared ? &shared.guarded[i] : &memory.guarded[i];
            *p = (uint32_t)combined(s->form, U32, *p, by);
            if (s->op == L_TICKET) {
                ++*(s->shared ? &shared.next[i] : &memory.next[i]);
                ++*(s->shared ? &shared.serving[i] : &memory.serving[i]);
            }
            continue;
        }
        if (s->type == F32) {
            memory.real[i] += (float)by;
            continue;
        }
        if (s->type == U64) {
            uint64_t *p = s->shared ? &shared.wide[i] : &memory.wide[i];
            old = *p;
            *p = combined(s->op, U64, old, by);
        } else {
            uint32_t *p = s->shared ? &shared.word[i] : &memory.word[i];
            old = *p;
            *p = (uint32_t)combined(s->op, U32, old, by);
        }
        if (s->variable >= 0)
            frame->v[s->variable][t] = old;
    }
}

static void run_flag(const struct Stmt *s, struct Set on)
{
    uint32_t *flag = s->shared ? shared.flag[s->index]
                               : memory.flag[s->index] + block * THREADS;
    uint32_t *news = s->shared ? shared.news[s->index]
                               : memory.news[s->index] + block * THREADS;
    EACH(t, on) {
        int from = (int)eval(s->guard, t);
        if (!in_set(on, from))
            fail("seed %" PRIu64 ": thread %d waits for %d, which is "
                 "elsewhere", kernel->seed, t, from);
        if (t == from) {
            if (flag[t])
                fail("seed %" PRIu64 ": a flag set twice", kernel->seed);
            news[t] = (uint32_t)eval(s->a, t);
            flag[t] = 1;
        }
    }
    EACH(t, on) {
        int from = (int)eval(s->guard, t);
        if (t != from && (!s->b || eval(s->b, t))) {
            uint64_t *v = &frame->v[s->variable][t];
            *v = (uint32_t)(*v * 31 + news[from]);
        }
    }
}

static void run_relay(const struct Stmt *s, struct Set on)
{
    uint32_t m[THREADS], by[THREADS];
    uint32_t *flag = s->shared ? shared.flag[s->index]
                               : memory.flag[s->index] + block * THREADS;
    uint32_t *news = s->shared ? shared.news[s->index]
                               : memory.news[s->index] + block * THREADS;
    if (s->mask)
        masks_of(s->mask, on, m);
    EACH(t, on)
        by[t] = (uint32_t)eval(s->a, t);
    /* one turn after the other, from lane 0 or from the last one */
    for (int n = 0; n < threads; n++) {
        int t = s->width ? threads - 1 - n : n;
        if (!in_set(on, t))
            continue;
        int from = s->mask ? t / LANES * LANES + __builtin_ctz(m[t]) : 0;
        uint64_t *v = &frame->v[s->variable][t];
        *v ^= news[from];
        news[from] = news[from] * 3 + by[t];
        flag[from]++;
    }
}

/* ---- the block ----------------------------------------------------------- */
/* Barriers are for all threads that still run. */
static void all_here(struct Set on)
{
    if (!is_empty(without(running, on)))
        fail("seed %" PRIu64 ": a barrier that not all threads reach",
             kernel->seed);
}

static void run_vote(const struct Stmt *s, struct Set on)
{
    uint64_t yes = 0, all = 0;
    all_here(on);
    EACH(t, on) {
        all++;
        yes += eval(s->a, t);
    }
    EACH(t, on)
        frame->v[s->variable][t] = s->form == 0 ? yes
                                 : s->form == 1 ? yes == all : yes != 0;
}

static void run_named(const struct Stmt *s, struct Set on)
{
    int warps = (threads + LANES - 1) / LANES, half = (warps + 1) / 2;
    all_here(on);
    EACH(t, on)
        if (s->kind == S_NAMED || t < LANES)
            shared.cell[t] = (uint32_t)eval(s->a, t);
    EACH(t, on) {
        uint64_t *v = &frame->v[s->variable][t];
        int from;
        if (s->kind == S_NAMED) {
            bool low = t / LANES < half;
            int first = low ? 0 : half * LANES;
            int last = low && half * LANES < threads ? half * LANES : threads;
            from = first + (t - first + s->width) % (last - first);
        } else {
            if (t < LANES)
                continue;
            from = (t + s->width) % LANES;
        }
        *v = (uint32_t)(*v * 31 + shared.cell[from]);
    }
}

static void run_last_block(const struct Stmt *s, struct Set on)
{
    all_here(on);
    EACH(t, on) {
        uint32_t x = (uint32_t)eval(s->a, t);
        if (s->form)
            memory.partial[block] += x;
        else if (t == 0)
            memory.partial[block] = x;
    }
    if (++blocks_done < blocks)
        return;
    uint32_t total = 0;
    for (int b = 0; b < blocks; b++)
        total = total * 31 + memory.partial[b];
    memory.total = total;
}

/* ---- control flow -------------------------------------------------------- */
static struct Set those(Tree condition, struct Set on)
{
    struct Set yes = nobody;
    EACH(t, on)
        if (eval(condition, t))
            yes = with(yes, t);
    return yes;
}

static struct Set run_if(const struct Stmt *s, struct Set on)
{
    struct Set yes = those(s->a, on), no = without(on, yes);
    if (backwards && !is_empty(no))
        no = run_list(&s->body[1], no);
    if (!is_empty(yes))
        yes = run_list(&s->body[0], yes);
    if (!backwards && !is_empty(no))
        no = run_list(&s->body[1], no);
    return joined(yes, no);
}

static struct Set run_switch(const struct Stmt *s, struct Set on)
{
    struct Set done = nobody, falling = nobody, left = on;
    bool has_default = s->label[s->bodies - 1] < 0;
    for (int i = 0; i < s->bodies; i++) {
        struct Set here = falling;
        if (s->label[i] < 0) {
            here = joined(here, left);
            left = nobody;
        } else {
            EACH(t, left)
                if (eval(s->a, t) == (uint64_t)s->label[i])
                    here = with(here, t);
            left = without(left, here);
        }
        falling = nobody;
        if (!is_empty(here))
            here = run_list(&s->body[i], here);
        if (s->falls[i])
            falling = here;
        else
            done = joined(done, here);
    }
    return has_default ? done : joined(done, left);
}

static struct Set run_loop(const struct Stmt *s, struct Set on)
{
    struct Set broke = frame->broke, continued = frame->continued;
    struct Set done = nobody;
    frame->broke = frame->continued = nobody;
    if (s->kind == S_FOR)
        EACH(t, on)
            frame->v[s->variable][t] = 0;
    for (int trip = 0; !is_empty(on); trip++) {
        if (trip > 1000)
            fail("seed %" PRIu64 ": a loop without end", kernel->seed);
        if (s->kind == S_FOR && s->a) {
            struct Set yes = those(s->a, on);
            done = joined(done, without(on, yes));
            on = yes;
        }
        on = run_list(&s->body[0], on);
        on = joined(on, frame->continued);
        frame->continued = nobody;
        if (s->kind == S_DO) {
            struct Set yes = those(s->a, on);
            done = joined(done, without(on, yes));
            on = yes;
        } else {
            EACH(t, on)
                frame->v[s->variable][t]++;
        }
    }
    done = joined(done, frame->broke);
    frame->broke = broke;
    frame->continued = continued;
    return done;
}

static void leave(struct Set on)
{
    EACH(t, on) {
        uint32_t x = (uint32_t)frame->v[1][t];
        for (int v = 2; v <= 5; v++) {
            x = x * 31 + (uint32_t)frame->v[v][t];
            if (v == 4)
                x = x * 31 + (uint32_t)(frame->v[v][t] >> 32);
        }
        result[block * threads + t] = x;
    }
}

static void run_call(const struct Stmt *s, struct Set on)
{
    struct Frame f;
    open_frame(&f, s->function);
    EACH(t, on) {
        f.v[0][t] = eval(s->mask, t);
        f.v[1][t] = eval(s->a, t);
        f.v[2][t] = eval(s->b, t);
    }
    run_function(&f, on);
    EACH(t, on)
        frame->v[s->variable][t] = f.value[t];
}

/* Execute a statement; the lanes that go on to the next one. */
static struct Set run_stmt(const struct Stmt *s, struct Set on)
{
    uint32_t m[THREADS];
    switch (s->kind) {
    case S_SET:
        EACH(t, on)
            frame->v[s->variable][t] = eval(s->a, t);
        break;
    case S_DECLARE:
        EACH(t, on)                     /* whatever: nobody may read it */
            frame->v[s->variable][t] = filler((unsigned)t);
        break;
    case S_LOCAL_SET:
        EACH(t, on) {
            uint64_t i = eval(s->a, t) & (LOCALS - 1);
            local[t][i] = (uint32_t)eval(s->b, t);
        }
        break;
    case S_IF: return run_if(s, on);
    case S_SWITCH: return run_switch(s, on);
    case S_FOR: case S_DO: return run_loop(s, on);
    case S_BREAK:
        frame->broke = joined(frame->broke, on);
        return nobody;
    case S_CONTINUE:
        frame->continued = joined(frame->continued, on);
        return nobody;
    case S_RETURN:
        if (s->a) {
            EACH(t, on)
                frame->value[t] = eval(s->a, t);
        } else {
            leave(on);
            running = without(running, on);
        }
        return nobody;
    case S_WARP: run_warp(s, on); break;
    case S_SYNCWARP: masks_of(s->mask, on, m); break;
    case S_STORE_CELL:
        EACH(t, on) {
            uint32_t *cell = s->shared ? shared.cell
                                       : memory.cell + block * THREADS;
            cell[t] = (uint32_t)eval(s->a, t);
        }
        break;
    case S_BARRIER: all_here(on); break;
    case S_BARRIER_VOTE: run_vote(s, on); break;
    case S_CALL: run_call(s, on); break;
    case S_ACTIVE:
        EACH(t, on)
            frame->v[s->variable][t] = on.warp[t / LANES];
        break;
    case S_ATOMIC: case S_CAS: case S_LOCK: run_update(s, on); break;
    case S_BAG:
        EACH(t, on) {
            if (memory.bag_count == BAG)
                fail("seed %" PRIu64 ": the bag is full", kernel->seed);
            memory.bag[memory.bag_count++] = (uint32_t)eval(s->a, t);
        }
        break;
    case S_FLAG: run_flag(s, on); break;
    case S_RELAY: run_relay(s, on); break;
    case S_NAMED: case S_ARRIVE: run_named(s, on); break;
    case S_LAST_BLOCK: run_last_block(s, on); break;
    case S_BLOCK_RELAY:
        memory.ticket++;
        memory.turn++;
        memory.relay += (uint32_t)eval(s->a, 0);
        break;
    }
    return on;
}

static struct Set run_list(const struct List *l, struct Set on)
{
    for (const struct Stmt *s = l->first; s && !is_empty(on); s = s->next)
        on = run_stmt(s, on);
    return on;
}

/* ---- a launch ------------------------------------------------------------ */
static void run_block(const struct Kernel *k, int b)
{
    struct Frame f;
    block = b;
    running = nobody;
    for (int t = 0; t < threads; t++) {
        running = with(running, t);
        local[t][0] = 1;
        local[t][1] = 2;
        local[t][2] = 3;
        local[t][3] = (uint32_t)t;
    }
    memset(&shared, 0, sizeof shared);
    for (unsigned i = 0; i < SHARED_WORDS; i++)
        shared.word[i] = filler(i);
    for (unsigned i = 0; i < SHARED_WIDES; i++)
        shared.wide[i] = filler(i);
    for (unsigned i = 0; i < SHARED_LOCKS; i++)
        shared.guarded[i] = filler(i);
    frame_used = 0;
    open_frame(&f, &k->main);
    frame = &f;
    EACH(t, running)
        f.v[0][t] = running.warp[t / LANES];
    struct Set rest = run_list(&k->main.body, running);
    leave(rest);
    memcpy(memory.shared_word[b], shared.word, sizeof shared.word);
    memcpy(memory.shared_wide[b], shared.wide, sizeof shared.wide);
    memcpy(memory.shared_guarded[b], shared.guarded, sizeof shared.guarded);
}

static uint64_t hash_of(uint64_t h, const void *p, size_t bytes)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ b[i]) * 0x100000001b3u;
    return h;
}

static uint64_t interpret_one(const struct Kernel *k)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (unsigned i = 0; i < INPUTS; i++)
        input[i] = filler(1000 + i);
    for (int l = 0; l < LAUNCHES; l++) {
        blocks = k->blocks[l];
        threads = k->width[l] * k->height[l];
        blocks_done = 0;
        memset(&memory, 0, sizeof memory);
        memset(result, 0, sizeof result);
        for (unsigned i = 0; i < WORDS; i++)
            memory.word[i] = filler(i);
        for (unsigned i = 0; i < WIDES; i++)
            memory.wide[i] = (uint64_t)filler(i) << 32 | i;
        for (unsigned i = 0; i < LOCKS; i++)
            memory.guarded[i] = filler(i);
        for (int b = 0; b < blocks; b++)
            run_block(k, backwards ? blocks - 1 - b : b);
        uint64_t bag = 0;
        for (unsigned n = 0; n < memory.bag_count; n++)
            bag += filler(memory.bag[n]);
        h = hash_of(h, result, (size_t)blocks * (size_t)threads * 4);
        h = hash_of(h, &memory, offsetof(struct State, bag));
        h = hash_of(h, &bag, sizeof bag);
    }
    return h;
}

static uint64_t interpret(const struct Kernel *k)
{
    backwards = false;
    uint64_t forth = interpret_one(k);
    backwards = true;
    uint64_t back = interpret_one(k);
    if (forth != back)
        fail("seed %" PRIu64 ": the result depends on the order", k->seed);
    return forth;
}
