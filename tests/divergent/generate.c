/* generate: random divergent kernels whose results do not depend on the order
 * in which lanes, warps and blocks run, as CUDA source; and the same results
 * from an interpreter, which knows no GPU.
 *
 *   generate FIRST COUNT > FILE.cu       one kernel a seed, and a main that
 *                                        prints "seed hash" a line
 *   generate --expect FIRST COUNT        those lines, interpreted here
 *   generate --features FIRST COUNT      how many kernels hold what
 *   generate --seeds FEATURE FIRST COUNT the seeds that hold it
 *
 * A kernel is a tree of statements.  One function prints the tree as CUDA,
 * another one executes it: all lanes of a block together, statement after
 * statement, each under the set of lanes that are there.  The interpreter
 * also refuses a mask that CUDA's rules forbid: every lane that a mask names
 * and that has not left the kernel must execute the same call with the same
 * mask.  And it runs every kernel twice, the second time with lanes, blocks
 * and the two sides of each branch in the opposite order. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, WARPS = 4, THREADS = LANES * WARPS, BLOCKS = 3 };
enum { LAUNCHES = 3, INPUTS = 256, LOCALS = 4 };
enum { WORDS = 48, WIDES = 12, REALS = 6, LOCKS = 16, BAG = 4096 };
enum { SHARED_WORDS = 16, SHARED_WIDES = 4, SHARED_LOCKS = 8, FLAGS = 3 };

static _Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fputs("generate: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/* ---- random numbers: splitmix64 ------------------------------------------ */
static uint64_t random_state;

static uint64_t mix64(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t random64(void)
{
    return mix64(random_state += 0x9e3779b97f4a7c15u);
}

static unsigned below(unsigned n)
{
    return (unsigned)((random64() >> 32) * n >> 32);
}

static bool chance(unsigned percent) { return below(100) < percent; }

/* What the inputs and the memory of a launch hold at its start. */
static uint32_t filler(unsigned i)
{
    uint32_t x = i * 0x9e3779b9u + 0x7f4a7c15u;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

/* ---- features ------------------------------------------------------------ */
#define FEATURE_LIST(X) \
    X(BRANCH, "branch") X(BRANCH_MASKED, "branch-masked") \
    X(BRANCH_UNIFORM, "branch-uniform") \
    X(SWITCH, "switch") X(SWITCH_MASKED, "switch-masked") \
    X(SWITCH_DENSE, "switch-dense") X(FALL_THROUGH, "fall-through") \
    X(LOOP_LANE, "loop-lane") X(LOOP_MASKED, "loop-masked") \
    X(LOOP_GROUP, "loop-group") X(WATERFALL, "waterfall") X(LOOP_DO, "do-while") \
    X(BREAK, "break") X(BREAK_MASKED, "break-masked") \
    X(BREAK_GROUP, "break-group") \
    X(CONTINUE, "continue") X(CONTINUE_MASKED, "continue-masked") \
    X(RETURN, "return-function") X(RETURN_MASKED, "return-function-masked") \
    X(EXIT, "exit") X(EXIT_MASKED, "exit-masked") \
    X(NAMES_EXITED, "names-exited") X(NAMES_ABSENT, "names-absent") \
    X(CALL, "call") X(CALL_NOINLINE, "call-noinline") \
    X(CALL_WARP, "call-warp") X(CALL_WARP_NOINLINE, "call-warp-noinline") \
    X(LOCAL_ARRAY, "local-array") X(FLOAT, "float") \
    X(SHFL_IDX, "shfl-idx") X(SHFL_UP, "shfl-up") \
    X(SHFL_DOWN, "shfl-down") X(SHFL_XOR, "shfl-xor") \
    X(SHFL_64, "shfl-64") X(SHFL_FLOAT, "shfl-float") \
    X(SHFL_NARROW, "shfl-narrow") X(BALLOT, "ballot") X(ANY, "any") \
    X(ALL, "all") X(UNI, "uni") X(MATCH_ANY, "match-any") \
    X(MATCH_ALL, "match-all") X(MATCH_64, "match-64") \
    X(REDUCE, "reduce") X(EXCHANGE, "exchange") \
    X(EXCHANGE_GLOBAL, "exchange-global") \
    X(GROUPS_LANES, "groups-lanes") X(GROUPS_MATCH, "groups-match") \
    X(REJOIN, "rejoin") X(LEADER, "leader-broadcast") \
    X(LEADER_TICKET, "leader-ticket") X(LEADER_64, "leader-broadcast-64") \
    X(AGGREGATE, "aggregate-active") X(AGGREGATE_MATCH, "aggregate-match") \
    X(ATOMIC, "atomic-global") X(ATOMIC_SHARED, "atomic-shared") \
    X(ATOMIC_64, "atomic-64") X(ATOMIC_FLOAT, "atomic-float") \
    X(ATOMIC_INC, "atomic-inc-dec-exch") \
    X(CAS, "cas") X(CAS_64, "cas-64") X(CAS_SHARED, "cas-shared") \
    X(CAS_PLAIN, "cas-plain-read") X(TICKET, "ticket") X(BAG, "bag") \
    X(LOCK_DONE, "lock-done") X(LOCK_SPIN, "lock-spin") \
    X(LOCK_EXCHANGE, "lock-exchange") X(LOCK_BREAK, "lock-break") \
    X(LOCK_TICKET, "lock-ticket") X(LOCK_LEADER, "lock-leader") \
    X(LOCK_SERIAL, "lock-serial") X(LOCK_SHARED, "lock-shared") \
    X(FLAG_WARP, "flag-warp") X(FLAG_BLOCK, "flag-block") \
    X(FLAG_GLOBAL, "flag-global") X(RELAY_WARP, "relay-warp") \
    X(RELAY_BLOCK, "relay-block") X(BARRIER, "barrier-exchange") \
    X(BARRIER_VOTE, "barrier-vote") X(BARRIER_NAMED, "barrier-named") \
    X(BARRIER_ARRIVE, "barrier-arrive") X(LAST_BLOCK, "last-block") \
    X(BLOCK_RELAY, "block-relay")

#define AS_NAME(name, text) F_##name,
#define AS_TEXT(name, text) text,
enum Feature { FEATURE_LIST(AS_NAME) FEATURES };
static const char *const feature_text[] = { FEATURE_LIST(AS_TEXT) };
static bool feature[FEATURES];         /* of the kernel being made */

/* ---- the tree ------------------------------------------------------------ */
enum Type { BOOL, I32, U32, U64, F32, F64 };
static const char *const type_text[] = {
    "bool", "int", "unsigned", "unsigned long long", "float", "double"
};

enum ExprKind {
    E_CONST, E_VAR, E_THREAD, E_LANE, E_WARP, E_BLOCK, E_SIZE, E_GRID,
    E_INPUT, E_BINARY, E_UNARY, E_COMPARE, E_AND, E_OR, E_NOT, E_SELECT,
    E_CAST, E_CALL, E_CELL, E_GLOBAL_CELL, E_LOCAL, E_FLOAT, E_WITHIN
};
enum Op {
    ADD, SUB, MUL, AND, OR, XOR, SHL, SHR, SAR, DIV, REM, MOD, MIN, MAX,
    MULHI, FUNNEL, PERM,                                             /* binary   */
    NOT, NEG, POPC, CLZ, FFS, BREV,                           /* unary    */
    LT, LE, EQ, NE, SLT,                                      /* compare  */
    S_MIN, S_MAX, INC, DEC, EXCH                              /* atomics  */
};

struct Function;
struct Expr {
    enum ExprKind kind;
    enum Type type;
    enum Op op;
    uint64_t value;                     /* constant, or number of variable */
    const struct Expr *a, *b, *c;
    const struct Function *function;
};

enum StmtKind {
    S_SET, S_DECLARE, S_LOCAL_SET, S_IF, S_SWITCH, S_FOR, S_DO, S_BREAK,
    S_CONTINUE, S_RETURN, S_WARP, S_SYNCWARP, S_STORE_CELL, S_BARRIER,
    S_BARRIER_VOTE, S_CALL, S_ACTIVE, S_ATOMIC, S_CAS, S_BAG, S_LOCK,
    S_FLAG, S_RELAY, S_NAMED, S_ARRIVE, S_LAST_BLOCK, S_BLOCK_RELAY
};
enum WarpOp {
    W_IDX, W_UP, W_DOWN, W_XOR, W_BALLOT, W_ANY, W_ALL, W_UNI, W_MATCH_ANY,
    W_MATCH_ALL, W_ADD, W_MIN, W_MAX, W_SMIN, W_SMAX, W_AND, W_OR, W_XOR_ALL
};
enum LockShape { L_DONE, L_SPIN, L_EXCHANGE, L_BREAK, L_TICKET, L_SHAPES };

struct Stmt;
struct List {
    struct Stmt *first, *last;
};
enum { CASES = 10 };
struct Stmt {
    enum StmtKind kind;
    struct Stmt *next;
    int variable;                       /* that is written, or -1        */
    bool declares;                      /* it stands with its type       */
    int op;                             /* Op, WarpOp, LockShape         */
    int form;                           /* how it is written, of several */
    int width;                          /* of a shuffle; keys of a lock  */
    bool shared;                        /* in shared memory              */
    enum Type type;
    int index;                          /* place in memory               */
    const struct Expr *a, *b, *mask, *guard;
    const struct Function *function;
    struct List body[CASES];
    int bodies, label[CASES];           /* label -1: default             */
    bool falls[CASES];
};

enum { VARIABLES = 160 };
struct Function {
    char name[24];
    bool warp;                          /* has a mask, and lanes that talk */
    const char *inlining;
    int variables, parameters;
    enum Type type[VARIABLES];
    char letter[VARIABLES];
    struct List body;
    const struct Expr *value;
};

struct Kernel {
    uint64_t seed;
    int functions;
    struct Function function[4];        /* the last one is the kernel */
    struct Function main;
    int mask_form;
    bool array;
    bool has[FEATURES];
    int blocks[LAUNCHES], width[LAUNCHES], height[LAUNCHES];
};

/* All nodes of a kernel are given back at once. */
static char *arena, *arena_end, *arena_start;

static void *node(size_t bytes)
{
    bytes = (bytes + 15) / 16 * 16;
    if (!arena) {
        arena = arena_start = malloc(32 << 20);
        if (!arena)
            fail("no memory");
        arena_end = arena + (32 << 20);
    }
    if (arena_end - arena < (ptrdiff_t)bytes)
        fail("a kernel of more than 32 MiB");
    void *p = arena;
    arena += bytes;
    return memset(p, 0, bytes);
}

typedef const struct Expr *Tree;

static struct Expr *expr(enum ExprKind kind, enum Type type)
{
    struct Expr *e = node(sizeof *e);
    e->kind = kind;
    e->type = type;
    return e;
}

static Tree leaf(enum ExprKind kind) { return expr(kind, U32); }

static Tree number(uint64_t value)
{
    struct Expr *e = expr(E_CONST, U32);
    e->value = (uint32_t)value;
    return e;
}

static Tree number64(uint64_t value)
{
    struct Expr *e = expr(E_CONST, U64);
    e->value = value;
    return e;
}

static Tree one_of(enum ExprKind kind, enum Type type, enum Op op, Tree a,
                   Tree b, Tree c)
{
    struct Expr *e = expr(kind, type);
    e->op = op;
    e->a = a;
    e->b = b;
    e->c = c;
    return e;
}

static Tree binary(enum Op op, Tree a, Tree b)
{
    return one_of(E_BINARY, a->type, op, a, b, NULL);
}
static Tree unary(enum Op op, Tree a)
{
    enum Type t = op == POPC || op == CLZ || op == FFS ? U32 : a->type;
    return one_of(E_UNARY, t, op, a, NULL, NULL);
}
static Tree compare(enum Op op, Tree a, Tree b)
{
    return one_of(E_COMPARE, BOOL, op, a, b, NULL);
}
static Tree cast(enum Type type, Tree a)
{
    return a->type == type ? a
         : one_of(E_CAST, type, 0, a, NULL, NULL);
}
static Tree both(Tree a, Tree b)
{
    return one_of(E_AND, BOOL, 0, a, b, NULL);
}
static Tree negated(Tree a) { return one_of(E_NOT, BOOL, 0, a, NULL, NULL); }
/* A float holds a whole number of at most ten bits, always. */
static Tree small_float(Tree a)
{
    return cast(F32, binary(AND, a, number(1023)));
}

/* ---- the kernel that is being made --------------------------------------- */
static struct Kernel *kernel;
static struct Function *function;      /* the one being made */

static Tree variable_of(int v)
{
    struct Expr *e = expr(E_VAR, function->type[v]);
    e->value = (uint64_t)v;
    return e;
}

static int new_variable(enum Type type, char letter)
{
    int v = function->variables++;
    if (v >= VARIABLES)
        fail("seed %" PRIu64 ": too many variables", kernel->seed);
    function->type[v] = type;
    function->letter[v] = letter;
    return v;
}

static struct Stmt *stmt(struct List *to, enum StmtKind kind)
{
    struct Stmt *s = node(sizeof *s);
    s->kind = kind;
    s->variable = -1;
    if (to->last)
        to->last->next = s;
    else
        to->first = s;
    return to->last = s;
}

static void set(struct List *to, int v, Tree e)
{
    struct Stmt *s = stmt(to, S_SET);
    s->variable = v;
    s->a = e;
}

static int declare(struct List *to, enum Type type, char letter, Tree e)
{
    int v = new_variable(type, letter);
    set(to, v, e);
    to->last->declares = true;
    return v;
}

static struct Stmt *branch(struct List *to, Tree condition)
{
    struct Stmt *s = stmt(to, S_IF);
    s->a = condition;
    return s;
}

static struct Stmt *warp_stmt(struct List *to, enum WarpOp op, int v, Tree mask,
                              Tree a)
{
    struct Stmt *s = stmt(to, S_WARP);
    s->op = op;
    s->variable = v;
    s->mask = s->guard = mask;
    s->a = a;
    s->type = a->type;
    s->width = LANES;
    return s;
}

/* unsigned mN = __ballot_sync(mask, condition) */
static int ballot(struct List *to, Tree mask, Tree condition)
{
    int v = new_variable(U32, 'm');
    warp_stmt(to, W_BALLOT, v, mask, condition)->declares = true;
    return v;
}

/* ---- random expressions -------------------------------------------------- */
/* What may be read here, and what may be written anywhere. */
static int readable[VARIABLES], readables;
static int writable[16], writables;
static int callable;                    /* so many functions, the first ones */
static bool is_called[4];                  /* functions, by number */

static Tree random_expr(enum Type type, int depth);

static Tree random_variable(enum Type type)
{
    int found[VARIABLES], n = 0;
    for (int i = 0; i < readables; i++)
        if (function->type[readable[i]] == type)
            found[n++] = readable[i];
    if (n == 0)
        return NULL;
    return variable_of(found[below((unsigned)n)]);
}

static Tree small_number(void)
{
    static const uint32_t some[] = {
        0x9e3779b9u, 0x85ebca6bu, 0x00ff00ffu, 0x80000000u, 0xffffffffu,
        0x55555555u, 0x0000ffffu, 0x7fffffffu
    };
    if (chance(70))
        return number(1 + below(30));
    return number(some[below(8)]);
}

static Tree random_leaf(enum Type type)
{
    Tree v = random_variable(type);
    if (type == F32)
        return v && chance(60) ? v : small_float(random_expr(U32, 0));
    if (type == U64) {
        if (v && chance(75))
            return v;
        if (chance(50)) {
            uint64_t x = random64();
            return number64(x >> below(60));
        }
        return cast(U64, random_expr(U32, 0));
    }
    unsigned pick = below(20);
    if (v && pick < 11)
        return v;
    switch (pick) {
    case 11: case 12: return leaf(E_THREAD);
    case 13: return leaf(E_LANE);
    case 14: return leaf(E_WARP);
    case 15: return leaf(E_BLOCK);
    case 16: {
        Tree at = v ? v : leaf(E_THREAD);
        return one_of(E_INPUT, U32, 0, at, NULL, NULL);
    }
    default: return small_number();
    }
}

static Tree random_condition(int depth)
{
    Tree a, b;
    switch (below(12)) {
    case 0: case 1: {                   /* three of eight, and the like */
        a = random_expr(U32, depth);
        unsigned bits = 1 + below(3), part = 1 + below((1u << bits) - 1);
        return compare(chance(50) ? LT : NE,
                       binary(AND, a, number((1u << bits) - 1)),
                       number(part));
    }
    case 2: {
        a = random_expr(U32, depth);
        unsigned by = 2 + below(4), rest = below(by);
        return compare(EQ, binary(MOD, a, number(by)), number(rest));
    }
    case 3:
        a = random_expr(U32, depth);
        b = random_expr(U32, depth);
        return compare(SLT, a, b);
    case 4:
        a = random_expr(U32, depth);
        b = random_expr(U32, depth);
        return compare(LT, a, b);
    case 5: {
        unsigned lanes = 1 + below(31);
        return compare(chance(50) ? LT : LE, leaf(E_LANE), number(lanes));
    }
    case 6: {
        unsigned pattern = (uint32_t)random64();
        return compare(NE, binary(AND, binary(SHR, number(pattern),
                                              leaf(E_LANE)), number(1)),
                       number(0));
    }
    case 7: {
        unsigned every = below(4);
        return compare(NE, binary(AND, leaf(E_THREAD), number(1u << every)),
                       number(0));
    }
    case 8:
        if (depth < 1)
            break;
        a = random_condition(depth - 1);
        b = random_condition(depth - 1);
        return one_of(chance(60) ? E_AND : E_OR, BOOL, 0, a, b, NULL);
    case 9:
        a = random_variable(U64);
        if (!a)
            break;
        b = random_expr(U64, 0);
        return compare(LT, a, b);
    case 10:
        a = random_variable(F32);
        if (!a)
            break;
        b = random_leaf(F32);
        return compare(LT, a, b);
    case 11:
        return negated(random_condition(0));
    default:
        break;
    }
    a = random_expr(U32, depth);
    return compare(NE, binary(AND, a, number(1)), number(0));
}

static Tree call_of(int i, int depth)
{
    const struct Function *f = &kernel->function[i];
    if (f->warp)
        return NULL;
    is_called[i] = true;
    struct Expr *e = expr(E_CALL, U32);
    e->function = f;
    e->a = random_expr(U32, depth);
    e->b = random_expr(U32, 0);
    feature[F_CALL] = true;
    feature[F_CALL_NOINLINE] |= strstr(f->inlining, "noinline") != NULL;
    return e;
}

static Tree random_call(int depth)
{
    return call_of((int)below((unsigned)callable), depth);
}

static Tree random_u32(int depth)
{
    static const enum Op ops[] = {
        ADD, ADD, ADD, SUB, SUB, MUL, MUL, AND, OR, XOR, XOR, XOR, SHL, SHR,
        SAR, DIV, REM, MIN, MAX, MULHI, FUNNEL, PERM
    };
    static const enum Op single[] = { NOT, NEG, POPC, CLZ, FFS, BREV };
    unsigned pick = below(20);
    Tree a, b, c;
    if (pick < 12) {
        enum Op op = ops[below(sizeof ops / sizeof *ops)];
        a = random_expr(U32, depth - 1);
        b = random_expr(U32, depth - 1);
        struct Expr *e = (struct Expr *)binary(op, a, b);
        if (op == FUNNEL)
            e->value = 1 + below(31);
        if (op == PERM)
            e->value = random64() & 0x7777;
        return e;
    }
    switch (pick) {
    case 12: case 13:
        a = random_expr(U32, depth - 1);
        return unary(single[below(6)], a);
    case 14: case 15:
        c = random_condition(0);
        a = random_expr(U32, depth - 1);
        b = random_expr(U32, depth - 1);
        return one_of(E_SELECT, U32, 0, c, a, b);
    case 16:
        a = random_variable(U64);
        if (!a)
            break;
        return cast(U32, chance(50) ? a : binary(SHR, a, number64(32)));
    case 17: {
        Tree f = random_variable(F32);
        if (!f)
            break;
        Tree g = random_leaf(F32), h = random_leaf(F32);
        feature[F_FLOAT] = true;
        return one_of(E_FLOAT, U32, 0, f, g, h);
    }
    case 18:
        if (callable > 0) {
            a = random_call(depth - 1);
            if (a)
                return a;
        }
        break;
    case 19:
        if (!kernel->array || function != &kernel->main)
            break;
        a = random_expr(U32, 0);
        return one_of(E_LOCAL, U32, 0, a, NULL, NULL);
    default:
        break;
    }
    return random_leaf(U32);
}

static Tree random_expr(enum Type type, int depth)
{
    static const enum Op wide[] = { ADD, SUB, MUL, XOR, AND, OR, SHL, SHR };
    if (depth <= 0)
        return random_leaf(type);
    if (type == F32)
        return small_float(random_expr(U32, depth - 1));
    if (type == U32)
        return random_u32(depth);
    enum Op op = wide[below(8)];
    if (chance(25))
        return cast(U64, random_expr(U32, depth));
    Tree a = random_expr(U64, depth - 1), b = random_expr(U64, 0);
    return binary(op, a, b);
}

/* ---- random statements --------------------------------------------------- */
struct Context {
    int mask;             /* the variable that names the lanes that are here
                             together; -1: no statement here may talk    */
    int depth;
    unsigned trips;       /* so often at most is it executed             */
    bool uniform;         /* every thread of the block that still runs   */
    bool loops;           /* break and continue of one lane may be here  */
    int masked_loop;      /* the mask of the loop whose body this is     */
    bool no_break;        /* because a masked continue stood before      */
    bool in_function;
    bool may_return;
    bool left;            /* result: lanes have left the kernel in here  */
};

static int budget;
static int profile;
static bool kernel_exits;              /* some lanes leave before the end */
static int words, wides, reals, locks, shared_words, shared_wides,
           shared_locks, flags, shared_flags, exchanged;
static bool bag_used, last_used, relay_used;

/* Places in memory on which one operation is done, and no other: their values
 * at the end do not depend on the order. */
struct Target { bool shared; enum Type type; enum Op op; int index, keys; };
static struct Target target[64], guarded[16];
static int targets, guardeds;

static void statements(struct List *to, struct Context *c, int n);

static struct Context inside(const struct Context *c)
{
    struct Context in = *c;
    in.depth++;
    in.masked_loop = -1;
    in.left = false;
    in.may_return = c->may_return && c->mask < 0;
    return in;
}

static int scope_open(void) { return readables; }
static void scope_close(int open) { readables = open; }
static void scope_add(int v)
{
    if (readables < VARIABLES)
        readable[readables++] = v;
}

static int random_writable(enum Type type)
{
    int found[16], n = 0;
    for (int i = 0; i < writables; i++)
        if (function->type[writable[i]] == type)
            found[n++] = writable[i];
    return n ? found[below((unsigned)n)] : -1;
}

/* A variable of 32 bits takes in a value. */
static void absorb(struct List *to, Tree value)
{
    int v = random_writable(U32);
    Tree old = variable_of(v);
    value = cast(U32, value);
    switch (below(3)) {
    case 0: set(to, v, binary(ADD, old, value)); break;
    case 1: set(to, v, binary(XOR, old, value)); break;
    default: set(to, v, binary(ADD, binary(MUL, old, number(31)), value));
    }
}

static void make_set(struct List *to, struct Context *c)
{
    (void)c;
    unsigned pick = below(10);
    if (pick == 0 && kernel->array && function == &kernel->main) {
        struct Stmt *s = stmt(to, S_LOCAL_SET);
        s->a = random_expr(U32, 1);
        s->b = random_expr(U32, 2);
        feature[F_LOCAL_ARRAY] = true;
        return;
    }
    enum Type type = pick < 7 ? U32 : pick < 9 ? U64 : F32;
    int v = random_writable(type);
    if (v < 0) {
        type = U32;
        v = random_writable(U32);
    }
    Tree e = random_expr(type, 2);
    if (type == U32 && chance(40))
        e = binary(chance(50) ? XOR : ADD, variable_of(v), e);
    set(to, v, e);
}

/* Lanes that left are no longer named: the others say who they are. */
static void after_leaving(struct List *to, struct Context *c,
                          const struct Context *in)
{
    if (!in->left)
        return;
    c->left = true;
    if (c->mask < 0)
        return;
    warp_stmt(to, W_BALLOT, c->mask, variable_of(c->mask),
              compare(EQ, number(1), number(1)));
    feature[F_NAMES_EXITED] = true;
}

/* After lanes went different ways: a call of all of them. */
static void rejoin(struct List *to, struct Context *c);

static void make_if(struct List *to, struct Context *c)
{
    bool masked = c->mask >= 0 && chance(75), otherwise = chance(60);
    int open = scope_open();
    Tree condition = random_condition(1);
    if (chance(50)) {
        int v = declare(to, BOOL, 'c', condition);
        condition = variable_of(v);
    }
    int yes = -1;
    if (masked)
        yes = ballot(to, variable_of(c->mask), condition);
    struct Stmt *s = branch(to, condition);
    struct Context in = inside(c);
    in.uniform = false;
    in.mask = yes;
    int n = 1 + (int)below(3);
    statements(&s->body[0], &in, n);
    bool left = in.left;
    if (otherwise) {
        in = inside(c);
        in.uniform = false;
        in.mask = -1;
        if (masked)
            in.mask = declare(&s->body[1], U32, 'm',
                              binary(AND, variable_of(c->mask),
                                     unary(NOT, variable_of(yes))));
        n = 1 + (int)below(3);
        statements(&s->body[1], &in, n);
    }
    in.left |= left;
    feature[masked ? F_BRANCH_MASKED : F_BRANCH] = true;
    after_leaving(to, c, &in);
    scope_close(open);
    if (c->mask >= 0 && chance(50))
        rejoin(to, c);
}

static Tree uniform_condition(void)
{
    unsigned at = below(INPUTS);
    switch (below(4)) {
    case 0:
        return compare(EQ, binary(AND, leaf(E_BLOCK), number(1)),
                       number(at & 1));
    case 1:
        return compare(LT, leaf(E_SIZE), number(30 + below(60)));
    case 2:
        return compare(NE, binary(AND, one_of(E_INPUT, U32, 0, number(at),
                                              NULL, NULL), number(3)),
                       number(0));
    default:
        return compare(EQ, binary(ADD, leaf(E_BLOCK), number(1)),
                       leaf(E_GRID));
    }
}

static void make_uniform_if(struct List *to, struct Context *c)
{
    struct Stmt *s = branch(to, uniform_condition());
    bool left = false;
    int sides = chance(50) ? 2 : 1;
    for (int i = 0; i < sides; i++) {
        struct Context in = inside(c);
        int n = 1 + (int)below(3);
        statements(&s->body[i], &in, n);
        left |= in.left;
    }
    struct Context in = *c;
    in.left = left;
    feature[F_BRANCH_UNIFORM] = true;
    after_leaving(to, c, &in);
}

static void make_switch(struct List *to, struct Context *c)
{
    bool masked = c->mask >= 0 && chance(65), dense = chance(60);
    int open = scope_open(), cases = dense ? 6 + (int)below(3)
                                           : 3 + (int)below(2);
    Tree key = binary(AND, random_expr(U32, 1), number(dense ? 7 : 3));
    int k = declare(to, U32, 'k', key), group = -1;
    if (masked) {
        group = new_variable(U32, 'm');
        warp_stmt(to, W_MATCH_ANY, group, variable_of(c->mask),
                  variable_of(k))->declares = true;
    }
    struct Stmt *s = stmt(to, S_SWITCH);
    s->a = variable_of(k);
    bool left = false;
    for (int i = 0; i < cases; i++) {
        struct Context in = inside(c);
        in.uniform = false;
        in.mask = group;
        /* the mask of a group is that of the group in every case; a lane
         * that leaves, or falls, would make it stale */
        in.loops = false;
        s->label[i] = i == cases - 1 && chance(70) ? -1 : i;
        s->falls[i] = i < cases - 1 && chance(25);
        feature[F_FALL_THROUGH] |= s->falls[i];
        s->bodies++;
        int n = dense ? 1 : 1 + (int)below(2);
        if (dense && chance(65))
            make_set(&s->body[i], &in);
        else
            statements(&s->body[i], &in, n);
        left |= in.left;
    }
    struct Context in = *c;
    in.left = left;
    feature[masked ? F_SWITCH_MASKED : F_SWITCH] = true;
    feature[F_SWITCH_DENSE] |= dense;
    after_leaving(to, c, &in);
    scope_close(open);
    if (c->mask >= 0 && chance(50))
        rejoin(to, c);
}

static struct Stmt *make_for(struct List *to, Tree limit)
{
    struct Stmt *s = stmt(to, S_FOR);
    s->variable = new_variable(U32, 'i');
    if (limit)
        s->a = compare(LT, variable_of(s->variable), limit);
    scope_add(s->variable);
    return s;
}

/* A number of trips of each lane's own, at most `most`. */
static Tree lane_trips(struct List *to, unsigned most)
{
    Tree e = chance(30) ? leaf(E_LANE) : random_expr(U32, 1);
    int v = declare(to, U32, 'n', binary(MOD, e, number(most + 1)));
    return variable_of(v);
}

static unsigned most_trips(const struct Context *c)
{
    unsigned most = c->trips <= 4 ? 7 : c->trips <= 12 ? 5 : 3;
    return most;
}

static void make_lane_loop(struct List *to, struct Context *c)
{
    int open = scope_open();
    unsigned most = most_trips(c);
    Tree trips = lane_trips(to, most);
    struct Context in = inside(c);
    in.mask = -1;
    in.uniform = false;
    in.loops = true;
    in.trips = c->trips * most;
    struct Stmt *s;
    if (chance(25)) {
        int i = declare(to, U32, 'i', number(0));
        s = stmt(to, S_DO);
        set(&s->body[0], i, binary(ADD, variable_of(i), number(1)));
        s->a = compare(LT, variable_of(i), trips);
        scope_add(i);
        feature[F_LOOP_DO] = true;
    } else {
        s = make_for(to, trips);
    }
    int n = 1 + (int)below(3);
    statements(&s->body[0], &in, n);
    feature[F_LOOP_LANE] = true;
    after_leaving(to, c, &in);
    scope_close(open);
    if (c->mask >= 0 && chance(60))
        rejoin(to, c);
}

/* The lanes of a group make equally many trips, together. */
static void make_group_loop(struct List *to, struct Context *c)
{
    int open = scope_open();
    unsigned most = most_trips(c);
    Tree m = variable_of(c->mask), trips;
    struct Context in = inside(c);
    unsigned pick = below(4);
    if (pick == 0) {
        trips = number(1 + below(most));
    } else if (pick == 1) {
        trips = binary(MOD, binary(ADD, leaf(E_WARP), leaf(E_BLOCK)),
                       number(most));
        in.uniform = false;
    } else if (pick == 2) {
        trips = binary(MOD, unary(POPC, m), number(most));
        in.uniform = false;
    } else {
        int v = new_variable(U32, 'n');
        Tree x = binary(MOD, random_expr(U32, 1), number(most));
        warp_stmt(to, chance(50) ? W_MAX : W_MIN, v, m, x)->declares = true;
        trips = variable_of(v);
        in.uniform = false;
        feature[F_REDUCE] = true;
    }
    /* the count of lanes may change while the loop runs */
    if (pick != 0) {
        int v = declare(to, U32, 'n', trips);
        trips = variable_of(v);
    }
    struct Stmt *s = make_for(to, trips);
    in.trips = c->trips * most;
    in.loops = false;
    int n = 1 + (int)below(3);
    statements(&s->body[0], &in, n);
    if (chance(25) && !in.uniform) {
        int v = new_variable(U32, 'v');
        Tree x = random_condition(1);
        bool any = chance(50);
        warp_stmt(&s->body[0], any ? W_ANY : W_ALL, v,
                  variable_of(in.mask), x)->declares = true;
        Tree stop = any ? compare(EQ, variable_of(v), number(0))
                        : compare(NE, variable_of(v), number(0));
        struct Stmt *leave = branch(&s->body[0], stop);
        stmt(&leave->body[0], S_BREAK);
        feature[any ? F_ANY : F_ALL] = true;
        feature[F_BREAK_GROUP] = true;
    }
    feature[F_LOOP_GROUP] = true;
    after_leaving(to, c, &in);
    scope_close(open);
}

/* The lanes of each key in turn, the first lane's key first, until none is
 * left over. */
static void make_waterfall(struct List *to, struct Context *c)
{
    int open = scope_open();
    Tree m = variable_of(c->mask);
    unsigned keys = chance(50) ? 3 : 5;
    Tree key = binary(AND, random_expr(U32, 1), number(keys));
    int k = declare(to, U32, 'k', key), rest = declare(to, U32, 'r', m);
    struct Stmt *s = make_for(to, NULL);
    s->a = compare(NE, variable_of(rest), number(0));
    struct List *body = &s->body[0];
    int now = new_variable(U32, 'k');
    struct Stmt *first = warp_stmt(body, W_IDX, now, m, variable_of(k));
    first->declares = true;
    first->form = 2;
    first->b = binary(SUB, unary(FFS, variable_of(rest)), number(1));
    Tree same = compare(EQ, variable_of(k), variable_of(now));
    int group = ballot(body, m, same);
    set(body, rest, binary(AND, variable_of(rest),
                           unary(NOT, variable_of(group))));
    struct Stmt *turn = branch(body, same);
    struct Context in = inside(c);
    in.uniform = false;
    in.loops = false;
    in.mask = group;
    in.trips = c->trips * 2;            /* once, but not all together */
    int n = 1 + (int)below(3);
    statements(&turn->body[0], &in, n);
    after_leaving(body, c, &in);
    feature[F_WATERFALL] = true;
    scope_close(open);
}

/* Lanes leave the loop one by one, and the mask knows. */
static void make_masked_loop(struct List *to, struct Context *c)
{
    int open = scope_open();
    unsigned most = most_trips(c);
    Tree trips = lane_trips(to, most);
    int m = declare(to, U32, 'm', variable_of(c->mask));
    struct Stmt *s = make_for(to, NULL);
    struct List *body = &s->body[0];
    Tree goes_on = compare(LT, variable_of(s->variable), trips);
    int on = ballot(body, variable_of(m), goes_on);
    struct Stmt *leave = branch(body, negated(goes_on));
    stmt(&leave->body[0], S_BREAK);
    set(body, m, variable_of(on));
    struct Context in = inside(c);
    in.mask = in.masked_loop = m;
    in.uniform = false;
    in.loops = false;
    in.no_break = false;
    in.trips = c->trips * most;
    int n = 2 + (int)below(3);
    statements(body, &in, n);
    feature[F_LOOP_MASKED] = true;
    after_leaving(to, c, &in);
    scope_close(open);
    if (chance(60))
        rejoin(to, c);
}

static void make_jump(struct List *to, struct Context *c)
{
    bool leaves = chance(50);
    if (c->masked_loop < 0) {           /* a loop of lanes for themselves */
        struct Stmt *s = branch(to, random_condition(1));
        if (chance(50))
            make_set(&s->body[0], c);
        stmt(&s->body[0], leaves ? S_BREAK : S_CONTINUE);
        feature[leaves ? F_BREAK : F_CONTINUE] = true;
        return;
    }
    if (c->no_break)
        leaves = false;
    Tree x = random_condition(1);
    int v = declare(to, BOOL, 'c', x);
    int gone = ballot(to, variable_of(c->mask), variable_of(v));
    struct Stmt *s = branch(to, variable_of(v));
    if (chance(50))
        make_set(&s->body[0], c);
    stmt(&s->body[0], leaves ? S_BREAK : S_CONTINUE);
    Tree rest = binary(AND, variable_of(c->mask),
                       unary(NOT, variable_of(gone)));
    if (leaves) {
        set(to, c->mask, rest);
    } else {
        /* who continues is back at the loop's next trip */
        c->mask = declare(to, U32, 'm', rest);
        c->no_break = true;
    }
    feature[leaves ? F_BREAK_MASKED : F_CONTINUE_MASKED] = true;
}

static bool may_jump(const struct Context *c)
{
    if (c->masked_loop >= 0)
        return true;
    return c->loops && c->mask < 0;
}

/* Some lanes return: from the function, or from the kernel for good. */
static void make_return(struct List *to, struct Context *c)
{
    Tree x = random_condition(1);
    if (!c->in_function)
        x = both(x, compare(NE, leaf(E_THREAD), number(0)));
    if (!c->in_function && chance(50))  /* not too many of them */
        x = both(x, compare(LT, binary(AND, random_leaf(U32), number(7)),
                            number(3)));
    int v = declare(to, BOOL, 'c', x), gone = -1;
    if (c->mask >= 0)
        gone = ballot(to, variable_of(c->mask), variable_of(v));
    struct Stmt *s = branch(to, variable_of(v));
    if (chance(40))
        make_set(&s->body[0], c);
    struct Stmt *r = stmt(&s->body[0], S_RETURN);
    if (c->in_function)
        r->a = random_expr(U32, 1);
    if (c->mask >= 0)
        set(to, c->mask, binary(AND, variable_of(c->mask),
                                unary(NOT, variable_of(gone))));
    if (c->in_function) {
        feature[c->mask >= 0 ? F_RETURN_MASKED : F_RETURN] = true;
    } else {
        c->left = true;
        feature[c->mask >= 0 ? F_EXIT_MASKED : F_EXIT] = true;
    }
}

static bool may_return(const struct Context *c)
{
    return c->in_function ? c->may_return : kernel_exits;
}

/* A mask that names more lanes than there are, where that is allowed. */
static Tree call_mask(struct Context *c)
{
    if (c->uniform && chance(20)) {
        feature[F_NAMES_ABSENT] = true;
        return number(0xffffffff);
    }
    return variable_of(c->mask);
}

static void make_warp(struct List *to, struct Context *c)
{
    static const enum WarpOp ops[] = {
        W_IDX, W_IDX, W_IDX, W_UP, W_UP, W_DOWN, W_DOWN, W_XOR, W_XOR,
        W_BALLOT, W_BALLOT, W_ANY, W_ALL, W_UNI, W_MATCH_ANY, W_MATCH_ANY,
        W_MATCH_ALL, W_ADD, W_MIN, W_MAX, W_SMIN, W_SMAX, W_AND, W_OR,
        W_XOR_ALL
    };
    enum WarpOp op = ops[below(sizeof ops / sizeof *ops)];
    Tree mask = call_mask(c), a;
    enum Type type = U32;
    if (op <= W_XOR) {
        unsigned pick = below(10);
        type = pick < 6 ? U32 : pick < 8 ? U64 : F32;
        a = random_expr(type, 1);
    } else if (op <= W_UNI) {
        a = random_condition(1);
    } else if (op <= W_MATCH_ALL) {
        type = chance(70) ? U32 : U64;
        a = random_expr(type, 1);
        Tree few = number(op == W_MATCH_ALL && chance(60) ? 0
                          : (1u << below(3)));
        if (type == U64)
            few = number64(few->value << 34 | few->value);
        a = binary(AND, a, few);
        feature[F_MATCH_64] |= type == U64;
    } else {
        a = random_expr(U32, 1);
    }
    enum Type result = op <= W_XOR ? type : U32;
    int v = new_variable(result, 't');
    struct Stmt *s = warp_stmt(to, op, v, mask, a);
    s->declares = true;
    s->guard = variable_of(c->mask);
    if (op <= W_XOR) {
        s->form = (int)below(2);
        s->width = chance(60) ? LANES : 2 << below(4);
        if (op == W_IDX || (s->form == 0 && chance(50)))
            s->b = binary(AND, random_expr(U32, 1), number(31));
        else
            s->b = number(1 + below(chance(70) ? 4 : 31));
        feature[F_SHFL_NARROW] |= s->width < LANES;
        feature[F_SHFL_64] |= type == U64;
        feature[F_SHFL_FLOAT] |= type == F32;
    }
    feature[op <= W_XOR ? F_SHFL_IDX + (int)op :
            op <= W_UNI ? F_BALLOT + (int)(op - W_BALLOT) :
            op == W_MATCH_ANY ? F_MATCH_ANY :
            op == W_MATCH_ALL ? F_MATCH_ALL : F_REDUCE] = true;
    if (result == U64) {
        int to64 = random_writable(U64);
        if (to64 >= 0 && chance(50)) {
            set(to, to64, binary(XOR, variable_of(to64), variable_of(v)));
            return;
        }
        absorb(to, binary(XOR, variable_of(v),
                          binary(SHR, variable_of(v), number64(29))));
        return;
    }
    absorb(to, variable_of(v));
}

/* Lanes write, wait, and read what another one of their mask wrote. */
static void make_exchange(struct List *to, struct Context *c)
{
    bool global = chance(35);
    struct Stmt *s = stmt(to, S_STORE_CELL);
    s->shared = !global;
    s->a = random_expr(U32, 1);
    Tree mask = call_mask(c);
    stmt(to, S_SYNCWARP)->mask = mask;
    struct Expr *other = expr(E_WITHIN, U32);
    other->a = variable_of(c->mask);
    other->b = binary(AND, random_expr(U32, 1), number(31));
    int v = declare(to, U32, 't',
                    one_of(global ? E_GLOBAL_CELL : E_CELL, U32, 0, other,
                           NULL, NULL));
    stmt(to, S_SYNCWARP)->mask = mask;
    absorb(to, variable_of(v));
    feature[global ? F_EXCHANGE_GLOBAL : F_EXCHANGE] = true;
}

static void rejoin(struct List *to, struct Context *c)
{
    feature[F_REJOIN] = true;
    if (chance(40) && !c->in_function)
        make_exchange(to, c);
    else if (chance(30))
        stmt(to, S_SYNCWARP)->mask = variable_of(c->mask);
    else
        make_warp(to, c);
}

/* Parts of the mask become masks of their own, at the same calls. */
static void make_groups(struct List *to, struct Context *c)
{
    int open = scope_open();
    int g = new_variable(U32, 'm');
    Tree m = variable_of(c->mask), part;
    if (chance(50)) {
        Tree key = random_expr(U32, 1);
        unsigned keys = 1 + below(3);
        key = binary(AND, key, number(keys));
        warp_stmt(to, W_MATCH_ANY, g, m, key)->declares = true;
        feature[F_GROUPS_MATCH] = true;
    } else {
        unsigned pick = below(4);
        if (pick == 0) {
            unsigned cut = 1 + below(31);
            uint32_t low = (1u << cut) - 1;
            part = one_of(E_SELECT, U32, 0,
                          compare(LT, leaf(E_LANE), number(cut)),
                          number(low), number(~low));
        } else if (pick == 1) {
            part = one_of(E_SELECT, U32, 0,
                          compare(LT, leaf(E_LANE), number(16)),
                          number(0xffff), number(0xffff0000));
        } else if (pick == 2) {
            unsigned log = 1 + below(3);        /* runs of 2, 4 or 8 */
            part = binary(SHL, number((1u << (1 << log)) - 1),
                          binary(AND, leaf(E_LANE),
                                 number(32 - (1u << log))));
        } else {                                /* every second, fourth */
            unsigned log = 1 + below(2);
            part = binary(SHL, number(log == 1 ? 0x55555555 : 0x11111111),
                          binary(AND, leaf(E_LANE),
                                 number((1u << log) - 1)));
        }
        set(to, g, binary(AND, m, part));
        to->last->declares = true;
        feature[F_GROUPS_LANES] = true;
    }
    struct Context in = *c;
    in.mask = g;
    in.uniform = false;
    in.masked_loop = -1;
    in.loops = false;
    in.left = false;
    in.may_return = false;
    make_warp(to, &in);
    int n = 1 + (int)below(2);
    if (chance(40) && in.depth < 4 && in.trips <= 12)
        make_group_loop(to, &in);
    statements(to, &in, n);
    after_leaving(to, c, &in);
    scope_close(open);
    if (chance(50))
        rejoin(to, c);
}

static Tree leader_lane(Tree mask)
{
    if (chance(60))
        return binary(SUB, unary(FFS, mask), number(1));
    return binary(SUB, number(31), unary(CLZ, mask));
}

/* ---- memory -------------------------------------------------------------- */
static bool take_target(struct Target *t)
{
    int n = 0, found[64];
    for (int i = 0; i < targets; i++)
        if (target[i].shared == t->shared && target[i].type == t->type &&
            target[i].op == t->op && target[i].keys >= t->keys)
            found[n++] = i;
    if (n > 0 && chance(50)) {
        t->index = target[found[below((unsigned)n)]].index;
        return true;
    }
    int *used = t->type == F32 ? &reals
              : t->type == U64 ? (t->shared ? &shared_wides : &wides)
              : t->shared ? &shared_words : &words;
    int most = t->type == F32 ? REALS
             : t->type == U64 ? (t->shared ? SHARED_WIDES : WIDES)
             : t->shared ? SHARED_WORDS : WORDS;
    if (targets == 64 || *used + t->keys > most)
        return false;
    t->index = *used;
    *used += t->keys;
    target[targets++] = *t;
    return true;
}

static bool take_shared(struct Context *c, unsigned percent)
{
    return !kernel_exits && !c->in_function && chance(percent);
}

static struct Stmt *atomic_stmt(struct List *to, const struct Target *t,
                                Tree key, Tree value)
{
    struct Stmt *s = stmt(to, S_ATOMIC);
    s->shared = t->shared;
    s->type = t->type;
    s->op = (int)t->op;
    s->index = t->index;
    s->width = t->keys;
    s->b = t->keys > 1 ? binary(AND, key, number((unsigned)t->keys - 1))
                       : NULL;
    s->a = value;
    return s;
}

static void make_atomic(struct List *to, struct Context *c)
{
    static const enum Op ops[] = {
        ADD, ADD, SUB, MIN, MAX, AND, OR, XOR, S_MIN, S_MAX, INC, DEC, EXCH
    };
    struct Target t = { .type = U32, .keys = 1 };
    t.shared = take_shared(c, 45);
    unsigned pick = below(10);
    if (pick == 0 && c->trips <= 64 && !t.shared)
        t.type = F32;
    else if (pick <= 3)
        t.type = U64;
    t.op = ops[below(sizeof ops / sizeof *ops)];
    if (t.type == F32 || (t.type == U64 && (t.op == SUB || t.op >= S_MIN)))
        t.op = ADD;
    if (chance(40) && t.type != F32 && t.op < INC)
        t.keys = chance(50) ? 2 : 4;
    if (!take_target(&t))
        return;
    Tree key = random_expr(U32, 1);
    Tree value = t.type == F32
        ? cast(F32, binary(AND, random_expr(U32, 1), number(15)))
        : random_expr(t.type, 1);
    if (t.op >= INC) {                  /* the same bound, the same value */
        value = number(t.op == EXCH ? 0x5eed : 5 + (unsigned)t.index);
        feature[F_ATOMIC_INC] = true;
    }
    atomic_stmt(to, &t, key, value);
    feature[t.type == F32 ? F_ATOMIC_FLOAT :
            t.type == U64 ? F_ATOMIC_64 :
            t.shared ? F_ATOMIC_SHARED : F_ATOMIC] = true;
}

static void make_cas(struct List *to, struct Context *c)
{
    static const enum Op ops[] = { ADD, MUL, XOR, MAX };
    struct Target t = { .type = chance(70) ? U32 : U64, .keys = 1 };
    t.shared = take_shared(c, 40);
    enum Op op = ops[below(4)];
    t.op = op;
    if (!take_target(&t))
        return;
    struct Stmt *s = stmt(to, S_CAS);
    s->shared = t.shared;
    s->type = t.type;
    s->op = (int)op;
    s->index = t.index;
    s->a = random_expr(t.type, 1);
    if (op == MUL)
        s->a = binary(OR, s->a, t.type == U64 ? number64(1) : number(1));
    s->form = chance(12) ? 2 : (int)below(2);
    feature[t.type == U64 ? F_CAS_64 : t.shared ? F_CAS_SHARED
                                                : F_CAS] = true;
    feature[F_CAS_PLAIN] |= s->form == 2;
}

/* Which ticket a lane draws depends on the order; the set of them does not. */
static void spend_ticket(struct List *to, Tree ticket)
{
    struct Target t = { .type = U32, .keys = 1, .op = chance(50) ? ADD : XOR };
    if (!take_target(&t))
        return;
    Tree x = binary(MUL, binary(ADD, ticket, number(0x9e37)),
                    binary(OR, ticket, number(0x85ebca6b)));
    atomic_stmt(to, &t, NULL, binary(XOR, x, binary(SHR, x, number(15))));
}

static int tickets_drawn;

static struct Stmt *draw(struct List *to, int v, Tree value)
{
    struct Stmt *s = stmt(to, S_ATOMIC);
    s->type = U32;
    s->op = ADD;
    s->index = words;
    s->width = 1;
    s->a = value;
    s->variable = v;
    words++;
    tickets_drawn++;
    return s;
}

static void make_ticket(struct List *to, struct Context *c)
{
    (void)c;
    int v = new_variable(U32, 't');
    draw(to, v, number(1))->declares = true;
    spend_ticket(to, variable_of(v));
    feature[F_TICKET] = true;
}

static bool may_ticket(const struct Context *c)
{
    return words + 4 < WORDS && targets < 60 && !c->in_function;
}

static void make_bag(struct List *to, struct Context *c)
{
    (void)c;
    struct Stmt *s = stmt(to, S_BAG);
    s->a = random_expr(U32, 1);
    bag_used = true;
    feature[F_BAG] = true;
}

static bool may_bag(const struct Context *c)
{
    return !bag_used && c->trips <= 8 && !c->in_function;
}

/* A variable that only the leader sets, then given to all. */
static void make_leader(struct List *to, struct Context *c)
{
    static const enum Type types[] = { U32, U32, I32, I32, U64, F32, F64 };
    enum Type type = types[below(7)];
    bool ticket = chance(35) && may_ticket(c);
    if (ticket)
        type = U32;
    Tree m = variable_of(c->mask);
    int v = new_variable(type, 'v'), l = declare(to, U32, 'l',
                                                 leader_lane(m));
    struct Stmt *s = stmt(to, S_DECLARE);
    s->variable = v;
    s = branch(to, compare(EQ, leaf(E_LANE), variable_of(l)));
    if (ticket) {
        draw(&s->body[0], v, unary(POPC, m));
    } else {
        Tree x = random_expr(type == U64 ? U64 : U32, 2);
        if (type == F32 || type == F64)
            x = binary(AND, x, number(1023));
        set(&s->body[0], v, cast(type, x));
        if (chance(30))
            make_atomic(&s->body[0], c);
    }
    s = warp_stmt(to, W_IDX, v, m, variable_of(v));
    s->b = variable_of(l);
    s->form = 2;                        /* as it is: the leader is there */
    feature[F_LEADER] = true;
    feature[F_LEADER_64] |= type == U64 || type == F64;
    if (ticket) {
        Tree rank = unary(POPC, binary(AND, m,
            binary(SUB, binary(SHL, number(1), leaf(E_LANE)), number(1))));
        int t = declare(to, U32, 't', binary(ADD, variable_of(v), rank));
        spend_ticket(to, variable_of(t));
        feature[F_LEADER_TICKET] = true;
    } else {
        absorb(to, variable_of(v));
    }
}

/* However many of them meet: the total is the same. */
static void make_aggregate(struct List *to, struct Context *c)
{
    bool match = chance(50);
    struct Target t = { .type = U32, .op = ADD, .keys = match ? 4 : 1 };
    t.shared = take_shared(c, 40);
    if (!take_target(&t))
        return;
    int m = new_variable(U32, 'm');
    struct Stmt *s = stmt(to, S_ACTIVE);
    s->variable = m;
    s->declares = true;
    Tree key = NULL;
    if (match) {
        key = binary(AND, random_expr(U32, 1), number(3));
        int k = declare(to, U32, 'k', key);
        key = variable_of(k);
        warp_stmt(to, W_MATCH_ANY, m, variable_of(m), key);
    }
    Tree mask = variable_of(m);
    s = branch(to, compare(EQ, leaf(E_LANE), leader_lane(mask)));
    atomic_stmt(&s->body[0], &t, key, unary(POPC, mask));
    feature[match ? F_AGGREGATE_MATCH : F_AGGREGATE] = true;
}

/* ---- locks, flags, relays ------------------------------------------------ */
static struct Stmt *lock_stmt(struct List *to, struct Context *c, int shape)
{
    static const enum Op ops[] = { ADD, XOR, MUL };
    struct Target t = { .keys = 1 << below(3) };
    t.op = ops[below(3)];
    t.shared = take_shared(c, 45);
    /* by a ticket: locks of another kind, never mixed with those */
    t.type = shape == L_TICKET ? U64 : U32;
    int n = 0, found[16];
    for (int i = 0; i < guardeds; i++)
        if (guarded[i].shared == t.shared && guarded[i].op == t.op &&
            guarded[i].type == t.type)
            found[n++] = i;
    int *used = t.shared ? &shared_locks : &locks;
    if (n > 0 && chance(50)) {
        t = guarded[found[below((unsigned)n)]];
    } else {
        if (*used + t.keys > (t.shared ? SHARED_LOCKS : LOCKS) ||
            guardeds == 16)
            return NULL;
        t.index = *used;
        *used += t.keys;
        guarded[guardeds++] = t;
    }
    struct Stmt *s = stmt(to, S_LOCK);
    s->op = shape;
    s->form = (int)t.op;
    s->shared = t.shared;
    s->index = t.index;
    s->width = t.keys;
    s->a = random_expr(U32, 1);
    if (t.op == MUL)
        s->a = binary(OR, s->a, number(1));
    s->b = t.keys > 1 ? binary(AND, random_expr(U32, 1),
                               number((unsigned)t.keys - 1)) : NULL;
    feature[F_LOCK_DONE + shape] = true;
    feature[F_LOCK_SHARED] |= t.shared;
    return s;
}

static void make_lock(struct List *to, struct Context *c)
{
    int shape = (int)below(L_SHAPES);
    unsigned pick = below(10);
    if (pick < 2 && c->mask >= 0) {     /* one lane for all of them */
        Tree m = variable_of(c->mask);
        struct Stmt *s = branch(to, compare(EQ, leaf(E_LANE),
                                            leader_lane(m)));
        lock_stmt(&s->body[0], c, shape);
        stmt(to, S_SYNCWARP)->mask = m;
        feature[F_LOCK_LEADER] = true;
    } else if (pick == 2 && c->trips <= 8) {    /* one after the other */
        int open = scope_open();
        struct Stmt *s = make_for(to, number(LANES));
        struct Stmt *turn = branch(&s->body[0],
            compare(EQ, leaf(E_LANE), variable_of(s->variable)));
        lock_stmt(&turn->body[0], c, shape);
        scope_close(open);
        feature[F_LOCK_SERIAL] = true;
    } else {
        lock_stmt(to, c, shape);
    }
}

static bool may_lock(const struct Context *c)
{
    return c->trips <= 12 && !c->in_function;
}

/* One thread sets a flag; others wait for it, then read what it wrote. */
static void make_flag(struct List *to, struct Context *c)
{
    bool block = c->uniform && chance(50), shared = chance(60);
    int *used = shared ? &shared_flags : &flags;
    if (*used == FLAGS)
        return;
    struct Stmt *s = stmt(to, S_FLAG);
    s->index = (*used)++;
    s->shared = shared;
    s->form = (int)below(3);
    s->variable = random_writable(U32);
    s->a = random_expr(U32, 1);
    s->b = chance(60) ? NULL : random_condition(1);
    if (block) {
        unsigned pick = kernel_exits ? 0 : below(3);
        s->mask = NULL;
        s->guard = pick == 0 ? number(0)
                 : pick == 1 ? binary(SUB, leaf(E_SIZE), number(1))
                 : binary(SHR, leaf(E_SIZE), number(1));
    } else {
        Tree m = variable_of(c->mask);
        s->mask = m;
        s->guard = binary(ADD, binary(SUB, leaf(E_THREAD), leaf(E_LANE)),
                          leader_lane(m));
    }
    feature[block ? F_FLAG_BLOCK : F_FLAG_WARP] = true;
    feature[F_FLAG_GLOBAL] |= !shared;
}

static bool once(const struct Context *c)
{
    return c->trips == 1 && !c->in_function;
}

static bool may_flag(const struct Context *c)
{
    return once(c) && c->mask >= 0 &&
           (shared_flags < FLAGS || flags < FLAGS);
}

/* Each waits until the one before it is done, and goes on from its result. */
static void make_relay(struct List *to, struct Context *c)
{
    bool block = c->uniform && !kernel_exits && chance(40);
    bool shared = chance(60);
    int *used = shared ? &shared_flags : &flags;
    if (*used == FLAGS)
        return;
    struct Stmt *s = stmt(to, S_RELAY);
    s->index = (*used)++;
    s->shared = shared;
    s->form = (int)below(2);
    s->width = (int)below(2);           /* from below, or from above */
    s->variable = random_writable(U32);
    s->a = random_expr(U32, 1);
    s->mask = block ? NULL : variable_of(c->mask);
    feature[block ? F_RELAY_BLOCK : F_RELAY_WARP] = true;
}

/* ---- the block ----------------------------------------------------------- */
static void make_barrier(struct List *to, struct Context *c)
{
    if (chance(40)) {
        struct Stmt *s = stmt(to, S_BARRIER_VOTE);
        s->form = (int)below(3);
        s->variable = new_variable(U32, 't');
        s->declares = true;
        s->a = random_condition(1);
        absorb(to, variable_of(s->variable));
        feature[F_BARRIER_VOTE] = true;
        return;
    }
    if (kernel_exits) {
        stmt(to, S_BARRIER);
        return;
    }
    (void)c;
    struct Stmt *s = stmt(to, S_STORE_CELL);
    s->shared = chance(70);
    s->a = random_expr(U32, 1);
    stmt(to, S_BARRIER);
    Tree by = number(1 + 2 * below(20)), plus = number(below(64));
    Tree at = binary(MOD, binary(ADD, binary(MUL, leaf(E_THREAD), by), plus),
                     leaf(E_SIZE));
    int v = declare(to, U32, 't', one_of(s->shared ? E_CELL : E_GLOBAL_CELL,
                                         U32, 0, at, NULL, NULL));
    stmt(to, S_BARRIER);
    absorb(to, variable_of(v));
    feature[F_BARRIER] = true;
}

static bool may_barrier(const struct Context *c) { return c->uniform; }

static void make_named(struct List *to, struct Context *c)
{
    (void)c;
    bool named = chance(60);
    struct Stmt *s = stmt(to, named ? S_NAMED : S_ARRIVE);
    s->form = (int)below(2);
    s->width = 1 + (int)below(60);
    s->variable = random_writable(U32);
    s->a = random_expr(U32, 1);
    feature[named ? F_BARRIER_NAMED : F_BARRIER_ARRIVE] = true;
}

static bool may_named(const struct Context *c)
{
    return c->uniform && !kernel_exits;
}

static void make_last_block(struct List *to, struct Context *c)
{
    (void)c;
    struct Stmt *s = stmt(to, S_LAST_BLOCK);
    s->form = (int)below(2);
    s->a = random_expr(U32, 1);
    last_used = true;
    feature[F_LAST_BLOCK] = true;
}

static bool may_last_block(const struct Context *c)
{
    return c->uniform && once(c) && !last_used && c->depth == 0;
}

static void make_block_relay(struct List *to, struct Context *c)
{
    (void)c;
    struct Stmt *s = stmt(to, S_BLOCK_RELAY);
    s->a = random_expr(U32, 1);
    relay_used = true;
    feature[F_BLOCK_RELAY] = true;
}

static bool may_block_relay(const struct Context *c)
{
    return c->uniform && once(c) && !relay_used;
}

/* ---- calls --------------------------------------------------------------- */
static void call_together(struct List *to, struct Context *c, int i)
{
    const struct Function *f = &kernel->function[i];
    is_called[i] = true;
    struct Stmt *s = stmt(to, S_CALL);
    s->function = f;
    s->mask = variable_of(c->mask);
    s->a = random_expr(U32, 1);
    s->b = random_expr(U32, 0);
    s->variable = new_variable(U32, 't');
    s->declares = true;
    absorb(to, variable_of(s->variable));
    feature[F_CALL_WARP] = true;
    feature[F_CALL_WARP_NOINLINE] |= strstr(f->inlining, "noinline") != NULL;
}

static void make_call(struct List *to, struct Context *c)
{
    int found[4], n = 0;
    for (int i = 0; i < callable; i++)
        if (kernel->function[i].warp)
            found[n++] = i;
    call_together(to, c, found[below((unsigned)n)]);
}

static bool may_call(const struct Context *c)
{
    bool any = false;
    for (int i = 0; i < callable; i++)
        any |= kernel->function[i].warp;
    return any && c->mask >= 0 && c->trips <= 30;
}

/* ---- the choice ---------------------------------------------------------- */
static bool always(const struct Context *c) { (void)c; return true; }
static bool masked(const struct Context *c) { return c->mask >= 0; }
static bool masked_memory(const struct Context *c)
{
    return c->mask >= 0 && !c->in_function;
}
static bool deeper(const struct Context *c) { return c->depth < 4; }
static bool may_loop(const struct Context *c)
{
    return c->depth < 4 && c->trips <= (c->in_function ? 6u : 24u);
}
static bool may_masked_loop(const struct Context *c)
{
    return may_loop(c) && c->mask >= 0;
}
static bool may_groups(const struct Context *c)
{
    return c->mask >= 0 && c->depth < 4;
}
static bool may_uniform(const struct Context *c)
{
    return c->uniform && c->depth < 4;
}
static bool outside(const struct Context *c)
{
    return !c->in_function && c->trips <= 200;
}

/* Profiles: what a seed shows most of is its last digit. */
enum {
    P_FLOW, P_WARP, P_GROUPS, P_LEADERS, P_ATOMICS, P_LOCKS, P_FLAGS,
    P_BARRIERS, P_EXITS, P_ALL, PROFILES
};
#define IN(p) (1u << P_##p)

static const struct Choice {
    void (*make)(struct List *, struct Context *);
    bool (*possible)(const struct Context *);
    unsigned weight, profiles;          /* six times as often in those */
} choice[] = {
    { make_set, always, 10, 0 },
    { make_if, deeper, 10, IN(FLOW) },
    { make_uniform_if, may_uniform, 2, IN(BARRIERS) },
    { make_switch, deeper, 4, IN(FLOW) },
    { make_lane_loop, may_loop, 4, IN(FLOW) },
    { make_masked_loop, may_masked_loop, 4, IN(WARP) },
    { make_group_loop, may_masked_loop, 3, IN(GROUPS) },
    { make_waterfall, may_masked_loop, 2, IN(GROUPS) | IN(WARP) },
    { make_jump, may_jump, 14, 0 },
    { make_return, may_return, 3, IN(EXITS) },
    { make_warp, masked, 8, IN(WARP) },
    { make_exchange, masked_memory, 3, IN(WARP) },
    { make_groups, may_groups, 3, IN(GROUPS) },
    { make_leader, masked_memory, 3, IN(LEADERS) },
    { make_aggregate, outside, 2, IN(LEADERS) },
    { make_ticket, may_ticket, 2, IN(LEADERS) },
    { make_bag, may_bag, 2, IN(LEADERS) | IN(ATOMICS) },
    { make_atomic, outside, 4, IN(ATOMICS) },
    { make_cas, outside, 2, IN(ATOMICS) },
    { make_lock, may_lock, 2, IN(LOCKS) },
    { make_flag, may_flag, 2, IN(FLAGS) },
    { make_relay, may_flag, 2, IN(FLAGS) },
    { make_barrier, may_barrier, 3, IN(BARRIERS) },
    { make_named, may_named, 2, IN(BARRIERS) },
    { make_last_block, may_last_block, 2, IN(BARRIERS) },
    { make_block_relay, may_block_relay, 1, IN(BARRIERS) },
    { make_call, may_call, 4, 0 },
};
enum { CHOICES = sizeof choice / sizeof *choice };

static void statement(struct List *to, struct Context *c)
{
    unsigned weight[CHOICES], total = 0;
    for (int i = 0; i < CHOICES; i++) {
        const struct Choice *k = &choice[i];
        weight[i] = k->possible(c) ? k->weight : 0;
        if (k->profiles & (1u << profile))
            weight[i] *= 6;
        total += weight[i];
    }
    unsigned pick = below(total);
    for (int i = 0; i < CHOICES; i++) {
        if (pick < weight[i]) {
            choice[i].make(to, c);
            return;
        }
        pick -= weight[i];
    }
}

static void statements(struct List *to, struct Context *c, int n)
{
    int open = scope_open();
    if (budget <= 0)
        make_set(to, c);
    for (int i = 0; i < n && budget > 0; i++) {
        budget--;
        statement(to, c);
    }
    scope_close(open);
}

static void make_function(int i)
{
    static const char *const inlining[] = {
        "__attribute__((noinline)) ", "__attribute__((noinline)) ",
        "__forceinline__ ", "inline "
    };
    struct Function *f = function = &kernel->function[i];
    snprintf(f->name, sizeof f->name, "f%" PRIu64 "_%d", kernel->seed, i);
    f->warp = chance(50);
    f->inlining = inlining[below(4)];
    callable = i;
    readables = writables = 0;
    struct Context c = {
        .mask = -1, .trips = 1, .masked_loop = -1, .in_function = true,
        .may_return = true
    };
    if (f->warp)
        c.mask = new_variable(U32, 'm');
    for (int k = 0; k < 2; k++)
        scope_add(writable[writables++] = new_variable(U32, 'x'));
    f->parameters = f->variables;
    budget = 2 + (int)below(3);
    int n = budget;
    if (chance(60)) {
        make_set(&f->body, &c);
        make_return(&f->body, &c);
    }
    statements(&f->body, &c, n);
    Tree a = variable_of(writable[0]), b = variable_of(writable[1]);
    f->value = binary(XOR, a, binary(MUL, b, number(5)));
}

/* Of 3 launches one has whole warps, one has a part of a warp. */
static void make_launches(void)
{
    static const int whole[] = { 32, 64, 96, 128 };
    static const int part[] = { 33, 48, 57, 40, 80, 100, 63, 20, 113 };
    for (int i = 0; i < LAUNCHES; i++) {
        int threads = i == 0 ? whole[below(4)]
                    : i == 1 ? part[below(9)] : 1 + (int)below(128);
        kernel->blocks[i] = 1 + (int)below(BLOCKS);
        kernel->height[i] = 1;
        if (chance(25))
            for (int h = 4; h >= 2; h--)
                if (threads % h == 0 && kernel->height[i] == 1)
                    kernel->height[i] = h;
        kernel->width[i] = threads / kernel->height[i];
    }
}

static void make_kernel(struct Kernel *k, uint64_t seed)
{
    memset(k, 0, sizeof *k);
    memset(feature, 0, sizeof feature);
    memset(is_called, 0, sizeof is_called);
    arena = arena_start;
    kernel = k;
    k->seed = seed;
    random_state = mix64(seed ^ 0x6d6f76696e67u);
    profile = (int)(seed % PROFILES);
    words = wides = reals = locks = shared_words = shared_wides = 0;
    shared_locks = flags = shared_flags = exchanged = targets = 0;
    guardeds = tickets_drawn = 0;
    bag_used = last_used = relay_used = false;
    kernel_exits = profile == P_EXITS || chance(8);
    k->array = chance(20);
    k->mask_form = (int)below(2);
    make_launches();
    k->functions = (int)below(2);
    if (profile == P_FLOW || profile == P_WARP)
        k->functions = 1 + (int)below(2);
    for (int i = 0; i < k->functions; i++)
        make_function(i);

    function = &k->main;
    callable = k->functions;
    readables = writables = 0;
    struct Context c = {
        .mask = new_variable(U32, 'm'), .trips = 1, .masked_loop = -1,
        .uniform = true
    };
    static const enum Type types[] = { U32, U32, U32, U64, F32 };
    for (int i = 0; i < 5; i++) {
        int v = new_variable(types[i], "abcpf"[i]);
        Tree x = binary(i % 2 ? ADD : MUL, leaf(E_THREAD), small_number());
        Tree y = one_of(E_INPUT, U32, 0,
                        binary(ADD, leaf(E_THREAD), number(below(200))),
                        NULL, NULL);
        x = chance(60) ? y : binary(XOR, x, leaf(E_BLOCK));
        x = types[i] == F32 ? small_float(x) : cast(types[i], x);
        set(&k->main.body, v, x);
        k->main.body.last->declares = true;
        writable[writables++] = v;
    }
    for (int i = 0; i < writables; i++)
        scope_add(writable[i]);
    budget = 9 + (int)below(4);
    while (budget > 0)
        statements(&k->main.body, &c, 1);
    for (int i = 0; i < k->functions; i++)
        if (!is_called[i] && k->function[i].warp)
            call_together(&k->main.body, &c, i);
        else if (!is_called[i])
            absorb(&k->main.body, call_of(i, 1));
    memcpy(k->has, feature, sizeof feature);
}

#include "emit.h"
#include "interpret.h"

/* ---- the command line ---------------------------------------------------- */
static int usage(void)
{
    fputs("usage: generate [--expect | --features | --seeds FEATURE] "
          "FIRST COUNT\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
    const char *wanted = NULL;
    int at = *what ? 2 : 1;
    if (!strcmp(what, "--seeds") && argc > 2)
        wanted = argv[at++];
    else if (*what && strcmp(what, "--expect") && strcmp(what, "--features"))
        return usage();
    if (argc != at + 2)
        return usage();
    uint64_t first = strtoull(argv[at], NULL, 10);
    uint64_t count = strtoull(argv[at + 1], NULL, 10);
    static struct Kernel k;
    unsigned total[FEATURES] = { 0 };
    if (!*what)
        print_prelude();
    for (uint64_t seed = first; seed < first + count; seed++) {
        make_kernel(&k, seed);
        if (!*what)
            print_kernel(&k);
        else if (!strcmp(what, "--expect"))
            printf("%" PRIu64 " %016" PRIx64 "\n", seed, interpret(&k));
        for (int i = 0; i < FEATURES; i++) {
            total[i] += k.has[i];
            if (wanted && k.has[i] && !strcmp(wanted, feature_text[i]))
                printf("%" PRIu64 "\n", seed);
        }
    }
    if (!*what)
        print_main(first, count);
    if (!strcmp(what, "--features"))
        for (int i = 0; i < FEATURES; i++)
            printf("%-24s %5u\n", feature_text[i], total[i]);
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
