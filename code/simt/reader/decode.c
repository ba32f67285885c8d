/* Tangled from chapters/workshop/ptx.nw, "Statements become instructions".  Edit it there. */

#include "simt/executor/execute.h"
#include "simt/executor/hopper.h"
#include "simt/executor/rows.h"
#include "simt/executor/tensor.h"
#include "simt/executor/wgmma.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* limits of a kernel */
enum {
    MAX_CODE   = 1 << 18,       /* instructions, calls expanded          */
    MAX_CALLS  = 16,            /* nested                                */
    MAX_UNITS  = 1 << 24,       /* of a register file: 64 MiB            */
    MAX_LOCAL  = 512 * 1024,    /* bytes a thread, as CUDA               */
};

/* the decoder's state */
struct Fixup { int at; const char *label; int entry; };

/* One expansion of a function in a kernel. */
struct Frame {
    struct Function *f;
    uint32_t *unit;             /* of each register; 0: none yet         */
    int fixup;                  /* first of its own                      */
    bool is_kernel;
};

struct Decoder {
    struct Module *m;
    struct Text *t;
    struct Pool *pool;
    struct Error *e;
    bool failed;
    int kernel;                 /* number, for Variable.kernel           */
    struct Frame *frame;
    const struct Statement *s;
    struct Instruction *code;
    int n, room;
    uint32_t units;
    struct Constant *constants;
    int n_constants, constants_room;
    int *hash, hash_size;       /* into constants; -1: free              */
    struct Fixup *fixups;
    int n_fixups, fixups_room;
    uint32_t static_shared, dynamic_align, local_bytes, param_bytes;
    uint32_t scratch;           /* a register for `_`                    */
    int calls;
    int wide;
    struct Function **by_name;
};

/* refuse a statement */
static bool refuse(struct Decoder *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse(struct Decoder *d, const char *format, ...)
{
    char what[600], where[300] = "";
    va_list args;
    if (d->failed)
        return false;
    d->failed = true;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    const struct Statement *s = d->s;
    if (s && s->line && s->file < d->t->n_files && d->t->files[s->file])
        snprintf(where, sizeof where, "%s:%d: ", d->t->files[s->file],
                 s->line);
    return error_set(d->e, "%s%s (PTX line %d, in %.60s)", where, what,
                     s ? s->ptx_line : 0,
                     d->frame ? d->frame->f->name : "?");
}

static bool unknown(struct Decoder *d)
{
    return refuse(d, "the software GPU does not know the instruction "
                  "'%.60s'; write it with others, or add it in "
                  "code/simt/reader/decode.c", d->s->op);
}

/* parts of an opcode */
/* "ld.global.f32" gives "ld", "global", "f32", then false. */
struct Part { const char *rest; char text[32]; };

static bool next_part(struct Part *p)
{
    if (!p->rest || !*p->rest)
        return false;
    size_t n = strcspn(p->rest, ".");
    size_t keep = n < sizeof p->text - 1 ? n : sizeof p->text - 1;
    memcpy(p->text, p->rest, keep);
    p->text[keep] = 0;
    p->rest += n + (p->rest[n] == '.');
    return true;
}

static bool part_is(const struct Part *p, const char *name)
{
    return !strcmp(p->text, name);
}

static bool part_in(const struct Part *p, const char *names)
{
    size_t n = strlen(p->text);
    const char *at = n ? names : NULL;          /* ".." has empty parts */
    for (; at && (at = strstr(at, p->text)); at += n)
        if ((at == names || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return true;
    return false;
}

/* Does the opcode have this part? */
static bool has_part(const char *op, const char *name)
{
    struct Part p = { .rest = op };
    while (next_part(&p))
        if (part_is(&p, name))
            return true;
    return false;
}

/* What does not change what is computed here. */
static const char IGNORED[] = "volatile relaxed acquire release acq_rel "
    "weak sc cta gpu sys cluster ca cg cs lu cv wb wt nc sync aligned uni "
    "mmio L1::evict_normal L1::evict_first L1::evict_last "
    "L1::evict_unchanged L1::no_allocate L2::64B L2::128B L2::256B";

/* Do other threads see the access in an order that can be relied on? */
static void strength(struct Instruction *i)
{
    bool release = has_part(i->name, "release") ||
                   has_part(i->name, "acq_rel");
    if (release)
        i->flags |= FLAG_RELEASE;
    if (release && has_part(i->name, "cta"))
        i->flags |= FLAG_BLOCK;
    if (release || has_part(i->name, "volatile") ||
        has_part(i->name, "relaxed") || has_part(i->name, "acquire"))
        i->flags |= FLAG_STRONG;
}

/* constants become registers */
static uint32_t new_units(struct Decoder *d, uint32_t n)
{
    uint32_t at = d->units;
    if (n > MAX_UNITS - d->units) {
        refuse(d, "the kernel uses too many registers");
        return 0;
    }
    d->units += n;
    return at;
}

static uint32_t constant(struct Decoder *d, enum ConstantKind kind,
                         uint64_t value)
{
    if (d->n_constants * 2 >= d->hash_size) {
        int size = d->hash_size ? 2 * d->hash_size : 256;
        d->hash = pool_alloc(d->pool, (size_t)size * sizeof *d->hash);
        d->hash_size = size;
        for (int i = 0; i < size; i++)
            d->hash[i] = -1;
        for (int i = 0; i < d->n_constants; i++) {
            const struct Constant *c = &d->constants[i];
            uint64_t h = (c->value + (uint64_t)c->kind * 77) *
                         0x9e3779b97f4a7c15u >> 32;
            while (d->hash[h % (unsigned)size] >= 0)
                h++;
            d->hash[h % (unsigned)size] = i;
        }
    }
    uint64_t h = (value + (uint64_t)kind * 77) * 0x9e3779b97f4a7c15u >> 32;
    for (;; h++) {
        int *slot = &d->hash[h % (unsigned)d->hash_size];
        if (*slot < 0) {
            *slot = d->n_constants;
            break;
        }
        const struct Constant *c = &d->constants[*slot];
        if (c->kind == kind && c->value == value)
            return c->unit;
    }
    struct Constant c = { kind, new_units(d, kind == CONSTANT_LONG ?
                          2 * LANES : LANES), value };
    d->constants = pool_grow(d->pool, d->constants, d->n_constants,
                             &d->constants_room, sizeof c);
    d->constants[d->n_constants++] = c;
    return c.unit;
}

/* place a register */
/* A predicate takes one unit, but is given 16: places stay aligned. */
static uint32_t place_register(struct Decoder *d, const struct Operand *o)
{
    uint32_t *unit = &d->frame->unit[o->reg];
    if (!*unit)
        *unit = new_units(d, type_bytes(o->type) == 8 ? 2 * LANES :
                          o->type == PRED ? 16 : LANES);
    return *unit;
}

static bool fits(const struct Operand *o, char letter)
{
    int bytes = type_bytes(o->type);
    return letter == 'p' ? o->type == PRED :
           letter == 'l' || letter == 'd' ? bytes == 8 :
           bytes > 0 && bytes <= 4;
}

/* The letter of a register for data of a type. */
static char letter_of(enum Type type, bool wide)
{
    if (wide)
        return type == F64 ? 'd' : 'l';
    return type == F32 ? 'f' : 'w';
}

static uint32_t place_destination(struct Decoder *d,
                                  const struct Operand *o, char letter)
{
    if (o->kind == OPERAND_NONE)
        return d->scratch;
    if (o->kind != OPERAND_REGISTER || o->address || o->not) {
        refuse(d, "'%.60s' wants a register for its result", d->s->op);
        return 0;
    }
    if (!fits(o, letter)) {
        refuse(d, "'%.60s' cannot write register %.40s of type .%s",
               d->s->op, o->name, type_names[o->type]);
        return 0;
    }
    return place_register(d, o);
}

/* addresses of functions */
/* 0: there is no such function.  A body counts more than a declaration. */
static uint64_t function_address(const struct Text *t, const char *name)
{
    uint64_t address = 0;
    for (int k = 0; k < t->n_functions; k++)
        if (!strcmp(t->functions[k].name, name) &&
            (!address || t->functions[k].has_body))
            address = FUNCTION_WINDOW + 16 * ((uint64_t)k + 1);
    return address;
}

static void take_address(struct Text *t, const char *name)
{
    for (int k = 0; k < t->n_functions; k++)
        if (!strcmp(t->functions[k].name, name))
            t->functions[k].taken = true;
}

/* Every name in an initial value, or in code that is no jump or call. */
static void take_addresses(struct Text *t)
{
    for (int k = 0; k < t->n_variables; k++)
        for (const struct Start *s = t->variables[k]->starts;
             s; s = s->next)
            take_address(t, s->name);
    for (int k = 0; k < t->n_functions; k++)
        for (int i = 0; i < t->functions[k].n_code; i++) {
            const struct Statement *s = &t->functions[k].code[i];
            for (int j = 0; j < s->operands; j++)
                if (s->operand[j].kind == OPERAND_NAME &&
                    s->op[0] != 'b' && strncmp(s->op, "call", 4))
                    take_address(t, s->operand[j].name);
        }
}

/* place an operand */
static uint32_t place_special(struct Decoder *d, const char *name)
{
    static const struct {
        const char *name;
        enum ConstantKind kind;
    } of[] = {
        { "%tid.x", CONSTANT_TID_X }, { "%tid.y", CONSTANT_TID_Y },
        { "%tid.z", CONSTANT_TID_Z }, { "%ntid.x", CONSTANT_NTID_X },
        { "%ntid.y", CONSTANT_NTID_Y }, { "%ntid.z", CONSTANT_NTID_Z },
        { "%ctaid.x", CONSTANT_CTAID_X }, { "%ctaid.y", CONSTANT_CTAID_Y },
        { "%ctaid.z", CONSTANT_CTAID_Z },
        { "%nctaid.x", CONSTANT_NCTAID_X },
        { "%nctaid.y", CONSTANT_NCTAID_Y },
        { "%nctaid.z", CONSTANT_NCTAID_Z }, { "%laneid", CONSTANT_LANEID },
        { "%warpid", CONSTANT_WARPID }, { "%nwarpid", CONSTANT_NWARPID },
        { "%lanemask_eq", CONSTANT_MASK_EQ },
        { "%lanemask_le", CONSTANT_MASK_LE },
        { "%lanemask_lt", CONSTANT_MASK_LT },
        { "%lanemask_ge", CONSTANT_MASK_GE },
        { "%lanemask_gt", CONSTANT_MASK_GT },
        { "%dynamic_smem_size", CONSTANT_DYNAMIC_SHARED },
        { "%total_smem_size", CONSTANT_TOTAL_SHARED },
        { "%smid", CONSTANT_ZERO }, { "%nsmid", CONSTANT_ONE },
        { "%gridid", CONSTANT_ZERO },
        /* registers of a cluster */
        { "%cluster_ctaid.x", CONSTANT_CLUSTER_CTAID_X },
        { "%cluster_ctaid.y", CONSTANT_CLUSTER_CTAID_Y },
        { "%cluster_ctaid.z", CONSTANT_CLUSTER_CTAID_Z },
        { "%cluster_nctaid.x", CONSTANT_CLUSTER_NCTAID_X },
        { "%cluster_nctaid.y", CONSTANT_CLUSTER_NCTAID_Y },
        { "%cluster_nctaid.z", CONSTANT_CLUSTER_NCTAID_Z },
        { "%clusterid.x", CONSTANT_CLUSTER_X },
        { "%clusterid.y", CONSTANT_CLUSTER_Y },
        { "%clusterid.z", CONSTANT_CLUSTER_Z },
        { "%nclusterid.x", CONSTANT_NCLUSTER_X },
        { "%nclusterid.y", CONSTANT_NCLUSTER_Y },
        { "%nclusterid.z", CONSTANT_NCLUSTER_Z },
        { "%cluster_ctarank", CONSTANT_CLUSTER_RANK },
        { "%cluster_nctarank", CONSTANT_CLUSTER_BLOCKS },
        { "%is_explicit_cluster", CONSTANT_IS_CLUSTER },
        /* registers of a cooperative grid */
        { "%envreg2", CONSTANT_WORKSPACE_LOW },
        { "%envreg1", CONSTANT_WORKSPACE_HIGH },
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (!strcmp(of[i].name, name))
            return constant(d, of[i].kind, 0);
    refuse(d, "the software GPU has no register %.40s", name);
    return 0;
}

static uint64_t address_of(const struct Variable *v)
{
    return v->space == SPACE_GLOBAL || v->space == SPACE_CONST ? v->address
                                                               : v->place;
}

static uint32_t place_number(struct Decoder *d, const struct Operand *o,
                             char letter)
{
    enum Type type = letter == 'f' ? F32 : letter == 'd' ? F64 :
                     letter == 'l' ? B64 : B32;
    uint64_t bits;
    if (letter == 'p')
        return constant(d, CONSTANT_BITS, o->value ? ALL_LANES : 0);
    if (!number_as(&bits, o, type))
        refuse(d, "'%.60s' has a number of another kind", d->s->op);
    return type_bytes(type) == 8 ? constant(d, CONSTANT_LONG, bits)
                                 : constant(d, CONSTANT_WORD,
                                            (uint32_t)bits);
}

/* The units of a source: w 32 bits, f float, l 64 bits, d double, p. */
static uint32_t place(struct Decoder *d, const struct Operand *o,
                      char letter)
{
    bool longer = letter == 'l' || letter == 'd';
    if (o->address || o->not) {
        refuse(d, o->not && letter == 'p' ? "'%.60s' cannot negate a "
               "predicate; write not.pred before it" :
               "'%.60s' has an operand it cannot have", d->s->op);
        return 0;
    }
    switch (o->kind) {
    case OPERAND_REGISTER:
        if (fits(o, letter))
            return place_register(d, o);
        refuse(d, "'%.60s' cannot read register %.40s of type .%s",
               d->s->op, o->name, type_names[o->type]);
        return 0;
    case OPERAND_NUMBER: case OPERAND_FLOAT: case OPERAND_DOUBLE:
        return place_number(d, o, letter);
    case OPERAND_SPECIAL:
        if (letter == 'w')
            return place_special(d, o->name);
        break;
    case OPERAND_VARIABLE:
        if (o->variable->external && o->variable->space != SPACE_SHARED) {
            refuse(d, "variable '%.80s' is only declared; define it in the "
                   "same file", o->name);
            return 0;
        }
        if (letter == 'w' || letter == 'l')
            return constant(d, longer ? CONSTANT_LONG : CONSTANT_WORD,
                            longer ? address_of(o->variable) + o->value :
                            (uint32_t)(address_of(o->variable) + o->value));
        break;
    case OPERAND_NAME: {
        uint64_t address = function_address(d->t, o->name);
        if (letter == 'l' && address)
            return constant(d, CONSTANT_LONG, address);
        break;
    }
    default:
        break;
    }
    refuse(d, "'%.60s': operand '%.60s' is neither a register nor a number",
           d->s->op, o->name ? o->name : "{");
    return 0;
}

/* p or !p, where an instruction takes both. */
static uint32_t place_either(struct Decoder *d, const struct Operand *o,
                             uint32_t *flags)
{
    struct Operand plain = *o;
    plain.not = false;
    *flags |= o->not ? FLAG_NOT : 0;
    return place(d, &plain, 'p');
}

/* place an address */
static bool place_address(struct Decoder *d, const struct Operand *o,
                          uint32_t *unit, int64_t *offset, uint32_t *flags,
                          uint32_t wide_flag)
{
    if (!o->address)
        return refuse(d, "'%.60s' wants an address in brackets", d->s->op);
    struct Operand plain = *o;
    plain.address = false;
    plain.value = 0;
    *offset = (int64_t)o->value;
    if (o->kind == OPERAND_REGISTER) {
        bool wide = type_bytes(o->type) == 8;
        *unit = place(d, &plain, wide ? 'l' : 'w');
        *flags |= wide ? wide_flag : 0;
        return !d->failed;
    }
    *flags |= wide_flag;
    if (o->kind == OPERAND_NUMBER)
        *offset = 0, plain.value = o->value;
    else if (o->kind != OPERAND_VARIABLE)
        return refuse(d, "'%.60s': '%.60s' is not an address", d->s->op,
                      o->name ? o->name : "{");
    *unit = place(d, &plain, 'l');
    return !d->failed;
}

/* emit an instruction */
static struct Instruction start(struct Decoder *d, Handler *run)
{
    const struct Statement *s = d->s;
    struct Instruction i = {
        .run = run, .name = s->op, .file = s->file, .line = s->line,
        .ptx_line = s->ptx_line, .width = 1, .target = -1, .meet = -1,
    };
    if (s->guard >= 0) {
        struct Operand o = { .kind = OPERAND_REGISTER, .reg = s->guard,
                             .type = PRED };
        i.guard = place_register(d, &o);
        i.guard_not = s->guard_not ? ALL_LANES : 0;
        i.guarded = true;
    } else {
        i.guard = constant(d, CONSTANT_BITS, ALL_LANES);
    }
    return i;
}

static bool emit(struct Decoder *d, const struct Instruction *i)
{
    if (d->failed)
        return false;
    if (d->n == MAX_CODE)
        return refuse(d, "a kernel of more than %d instructions", MAX_CODE);
    d->code = pool_grow(d->pool, d->code, d->n, &d->room, sizeof *i);
    d->code[d->n++] = *i;
    return true;
}

static bool want(struct Decoder *d, int least, int most)
{
    int n = d->s->operands;
    return (n >= least && n <= most) ||
           refuse(d, "'%.60s' with %d operands", d->s->op, n);
}

/* decode what only computes */
/* "add.rn.f32" is looked up as add_f32. */
static void row_name(const char *op, char *name, size_t size)
{
    struct Part p = { .rest = op };
    size_t n = 0;
    bool plain = false;
    name[0] = 0;
    while (next_part(&p)) {
        if (n == 0)
            plain = part_in(&p, "add sub mul");
        else if (plain && part_is(&p, "rn"))
            continue;
        n += (size_t)snprintf(name + n, size - n, "%s%s", n ? "_" : "",
                              p.text);
        if (n >= size)
            return;
    }
}

static enum Work work_of(const char *name, int *flop)
{
    static const struct {
        const char *start, *end;
        enum Work work;
        int flop;
    } kinds[] = {
        { "add", "_f32", WORK_FADD, 1 }, { "sub", "_f32", WORK_FADD, 1 },
        { "mul", "_f32", WORK_FMUL, 1 }, { "fma", "_f32", WORK_FFMA, 2 },
        { "mad", "_f32", WORK_FFMA, 2 },
        { "add", "_f64", WORK_DOUBLE, 1 },
        { "sub", "_f64", WORK_DOUBLE, 1 },
        { "mul", "_f64", WORK_DOUBLE, 1 },
        { "fma", "_f64", WORK_DOUBLE, 2 },
        { "mad", "_f64", WORK_DOUBLE, 2 },
        { "add", "f16", WORK_HALF, 1 }, { "sub", "f16", WORK_HALF, 1 },
        { "mul", "f16", WORK_HALF, 1 }, { "fma", "f16", WORK_HALF, 2 },
        { "add", "f16x2", WORK_HALF, 2 }, { "sub", "f16x2", WORK_HALF, 2 },
        { "mul", "f16x2", WORK_HALF, 2 }, { "fma", "f16x2", WORK_HALF, 4 },
        { "ex2", "", WORK_SPECIAL, 0 }, { "lg2", "", WORK_SPECIAL, 0 },
        { "rcp", "", WORK_SPECIAL, 0 }, { "rsqrt", "", WORK_SPECIAL, 0 },
        { "sqrt", "", WORK_SPECIAL, 0 }, { "sin", "", WORK_SPECIAL, 0 },
        { "cos", "", WORK_SPECIAL, 0 }, { "tanh", "", WORK_SPECIAL, 0 },
        { "div", "_f32", WORK_SPECIAL, 0 },
    };
    size_t n = strlen(name);
    *flop = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t end = strlen(kinds[k].end);
        if (!strncmp(name, kinds[k].start, strlen(kinds[k].start)) &&
            n >= end && !strcmp(name + n - end, kinds[k].end)) {
            *flop = kinds[k].flop;
            return kinds[k].work;
        }
    }
    return WORK_OTHER;
}

static bool decode_row(struct Decoder *d)
{
    const struct Statement *s = d->s;
    char name[100];
    row_name(s->op, name, sizeof name - 2);
    if (!strncmp(name, "cvt_", 4) && s->operands == 2 &&
        s->operand[1].kind == OPERAND_REGISTER &&
        type_bytes(s->operand[1].type) == 8 &&
        name[strlen(name) - 1] != '4')
        strcat(name, "_x");
    const struct Row *row = row_named(name);
    if (!row)
        return unknown(d);
    int n = (int)strlen(row->operands);
    if (!want(d, n, n))
        return false;
    struct Instruction i = start(d, row->run[d->wide]);
    uint32_t *to[] = { &i.d[0], &i.a[0], &i.b[0], &i.c[0], &i.c[1] };
    for (int k = 1; k < n; k++)
        *to[k] = place(d, &s->operand[k], row->operands[k]);
    i.d[0] = place_destination(d, &s->operand[0], row->operands[0]);
    i.work = work_of(name, &i.flop);
    return emit(d, &i);
}

/* decode comparisons and predicates */
/* setp.lt.and.s32 p|q, a, b, c */
static bool decode_setp(struct Decoder *d)
{
    const struct Statement *s = d->s;
    struct Part p = { .rest = s->op };
    char name[100] = "";
    struct Instruction i = start(d, run_setp);
    i.op = OP_NONE;
    next_part(&p);
    for (size_t n = 0; next_part(&p) && n < 60; n = strlen(name)) {
        if (n && part_in(&p, "and or xor"))
            i.op = part_is(&p, "and") ? OP_AND : part_is(&p, "or") ? OP_OR
                                                                   : OP_XOR;
        else
            snprintf(name + n, sizeof name - n, "%s%s", n ? "_" : "",
                     p.text);
    }
    const struct CompareRow *row = compare_named(name);
    if (!row)
        return unknown(d);
    int n = i.op == OP_NONE ? 3 : 4;
    if (!want(d, n, n))
        return false;
    i.compare = row->run[d->wide];
    i.a[0] = place(d, &s->operand[1], row->operands[0]);
    i.b[0] = place(d, &s->operand[2], row->operands[1]);
    if (n == 4)
        i.c[0] = place_either(d, &s->operand[3], &i.flags);
    i.d[0] = place_destination(d, &s->operand[0], 'p');
    i.d[1] = s->operand[0].second ?
        place_destination(d, s->operand[0].second, 'p') : d->scratch;
    return emit(d, &i);
}

static bool decode_selp(struct Decoder *d)
{
    const struct Statement *s = d->s;
    const char *dot = strrchr(s->op, '.');
    enum Type type = dot ? type_named(dot + 1, strlen(dot + 1)) : TYPE_NONE;
    int bytes = type_bytes(type);
    if (bytes < 2 || !want(d, 4, 4))
        return bytes < 2 ? unknown(d) : false;
    char letter = letter_of(type, bytes == 8);
    struct Instruction i = start(d, bytes == 8 ? run_select8 : run_select4);
    i.a[0] = place(d, &s->operand[1], letter);
    i.b[0] = place(d, &s->operand[2], letter);
    i.c[0] = place_either(d, &s->operand[3], &i.flags);
    i.d[0] = place_destination(d, &s->operand[0], letter);
    return emit(d, &i);
}

static bool decode_logic(struct Decoder *d)
{
    const struct Statement *s = d->s;
    if (!has_part(s->op, "pred"))
        return decode_row(d);
    struct Instruction i = start(d, run_logic_pred);
    int n = !strncmp(s->op, "not", 3) ? 2 : 3;
    if (!want(d, n, n))
        return false;
    i.op = !strncmp(s->op, "and", 3) ? OP_AND :
           !strncmp(s->op, "or", 2) ? OP_OR : OP_XOR;
    i.a[0] = place(d, &s->operand[1], 'p');
    i.b[0] = n == 3 ? place(d, &s->operand[2], 'p')
                    : constant(d, CONSTANT_BITS, ALL_LANES);
    i.d[0] = place_destination(d, &s->operand[0], 'p');
    return emit(d, &i);
}

/* decode mov */
static bool decode_pack(struct Decoder *d, const struct Operand *list,
                        const struct Operand *whole, bool unpack, int bytes)
{
    struct Instruction i = start(d, unpack ? run_unpack : run_pack);
    int n = list->n, size = n ? bytes / n : 0;
    if ((n != 2 && n != 4) || size < 1 || size == 8)
        return unknown(d);
    i.width = n;
    i.size = size;
    i.flags |= bytes == 8 ? FLAG_WIDE : 0;
    char letter = bytes == 8 ? 'l' : 'w';
    for (int k = 0; k < n && !d->failed; k++)
        if (unpack)
            i.d[k] = place_destination(d, &list->list[k], 'w');
        else
            i.a[k] = place(d, &list->list[k], 'w');
    if (unpack)
        i.a[0] = place(d, whole, letter);
    else
        i.d[0] = place_destination(d, whole, letter);
    return emit(d, &i);
}

/* mov.u64 d, %clock64: the time is another one at each look */
static bool decode_clock(struct Decoder *d, enum Type type)
{
    struct Instruction i = start(d, run_clock);
    i.size = type_bytes(type);
    i.d[0] = place_destination(d, &d->s->operand[0],
                               i.size == 8 ? 'l' : 'w');
    return emit(d, &i);
}

static bool decode_mov(struct Decoder *d)
{
    const struct Statement *s = d->s;
    const char *dot = strrchr(s->op, '.');
    enum Type type = dot ? type_named(dot + 1, strlen(dot + 1)) : TYPE_NONE;
    if (!want(d, 2, 2))
        return false;
    if (s->operand[0].kind == OPERAND_LIST)
        return decode_pack(d, &s->operand[0], &s->operand[1], true,
                           type_bytes(type));
    if (s->operand[1].kind == OPERAND_LIST)
        return decode_pack(d, &s->operand[1], &s->operand[0], false,
                           type_bytes(type));
    if (s->operand[1].kind == OPERAND_SPECIAL &&
        (strstr(s->operand[1].name, "clock") ||
         strstr(s->operand[1].name, "timer")))
        return decode_clock(d, type);
    if (type != PRED)
        return decode_row(d);
    struct Instruction i = start(d, run_mov_pred);
    i.a[0] = place(d, &s->operand[1], 'p');
    i.d[0] = place_destination(d, &s->operand[0], 'p');
    return emit(d, &i);
}

/* decode addresses */
static enum Space space_of(const struct Part *p)
{
    return part_in(p, "global") ? SPACE_GLOBAL :
           part_in(p, "shared shared::cta shared::cluster") ?
           SPACE_SHARED :
           part_is(p, "local") ? SPACE_LOCAL :
           part_is(p, "const") ? SPACE_CONST :
           part_in(p, "param param::entry param::func") ? SPACE_PARAM :
           SPACE_GENERIC;
}

/* cvta.to.shared.u64 d, a: from the generic space to a window's own. */
static bool decode_cvta(struct Decoder *d)
{
    const struct Statement *s = d->s;
    struct Part p = { .rest = s->op };
    struct Instruction i = start(d, run_to_window);
    bool to = false, wide = false;
    i.space = SPACE_GENERIC;
    for (next_part(&p); next_part(&p);) {
        if (part_is(&p, "to"))
            to = true;
        else if (part_is(&p, "u64"))
            wide = true;
        else if (space_of(&p) != SPACE_GENERIC)
            i.space = space_of(&p);
        else
            return unknown(d);
    }
    if (!wide || i.space == SPACE_GENERIC || i.space == SPACE_PARAM)
        return unknown(d);
    if (!want(d, 2, 2))
        return false;
    i.run = to ? run_to_window : run_from_window;
    i.a[0] = place(d, &s->operand[1], 'l');
    i.d[0] = place_destination(d, &s->operand[0], 'l');
    return emit(d, &i);
}

static bool decode_isspacep(struct Decoder *d)
{
    const struct Statement *s = d->s;
    struct Part p = { .rest = s->op };
    struct Instruction i = start(d, run_is_space);
    next_part(&p);
    next_part(&p);
    i.space = space_of(&p);
    if (i.space > SPACE_CONST)
        return unknown(d);
    if (!want(d, 2, 2))
        return false;
    i.a[0] = place(d, &s->operand[1], 'l');
    i.d[0] = place_destination(d, &s->operand[0], 'p');
    return emit(d, &i);
}

/* decode loads and stores */
static bool memory_parts(struct Decoder *d, struct Instruction *i)
{
    struct Part p = { .rest = d->s->op };
    i->space = SPACE_GENERIC;
    i->type = TYPE_NONE;
    for (next_part(&p); next_part(&p);) {
        enum Type type = type_named(p.text, strlen(p.text));
        if (part_in(&p, "v2 v4"))
            i->width = p.text[1] - '0';
        else if (type_bytes(type))
            i->type = (int)type;
        else if (space_of(&p) != SPACE_GENERIC)
            i->space = space_of(&p);
        else if (!part_in(&p, IGNORED))
            return unknown(d);
    }
    i->size = type_bytes((enum Type)i->type);
    return (i->size && i->size * i->width <= 16) || unknown(d);
}

/* Registers of the data: one, or as many as the vector has elements. */
static bool place_data(struct Decoder *d, struct Instruction *i,
                       const struct Operand *o, bool load)
{
    uint32_t *unit = load ? i->d : i->b;
    int n = o->kind == OPERAND_LIST ? o->n : 1;
    enum Type type = (enum Type)i->type;
    if (n != i->width)
        return refuse(d, "'%.60s' with %d registers of data", d->s->op, n);
    for (int k = 0; k < n && !d->failed; k++) {
        const struct Operand *r = o->kind == OPERAND_LIST ? &o->list[k] : o;
        bool wide = i->size == 8 || (r->kind == OPERAND_REGISTER &&
                                     type_bytes(r->type) == 8);
        char letter = letter_of(type, wide);
        if (k && wide != !!(i->flags & FLAG_WIDE))
            return refuse(d, "'%.60s' with registers of two widths",
                          d->s->op);
        i->flags |= wide ? FLAG_WIDE : 0;
        unit[k] = load ? place_destination(d, r, letter)
                       : place(d, r, letter);
    }
    if (type == S8 || type == S16 || type == S32)
        i->flags |= FLAG_SIGNED;
    return !d->failed;
}

/* Parameters: of the kernel, the same for all threads; of a function that
 * was expanded, a place in local memory.  An array in one of them may be
 * indexed, so that each lane reads at an address of its own. */
static bool decode_param(struct Decoder *d, struct Instruction *i,
                         const struct Operand *at, bool load)
{
    uint64_t offset = at->value;
    uint64_t bytes = (uint64_t)i->size * (uint64_t)i->width;
    if (at->kind != OPERAND_VARIABLE) {
        if (!load)
            return refuse(d, "'%.60s' with an address that is computed",
                          d->s->op);
        i->run = d->frame->is_kernel ? run_param_at : run_frame_at;
        return place_address(d, at, &i->a[0], &i->offset, &i->flags,
                             FLAG_A64) && emit(d, i);
    }
    const struct Variable *v = at->variable;
    if (v->space != SPACE_PARAM || offset > v->bytes ||
        bytes > v->bytes - offset)
        return refuse(d, "'%.60s' outside of '%.60s'", d->s->op, v->name);
    bool entry = false;
    for (int k = 0; d->frame->is_kernel && k < d->frame->f->n_params; k++)
        entry |= d->frame->f->params[k] == v;
    if (entry && !load)
        return refuse(d, "a kernel cannot store to its parameters");
    i->offset = (int64_t)(v->place + offset);
    i->run = entry ? run_param : load ? run_frame_load : run_frame_store;
    return emit(d, i);
}

static bool decode_memory(struct Decoder *d)
{
    const struct Statement *s = d->s;
    bool load = s->op[0] == 'l';
    struct Instruction i = start(d, load ? run_load[d->wide]
                                           : run_store[d->wide]);
    if (!memory_parts(d, &i) || !want(d, 2, 2))
        return false;
    const struct Operand *data = &s->operand[load ? 0 : 1];
    const struct Operand *at = &s->operand[load ? 1 : 0];
    if (!at->address)
        return refuse(d, "'%.60s' wants an address in brackets", s->op);
    i.access = load ? ACCESS_LOAD : ACCESS_STORE;
    if (i.space == SPACE_PARAM)
        return place_data(d, &i, data, load) &&
               decode_param(d, &i, at, load);
    if (!load && i.space == SPACE_CONST)
        return unknown(d);
    strength(&i);
    return place_address(d, at, &i.a[0], &i.offset, &i.flags, FLAG_A64) &&
           place_data(d, &i, data, load) && emit(d, &i);
}

/* decode atomics */
static enum Op op_named(const char *name)
{
    static const struct { const char *name; enum Op op; } ops[] = {
        { "and", OP_AND }, { "or", OP_OR }, { "xor", OP_XOR },
        { "add", OP_ADD }, { "inc", OP_INC }, { "dec", OP_DEC },
        { "min", OP_MIN }, { "max", OP_MAX }, { "exch", OP_EXCH },
        { "cas", OP_CAS }, { "up", OP_UP }, { "down", OP_DOWN },
        { "bfly", OP_BFLY }, { "idx", OP_IDX }, { "all", OP_ALL },
        { "any", OP_ANY }, { "uni", OP_UNI }, { "ballot", OP_BALLOT },
        { "popc", OP_POPC },
    };
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        if (!strcmp(ops[k].name, name))
            return ops[k].op;
    return OP_NONE;
}

/* An atomic operation: what it counts as, whether red has it, too, and
 * whether floats have it. */
static const struct AtomicRow {
    enum Op op;
    enum AtomicKind kind;
    bool red, floats;
} atomic_rows[] = {
    { OP_AND,  ATOMIC_LOGIC,  true,  false },
    { OP_OR,   ATOMIC_LOGIC,  true,  false },
    { OP_XOR,  ATOMIC_LOGIC,  true,  false },
    { OP_ADD,  ATOMIC_ADD,    true,  true },
    { OP_INC,  ATOMIC_ADD,    true,  false },
    { OP_DEC,  ATOMIC_ADD,    true,  false },
    { OP_MIN,  ATOMIC_MINMAX, true,  true },
    { OP_MAX,  ATOMIC_MINMAX, true,  true },
    { OP_EXCH, ATOMIC_EXCH,   true,  true },
    { OP_CAS,  ATOMIC_CAS,    false, false },
};

static const struct AtomicRow *atomic_row(enum Op op)
{
    for (size_t k = 0; k < sizeof atomic_rows / sizeof *atomic_rows; k++)
        if (atomic_rows[k].op == op)
            return &atomic_rows[k];
    return NULL;
}

static bool is_float(enum Type t)
{
    return t == F16 || t == BF16 || t == F16X2 || t == BF16X2 || t == F32 ||
           t == F64;
}

/* The operation, the type and the space of an atomic's opcode. */
static bool atomic_parts(struct Decoder *d, struct Instruction *i)
{
    struct Part p = { .rest = d->s->op };
    i->space = SPACE_GENERIC;
    for (next_part(&p); next_part(&p);) {
        enum Type type = type_named(p.text, strlen(p.text));
        if (type_bytes(type) >= 2)
            i->type = (int)type;
        else if (space_of(&p) != SPACE_GENERIC)
            i->space = space_of(&p);
        else if (atomic_row(op_named(p.text)))
            i->op = (int)op_named(p.text);
        else if (!part_in(&p, IGNORED) && !part_is(&p, "noftz"))
            return unknown(d);
    }
    i->size = type_bytes((enum Type)i->type);
    i->is_64 = i->size == 8;
    i->is_float = is_float((enum Type)i->type);
    return true;
}

static bool atomic_known(const struct Instruction *i, bool red)
{
    const struct AtomicRow *row = atomic_row((enum Op)i->op);
    return row && i->size && (!red || row->red) &&
           (!i->is_float || row->floats) &&
           (i->space == SPACE_GLOBAL || i->space == SPACE_SHARED ||
            i->space == SPACE_GENERIC);
}

static enum AtomicKind atomic_kind(const struct Instruction *i,
                                   const struct Operand *value)
{
    bool one = value->kind == OPERAND_NUMBER && value->value == 1;
    if (i->op == OP_ADD && one && i->size == 4 && !i->is_float)
        return ATOMIC_INC1;
    return atomic_row((enum Op)i->op)->kind;
}

/* atom.global.add.f32 d, [a], b;  atom.cas d, [a], b, c;  red has no d. */
static bool decode_atomic(struct Decoder *d)
{
    struct Instruction i = start(d, run_atomic);
    bool red = d->s->op[0] == 'r';
    const struct Operand *result = d->s->operand, *at = result + !red;
    if (!atomic_parts(d, &i))
        return false;
    if (!atomic_known(&i, red))
        return unknown(d);
    int n = (i.op == OP_CAS ? 4 : 3) - red;
    if (!want(d, n, n))
        return false;
    char letter = letter_of((enum Type)i.type, i.is_64);
    if (!place_address(d, &at[0], &i.a[0], &i.offset, &i.flags, FLAG_A64))
        return false;
    i.b[0] = place(d, &at[1], letter);
    if (i.op == OP_CAS)
        i.c[0] = place(d, &at[2], letter);
    i.d[0] = red ? d->scratch : place_destination(d, result, letter);
    i.access = red || result->kind == OPERAND_NONE ? ACCESS_RED
                                                   : ACCESS_ATOM;
    i.atomic = atomic_kind(&i, &at[1]);
    strength(&i);
    return emit(d, &i);
}

/* decode cp.async */
/* cp.async.ca or .cg, then .shared.global and perhaps a hint. */
static bool is_copy(const char *op)
{
    struct Part p = { .rest = op + 12 };
    if ((strncmp(op, "cp.async.ca.", 12) &&
         strncmp(op, "cp.async.cg.", 12)) ||
        !next_part(&p) || space_of(&p) != SPACE_SHARED ||
        !next_part(&p) || space_of(&p) != SPACE_GLOBAL)
        return false;
    while (next_part(&p))
        if (!part_in(&p, "L2::64B L2::128B L2::256B"))
            return false;
    return true;
}

static bool decode_bulk(struct Decoder *d);
static bool decode_async_arrive(struct Decoder *d);

static bool decode_async(struct Decoder *d)
{
    const struct Statement *s = d->s;
    if (!strncmp(s->op, "cp.async.bulk", 13) ||
        !strncmp(s->op, "cp.reduce", 9))
        return decode_bulk(d);
    if (!strncmp(s->op, "cp.async.mbarrier.arrive", 24))
        return decode_async_arrive(d);
    if (!strcmp(s->op, "cp.async.commit_group") ||
        !strcmp(s->op, "cp.async.wait_all")) {
        struct Instruction i = start(d, s->op[9] == 'c' ? run_async_commit
                                                        : run_async_wait);
        i.offset = -1;          /* wait for what is not committed, too */
        return want(d, 0, 0) && emit(d, &i);
    }
    if (!strcmp(s->op, "cp.async.wait_group")) {
        struct Instruction i = start(d, run_async_wait);
        if (!want(d, 1, 1))
            return false;
        if (s->operand[0].kind != OPERAND_NUMBER ||
            s->operand[0].value > 1 << 20)
            return refuse(d, "cp.async.wait_group wants a number");
        i.offset = (int64_t)s->operand[0].value;
        return emit(d, &i);
    }
    bool ca = s->op[10] == 'a';
    if (!is_copy(s->op))
        return unknown(d);
    struct Instruction i = start(d, run_async);
    if (!want(d, 3, 4))
        return false;
    uint64_t size = s->operand[2].value;
    if (s->operand[2].kind != OPERAND_NUMBER ||
        !(size == 16 || (ca && (size == 4 || size == 8))))
        return refuse(d, "'%.60s' copies 16 bytes (.ca also 4 or 8)",
                      s->op);
    i.size = (int)size;
    i.access = ca ? ACCESS_ASYNC_CA : ACCESS_ASYNC_CG;
    i.space = SPACE_GLOBAL;
    place_address(d, &s->operand[0], &i.b[0], &i.offset2, &i.flags,
                  FLAG_B64);
    place_address(d, &s->operand[1], &i.a[0], &i.offset, &i.flags,
                  FLAG_A64);
    if (s->operands == 4 && s->operand[3].type == PRED)
        return refuse(d, "'%.60s' with a predicate; give the size of the "
                      "source instead", s->op);
    i.c[0] = s->operands == 4 ? place(d, &s->operand[3], 'w')
                              : constant(d, CONSTANT_WORD, size);
    return emit(d, &i);
}

/* decode matrix instructions */
/* ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r0, r1, r2, r3}, [a] */
static bool decode_ldmatrix(struct Decoder *d)
{
    const struct Statement *s = d->s;
    struct Part p = { .rest = s->op };
    bool load = s->op[0] == 'l', shape = false, type = false;
    struct Instruction i = start(d, load ? run_ldmatrix : run_stmatrix);
    i.sync = SYNC_ALL;
    i.width = 0;
    for (next_part(&p); next_part(&p);) {
        if (part_in(&p, "x1 x2 x4"))
            i.width = p.text[1] - '0';
        else if (part_is(&p, "trans"))
            i.op = OP_TRANS;
        else if (part_is(&p, "m8n8"))
            shape = true;
        else if (part_is(&p, "b16"))
            type = true;
        else if (!part_in(&p, "sync aligned") &&
                 space_of(&p) != SPACE_SHARED)
            return unknown(d);
    }
    if (!i.width || !shape || !type)
        return unknown(d);
    if (!want(d, 2, 2))
        return false;
    i.type = B32;
    i.size = 4;
    i.space = has_part(s->op, "shared") || has_part(s->op, "shared::cta") ?
              SPACE_SHARED : SPACE_GENERIC;
    i.access = load ? ACCESS_LDMATRIX : ACCESS_STMATRIX;
    return place_data(d, &i, &s->operand[load ? 0 : 1], load) &&
           place_address(d, &s->operand[load ? 1 : 0], &i.a[0], &i.offset,
                         &i.flags, FLAG_A64) && emit(d, &i);
}

static const struct MmaRow {
    const char *name;
    struct Mma mma;
} mma_rows[] = {
#define MMA(shape, types, ...)                                          \
    { "mma.sync.aligned." shape ".row.col." types, __VA_ARGS__ }
#define MMA_SP(types, ...)                                              \
    { "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col." types,  \
      __VA_ARGS__ }
#define MMA_INTEGER(shape, depth, how, x, y, of, other)                 \
    MMA(shape, how "s32." x "." y ".s32", { .type = of, .k = depth,     \
        .mixed = true, .b = other, .saturate = sizeof how > 1 })
#define MMA_INTEGERS(x, y, of, other)                                   \
    MMA_INTEGER("m16n8k16", 16, "", x, y, of, other),                   \
    MMA_INTEGER("m16n8k16", 16, "satfinite.", x, y, of, other),         \
    MMA_INTEGER("m16n8k32", 32, "", x, y, of, other),                   \
    MMA_INTEGER("m16n8k32", 32, "satfinite.", x, y, of, other)
    MMA("m16n8k16", "f32.bf16.bf16.f32", { .type = MMA_BF16, .k = 16 }),
    MMA("m16n8k16", "f32.f16.f16.f32",   { .type = MMA_HALF, .k = 16 }),
    MMA("m16n8k16", "f16.f16.f16.f16",   { .type = MMA_HALF, .k = 16,
                                           .half_sum = true }),
    MMA("m16n8k8",  "f32.bf16.bf16.f32", { .type = MMA_BF16, .k = 8 }),
    MMA("m16n8k8",  "f32.f16.f16.f32",   { .type = MMA_HALF, .k = 8 }),
    MMA("m16n8k8",  "f16.f16.f16.f16",   { .type = MMA_HALF, .k = 8,
                                           .half_sum = true }),
    MMA("m16n8k8",  "f32.tf32.tf32.f32", { .type = MMA_TF32, .k = 8 }),
    MMA("m16n8k4",  "f32.tf32.tf32.f32", { .type = MMA_TF32, .k = 4 }),
    MMA("m16n8k32", "f32.e4m3.e4m3.f32", { .type = MMA_E4M3, .k = 32 }),
    MMA("m16n8k32", "f32.e5m2.e5m2.f32", { .type = MMA_E5M2, .k = 32 }),
    MMA("m16n8k32", "f32.e4m3.e5m2.f32", { .type = MMA_E4M3, .k = 32,
                                           .mixed = true, .b = MMA_E5M2 }),
    MMA("m16n8k32", "f32.e5m2.e4m3.f32", { .type = MMA_E5M2, .k = 32,
                                           .mixed = true, .b = MMA_E4M3 }),
    MMA_INTEGERS("s8", "s8", MMA_S8, MMA_S8),
    MMA_INTEGERS("s8", "u8", MMA_S8, MMA_U8),
    MMA_INTEGERS("u8", "s8", MMA_U8, MMA_S8),
    MMA_INTEGERS("u8", "u8", MMA_U8, MMA_U8),
    MMA_SP("f32.bf16.bf16.f32",          { .type = MMA_BF16, .k = 32,
                                           .sparse = true }),
    MMA_SP("f32.f16.f16.f32",            { .type = MMA_HALF, .k = 32,
                                           .sparse = true }),
};

static bool place_list(struct Decoder *d, const struct Operand *o,
                       uint32_t *unit, int n, bool destination)
{
    struct Operand one = { .kind = OPERAND_LIST, .n = 1,
                           .list = (struct Operand *)o };
    if (n == 1 && o->kind == OPERAND_REGISTER)
        o = &one;
    if (o->kind != OPERAND_LIST || o->n != n)
        return refuse(d, "'%.60s' wants a list of %d registers", d->s->op,
                      n);
    for (int k = 0; k < n && !d->failed; k++)
        unit[k] = destination ? place_destination(d, &o->list[k], 'w')
                              : place(d, &o->list[k], 'w');
    return !d->failed;
}

/* What a sparse A has besides: a register of metadata and the selector. */
static bool place_metadata(struct Decoder *d, struct Instruction *i)
{
    const struct Operand *selector = &d->s->operand[5];
    if (selector->kind != OPERAND_NUMBER || selector->value > 1)
        return refuse(d, "'%.60s' wants the selector 0 or 1", d->s->op);
    i->metadata = place(d, &d->s->operand[4], 'w');
    i->op = (int)selector->value;
    return !d->failed;
}

static bool decode_mma(struct Decoder *d)
{
    const struct Statement *s = d->s;
    const struct MmaRow *row = NULL;
    for (size_t k = 0; k < sizeof mma_rows / sizeof *mma_rows; k++)
        if (!strcmp(mma_rows[k].name, s->op))
            row = &mma_rows[k];
    if (!row)
        return unknown(d);
    const int operands = row->mma.sparse ? 6 : 4;
    if (!want(d, operands, operands))
        return false;
    struct Instruction i = start(d, run_mma);
    i.sync = SYNC_ALL;
    i.mma = &row->mma;
    i.work = WORK_TENSOR;
    i.flop = mma_flop(&row->mma);
    if (row->mma.sparse && !place_metadata(d, &i))
        return false;
    return place_list(d, &s->operand[1], i.a, mma_a_registers(&row->mma),
                      false) &&
           place_list(d, &s->operand[2], i.b, mma_b_registers(&row->mma),
                      false) &&
           place_list(d, &s->operand[3], i.c, mma_c_registers(&row->mma),
                      false) &&
           place_list(d, &s->operand[0], i.d, mma_c_registers(&row->mma),
                      true) && emit(d, &i);
}

/* decode wgmma */
static bool immediate(struct Decoder *d, int k, int64_t least, int64_t *x)
{
    const struct Operand *o = &d->s->operand[k];
    *x = (int64_t)o->value;
    return (o->kind == OPERAND_NUMBER && (*x == 1 || *x == least)) ||
           refuse(d, "'%.60s': operand %d is neither 1 nor %d", d->s->op,
                  k + 1, (int)least);
}

static bool wgmma_immediates(struct Decoder *d, struct Wgmma *g)
{
    int64_t x[4] = { 1, 1, 0, 0 };
    bool turns = tensor_bytes(g->a) == 2;
    int scales = g->integers ? 0 : 2;
    int all = scales + (turns ? g->a_shared ? 2 : 1 : 0);
    if (!want(d, 4 + all, 4 + all))
        return false;
    for (int k = 0; k < all; k++)
        if (!immediate(d, 4 + k, k < scales ? -1 : 0, &x[k]))
            return false;
    g->minus_a = x[0] < 0;
    g->minus_b = x[1] < 0;
    g->a_transposed = g->a_shared && x[2];
    g->b_transposed = g->a_shared ? x[3] : x[2];
    return true;
}

static bool wgmma_sums(struct Decoder *d, struct Wgmma *g)
{
    const struct Operand *o = &d->s->operand[0];
    if (o->kind != OPERAND_LIST || o->n != g->sums)
        return refuse(d, "'%.60s' wants a list of %d registers", d->s->op,
                      g->sums);
    g->d = pool_alloc(d->pool, (size_t)g->sums * sizeof *g->d);
    for (int k = 0; k < g->sums && !d->failed; k++)
        g->d[k] = place_destination(d, &o->list[k], 'w');
    return !d->failed;
}

static bool decode_wgmma_async(struct Decoder *d)
{
    const struct Statement *s = d->s;
    struct Wgmma *g = pool_alloc(d->pool, sizeof *g);
    struct Instruction i = start(d, run_wgmma);
    if (!wgmma_named(g, s->op))
        return unknown(d);
    if (!want(d, 4, 8))
        return false;
    g->a_shared = s->operand[1].kind != OPERAND_LIST;
    if (!wgmma_immediates(d, g) || !wgmma_sums(d, g))
        return false;
    /* place the factors of a wgmma */
    if (g->a_shared)
        i.a[0] = place(d, &s->operand[1], 'l');
    else if (!place_list(d, &s->operand[1], i.a, 4, false))
        return false;
    i.b[0] = place(d, &s->operand[2], 'l');
    i.c[0] = place_either(d, &s->operand[3], &i.flags);
    g->scale_not = i.flags & FLAG_NOT;
    i.wgmma = g;
    i.sync = SYNC_ALL;
    i.work = WORK_TENSOR;
    i.flop = 2 * 16 * g->n * g->k;      /* of a warp */
    return emit(d, &i);
}

static bool decode_wgmma(struct Decoder *d)
{
    const struct Statement *s = d->s;
    bool fence = !strcmp(s->op, "wgmma.fence.sync.aligned");
    bool commit = !strcmp(s->op, "wgmma.commit_group.sync.aligned");
    bool wait = !strcmp(s->op, "wgmma.wait_group.sync.aligned");
    if (!fence && !commit && !wait)
        return decode_wgmma_async(d);
    struct Instruction i = start(d, fence ? run_wgmma_fence : commit ?
                                    run_wgmma_commit : run_wgmma_wait);
    if (!want(d, wait, wait))
        return false;
    if (wait && (s->operand[0].kind != OPERAND_NUMBER ||
                 s->operand[0].value > 7))
        return refuse(d, "'%.60s' wants a number from 0 to 7", s->op);
    i.offset = wait ? (int64_t)s->operand[0].value : 0;
    i.sync = SYNC_ALL;
    return emit(d, &i);
}

enum { MARK = 1, CONSTANT = 2 };

static bool moves_marked(const struct Instruction *i, unsigned char *mark)
{
    bool move = !strncmp(i->name, "mov.", 4) && i->width == 1 &&
                i->a[0] && i->d[0];
    if (!move || mark[i->a[0] / 16] == CONSTANT ||
        mark[i->a[0] / 16] == mark[i->d[0] / 16])
        return false;
    mark[i->a[0] / 16] = mark[i->d[0] / 16] = MARK;
    return true;
}

static bool has_marked(const struct Instruction *i,
                       const unsigned char *mark)
{
    int all = 0;
    for (int k = 0; k < 4; k++)
        all |= mark[i->a[k] / 16] | mark[i->b[k] / 16] |
               mark[i->c[k] / 16] | mark[i->d[k] / 16];
    return all & MARK;
}

static bool mark_named(struct Decoder *d, unsigned char *mark)
{
    bool any = false;
    for (int k = 0; k < d->n_constants; k++)
        mark[d->constants[k].unit / 16] = CONSTANT;
    for (int k = 0; k < d->n; k++) {
        const struct Wgmma *g = d->code[k].wgmma;
        any |= g != NULL;
        for (int j = 0; g && j < g->sums; j++)
            mark[g->d[j] / 16] = MARK;
        for (int j = 0; g && !g->a_shared && j < 4; j++)
            mark[d->code[k].a[j] / 16] = MARK;
    }
    return any;
}

static void mark_wgmma(struct Decoder *d)
{
    unsigned char *mark = pool_alloc(d->pool, d->units / 16 + 1);
    bool more = mark_named(d, mark);
    if (!more)
        return;
    while (more) {
        more = false;
        for (int k = 0; k < d->n; k++)
            more |= moves_marked(&d->code[k], mark);
    }
    for (int k = 0; k < d->n; k++)
        d->code[k].near_wgmma = has_marked(&d->code[k], mark);
}

/* decode what helps wgmma */
static bool decode_setmaxnreg(struct Decoder *d)
{
    const struct Statement *s = d->s;
    struct Instruction i = start(d, run_setmaxnreg);
    bool more = !strcmp(s->op, "setmaxnreg.inc.sync.aligned.u32");
    if (!more && strcmp(s->op, "setmaxnreg.dec.sync.aligned.u32"))
        return unknown(d);
    if (!want(d, 1, 1))
        return false;
    uint64_t n = s->operand[0].value;
    if (s->operand[0].kind != OPERAND_NUMBER || n < 24 || n > 256 || n % 8)
        return refuse(d, "'%.60s' wants a multiple of 8 from 24 to 256",
                      s->op);
    i.op = more ? OP_INC : OP_DEC;
    i.offset = (int64_t)n;
    i.sync = SYNC_ALL;
    return emit(d, &i);
}

/* elect.sync d|p, mask */
static bool decode_elect(struct Decoder *d)
{
    const struct Operand *o = d->s->operand;
    struct Instruction i = start(d, run_elect);
    if (strcmp(d->s->op, "elect.sync"))
        return unknown(d);
    if (!want(d, 2, 2))
        return false;
    if (!o[0].second)
        return refuse(d, "elect.sync wants a predicate for its result");
    i.sync = SYNC_MASK;
    i.c[1] = place(d, &o[1], 'w');
    i.d[0] = place_destination(d, &o[0], 'w');
    i.d[1] = place_destination(d, o[0].second, 'p');
    return emit(d, &i);
}

static bool decode_movmatrix(struct Decoder *d)
{
    struct Instruction i = start(d, run_movmatrix);
    if (strcmp(d->s->op, "movmatrix.sync.aligned.m8n8.trans.b16"))
        return unknown(d);
    if (!want(d, 2, 2))
        return false;
    i.sync = SYNC_ALL;
    i.a[0] = place(d, &d->s->operand[1], 'w');
    i.d[0] = place_destination(d, &d->s->operand[0], 'w');
    return emit(d, &i);
}

/* decode warp instructions */
/* shfl.sync.down.b32 d|p, a, b, c, mask */
static bool decode_shuffle(struct Decoder *d)
{
    const struct Statement *s = d->s;
    struct Part p = { .rest = s->op };
    struct Instruction i = start(d, run_shuffle);
    i.sync = SYNC_MASK;
    bool sync = false, type = false;
    for (next_part(&p); next_part(&p);) {
        if (part_in(&p, "up down bfly idx"))
            i.op = (int)op_named(p.text);
        else if (part_is(&p, "sync"))
            sync = true;
        else if (part_is(&p, "b32"))
            type = true;
        else
            return unknown(d);
    }
    if (!sync || !type || i.op == OP_NONE)
        return unknown(d);
    if (!want(d, 5, 5))
        return false;
    i.a[0] = place(d, &s->operand[1], 'w');
    i.b[0] = place(d, &s->operand[2], 'w');
    i.c[0] = place(d, &s->operand[3], 'w');
    i.c[1] = place(d, &s->operand[4], 'w');
    i.d[0] = place_destination(d, &s->operand[0], 'w');
    i.d[1] = s->operand[0].second ?
        place_destination(d, s->operand[0].second, 'p') : d->scratch;
    return emit(d, &i);
}

/* A vote, a match or a reduction of a warp: the operations and the types
 * it may have, and what its result and its source are: p a predicate, w 32
 * bits, l 64. */
static const struct VoteRow {
    const char *name, *ops, *types;
    Handler *run;
    char result, source;
} vote_rows[] = {
    { "vote", "all any uni", "pred", run_vote, 'p', 'p' },
    { "vote", "ballot", "b32", run_vote, 'w', 'p' },
    { "match", "any all", "b32", run_match, 'w', 'w' },
    { "match", "any all", "b64", run_match, 'w', 'l' },
    { "redux", "and or xor add min max", "u32 s32 b32", run_redux, 'w',
      'w' },
};

/* The row of an opcode, and its operation and type; NULL: it has none. */
static const struct VoteRow *vote_row(const char *name, int *op, int *type)
{
    struct Part p = { .rest = name }, first, of = { 0 }, on = { 0 };
    bool sync = false;
    next_part(&p);
    for (first = p; next_part(&p);) {
        if (op_named(p.text) != OP_NONE)
            of = p;
        else if (type_named(p.text, strlen(p.text)) != TYPE_NONE)
            on = p;
        else if (part_is(&p, "sync"))
            sync = true;
        else
            return NULL;
    }
    *op = (int)op_named(of.text);
    *type = (int)type_named(on.text, strlen(on.text));
    for (size_t k = 0; k < sizeof vote_rows / sizeof *vote_rows; k++) {
        const struct VoteRow *row = &vote_rows[k];
        if (sync && part_is(&first, row->name) && part_in(&of, row->ops) &&
            part_in(&on, row->types))
            return row;
    }
    return NULL;
}

/* vote.sync.ballot.b32 d, p, mask;  match.any.sync.b32 d, a, mask;
 * redux.sync.add.u32 d, a, mask */
static bool decode_vote(struct Decoder *d)
{
    const struct Operand *o = d->s->operand;
    struct Instruction i = start(d, NULL);
    const struct VoteRow *row = vote_row(d->s->op, &i.op, &i.type);
    if (!row)
        return unknown(d);
    if (!want(d, 3, 3))
        return false;
    i.run = row->run;
    i.sync = SYNC_MASK;
    i.flags |= row->source == 'l' ? FLAG_WIDE : 0;
    i.a[0] = row->source == 'p' ? place_either(d, &o[1], &i.flags)
                                : place(d, &o[1], row->source);
    i.c[1] = place(d, &o[2], 'w');
    i.d[0] = place_destination(d, &o[0], row->result);
    i.d[1] = o[0].second ? place_destination(d, o[0].second, 'p')
                         : d->scratch;
    return emit(d, &i);
}

/* activemask.b32 d */
static bool decode_activemask(struct Decoder *d)
{
    struct Instruction i = start(d, run_activemask);
    if (strcmp(d->s->op, "activemask.b32"))
        return unknown(d);
    if (!want(d, 1, 1))
        return false;
    i.d[0] = place_destination(d, &d->s->operand[0], 'w');
    return emit(d, &i);
}

/* decode barriers */
/* bar.sync a {, threads};  bar.red.popc.u32 d, a, {threads,} p;
 * bar.arrive a, threads;  bar.warp.sync mask */
static bool decode_cluster_barrier(struct Decoder *d);

static bool decode_barrier(struct Decoder *d)
{
    if (!strncmp(d->s->op, "barrier.cluster.", 16))
        return decode_cluster_barrier(d);
    const struct Statement *s = d->s;
    struct Part p = { .rest = s->op };
    struct Instruction i = start(d, run_barrier);
    i.sync = SYNC_ALL;
    enum { SYNC = 1, RED, ARRIVE } kind = 0;
    i.type = TYPE_NONE;
    if (!strcmp(s->op, "bar.warp.sync")) {
        if (!want(d, 1, 1))
            return false;
        i.run = run_warp_sync;
        i.sync = SYNC_MASK;
        i.c[1] = place(d, &s->operand[0], 'w');
        return emit(d, &i);
    }
    for (next_part(&p); next_part(&p);) {
        if (part_in(&p, "sync red arrive"))
            kind = part_is(&p, "sync") ? SYNC : part_is(&p, "red") ? RED
                                                                   : ARRIVE;
        else if (part_in(&p, "popc and or"))
            i.op = (int)op_named(p.text);
        else if (part_in(&p, "u32 pred"))
            i.type = p.text[0] == 'u' ? U32 : PRED;
        else if (!part_in(&p, "cta aligned"))
            return unknown(d);
    }
    if (!kind || (kind == RED) != (i.op != OP_NONE))
        return unknown(d);
    int at = kind == RED, most = at + 2 + (kind == RED);
    if (!want(d, at + 1 + (kind == RED), most))
        return false;
    i.work = WORK_BARRIER;
    i.a[0] = place(d, &s->operand[at], 'w');
    bool counted = s->operands == most;
    if (kind == ARRIVE && !counted)
        return refuse(d, "'%.60s' wants a number of threads", s->op);
    i.b[0] = counted ? place(d, &s->operand[at + 1], 'w')
                     : constant(d, CONSTANT_WORD, 0);
    i.size = kind == ARRIVE;
    if (kind == RED) {
        i.c[0] = place_either(d, &s->operand[s->operands - 1], &i.flags);
        i.d[0] = place_destination(d, &s->operand[0],
                                   i.op == OP_POPC ? 'w' : 'p');
    }
    return emit(d, &i);
}

/* decode branches */
static bool add_fixup(struct Decoder *d, const char *label, int entry)
{
    struct Fixup x = { d->n, label, entry };
    d->fixups = pool_grow(d->pool, d->fixups, d->n_fixups,
                          &d->fixups_room, sizeof x);
    d->fixups[d->n_fixups++] = x;
    return true;
}

static const struct Label *label_named(const struct Function *f,
                                       const char *name)
{
    int low = 0, high = f->n_labels - 1;
    while (low <= high) {
        int mid = (low + high) / 2;
        int order = strcmp(name, f->labels[mid].name);
        if (order == 0)
            return &f->labels[mid];
        if (order < 0)
            high = mid - 1;
        else
            low = mid + 1;
    }
    return NULL;
}

static bool decode_branch(struct Decoder *d)
{
    const struct Statement *s = d->s;
    bool table = !strncmp(s->op, "brx", 3);
    struct Instruction i = start(d, table ? run_branch_table : run_branch);
    i.work = WORK_BRANCH;
    if (!table) {
        if (strcmp(s->op, "bra") && strcmp(s->op, "bra.uni"))
            return unknown(d);
        if (!want(d, 1, 1) || s->operand[0].kind != OPERAND_NAME)
            return refuse(d, "'%.60s' wants a label", s->op);
        return add_fixup(d, s->operand[0].name, -1) && emit(d, &i);
    }
    if (strcmp(s->op, "brx.idx") && strcmp(s->op, "brx.idx.uni"))
        return unknown(d);
    if (!want(d, 2, 2))
        return false;
    const struct Label *l = s->operand[1].kind == OPERAND_NAME ?
        label_named(d->frame->f, s->operand[1].name) : NULL;
    if (!l || !l->table)
        return refuse(d, "'%.60s' wants the label of .branchtargets",
                      s->op);
    const struct Operand *list = &l->table->operand[0];
    if (list->n > MAX_CODE - d->n)
        return refuse(d, "a kernel of more than %d instructions", MAX_CODE);
    i.a[0] = place(d, &s->operand[0], 'w');
    i.width = list->n;
    i.table = pool_alloc(d->pool, (size_t)list->n * sizeof *i.table);
    for (int k = 0; k < list->n; k++)
        add_fixup(d, list->list[k].name, k);
    return emit(d, &i);
}

/* A return of an expanded function goes on behind the call. */
static bool decode_return(struct Decoder *d)
{
    const char *op = d->s->op;
    if (strcmp(op, "ret") && strcmp(op, "ret.uni") && strcmp(op, "exit"))
        return unknown(d);
    bool leave = d->frame->is_kernel || op[0] == 'e';
    struct Instruction i = start(d, leave ? run_exit : run_branch);
    i.work = leave ? WORK_OTHER : WORK_BRANCH;
    return want(d, 0, 0) && (leave || add_fixup(d, NULL, -1)) &&
           emit(d, &i);
}

static bool decode_trap(struct Decoder *d)
{
    struct Instruction i = start(d, run_trap);
    return emit(d, &i);
}

static bool decode_nothing(struct Decoder *d)
{
    struct Instruction i = start(d, run_nothing);
    return emit(d, &i);
}

/* Here memory is always up to date; but the sanitizer wants to know. */
static bool decode_proxy_fence(struct Decoder *d);

static bool decode_fence(struct Decoder *d)
{
    if (has_part(d->s->op, "proxy") || has_part(d->s->op, "mbarrier_init"))
        return decode_proxy_fence(d);
    struct Instruction i = start(d, run_fence);
    i.flags |= has_part(d->s->op, "cta") ? FLAG_BLOCK : 0;
    return emit(d, &i);
}

/* decode calls */
static bool expand(struct Decoder *d, struct Function *f, bool is_kernel);

static int by_function(const void *a, const void *b)
{
    return strcmp((*(struct Function *const *)a)->name,
                  (*(struct Function *const *)b)->name);
}

static struct Function *function_named(struct Decoder *d, const char *name)
{
    struct Function key = { .name = name }, *p = &key;
    struct Function **at = bsearch(&p, d->by_name,
                                   (size_t)d->t->n_functions,
                                   sizeof p, by_function);
    if (!at)
        return NULL;
    while (at > d->by_name && !strcmp(at[-1]->name, name))
        at--;
    for (struct Function **end = d->by_name + d->t->n_functions;
         at < end && !strcmp((*at)->name, name); at++)
        if ((*at)->has_body)
            return *at;
    return NULL;
}

/* *to = the place of parameter k, which has 64 bits.  False: there is no
 * such parameter. */
static bool place_of(const struct Operand *list, int k, int64_t *to)
{
    if (k >= list->n || list->list[k].kind != OPERAND_VARIABLE ||
        list->list[k].variable->bytes != 8)
        return false;
    *to = (int64_t)list->list[k].variable->place;
    return true;
}

static bool decode_printf(struct Decoder *d, const struct Operand *args)
{
    struct Instruction i = start(d, run_printf);
    if (args->n != 2 || !place_of(args, 0, &i.offset) ||
        !place_of(args, 1, &i.offset2))
        return refuse(d, "vprintf wants a format and the arguments");
    return emit(d, &i);
}

/* decode a launch in a kernel */
static bool decode_child(struct Decoder *d, const struct Operand *args)
{
    struct Instruction i = start(d, run_child);
    if (args->n != 2 || !place_of(args, 0, &i.offset) ||
        !place_of(args, 1, &i.offset2))
        return refuse(d, "simt_launch_child wants two addresses");
    return emit(d, &i);
}

/* __assertfail(what, file, line, function, bytes of a char): the place is
 * that of the call itself */
static bool decode_assert(struct Decoder *d, const struct Operand *args)
{
    struct Instruction i = start(d, run_assert);
    if (args->n != 5 || !place_of(args, 0, &i.offset))
        return refuse(d, "__assertfail wants five arguments");
    return emit(d, &i);
}

/* Pointers and sizes have 64 bits. */
static bool decode_heap(struct Decoder *d, const struct Operand *result,
                        const struct Operand *args, bool allocates)
{
    struct Instruction i = start(d, allocates ? run_malloc : run_free);
    if (args->n != 1 || !place_of(args, 0, &i.offset) ||
        result->n != allocates ||
        (allocates && !place_of(result, 0, &i.offset2)))
        return refuse(d, "malloc and free of a kernel want 64 bits");
    return emit(d, &i);
}

/* The places of the callee's parameters are those of the caller's. */
static bool fits_place(const struct Variable *formal,
                       const struct Operand *actual)
{
    return actual->kind == OPERAND_VARIABLE &&
           actual->variable->space == SPACE_PARAM &&
           actual->variable->bytes >= formal->bytes;
}

/* Do the arguments of a call, and its result, fit the function? */
static bool fitting(const struct Function *f, const struct Operand *result,
                    const struct Operand *args)
{
    if (args->n != f->n_params || result->n != (f->result != NULL))
        return false;
    for (int k = 0; k < args->n; k++)
        if (!fits_place(f->params[k], &args->list[k]))
            return false;
    return !f->result || fits_place(f->result, &result->list[0]);
}

static bool expand_call(struct Decoder *d, struct Function *f,
                        const struct Operand *result,
                        const struct Operand *args)
{
    for (int k = 0; k < args->n; k++)
        f->params[k]->place = args->list[k].variable->place;
    if (f->result)
        f->result->place = result->list[0].variable->place;
    return expand(d, f, false);
}

/* call through a pointer */
/* The functions that it may be.  way[k]: the number of function k among
 * them. */
static int candidates(struct Decoder *d, const struct Operand *result,
                      const struct Operand *args, struct Function **to,
                      int *way)
{
    int n = 0;
    for (int k = 0; k < d->t->n_functions; k++) {
        struct Function *f = &d->t->functions[k];
        way[k] = -1;
        if (f->has_body && f->taken && !f->open && !f->entry &&
            fitting(f, result, args)) {
            way[k] = n;
            to[n++] = f;
        }
    }
    for (int k = 0; k < d->t->n_functions; k++)
        way[k] = way[k] < 0 ? n : way[k];
    return n;
}

static bool call_pointer(struct Decoder *d, const struct Operand *result,
                         const struct Operand *pointer,
                         const struct Operand *args)
{
    size_t room = (size_t)d->t->n_functions + 1;
    struct Function **f = pool_alloc(d->pool, room * sizeof *f);
    int *way = pool_alloc(d->pool, room * sizeof *way);
    int *to = pool_alloc(d->pool, room * sizeof *to);
    int *end = pool_alloc(d->pool, room * sizeof *end);
    int n = candidates(d, result, args, f, way);
    struct Instruction which = start(d, run_which),
                       go = start(d, run_branch_table),
                       behind = start(d, run_branch),
                       none = start(d, run_no_function);
    which.a[0] = none.a[0] = place(d, pointer, 'l');
    which.d[0] = go.a[0] = new_units(d, LANES);
    which.table = way;
    which.width = d->t->n_functions;
    which.offset = n;
    go.table = to;
    go.width = n + 1;
    go.work = behind.work = WORK_BRANCH;
    if (!emit(d, &which) || !emit(d, &go))
        return false;
    for (int k = 0; k < n; k++) {
        to[k] = d->n;
        if (!expand_call(d, f[k], result, args))
            return false;
        end[k] = d->n;
        if (!emit(d, &behind))
            return false;
    }
    to[n] = d->n;
    if (!emit(d, &none))
        return false;
    for (int k = 0; k < n; k++)
        d->code[end[k]].target = d->n;
    return true;
}

static bool decode_call(struct Decoder *d)
{
    const struct Statement *s = d->s;
    const struct Operand *o = s->operand, none = { .kind = OPERAND_LIST };
    const struct Operand *end = o + s->operands;
    const struct Operand *result = o < end && o->kind == OPERAND_LIST ? o++
                                                                : &none;
    const struct Operand *name = o < end ? o++ : &none;
    const struct Operand *args = o < end && o->kind == OPERAND_LIST ? o++
                                                              : &none;
    if (s->guard >= 0)
        return refuse(d, "a call under a predicate; branch around it");
    if (name->kind == OPERAND_REGISTER)
        return call_pointer(d, result, name, args);
    if (name->kind != OPERAND_NAME || o != end)
        return refuse(d, "a call without the name of a function");
    if (!strcmp(name->name, "vprintf"))
        return decode_printf(d, args);
    if (!strcmp(name->name, "__assertfail"))
        return decode_assert(d, args);
    if (!strcmp(name->name, "simt_launch_child"))
        return decode_child(d, args);
    struct Function *f = function_named(d, name->name);
    if (!f && (!strcmp(name->name, "malloc") ||
               !strcmp(name->name, "free")))
        return decode_heap(d, result, args, name->name[0] == 'm');
    if (!f)
        return refuse(d, "function '%.80s' is called, but not in this "
                      "text; define it in the same file", name->name);
    if (f->open || f->entry)
        return refuse(d, "function '%.80s' calls itself; the software GPU "
                      "has no recursion", name->name);
    if (!fitting(f, result, args))
        return refuse(d, "the arguments of a call do not fit the function");
    return expand_call(d, f, result, args);
}

/* decode barriers and bulk copies of Hopper */
static const struct MbarrierRow {
    const char *name;
    enum MbarrierOp op;
    char result;                /* s a state or `_`, p a predicate, w    */
    int least, most;            /* operands after it                     */
} mbarrier_rows[] = {
    { "init",       MBARRIER_INIT,     0,   2, 2 },
    { "inval",      MBARRIER_INVAL,    0,   1, 1 },
    { "arrive",     MBARRIER_ARRIVE,   's', 1, 2 },
    { "arrive_drop", MBARRIER_DROP,    's', 1, 2 },
    { "expect_tx",  MBARRIER_EXPECT,   0,   2, 2 },
    { "complete_tx", MBARRIER_COMPLETE, 0,  2, 2 },
    { "test_wait",  MBARRIER_TEST,     'p', 2, 2 },
    { "try_wait",   MBARRIER_TRY,      'p', 2, 3 },
    { "pending_count", MBARRIER_PENDING, 'w', 1, 1 },
};

static const struct MbarrierRow *mbarrier_row(const char *name)
{
    size_t n = sizeof mbarrier_rows / sizeof *mbarrier_rows;
    for (size_t k = 0; k < n; k++)
        if (!strcmp(mbarrier_rows[k].name, name))
            return &mbarrier_rows[k];
    return NULL;
}

static bool mbarrier_parts(struct Decoder *d, struct Instruction *i,
                           struct Part *p)
{
    i->space = SPACE_GENERIC;
    while (next_part(p)) {
        if (part_is(p, "parity"))
            i->type |= BY_PARITY;
        else if (part_is(p, "expect_tx"))
            i->type |= ANNOUNCES;
        else if (space_of(p) == SPACE_SHARED)
            i->space = SPACE_SHARED;
        else if (!part_in(p, "b64 noComplete") && !part_in(p, IGNORED))
            return unknown(d);
    }
    return true;
}

static bool decode_mbarrier(struct Decoder *d)
{
    const struct Statement *s = d->s;
    struct Part p = { .rest = s->op };
    struct Instruction i = start(d, run_mbarrier);
    next_part(&p);
    const struct MbarrierRow *row = next_part(&p) ? mbarrier_row(p.text)
                                                  : NULL;
    if (!row || !mbarrier_parts(d, &i, &p))
        return row ? false : unknown(d);
    int first = row->result != 0;
    if (!want(d, row->least + first, row->most + first))
        return false;
    i.op = (int)row->op;
    i.access = row->op == MBARRIER_INIT || row->op == MBARRIER_INVAL
             ? ACCESS_STMATRIX : ACCESS_ATOM;
    if (row->op == MBARRIER_PENDING) {
        i.run = run_mbarrier_pending;
        i.a[0] = place(d, &s->operand[1], 'l');
        i.d[0] = place_destination(d, &s->operand[0], 'w');
        return emit(d, &i);
    }
    if (!place_address(d, &s->operand[first], &i.a[0], &i.offset, &i.flags,
                       FLAG_A64))
        return false;
    /* place the number of the barrier's instruction */
    bool state = row->result == 'p' && !(i.type & BY_PARITY);
    i.b[0] = s->operands > first + 1
        ? place(d, &s->operand[first + 1], state ? 'l' : 'w')
        : constant(d, CONSTANT_WORD, 1);
    if (row->result == 's' && s->operand[0].kind != OPERAND_NONE)
        i.d[0] = place_destination(d, &s->operand[0], 'l');
    if (row->result == 'p') {
        i.run = run_mbarrier_wait;
        i.d[0] = place_destination(d, &s->operand[0], 'p');
    }
    return emit(d, &i);
}

struct BulkName {
    int spaces;
    char to, from;              /* g global, s shared, 2 the L2 cache    */
    bool tensor, reduce, prefetch, known, hint;
};

static bool bulk_part(const struct Part *p, struct BulkName *n,
                      struct BulkForm *f)
{
    bool shared = space_of(p) == SPACE_SHARED;
    enum Type type = type_named(p->text, strlen(p->text));
    if (shared || part_in(p, "global L2")) {
        char c = shared ? 's' : p->text[0] == 'g' ? 'g' : '2';
        *(n->spaces++ ? &n->from : &n->to) = c;
    } else if (part_in(p, "1d 2d 3d 4d 5d"))
        f->rank = p->text[0] - '0';
    else if (part_is(p, "multicast::cluster"))
        f->multicast = true;
    else if (part_is(p, "reduce"))
        n->reduce = true;
    else if (part_is(p, "prefetch"))
        n->prefetch = true;
    else if (part_is(p, "tensor"))
        n->tensor = true;
    else if (part_is(p, "L2::cache_hint"))
        n->hint = true;
    else if (op_named(p->text) != OP_NONE && n->reduce)
        f->op = op_named(p->text);
    else if (type_bytes(type))
        f->type = type;
    else
        return part_in(p, "cp async bulk tile noftz "
                       "mbarrier::complete_tx::bytes bulk_group");
    return true;
}

static bool bulk_name(struct Decoder *d, struct BulkName *n,
                      struct BulkForm *f)
{
    struct Part p = { .rest = d->s->op };
    *n = (struct BulkName){ 0 };
    while (next_part(&p)) {
        if (!strncmp(p.text, "im2col", 6))
            return refuse(d, "'%.60s': the software GPU has tensor copies "
                          "in .tile mode only", d->s->op);
        if (!bulk_part(&p, n, f))
            return unknown(d);
    }
    f->way = n->to == 'g' ? BULK_STORE : n->from == 'g' ? BULK_LOAD
                                                        : BULK_ACROSS;
    bool typed = type_bytes(f->type) >= 2;
    return (n->spaces == 2 && n->tensor == (f->rank > 0) &&
            n->reduce == (f->op != OP_NONE) &&
            typed == (n->reduce && !n->tensor) &&
            !(n->to == 'g' && n->from == 'g')) || unknown(d);
}

static bool place_box(struct Decoder *d, struct Instruction *i,
                      const struct Operand *o, int rank)
{
    uint32_t *at[] = { &i->a[1], &i->a[2], &i->a[3], &i->b[1], &i->b[2] };
    const struct Operand *list = o->second;
    if (!rank)
        return true;
    if (!list || list->kind != OPERAND_LIST || list->n != rank)
        return refuse(d, "'%.60s' wants [map, {%d coordinates}]", d->s->op,
                      rank);
    for (int k = 0; k < rank && !d->failed; k++)
        *at[k] = place(d, &list->list[k], 'w');
    return !d->failed;
}

static bool place_bulk(struct Decoder *d, struct Instruction *i,
                       struct BulkForm *f, const struct BulkName *n)
{
    const struct Operand *o = d->s->operand;
    const struct Operand *shared = n->to == 's' && n->from == 'g' ? o
                                                                  : o + 1;
    const struct Operand *global = shared == o ? o + 1 : o;
    uint32_t wide = 0;
    int k = 2, bar = f->way != BULK_STORE, plain = !f->rank;
    if (!want(d, k + plain + bar + f->multicast + n->hint,
              k + plain + bar + f->multicast + n->hint))
        return false;
    if (!place_address(d, shared, &i->b[0], &i->offset2, &i->flags,
                       FLAG_B64) ||
        !place_address(d, global, &i->a[0], &i->offset, &i->flags,
                       FLAG_A64) || !place_box(d, i, global, f->rank))
        return false;
    if (plain)
        i->c[0] = place(d, &o[k++], 'w');
    if (bar && !place_address(d, &o[k++], &i->c[2], &f->bar_offset, &wide,
                              1))
        return false;
    f->bar_wide = wide;
    if (f->multicast)
        i->b[3] = place(d, &o[k], 'w');
    return !d->failed;
}

static bool decode_bulk_group(struct Decoder *d)
{
    const struct Statement *s = d->s;
    bool read = !strcmp(s->op, "cp.async.bulk.wait_group.read");
    struct Instruction i = start(d, run_bulk_wait);
    if (!strcmp(s->op, "cp.async.bulk.commit_group")) {
        i.run = run_bulk_commit;
        return want(d, 0, 0) && emit(d, &i);
    }
    if (!read && strcmp(s->op, "cp.async.bulk.wait_group"))
        return unknown(d);
    if (!want(d, 1, 1))
        return false;
    if (s->operand[0].kind != OPERAND_NUMBER)
        return refuse(d, "'%.60s' wants a number", s->op);
    i.offset = (int64_t)(s->operand[0].value & 0xffffffff);
    i.op = read;
    return emit(d, &i);
}

static bool decode_bulk(struct Decoder *d)
{
    struct BulkName name;
    struct BulkForm *f = pool_alloc(d->pool, sizeof *f);
    struct Instruction i = start(d, run_bulk);
    if (strstr(d->s->op, "_group") && !strstr(d->s->op, "bulk_group"))
        return decode_bulk_group(d);
    f->op = OP_NONE;
    if (!bulk_name(d, &name, f))
        return false;
    if (name.prefetch)
        return decode_nothing(d);
    i.bulk = f;
    return place_bulk(d, &i, f, &name) && emit(d, &i);
}

static bool decode_async_arrive(struct Decoder *d)
{
    struct BulkForm *f = pool_alloc(d->pool, sizeof *f);
    struct Instruction i = start(d, run_async_arrive);
    uint32_t wide = 0;
    if (!has_part(d->s->op, "b64"))
        return unknown(d);
    if (!want(d, 1, 1) ||
        !place_address(d, &d->s->operand[0], &i.c[2], &f->bar_offset, &wide,
                       1))
        return false;
    f->way = BULK_ARRIVE;
    f->bar_wide = wide;
    i.bulk = f;
    i.op = !has_part(d->s->op, "noinc");
    return emit(d, &i);
}

static bool decode_proxy_fence(struct Decoder *d)
{
    struct Instruction i = start(d, run_proxy_fence);
    return emit(d, &i);
}

static bool decode_policy(struct Decoder *d)
{
    struct Operand zero = { .kind = OPERAND_NUMBER };
    struct Statement s = { .op = "mov.b64", .operands = 2, .guard = -1,
        .operand = { d->s->operand[0], zero }, .file = d->s->file,
        .line = d->s->line, .ptx_line = d->s->ptx_line };
    const struct Statement *was = d->s;
    s.guard = was->guard;
    s.guard_not = was->guard_not;
    struct Statement *kept = pool_alloc(d->pool, sizeof s);
    *kept = s;
    d->s = kept;
    bool done = decode_mov(d);
    d->s = was;
    return done;
}

static bool decode_cluster_barrier(struct Decoder *d)
{
    const char *op = d->s->op;
    struct Instruction i = start(d, has_part(op, "arrive")
                                 ? run_cluster_arrive : run_cluster_wait);
    i.work = WORK_BARRIER;
    return want(d, 0, 0) && emit(d, &i);
}

/* mapa.shared::cluster.u32 d, a, rank;
 * getctarank.shared::cluster.u32 d, a */
static bool decode_mapa(struct Decoder *d)
{
    const struct Operand *o = d->s->operand;
    bool map = d->s->op[0] == 'm', wide = has_part(d->s->op, "u64");
    struct Instruction i = start(d, map ? run_mapa : run_getctarank);
    if (!wide && !has_part(d->s->op, "u32"))
        return unknown(d);
    if (!want(d, 2 + map, 2 + map))
        return false;
    i.size = wide ? 8 : 4;
    i.a[0] = place(d, &o[1], wide ? 'l' : 'w');
    if (map)
        i.b[0] = place(d, &o[2], 'w');
    i.d[0] = place_destination(d, &o[0], map && wide ? 'l' : 'w');
    return emit(d, &i);
}

/* the families of instructions */
static const struct Family {
    const char *name;
    bool (*decode)(struct Decoder *);
} families[] = {
    { "ld", decode_memory }, { "ldu", decode_memory },
    { "st", decode_memory }, { "mov", decode_mov }, { "setp", decode_setp },
    { "selp", decode_selp },
    { "and", decode_logic }, { "or", decode_logic },
    { "xor", decode_logic }, { "not", decode_logic },
    { "cvta", decode_cvta }, { "isspacep", decode_isspacep },
    { "atom", decode_atomic }, { "red", decode_atomic },
    { "cp", decode_async }, { "ldmatrix", decode_ldmatrix },
    { "stmatrix", decode_ldmatrix }, { "mma", decode_mma },
    { "shfl", decode_shuffle }, { "vote", decode_vote },
    { "match", decode_vote }, { "redux", decode_vote },
    { "activemask", decode_activemask }, { "bar", decode_barrier },
    { "barrier", decode_barrier }, { "bra", decode_branch },
    { "brx", decode_branch }, { "call", decode_call },
    { "ret", decode_return }, { "exit", decode_return },
    { "trap", decode_trap }, { "brkpt", decode_nothing },
    { "membar", decode_fence }, { "fence", decode_fence },
    { "prefetch", decode_nothing }, { "prefetchu", decode_nothing },
    { "nanosleep", decode_nothing }, { "pmevent", decode_nothing },
    { "discard", decode_nothing },
    /* families of wgmma */
    { "wgmma", decode_wgmma }, { "elect", decode_elect },
    { "movmatrix", decode_movmatrix }, { "setmaxnreg", decode_setmaxnreg },
    /* families of Hopper */
    { "mbarrier", decode_mbarrier }, { "createpolicy", decode_policy },
    { "griddepcontrol", decode_nothing },
    { "mapa", decode_mapa }, { "getctarank", decode_mapa },
};

static bool decode_statement(struct Decoder *d)
{
    size_t n = strcspn(d->s->op, ".");
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        if (strlen(families[k].name) == n &&
            !memcmp(families[k].name, d->s->op, n))
            return families[k].decode(d);
    return decode_row(d);
}

/* decode a function */
/* A place of its own for each variable of this expansion. */
static bool place_locals(struct Decoder *d, const struct Function *f)
{
    for (int k = 0; k < f->n_locals; k++) {
        struct Variable *v = f->locals[k];
        if (v->space != SPACE_LOCAL && v->space != SPACE_PARAM)
            continue;
        size_t at = (d->local_bytes + v->align - 1) & ~(v->align - 1);
        if (v->bytes > MAX_LOCAL || at + v->bytes > MAX_LOCAL)
            return refuse(d, "more than %d bytes of local memory in "
                          "'%.60s'", MAX_LOCAL, f->name);
        v->place = at;
        d->local_bytes = (uint32_t)(at + v->bytes);
    }
    return true;
}

static bool fix(struct Decoder *d, const int *at, int first)
{
    const struct Function *f = d->frame->f;
    for (int k = first; k < d->n_fixups; k++) {
        const struct Fixup *x = &d->fixups[k];
        const struct Label *l = x->label ? label_named(f, x->label) : NULL;
        if (x->label && !l)
            return refuse(d, "a branch to '%.60s', which is nowhere",
                          x->label);
        int target = l ? at[l->at] : d->n;
        if (x->entry >= 0)
            d->code[x->at].table[x->entry] = target;
        else
            d->code[x->at].target = target;
    }
    d->n_fixups = first;
    return true;
}

static bool expand(struct Decoder *d, struct Function *f, bool is_kernel)
{
    struct Frame frame = { .f = f, .is_kernel = is_kernel,
                           .fixup = d->n_fixups };
    struct Frame *caller = d->frame;
    const struct Statement *call = d->s;
    if (d->calls > MAX_CALLS)   /* the kernel is one of them */
        return refuse(d, "calls are nested more than %d deep", MAX_CALLS);
    frame.unit = pool_alloc(d->pool, ((size_t)f->n_registers + 1) *
                            sizeof *frame.unit);
    int *at = pool_alloc(d->pool, ((size_t)f->n_code + 1) * sizeof *at);
    if (d->pool->total > (size_t)1 << 30)
        return refuse(d, "the expanded calls do not fit into 1 GiB");
    d->frame = &frame;
    d->calls++;
    f->open = true;
    place_locals(d, f);
    for (int k = 0; k < f->n_code && !d->failed; k++) {
        at[k] = d->n;
        d->s = &f->code[k];
        decode_statement(d);
    }
    at[f->n_code] = d->n;
    if (!d->failed && is_kernel) {      /* a body may end without ret */
        struct Statement end = { .op = "exit", .guard = -1,
            .ptx_line = f->n_code ? f->code[f->n_code - 1].ptx_line : 0 };
        struct Statement *kept = pool_alloc(d->pool, sizeof end);
        *kept = end;
        d->s = kept;
        decode_return(d);
    }
    if (!d->failed)
        fix(d, at, frame.fixup);
    f->open = false;
    d->calls--;
    d->frame = caller;
    d->s = call;
    return !d->failed;
}

/* places in shared memory */
static bool place_shared(struct Decoder *d, struct Variable *v)
{
    if (v->space != SPACE_SHARED || v->kernel == d->kernel)
        return true;
    if (v->external) {
        if (v->bytes)
            return refuse(d, "variable '%.80s' is only declared; define it "
                          "in the same file", v->name);
        if (d->dynamic_align < v->align)
            d->dynamic_align = (uint32_t)v->align;
        return true;                    /* placed last, all at one place */
    }
    size_t at = (d->static_shared + v->align - 1) & ~(v->align - 1);
    if (v->bytes > MAX_STATIC_SHARED || at + v->bytes > MAX_STATIC_SHARED)
        return refuse(d, "more than %d bytes of shared memory declared; "
                      "declare it extern, and ask for it at the launch",
                      MAX_STATIC_SHARED);
    v->kernel = d->kernel;
    v->place = at;
    d->static_shared = (uint32_t)(at + v->bytes);
    return true;
}

static bool operand_shared(struct Decoder *d, const struct Operand *o)
{
    if (o->kind == OPERAND_VARIABLE)
        return place_shared(d, (struct Variable *)o->variable);
    for (int k = 0; k < o->n; k++)
        if (!operand_shared(d, &o->list[k]))
            return false;
    return true;
}

/* Every shared variable that the kernel and what it calls mention. */
static bool collect_shared(struct Decoder *d, struct Function *f, int depth)
{
    if (f->seen == d->kernel || depth > MAX_CALLS)
        return true;
    f->seen = d->kernel;
    for (int k = 0; k < f->n_code; k++) {
        const struct Statement *s = &f->code[k];
        for (int j = 0; j < s->operands; j++) {
            d->s = s;
            if (!operand_shared(d, &s->operand[j]))
                return false;
            struct Function *g = s->operand[j].kind == OPERAND_NAME &&
                !strncmp(s->op, "call", 4) ?
                function_named(d, s->operand[j].name) : NULL;
            if (g && !collect_shared(d, g, depth + 1))
                return false;
        }
    }
    return true;
}

static void place_dynamic(struct Decoder *d, const struct Operand *o)
{
    struct Variable *v = (struct Variable *)o->variable;
    if (o->kind == OPERAND_VARIABLE && v->space == SPACE_SHARED &&
        v->external) {
        uint32_t align = d->dynamic_align > 16 ? d->dynamic_align : 16;
        v->place = (d->static_shared + align - 1) & ~(align - 1);
    }
    for (int k = 0; k < o->n; k++)
        place_dynamic(d, &o->list[k]);
}

static void place_all_dynamic(struct Decoder *d)
{
    for (int i = 0; i < d->t->n_functions; i++) {
        struct Function *f = &d->t->functions[i];
        for (int k = 0; f->seen == d->kernel && k < f->n_code; k++)
            for (int j = 0; j < f->code[k].operands; j++)
                place_dynamic(d, &f->code[k].operand[j]);
    }
}

/* which atomics nobody reads */
/* clang writes atom where red would do; ptxas sees that nobody reads the
 * result, and so do we. */
static void mark_unread(struct Decoder *d)
{
    unsigned char *read = pool_alloc(d->pool, d->units / 16 + 1);
    for (int k = 0; k < d->n; k++) {
        const struct Instruction *i = &d->code[k];
        for (int j = 0; j < 4; j++) {
            read[i->a[j] / 16] = 1;
            read[i->b[j] / 16] = 1;
            read[i->c[j] / 16] = 1;
        }
    }
    for (int k = 0; k < d->n; k++) {
        struct Instruction *i = &d->code[k];
        if (i->run == run_atomic && i->access == ACCESS_ATOM &&
            !read[i->d[0] / 16])
            i->access = ACCESS_RED;
    }
}

/* which loads poll */
static bool tests_it(const struct Instruction *load, int left)
{
    uint32_t value = load->d[0], narrow = value;
    for (const struct Instruction *i = load; left && !i->ends; left--) {
        i++;
        if (i->run == run_setp)
            return i->a[0] == value || i->b[0] == value ||
                   i->a[0] == narrow || i->b[0] == narrow;
        if (i->a[0] == value)
            narrow = i->d[0];
    }
    return false;
}

static void mark_polls(struct Instruction *code, int n)
{
    for (int k = 0; k < n; k++)
        if (code[k].access == ACCESS_LOAD && code[k].flags & FLAG_STRONG &&
            code[k].width == 1 && tests_it(&code[k], n - k - 1))
            code[k].flags |= FLAG_POLLS;
}

/* which loads come early */
static bool chosen(const struct Instruction *load, int left)
{
    uint32_t value = load->d[0];
    for (const struct Instruction *i = load; left && !i->ends; left--) {
        i++;
        if (i->run == run_select4 || i->run == run_select8)
            if (i->a[0] == value || i->b[0] == value)
                return true;
        if (load->size == 1 && i->size == 1 && i->b[0] == value &&
            i->access == ACCESS_STORE)
            return true;
        for (int k = 0; k < 4; k++)
            if (i->a[k] == value || i->b[k] == value || i->c[k] == value)
                return false;
    }
    return false;
}

static void mark_early(struct Instruction *code, int n)
{
    for (int k = 0; k < n; k++)
        if (code[k].access == ACCESS_LOAD && code[k].width == 1 &&
            chosen(&code[k], n - k - 1))
            code[k].flags |= FLAG_EARLY;
}

/* decode a kernel */
enum { PARAMS = 32764 };            /* bytes that a launch can hand over */

static bool place_params(struct Decoder *d, struct Function *f,
                         struct Param *params)
{
    for (int k = 0; k < f->n_params; k++) {
        struct Variable *v = f->params[k];
        size_t at = (d->param_bytes + v->align - 1) & ~(v->align - 1);
        if (v->bytes > PARAMS || at + v->bytes > PARAMS || v->external)
            return refuse(d, "kernel '%.80s' has more than %d bytes of "
                          "parameters", f->name, PARAMS);
        v->place = at;
        params[k] = (struct Param){ (uint32_t)at, (uint32_t)v->bytes,
                                    (uint32_t)v->align };
        d->param_bytes = (uint32_t)(at + v->bytes);
    }
    return true;
}

static bool decode_kernel(struct Decoder *d, struct Function *f,
                          struct Kernel *k)
{
    struct Param *params = pool_alloc(d->pool, ((size_t)f->n_params + 1) *
                                      sizeof *params);
    struct Frame frame = { .f = f };
    d->frame = &frame;
    d->units = LANES * 2;               /* unit 0 is nobody's */
    d->scratch = new_units(d, LANES * 2);
    if (!place_params(d, f, params) || !collect_shared(d, f, 0))
        return false;
    place_all_dynamic(d);
    if (!expand(d, f, true))
        return false;
    mark_unread(d);
    if (!find_meeting_points(d->code, d->n, d->pool, d->e))
        return false;
    mark_polls(d->code, d->n);
    mark_early(d->code, d->n);
    mark_wgmma(d);
    *k = (struct Kernel){
        .name = f->name, .code = d->code, .instructions = d->n,
        .files = (const char *const *)d->t->files, .n_files = d->t->n_files,
        .params = params, .n_params = f->n_params,
        .param_bytes = d->param_bytes, .static_shared = d->static_shared,
        .local_bytes = (d->local_bytes + 15) & ~15u,
        .dynamic_align = d->dynamic_align > 16 ? d->dynamic_align : 16,
        .max_threads = f->max_threads, .units = d->units,
        .constants = d->constants, .n_constants = d->n_constants,
        .module = d->m,
    };
    return true;
}

/* variables of a module */
static uint64_t named_address(const struct Text *t, const char *name)
{
    for (int k = 0; k < t->n_variables; k++)
        if (!strcmp(t->variables[k]->name, name))
            return t->variables[k]->address;
    return function_address(t, name);
}

static bool start_addresses(struct Text *t, struct Error *e)
{
    for (int k = 0; k < t->n_variables; k++) {
        const struct Variable *v = t->variables[k];
        for (const struct Start *s = v->starts; s; s = s->next) {
            uint64_t address = named_address(t, s->name);
            if (!address)
                return error_set(e, "variable '%.80s' starts with the "
                                 "address of '%.80s', which is nowhere",
                                 v->name, s->name);
            address += s->add;
            if (v->address)
                memcpy(memory_bytes(v->address) + s->at, &address, 8);
        }
    }
    return true;
}

static bool place_globals(struct Module *m, struct Text *t, struct Error *e)
{
    struct Symbol *s = pool_alloc(t->pool, ((size_t)t->n_variables + 1) *
                                  sizeof *s);
    m->symbols = s;
    for (int k = 0; k < t->n_variables; k++) {
        struct Variable *v = t->variables[k];
        if ((v->space != SPACE_GLOBAL && v->space != SPACE_CONST) ||
            v->external)
            continue;
        if (!memory_alloc(&v->address, v->bytes, v->name, e))
            return false;
        if (v->start)
            memcpy(memory_bytes(v->address), v->start, v->bytes);
        else
            memset(memory_bytes(v->address), 0, v->bytes);
        s[m->n_symbols++] = (struct Symbol){ v->name, v->address, v->bytes,
                                             v->space };
    }
    return start_addresses(t, e);
}

static bool decode_all(struct Module *m, struct Text *t, struct Error *e)
{
    struct Function **order = pool_alloc(t->pool, ((size_t)t->n_functions +
                                         1) * sizeof *order);
    struct Kernel *kernels = pool_alloc(t->pool, ((size_t)t->n_functions +
                                        1) * sizeof *kernels);
    for (int k = 0; k < t->n_functions; k++)
        order[k] = &t->functions[k];
    if (t->n_functions)
        qsort(order, (size_t)t->n_functions, sizeof *order, by_function);
    m->kernels = kernels;
    take_addresses(t);
    int refused = 0;
    for (int n = 0; n < t->n_functions; n++) {
        struct Function *f = &t->functions[n];
        struct Error why = { "" };
        struct Decoder d = { .m = m, .t = t, .pool = t->pool, .e = &why,
                             .kernel = n + 1, .wide = wide_lanes(),
                             .by_name = order };
        if (!f->entry || !f->has_body)
            continue;
        struct Kernel *k = &kernels[m->n_kernels++];
        if (decode_kernel(&d, f, k))
            continue;
        char *text = pool_alloc(t->pool, strlen(why.text) + 1);
        strcpy(text, why.text);
        *k = (struct Kernel){ .name = f->name, .module = m,
                              .refused = text };
        refused++;
    }
    if (refused && refused == m->n_kernels)
        return error_set(e, "%s", kernels[0].refused);
    return true;
}

/* read a module */
bool module_read(struct Module *m, const char *text, size_t bytes,
                 struct Error *e)
{
    struct Pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        fail("no memory to read PTX");
    *m = (struct Module){ .pool = pool };
    struct Text *t = pool_alloc(pool, sizeof *t);
    t->pool = pool;
    if (ptx_read(t, text, bytes, e) && place_globals(m, t, e) &&
        decode_all(m, t, e))
        return true;
    module_free(m);
    return false;
}

void module_free(struct Module *m)
{
    for (int k = 0; k < m->n_symbols; k++)
        memory_free(m->symbols[k].address);
    if (m->pool)
        pool_free(m->pool);
    free(m->pool);
    *m = (struct Module){ 0 };
}

const struct Kernel *module_kernel(const struct Module *m, const char *name)
{
    for (int k = 0; k < m->n_kernels; k++)
        if (!strcmp(m->kernels[k].name, name))
            return &m->kernels[k];
    return NULL;
}

const struct Symbol *module_symbol(const struct Module *m, const char *name)
{
    for (int k = 0; k < m->n_symbols; k++)
        if (!strcmp(m->symbols[k].name, name))
            return &m->symbols[k];
    return NULL;
}
