/* emit.h: the tree of a kernel, printed as CUDA.  A part of generate.c. */

static const char prelude[] =
"/* Random divergent kernels of tests/divergent/generate.c: the results do not\n"
" * depend on the order in which lanes, warps and blocks run. */\n"
"#include <cuda_runtime.h>\n"
"#include <stddef.h>\n"
"#include <stdio.h>\n"
"#include <stdlib.h>\n"
"#include <string.h>\n"
"\n"
"struct State {\n"
"    unsigned long long wide[12], shared_wide[3][4];\n"
"    unsigned word[48], shared_word[3][16], shared_guarded[3][8];\n"
"    float real[6];\n"
"    unsigned lock[16], guarded[16], next[16], serving[16];\n"
"    unsigned cell[3 * 128], flag[3][3 * 128], news[3][3 * 128];\n"
"    unsigned partial[3], done, total, ticket, turn, relay;\n"
"    unsigned bag_count, spare, bag[4096];\n"
"};\n"
"struct Shared {\n"
"    unsigned long long wide[4];\n"
"    unsigned word[16], lock[8], guarded[8], next[8], serving[8];\n"
"    unsigned cell[128], flag[3][128], news[3][128], last;\n"
"};\n"
"__device__ unsigned input[256];\n"
"\n"
"#define DEVICE static __device__ inline\n"
"static __host__ __device__ inline unsigned filler(unsigned i)\n"
"{\n"
"    unsigned x = i * 0x9e3779b9u + 0x7f4a7c15u;\n"
"    x = (x ^ x >> 16) * 0x85ebca6bu;\n"
"    x = (x ^ x >> 13) * 0xc2b2ae35u;\n"
"    return x ^ x >> 16;\n"
"}\n"
"DEVICE unsigned thread() { return threadIdx.y * blockDim.x + threadIdx.x; }\n"
"DEVICE unsigned size() { return blockDim.x * blockDim.y; }\n"
"DEVICE unsigned lane() { return thread() % 32; }\n"
"DEVICE unsigned warp() { return thread() / 32; }\n"
"DEVICE unsigned lanes_that_exist()\n"
"{\n"
"    unsigned rest = size() - warp() * 32;\n"
"    return rest >= 32 ? 0xffffffffu : (1u << rest) - 1;\n"
"}\n"
"DEVICE unsigned look(const unsigned *p)\n"
"{\n"
"    return *(const volatile unsigned *)p;\n"
"}\n"
"DEVICE void say(unsigned *p, unsigned x) { *(volatile unsigned *)p = x; }\n"
"DEVICE unsigned digest(unsigned a, unsigned b, unsigned c,\n"
"                       unsigned long long p, float f)\n"
"{\n"
"    unsigned x = a;\n"
"    x = x * 31 + b;\n"
"    x = x * 31 + c;\n"
"    x = x * 31 + (unsigned)p;\n"
"    x = x * 31 + (unsigned)(p >> 32);\n"
"    return x * 31 + (unsigned)f;\n"
"}\n"
"\n"
"/* Where a shuffle reads, if that lane is in the mask. */\n"
"DEVICE bool reach_idx(unsigned m, unsigned x, unsigned w)\n"
"{\n"
"    return m >> ((lane() & ~(w - 1)) | (x & (w - 1))) & 1;\n"
"}\n"
"DEVICE bool reach_up(unsigned m, unsigned by, unsigned w)\n"
"{\n"
"    return (lane() & (w - 1)) < by || (m >> (lane() - by) & 1);\n"
"}\n"
"DEVICE bool reach_down(unsigned m, unsigned by, unsigned w)\n"
"{\n"
"    return (lane() & (w - 1)) + by >= w || (m >> (lane() + by) & 1);\n"
"}\n"
"DEVICE bool reach_xor(unsigned m, unsigned by, unsigned w)\n"
"{\n"
"    unsigned from = lane() ^ by;\n"
"    return from > (lane() | (w - 1)) || (m >> from & 1);\n"
"}\n"
"DEVICE unsigned idx_inside(unsigned m, unsigned x, unsigned w)\n"
"{\n"
"    return reach_idx(m, x, w) ? x : lane();\n"
"}\n"
"DEVICE unsigned up_inside(unsigned m, unsigned by, unsigned w)\n"
"{\n"
"    return reach_up(m, by, w) ? by : 0;\n"
"}\n"
"DEVICE unsigned down_inside(unsigned m, unsigned by, unsigned w)\n"
"{\n"
"    return reach_down(m, by, w) ? by : 0;\n"
"}\n"
"DEVICE unsigned xor_inside(unsigned m, unsigned by, unsigned w)\n"
"{\n"
"    return reach_xor(m, by, w) ? by : 0;\n"
"}\n"
"/* The thread of lane x, or this one if the mask does not name x. */\n"
"DEVICE unsigned within(unsigned m, unsigned x)\n"
"{\n"
"    return warp() * 32 + (m >> x & 1 ? x : lane());\n"
"}\n"
"DEVICE unsigned lanes_below() { return (1u << lane()) - 1; }\n"
"\n"
"/* Before sm_80 there is no instruction for these. */\n"
"#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800\n"
"#define REDUCE(name, T, all_of)                                      \\\n"
"    DEVICE T name(unsigned m, T x)                                   \\\n"
"    {                                                                \\\n"
"        m = __ballot_sync(m, 1);                                     \\\n"
"        T all = __shfl_sync(m, x, __ffs(m) - 1);                     \\\n"
"        for (unsigned k = m & (m - 1); k; k &= k - 1) {              \\\n"
"            T one = __shfl_sync(m, x, __ffs(k) - 1);                 \\\n"
"            all = all_of;                                            \\\n"
"        }                                                            \\\n"
"        return all;                                                  \\\n"
"    }\n"
"#else\n"
"#define REDUCE(name, T, all_of) \\\n"
"    DEVICE T name(unsigned m, T x) { return __##name##_sync(m, x); }\n"
"#endif\n"
"REDUCE(reduce_add, unsigned, all + one)\n"
"REDUCE(reduce_min, unsigned, min(all, one))\n"
"REDUCE(reduce_max, unsigned, max(all, one))\n"
"REDUCE(reduce_min, int, min(all, one))\n"
"REDUCE(reduce_max, int, max(all, one))\n"
"REDUCE(reduce_and, unsigned, all & one)\n"
"REDUCE(reduce_or, unsigned, all | one)\n"
"REDUCE(reduce_xor, unsigned, all ^ one)\n"
"\n"
"DEVICE void barrier(unsigned id, unsigned threads)\n"
"{\n"
"    asm volatile(\"bar.sync %0, %1;\" :: \"r\"(id), \"r\"(threads) : \"memory\");\n"
"}\n"
"DEVICE void arrive(unsigned id, unsigned threads)\n"
"{\n"
"    asm volatile(\"bar.arrive %0, %1;\" :: \"r\"(id), \"r\"(threads) : \"memory\");\n"
"}\n"
"\n"
"DEVICE void begin(Shared *h)\n"
"{\n"
"#pragma unroll 1\n"
"    for (unsigned i = thread(); i < sizeof(Shared) / 4; i += size())\n"
"        ((unsigned *)h)[i] = 0;\n"
"    __syncthreads();\n"
"#pragma unroll 1\n"
"    for (unsigned i = thread(); i < 16; i += size())\n"
"        h->word[i] = filler(i);\n"
"#pragma unroll 1\n"
"    for (unsigned i = thread(); i < 4; i += size())\n"
"        h->wide[i] = filler(i);\n"
"#pragma unroll 1\n"
"    for (unsigned i = thread(); i < 8; i += size())\n"
"        h->guarded[i] = filler(i);\n"
"    __syncthreads();\n"
"}\n"
"DEVICE void end(Shared *h, State *s)\n"
"{\n"
"    __syncthreads();\n"
"    if (thread() != 0)\n"
"        return;\n"
"#pragma unroll 1\n"
"    for (unsigned i = 0; i < 16; i++)\n"
"        s->shared_word[blockIdx.x][i] = h->word[i];\n"
"#pragma unroll 1\n"
"    for (unsigned i = 0; i < 4; i++)\n"
"        s->shared_wide[blockIdx.x][i] = h->wide[i];\n"
"#pragma unroll 1\n"
"    for (unsigned i = 0; i < 8; i++)\n"
"        s->shared_guarded[blockIdx.x][i] = h->guarded[i];\n"
"}\n";

static int indent;
static const struct Function *printed;   /* function that is being printed */

static void line(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%*s", 4 * indent, "");
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

/* ---- expressions, into one of a few buffers ------------------------------ */
static char text_area[16][8192];
static int text_next;

struct Text { char *at; size_t left; };

static void put(struct Text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(t->at, t->left, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= t->left)
        fail("an expression is too long");
    t->at += n;
    t->left -= (size_t)n;
}

static void put_expr(struct Text *t, Tree e);

static void put_list(struct Text *t, const char *name, Tree a, Tree b)
{
    put(t, "%s(", name);
    put_expr(t, a);
    if (b) {
        put(t, ", ");
        put_expr(t, b);
    }
    put(t, ")");
}

static void put_between(struct Text *t, const char *before, Tree a,
                        const char *middle, Tree b, const char *after)
{
    put(t, "%s", before);
    put_expr(t, a);
    put(t, "%s", middle);
    if (b)
        put_expr(t, b);
    put(t, "%s", after);
}

static void put_name(struct Text *t, int v)
{
    put(t, "%c%d", printed->letter[v], v);
}

/* An operand that must be below a power of two. */
static void put_masked(struct Text *t, Tree e, unsigned mask)
{
    if (e->kind == E_CONST) {
        put(t, "%u", (unsigned)e->value & mask);
    } else {
        put(t, "(");
        put_expr(t, e);
        put(t, " & %u)", mask);
    }
}

static void put_shift(struct Text *t, const char *before, Tree e,
                      const char *sign)
{
    put_between(t, before, e->a, sign, NULL, "");
    put_masked(t, e->b, e->type == U64 ? 63 : 31);
    put(t, ")");
}

static void put_binary(struct Text *t, Tree e)
{
    static const char *const sign[] = { " + ", " - ", " * ", " & ", " | ",
                                        " ^ " };
    switch (e->op) {
    case SHL: put_shift(t, "(", e, " << "); return;
    case SHR: put_shift(t, "(", e, " >> "); return;
    case SAR: put_shift(t, "(unsigned)((int)", e, " >> "); return;
    case DIV: put_between(t, "(", e->a, " / (", e->b, " | 1))"); return;
    case REM: put_between(t, "(", e->a, " % (", e->b, " | 1))"); return;
    case MOD: put_between(t, "(", e->a, " % ", e->b, ")"); return;
    case MIN: put_list(t, "min", e->a, e->b); return;
    case MAX: put_list(t, "max", e->a, e->b); return;
    case MULHI: put_list(t, "__umulhi", e->a, e->b); return;
    case FUNNEL:
        put_between(t, "__funnelshift_l(", e->a, ", ", e->b, "");
        put(t, ", %u)", (unsigned)e->value);
        return;
    case PERM:
        put_between(t, "__byte_perm(", e->a, ", ", e->b, "");
        put(t, ", 0x%04x)", (unsigned)e->value);
        return;
    default: put_between(t, "(", e->a, sign[e->op], e->b, ")");
    }
}

static void put_unary(struct Text *t, Tree e)
{
    switch (e->op) {
    case NOT: put_between(t, "~", e->a, "", NULL, ""); return;
    case NEG: put_between(t, "(0u - ", e->a, "", NULL, ")"); return;
    case POPC: put_list(t, "(unsigned)__popc", e->a, NULL); return;
    case CLZ: put_list(t, "(unsigned)__clz", e->a, NULL); return;
    case FFS: put_list(t, "(unsigned)__ffs", e->a, NULL); return;
    default: put_list(t, "__brev", e->a, NULL);
    }
}

static void put_expr(struct Text *t, Tree e)
{
    static const char *const compares[] = { " < ", " <= ", " == ", " != ",
                                            " < (int)" };
    switch (e->kind) {
    case E_CONST:
        if (e->type == U64)
            put(t, "0x%" PRIx64 "ull", e->value);
        else if (e->value < 1024)
            put(t, "%uu", (unsigned)e->value);
        else
            put(t, "0x%xu", (unsigned)e->value);
        return;
    case E_VAR: put_name(t, (int)e->value); return;
    case E_THREAD: put(t, "thread()"); return;
    case E_LANE: put(t, "lane()"); return;
    case E_WARP: put(t, "warp()"); return;
    case E_BLOCK: put(t, "blockIdx.x"); return;
    case E_SIZE: put(t, "size()"); return;
    case E_GRID: put(t, "gridDim.x"); return;
    case E_INPUT:
        put(t, "input[");
        put_masked(t, e->a, 255);
        put(t, "]");
        return;
    case E_BINARY: put_binary(t, e); return;
    case E_UNARY: put_unary(t, e); return;
    case E_COMPARE:
        put_between(t, e->op == SLT ? "((int)" : "(", e->a,
                    compares[e->op - LT], e->b, ")");
        return;
    case E_AND: put_between(t, "(", e->a, " && ", e->b, ")"); return;
    case E_OR: put_between(t, "(", e->a, " || ", e->b, ")"); return;
    case E_NOT: put_between(t, "!", e->a, "", NULL, ""); return;
    case E_SELECT:
        put_between(t, "(", e->a, " ? ", e->b, " : ");
        put_expr(t, e->c);
        put(t, ")");
        return;
    case E_CAST:
        put(t, "(%s)", type_text[e->type]);
        put_expr(t, e->a);
        return;
    case E_CALL: put_list(t, e->function->name, e->a, e->b); return;
    case E_CELL: put_between(t, "h.cell[", e->a, "]", NULL, ""); return;
    case E_GLOBAL_CELL:
        put_between(t, "s->cell[blockIdx.x * 128 + ", e->a, "]", NULL, "");
        return;
    case E_LOCAL: put_between(t, "w[", e->a, " & 3]", NULL, ""); return;
    case E_FLOAT:
        put_between(t, "(unsigned)(", e->a, " * ", e->b, " + ");
        put_expr(t, e->c);
        put(t, ")");
        return;
    case E_WITHIN: put_list(t, "within", e->a, e->b); return;
    }
}

static const char *text(Tree e)
{
    char *start = text_area[text_next++ % 16];
    struct Text t = { start, sizeof text_area[0] };
    put_expr(&t, e);
    return start;
}

/* The same without brackets around all of it: where nothing stands beside. */
static const char *bare(Tree e)
{
    char *start = (char *)text(e), *end = start + strlen(start);
    int open = *start == '(';
    for (char *p = start + 1; open > 0 && p + 1 < end; p++)
        open += *p == '(' ? 1 : *p == ')' ? -1 : 0;
    if (*start != '(' || open == 0)
        return start;
    end[-1] = 0;
    return start + 1;
}

static const char *name_of(int v)
{
    char *start = text_area[text_next++ % 16];
    struct Text t = { start, sizeof text_area[0] };
    put_name(&t, v);
    return start;
}

/* "unsigned t5", or "t5" where it has its type already */
static const char *target_of(const struct Stmt *s)
{
    char *start = text_area[text_next++ % 16];
    struct Text t = { start, sizeof text_area[0] };
    if (s->declares)
        put(&t, "%s ", type_text[printed->type[s->variable]]);
    put_name(&t, s->variable);
    return start;
}

/* ---- statements ---------------------------------------------------------- */
static void print_list(const struct List *l);

static void print_body(const struct List *l)
{
    indent++;
    print_list(l);
    indent--;
}

static void print_switch(const struct Stmt *s)
{
    line("switch (%s) {", bare(s->a));
    for (int i = 0; i < s->bodies; i++) {
        if (s->label[i] < 0)
            line("default: {");
        else
            line("case %d: {", s->label[i]);
        print_body(&s->body[i]);
        line(s->falls[i] ? "}   /* falls through */" : "} break;");
    }
    line("}");
}

static void print_warp(const struct Stmt *s)
{
    static const char *const move[] = { "", "_up", "_down", "_xor" };
    static const char *const way[] = { "idx", "up", "down", "xor" };
    static const char *const vote[] = {
        "__ballot_sync", "__any_sync", "__all_sync", "__uni_sync",
        "__match_any_sync"
    };
    static const char *const reduce[] = {
        "add", "min", "max", "min", "max", "and", "or", "xor"
    };
    const char *m = text(s->mask), *a = text(s->a), *to = target_of(s);
    if (s->op > W_MATCH_ALL) {
        bool sign = s->op == W_SMIN || s->op == W_SMAX;
        line(sign ? "%s = (unsigned)reduce_%s(%s, (int)%s);"
                  : "%s = reduce_%s(%s, %s);", to, reduce[s->op - W_ADD], m,
             a);
    } else if (s->op == W_MATCH_ALL) {
        if (s->declares)
            line("%s;", to);
        line("{");
        line("    int same;");
        line("    %s = __match_all_sync(%s, %s, &same);",
             name_of(s->variable), m, a);
        line("    %s ^= same != 0;", name_of(s->variable));
        line("}");
    } else if (s->op == W_MATCH_ANY || s->op == W_BALLOT) {
        line("%s = %s(%s, %s);", to, vote[s->op - W_BALLOT], m, a);
    } else if (s->op > W_XOR) {
        line("%s = %s(%s, %s) != 0;", to, vote[s->op - W_BALLOT], m, a);
    } else if (s->form == 2) {
        line("%s = __shfl_sync(%s, %s, %s);", to, m, a, text(s->b));
    } else if (s->form == 0) {
        line("%s = __shfl%s_sync(%s, %s, %s_inside(%s, %s, %d), %d);", to,
             move[s->op], m, a, way[s->op], text(s->guard), text(s->b),
             s->width, s->width);
    } else {
        const char *type = type_text[s->type];
        if (s->declares)
            line("%s;", to);
        line("{");
        line("    const %s own = %s;", type, bare(s->a));
        line("    const unsigned from = %s;", bare(s->b));
        line("    const %s got = __shfl%s_sync(%s, own, from, %d);", type,
             move[s->op], m, s->width);
        line("    %s = reach_%s(%s, from, %d) ? got : own;",
             name_of(s->variable), way[s->op], text(s->guard), s->width);
        line("}");
    }
}

static const char *memory_of(const struct Stmt *s)
{
    static char place[8192 + 64];
    const char *array = s->type == F32 ? "real" : s->type == U64 ? "wide"
                                                                  : "word";
    if (s->b)
        snprintf(place, sizeof place, "%s%s[%d + %s]", s->shared ? "h." : "s->",
                 array, s->index, text(s->b));
    else
        snprintf(place, sizeof place, "%s%s[%d]", s->shared ? "h." : "s->",
                 array, s->index);
    return place;
}

static void print_atomic(const struct Stmt *s)
{
    static const char *const name[] = {
        [ADD] = "Add", [SUB] = "Sub", [AND] = "And", [OR] = "Or",
        [XOR] = "Xor", [MIN] = "Min", [MAX] = "Max", [S_MIN] = "Min",
        [S_MAX] = "Max", [INC] = "Inc", [DEC] = "Dec", [EXCH] = "Exch"
    };
    const char *to = s->variable >= 0 ? target_of(s) : "";
    const char *is = s->variable >= 0 ? " = " : "";
    if (s->op == S_MIN || s->op == S_MAX)
        line("atomic%s((int *)&%s, (int)%s);", name[s->op], memory_of(s),
             text(s->a));
    else
        line("%s%satomic%s(&%s, %s);", to, is, name[s->op], memory_of(s),
             text(s->a));
}

static void print_cas(const struct Stmt *s)
{
    static const char *const next[] = {
        [ADD] = "seen + by", [MUL] = "seen * by", [XOR] = "seen ^ by",
        [MAX] = "max(seen, by)"
    };
    const char *type = type_text[s->type];
    line("{");
    indent++;
    line("%s *at = &%s;", type, memory_of(s));
    line("const %s by = %s;", type, bare(s->a));
    if (s->form == 0)
        line("%s old = *(volatile %s *)at, seen;", type, type);
    else if (s->form == 1)
        line("%s old = 0, seen;", type);
    else
        line("%s old = *at, seen;", type);
    line("do {");
    line("    seen = old;");
    line("    old = atomicCAS(at, seen, %s);", next[s->op]);
    line("} while (old != seen);");
    indent--;
    line("}");
}

static void print_critical(const struct Stmt *s, const char *release)
{
    const char *fence = s->shared ? "__threadfence_block();"
                                  : "__threadfence();";
    const char *in = s->shared ? "h." : "s->";
    static const char *const sign[] = { [ADD] = "+", [XOR] = "^",
                                        [MUL] = "*" };
    line("%s", fence);
    line("%sguarded[k] = %sguarded[k] %s by;", in, in, sign[s->form]);
    line("%s", fence);
    line(release, in);
}

static void print_lock(const struct Stmt *s)
{
    const char *in = s->shared ? "h." : "s->";
    const char *give = "atomicExch(&%slock[k], 0u);";
    line("{");
    indent++;
    line("const unsigned by = %s;", bare(s->a));
    line("const unsigned k = %d + %s;", s->index, s->b ? text(s->b) : "0");
    switch (s->op) {
    case L_DONE:
        line("bool done = false;");
        line("while (!done) {");
        line("    if (atomicCAS(&%slock[k], 0u, 1u) == 0u) {", in);
        indent += 2;
        print_critical(s, give);
        line("done = true;");
        indent -= 2;
        line("    }");
        line("}");
        break;
    case L_BREAK:
        line("for (;;) {");
        line("    if (atomicCAS(&%slock[k], 0u, 1u) == 0u) {", in);
        indent += 2;
        print_critical(s, give);
        line("break;");
        indent -= 2;
        line("    }");
        line("}");
        break;
    case L_SPIN:
        line("while (atomicCAS(&%slock[k], 0u, 1u) != 0u) {}", in);
        print_critical(s, give);
        break;
    case L_EXCHANGE:
        line("while (atomicExch(&%slock[k], 1u) != 0u) {}", in);
        print_critical(s, give);
        break;
    default:
        line("const unsigned ticket = atomicAdd(&%snext[k], 1u);", in);
        line("while (look(&%sserving[k]) != ticket) {}", in);
        print_critical(s, "say(&%sserving[k], ticket + 1u);");
    }
    indent--;
    line("}");
}

static void print_flag(const struct Stmt *s)
{
    const char *fence = s->shared ? "__threadfence_block();"
                                  : "__threadfence();";
    const char *to = name_of(s->variable);
    char flag[64], news[64], condition[8192 + 32] = "";
    snprintf(flag, sizeof flag, s->shared ? "h.flag[%d][from]"
             : "s->flag[%d][blockIdx.x * 128 + from]", s->index);
    snprintf(news, sizeof news, s->shared ? "h.news[%d][from]"
             : "s->news[%d][blockIdx.x * 128 + from]", s->index);
    if (s->b)
        snprintf(condition, sizeof condition, " && %s", text(s->b));
    line("{");
    indent++;
    line("const unsigned from = %s;", bare(s->guard));
    if (s->form == 2)       /* who waits comes first */
        line("if (thread() != from%s) {", condition);
    else
        line("if (thread() == from) {");
    for (int part = 0; part < 2; part++) {
        indent++;
        if ((part == 0) == (s->form == 2)) {
            line("while (look(&%s) == 0u) {}", flag);
            line("%s", fence);
            line("%s = %s * 31u + %s;", to, to, news);
        } else {
            line("%s = %s;", news, bare(s->a));
            line("%s", fence);
            line("say(&%s, 1u);", flag);
        }
        indent--;
        if (part == 0 && s->form == 2)
            line("} else if (thread() == from) {");
        else if (part == 0 && s->form == 1) {
            line("}");
            line("if (thread() != from%s) {", condition);
        } else if (part == 0)
            line("} else if (thread() != from%s) {", condition);
    }
    line("}");
    indent--;
    line("}");
}

static void print_relay(const struct Stmt *s)
{
    const char *fence = s->shared ? "__threadfence_block();"
                                  : "__threadfence();";
    const char *to = name_of(s->variable);
    char turn[64], sum[64];
    snprintf(turn, sizeof turn, s->shared ? "h.flag[%d][from]"
             : "s->flag[%d][blockIdx.x * 128 + from]", s->index);
    snprintf(sum, sizeof sum, s->shared ? "h.news[%d][from]"
             : "s->news[%d][blockIdx.x * 128 + from]", s->index);
    line("{");
    indent++;
    line("const unsigned by = %s;", bare(s->a));
    if (s->mask) {
        const char *m = text(s->mask);
        line("const unsigned from = warp() * 32 + __ffs(%s) - 1;", m);
        if (s->width)
            line("const unsigned rank = __popc(%s & ~lanes_below()) - 1;", m);
        else
            line("const unsigned rank = __popc(%s & lanes_below());", m);
    } else {
        line("const unsigned from = 0;");
        line("const unsigned rank = %s;", s->width ? "size() - 1 - thread()"
                                                    : "thread()");
    }
    if (s->form) {
        line("bool done = false;");
        line("while (!done) {");
        line("    if (look(&%s) == rank) {", turn);
        indent += 2;
    } else {
        line("while (look(&%s) != rank) {}", turn);
    }
    line("%s", fence);
    line("%s = %s ^ %s;", to, to, sum);
    line("%s = %s * 3u + by;", sum, sum);
    line("%s", fence);
    line("say(&%s, rank + 1u);", turn);
    if (s->form) {
        line("done = true;");
        indent -= 2;
        line("    }");
        line("}");
    }
    indent--;
    line("}");
}

static void print_named(const struct Stmt *s)
{
    const char *to = name_of(s->variable);
    line("{");
    indent++;
    line("const unsigned warps = (size() + 31) / 32, half = (warps + 1) / 2;");
    line("const bool low = warp() < half;");
    line("const unsigned first = low ? 0 : half * 32;");
    line("const unsigned last = low ? min(half * 32, size()) : size();");
    line("h.cell[thread()] = %s;", bare(s->a));
    for (int part = 0; part < 2; part++) {
        if (s->form == 0) {
            line("barrier(low ? 1 : 2, (low ? half : warps - half) * 32);");
        } else {
            line("if (low)");
            line("    barrier(3, half * 32);");
            line("else");
            line("    barrier(4, (warps - half) * 32);");
        }
        if (part == 0)
            line("%s = %s * 31u + h.cell[first + (thread() - first + %d) "
                 "%% (last - first)];", to, to, s->width);
    }
    indent--;
    line("}");
}

static void print_arrive(const struct Stmt *s)
{
    const char *to = name_of(s->variable);
    line("{");
    line("    const unsigned all = (size() + 31) / 32 * 32;");
    line("    if (warp() == 0) {");
    line("        h.cell[thread()] = %s;", bare(s->a));
    line("        __threadfence_block();");
    line("        %s(5, all);", "arrive");
    line("    } else {");
    line("        barrier(5, all);");
    line("        %s = %s * 31u + h.cell[(thread() + %d) %% 32];", to, to,
         s->width);
    line("    }");
    line("    __syncthreads();");
    line("}");
}

static void print_last_block(const struct Stmt *s)
{
    if (s->form)
        line("atomicAdd(&s->partial[blockIdx.x], %s);", text(s->a));
    else
        line("if (thread() == 0) s->partial[blockIdx.x] = %s;", text(s->a));
    line("__threadfence();");
    line("__syncthreads();");
    line("if (thread() == 0)");
    line("    h.last = atomicInc(&s->done, gridDim.x - 1) == gridDim.x - 1;");
    line("__syncthreads();");
    line("if (h.last && thread() == 0) {");
    line("    __threadfence();");
    line("    unsigned total = 0;");
    line("    for (unsigned i = 0; i < gridDim.x; i++)");
    line("        total = total * 31u + look(&s->partial[i]);");
    line("    s->total = total;");
    line("}");
}

static void print_block_relay(const struct Stmt *s)
{
    line("if (thread() == 0) {");
    line("    const unsigned turn = atomicAdd(&s->ticket, 1u);");
    line("    while (look(&s->turn) != turn) {}");
    line("    __threadfence();");
    line("    s->relay = s->relay + %s;", text(s->a));
    line("    __threadfence();");
    line("    say(&s->turn, turn + 1u);");
    line("}");
}

static void print_leave(void)
{
    line("out[blockIdx.x * size() + thread()] = "
         "digest(a1, b2, c3, p4, f5);");
}

static void print_stmt(const struct Stmt *s)
{
    switch (s->kind) {
    case S_SET: line("%s = %s;", target_of(s), bare(s->a)); break;
    case S_DECLARE:
        line("%s %s;", type_text[printed->type[s->variable]],
             name_of(s->variable));
        break;
    case S_LOCAL_SET: line("w[%s & 3] = %s;", text(s->a), text(s->b)); break;
    case S_IF:
        line("if (%s) {", bare(s->a));
        print_body(&s->body[0]);
        if (s->body[1].first) {
            line("} else {");
            print_body(&s->body[1]);
        }
        line("}");
        break;
    case S_SWITCH: print_switch(s); break;
    case S_FOR: {
        const char *i = name_of(s->variable);
        line("for (unsigned %s = 0; %s; %s++) {", i, s->a ? bare(s->a) : "",
             i);
        print_body(&s->body[0]);
        line("}");
        break;
    }
    case S_DO:
        line("do {");
        print_body(&s->body[0]);
        line("} while (%s);", bare(s->a));
        break;
    case S_BREAK: line("break;"); break;
    case S_CONTINUE: line("continue;"); break;
    case S_RETURN:
        if (!s->a)
            print_leave();
        line(s->a ? "return %s;" : "return;", s->a ? bare(s->a) : "");
        break;
    case S_WARP: print_warp(s); break;
    case S_SYNCWARP: line("__syncwarp(%s);", text(s->mask)); break;
    case S_STORE_CELL:
        line(s->shared ? "h.cell[thread()] = %s;"
             : "s->cell[blockIdx.x * 128 + thread()] = %s;", bare(s->a));
        break;
    case S_BARRIER: line("__syncthreads();"); break;
    case S_BARRIER_VOTE: {
        static const char *const vote[] = { "count", "and", "or" };
        line("%s = __syncthreads_%s(%s)%s;", target_of(s), vote[s->form],
             text(s->a), s->form ? " != 0" : "");
        break;
    }
    case S_CALL:
        line("%s = %s(%s, %s, %s);", target_of(s), s->function->name,
             text(s->mask), text(s->a), text(s->b));
        break;
    case S_ACTIVE: line("%s = __activemask();", target_of(s)); break;
    case S_ATOMIC: print_atomic(s); break;
    case S_CAS: print_cas(s); break;
    case S_BAG:
        line("s->bag[atomicAdd(&s->bag_count, 1u)] = %s;", text(s->a));
        break;
    case S_LOCK: print_lock(s); break;
    case S_FLAG: print_flag(s); break;
    case S_RELAY: print_relay(s); break;
    case S_NAMED: print_named(s); break;
    case S_ARRIVE: print_arrive(s); break;
    case S_LAST_BLOCK: print_last_block(s); break;
    case S_BLOCK_RELAY: print_block_relay(s); break;
    }
}

static void print_list(const struct List *l)
{
    for (const struct Stmt *s = l->first; s; s = s->next)
        print_stmt(s);
}

static void print_kernel(const struct Kernel *k)
{
    printf("\n/* seed %" PRIu64 ":", k->seed);
    int column = 20;
    for (int i = 0; i < FEATURES; i++)
        if (k->has[i]) {
            if (column + strlen(feature_text[i]) > 76) {
                printf("\n *");
                column = 2;
            }
            column += printf(" %s", feature_text[i]);
        }
    printf(" */\n");
    for (int i = 0; i < k->functions; i++) {
        const struct Function *f = printed = &k->function[i];
        printf("static __device__ %sunsigned %s(", f->inlining, f->name);
        for (int v = 0; v < f->parameters; v++)
            printf("%sunsigned %s", v ? ", " : "", name_of(v));
        printf(")\n{\n");
        print_body(&f->body);
        printf("    return %s;\n}\n", bare(f->value));
    }
    printed = &k->main;
    printf("static __global__ void k%" PRIu64 "(unsigned *out, State *s)\n"
           "{\n", k->seed);
    indent = 1;
    line("__shared__ Shared h;");
    line("begin(&h);");
    if (k->array)
        line("unsigned w[4] = { 1, 2, 3, thread() };");
    line(k->mask_form ? "unsigned m0 = __ballot_sync(0xffffffffu, 1);"
                      : "unsigned m0 = lanes_that_exist();");
    print_list(&k->main.body);
    print_leave();
    line("end(&h, s);");
    indent = 0;
    printf("}\n");
}

static const char main_text[] =
"static void must(cudaError_t e, const char *what, unsigned long long seed)\n"
"{\n"
"    if (e == cudaSuccess)\n"
"        return;\n"
"    fflush(stdout);\n"
"    fprintf(stderr, \"seed %llu: %s: %s\\n\", seed, what,\n"
"            cudaGetErrorString(e));\n"
"    exit(1);\n"
"}\n"
"static unsigned long long hash_of(unsigned long long h, const void *p,\n"
"                                  size_t bytes)\n"
"{\n"
"    const unsigned char *b = (const unsigned char *)p;\n"
"    for (size_t i = 0; i < bytes; i++)\n"
"        h = (h ^ b[i]) * 0x100000001b3ull;\n"
"    return h;\n"
"}\n"
"static unsigned in[256], result[3 * 128];\n"
"static State before, after;\n"
"static unsigned *out;\n"
"static State *state;\n"
"\n"
"static unsigned long long run(const Kernel *k)\n"
"{\n"
"    unsigned long long h = 0xcbf29ce484222325ull;\n"
"    for (int i = 0; i < 3; i++) {\n"
"        size_t bytes = (size_t)k->blocks[i] * k->width[i] * k->height[i] * 4;\n"
"        must(cudaMemset(out, 0, sizeof result), \"cudaMemset\", k->seed);\n"
"        must(cudaMemcpy(state, &before, sizeof before,\n"
"                        cudaMemcpyHostToDevice), \"cudaMemcpy\", k->seed);\n"
"        k->start<<<dim3(k->blocks[i]), dim3(k->width[i], k->height[i])>>>(\n"
"            out, state);\n"
"        must(cudaGetLastError(), \"launch\", k->seed);\n"
"        must(cudaDeviceSynchronize(), \"kernel\", k->seed);\n"
"        must(cudaMemcpy(result, out, bytes, cudaMemcpyDeviceToHost),\n"
"             \"cudaMemcpy\", k->seed);\n"
"        must(cudaMemcpy(&after, state, sizeof after,\n"
"                        cudaMemcpyDeviceToHost), \"cudaMemcpy\", k->seed);\n"
"        unsigned long long bag = 0;\n"
"        for (unsigned n = 0; n < after.bag_count; n++)\n"
"            bag += filler(after.bag[n]);\n"
"        h = hash_of(h, result, bytes);\n"
"        h = hash_of(h, &after, offsetof(State, bag));\n"
"        h = hash_of(h, &bag, sizeof bag);\n"
"    }\n"
"    return h;\n"
"}\n"
"\n"
"/* Arguments: the seeds to run, or none for all. */\n"
"int main(int argc, char **argv)\n"
"{\n"
"    for (unsigned i = 0; i < 256; i++)\n"
"        in[i] = filler(1000 + i);\n"
"    for (unsigned i = 0; i < 48; i++)\n"
"        before.word[i] = filler(i);\n"
"    for (unsigned i = 0; i < 12; i++)\n"
"        before.wide[i] = (unsigned long long)filler(i) << 32 | i;\n"
"    for (unsigned i = 0; i < 16; i++)\n"
"        before.guarded[i] = filler(i);\n"
"    must(cudaMalloc(&out, sizeof result), \"cudaMalloc\", 0);\n"
"    must(cudaMalloc(&state, sizeof before), \"cudaMalloc\", 0);\n"
"    must(cudaMemcpyToSymbol(input, in, sizeof in), \"cudaMemcpyToSymbol\", 0);\n"
"    for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++) {\n"
"        bool wanted = argc < 2;\n"
"        for (int k = 1; k < argc; k++)\n"
"            wanted |= strtoull(argv[k], NULL, 10) == kernel[i].seed;\n"
"        if (!wanted)\n"
"            continue;\n"
"        printf(\"%llu %016llx\\n\", kernel[i].seed, run(&kernel[i]));\n"
"        fflush(stdout);\n"
"    }\n"
"    must(cudaFree(out), \"cudaFree\", 0);\n"
"    must(cudaFree(state), \"cudaFree\", 0);\n"
"    return 0;\n"
"}\n";

static void print_prelude(void) { fputs(prelude, stdout); }

/* One line for each kernel: its launches. */
static void print_main(uint64_t first, uint64_t count)
{
    static struct Kernel k;
    printf("\nstruct Kernel {\n"
           "    unsigned long long seed;\n"
           "    void (*start)(unsigned *, State *);\n"
           "    int blocks[3], width[3], height[3];\n"
           "};\n"
           "static const Kernel kernel[] = {\n");
    for (uint64_t seed = first; seed < first + count; seed++) {
        make_kernel(&k, seed);
        printf("    { %" PRIu64 ", k%" PRIu64 ",", seed, seed);
        const int *numbers[] = { k.blocks, k.width, k.height };
        for (int i = 0; i < 3; i++)
            printf(" { %d, %d, %d }%s", numbers[i][0], numbers[i][1],
                   numbers[i][2], i < 2 ? "," : " },\n");
    }
    printf("};\n\n%s", main_text);
}
