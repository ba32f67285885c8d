/* Tangled from chapters/workshop/ptx.nw, "Words".  Edit it there. */

#include "simt/reader/ptx.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* limits of what is read */
enum {
    MAX_TEXT       = 64 << 20,  /* bytes                                 */
    MAX_REGISTERS  = 1 << 17,   /* of a function                         */
    MAX_STATEMENTS = 1 << 18,
    MAX_FILES      = 4096,
    MAX_NESTING    = 32,
    MAX_LIST       = 128,
    MAX_SCOPE      = 4096,      /* variables and registers declared      */
    MAX_VARIABLE   = 1 << 30,   /* bytes                                 */
};

/* types by name */
const char *const type_names[TYPES] = {
    "none", "u8", "s8", "b8", "u16", "s16", "b16", "f16", "bf16", "u32",
    "s32", "b32", "f32", "f16x2", "bf16x2", "tf32", "u64", "s64", "b64",
    "f64", "pred",
};

int type_bytes(enum Type t)
{
    return t >= U64 && t <= F64 ? 8 : t >= U32 && t <= TF32 ? 4 :
           t >= U16 && t <= BF16 ? 2 : t >= U8 && t <= B8 ? 1 : 0;
}

enum Type type_named(const char *name, size_t length)
{
    for (int t = U8; t < TYPES; t++)
        if (strlen(type_names[t]) == length &&
            !memcmp(type_names[t], name, length))
            return (enum Type)t;
    return TYPE_NONE;
}

/* the reader's state */
enum Word { WORD_END, WORD_NAME, WORD_NUMBER, WORD_STRING, WORD_SIGN };

struct Reader {
    const char *at, *end;
    int line;
    enum Word word;             /* the word before `at`                  */
    const char *text;           /* its first character ...               */
    size_t length;              /* ... and how many                      */
    uint64_t value;             /* of a number                           */
    enum OperandKind number;    /* NUMBER, FLOAT or DOUBLE               */
    struct Text *t;
    struct Error *e;
    bool failed;
    struct Function *f;         /* being read, or NULL                   */
    int file, source_line;      /* of the last .loc                      */
    struct Registers registers[MAX_SCOPE];
    int n_registers;
    struct Variable *scope[MAX_SCOPE];
    int n_scope;
};

/* say what is wrong with the text */
static bool wrong(struct Reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool wrong(struct Reader *r, const char *format, ...)
{
    if (!r->failed) {
        char what[600];
        va_list args;
        va_start(args, format);
        vsnprintf(what, sizeof what, format, args);
        va_end(args);
        error_set(r->e, "PTX, line %d: %s", r->line, what);
    }
    r->failed = true;
    r->at = r->end;             /* every loop ends at the end of text */
    r->word = WORD_END;
    r->length = 0;
    return false;
}

/* The word, for messages: at most 40 characters. */
#define WORD_OF(r) (int)((r)->length < 40 ? (r)->length : 40), (r)->text

/* take the next word */
static bool in_name(int c)
{
    return isalnum(c) || c == '_' || c == '$' || c == '.' || c == '%' ||
           c >= 128;
}

static void skip_space(struct Reader *r)
{
    while (r->at < r->end) {
        if (*r->at == '\n') {
            r->line++;
            r->at++;
        } else if (isspace((unsigned char)*r->at)) {
            r->at++;
        } else if (r->end - r->at >= 2 && !memcmp(r->at, "//", 2)) {
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        } else if (r->end - r->at >= 2 && !memcmp(r->at, "/*", 2)) {
            const char *inside = r->at + 2;
            for (r->at = inside; r->at < r->end; r->at++) {
                r->line += *r->at == '\n';
                if (*r->at == '/' && r->at > inside && r->at[-1] == '*')
                    break;
            }
            r->at += r->at < r->end;
        } else {
            return;
        }
    }
}

static void read_number(struct Reader *r);

static void next(struct Reader *r)
{
    skip_space(r);
    r->text = r->at;
    r->length = 0;
    if (r->at == r->end) {
        r->word = WORD_END;
        return;
    }
    int c = (unsigned char)*r->at;
    if (isdigit(c)) {
        read_number(r);
    } else if (c == '"') {
        r->word = WORD_STRING;
        for (r->at++; r->at < r->end && *r->at != '"'; r->at++)
            if (*r->at == '\n')
                break;
        if (r->at == r->end || *r->at != '"') {
            wrong(r, "a string does not end");
            return;
        }
        r->text++;
        r->length = (size_t)(r->at++ - r->text);
    } else if (in_name(c)) {
        r->word = WORD_NAME;
        while (r->at < r->end && (in_name((unsigned char)*r->at) ||
               (*r->at == ':' && r->end - r->at > 2 && r->at[1] == ':' &&
                isalnum((unsigned char)r->at[2]))))
            r->at += *r->at == ':' ? 2 : 1;
        r->length = (size_t)(r->at - r->text);
    } else {
        r->word = WORD_SIGN;
        r->at++;
        r->length = 1;
    }
}

/* read a number */
/* Is this + or - the sign of a decimal exponent, as in 1e+5? */
static bool is_exponent(const char *word, size_t n, int sign)
{
    return (sign == '+' || sign == '-') && n &&
           tolower(word[n - 1]) == 'e' && !strchr("xfd", word[1]);
}

/* Cut a number from the text; its length. */
static size_t cut_number(struct Reader *r, char *word, size_t size)
{
    size_t n = 0;
    for (; r->at < r->end && n < size - 1; r->at++) {
        if (!isalnum((unsigned char)*r->at) && *r->at != '.' &&
            !is_exponent(word, n, *r->at))
            break;
        word[n++] = *r->at;
    }
    word[n] = 0;
    return n;
}

/* 0f3F800000 and 0d... are the bits of a float and a double. */
static void read_bits(struct Reader *r, const char *word)
{
    bool single = tolower(word[1]) == 'f';
    char *end;
    r->number = single ? OPERAND_FLOAT : OPERAND_DOUBLE;
    r->value = strtoull(word + 2, &end, 16);
    if (r->length != (single ? 10 : 18) || *end)
        wrong(r, "'%s' is not the bits of a number", word);
}

/* 1.5 is a double; the end of what was read. */
static char *read_decimal(struct Reader *r, const char *word)
{
    char *end;
    double v = strtod(word, &end);
    memcpy(&r->value, &v, sizeof v);
    r->number = OPERAND_DOUBLE;
    return end;
}

/* 12, 0x1f, 017 and 0b101; the end of what was read. */
static char *read_integer(struct Reader *r, const char *word, char kind)
{
    char *end;
    bool binary = kind == 'b';
    r->value = strtoull(binary ? word + 2 : word, &end, binary ? 2 : 0);
    r->number = OPERAND_NUMBER;
    return end;
}

static void read_number(struct Reader *r)
{
    char word[64], *end;
    size_t n = cut_number(r, word, sizeof word);
    char kind = n > 2 && word[0] == '0' ? (char)tolower(word[1]) : 0;
    r->word = WORD_NUMBER;
    r->length = n;
    if (kind == 'f' || (kind == 'd' && n == 18)) {
        read_bits(r, word);
        return;
    }
    if (strchr(word, '.') || (kind != 'x' && strpbrk(word, "eE")))
        end = read_decimal(r, word);
    else
        end = read_integer(r, word, kind);
    if (*end == 'U' || *end == 'u')
        end++;
    if (*end)
        wrong(r, "'%s' is not a number", word);
}

/* ask for a word */
static bool is(const struct Reader *r, const char *what)
{
    return r->word != WORD_STRING && r->word != WORD_END &&
           r->length == strlen(what) && !memcmp(r->text, what, r->length);
}

static bool take(struct Reader *r, const char *what)
{
    if (!is(r, what))
        return false;
    next(r);
    return true;
}

static bool need(struct Reader *r, const char *what)
{
    return take(r, what) ||
           wrong(r, "'%s' was expected before '%.*s'", what, WORD_OF(r));
}

static const char *copy_of(struct Reader *r, const char *s, size_t n)
{
    char *copy = pool_alloc(r->t->pool, n + 1);
    memcpy(copy, s, n);
    return copy;
}

static const char *need_name(struct Reader *r)
{
    if (r->word != WORD_NAME) {
        wrong(r, "a name was expected before '%.*s'", WORD_OF(r));
        return "";
    }
    const char *name = copy_of(r, r->text, r->length);
    next(r);
    return name;
}

static uint64_t need_number(struct Reader *r)
{
    bool minus = take(r, "-");
    uint64_t value = r->value;
    if (r->word != WORD_NUMBER) {
        wrong(r, "a number was expected before '%.*s'", WORD_OF(r));
        return 0;
    }
    next(r);
    return minus ? 0 - value : value;
}

/* A number of any kind, perhaps with a minus. */
static bool read_value(struct Reader *r, struct Operand *o)
{
    bool minus = take(r, "-");
    if (r->word != WORD_NUMBER)
        return wrong(r, "a number was expected before '%.*s'", WORD_OF(r));
    o->kind = r->number;
    o->value = r->value;
    if (minus)
        o->value = o->kind == OPERAND_NUMBER ? 0 - o->value :
            o->value ^ (o->kind == OPERAND_FLOAT ? 1ull << 31
                                                 : 1ull << 63);
    next(r);
    return true;
}

/* bits of a number */
bool number_as(uint64_t *bits, const struct Operand *o, enum Type as)
{
    bool real = as == F32 || as == F64;
    float single;
    double number;
    *bits = o->value;
    if (o->kind == OPERAND_NUMBER)
        return !real;
    if (o->kind == OPERAND_DOUBLE && as == F32) {
        memcpy(&number, bits, 8);
        single = (float)number;
        *bits = 0;
        memcpy(bits, &single, 4);
    } else if (o->kind == OPERAND_FLOAT && as == F64) {
        memcpy(&single, bits, 4);
        number = single;
        memcpy(bits, &number, 8);
    }
    return real || type_bytes(as) == (o->kind == OPERAND_FLOAT ? 4 : 8);
}

/* look up a name */
static bool same(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && !memcmp(name, text, length);
}

/* The number of a register in its function, or -1; inner scopes first. */
static int find_register(const struct Reader *r, const char *text,
                         size_t length, enum Type *type)
{
    for (int i = r->n_registers - 1; i >= 0; i--) {
        const struct Registers *g = &r->registers[i];
        *type = g->type;
        if (g->count < 0 && same(g->prefix, text, length))
            return g->first;
        if (g->count < 0 || length <= g->length ||
            length - g->length > 6 || memcmp(g->prefix, text, g->length))
            continue;
        int n = 0;
        size_t k = g->length;
        while (k < length && isdigit((unsigned char)text[k]))
            n = 10 * n + (text[k++] - '0');
        if (k == length && n < g->count)
            return g->first + n;
    }
    return -1;
}

static struct Variable *find_variable(const struct Reader *r,
                                      const char *text, size_t length)
{
    for (int i = r->n_scope - 1; i >= 0; i--)
        if (same(r->scope[i]->name, text, length))
            return r->scope[i];
    for (int i = r->t->n_variables - 1; i >= 0; i--)
        if (same(r->t->variables[i]->name, text, length))
            return r->t->variables[i];
    return NULL;
}

/* declare a variable */
/* What follows .global, .shared and so on, up to the name and its size:
 * .align 4 .b8 name[132] = { ... }.  NULL after an error. */
static bool read_attributes(struct Reader *r, struct Variable *v,
                            enum Type *type, size_t *vector)
{
    *type = TYPE_NONE;
    *vector = 1;
    while (r->word == WORD_NAME && r->text[0] == '.') {
        if (take(r, ".align")) {
            v->align = need_number(r);
            if (!v->align || v->align > 4096 || (v->align & (v->align - 1)))
                return wrong(r, "an alignment of %zu bytes; it is a power "
                             "of two, up to 4096", v->align);
        } else if (take(r, ".v2")) {
            *vector = 2;
        } else if (take(r, ".v4")) {
            *vector = 4;
        } else if (take(r, ".ptr") || take(r, ".global") ||
                   take(r, ".shared") || take(r, ".const") ||
                   take(r, ".volatile") || take(r, ".attribute")) {
            continue;
        } else {
            *type = type_named(r->text + 1, r->length - 1);
            if (!type_bytes(*type))
                return wrong(r, "'%.*s' is not a type of a variable",
                             WORD_OF(r));
            next(r);
        }
    }
    return *type != TYPE_NONE ||
           wrong(r, "a type was expected before '%.*s'", WORD_OF(r));
}

/* x, generic(x), either with + 8 behind it */
static bool read_address(struct Reader *r, struct Variable *v, size_t at,
                         enum Type type)
{
    struct Start *s = pool_alloc(r->t->pool, sizeof *s);
    bool generic = take(r, "generic") && need(r, "(");
    *s = (struct Start){ .at = at, .next = v->starts };
    s->name = need_name(r);
    if (generic)
        need(r, ")");
    if (take(r, "+"))
        s->add = need_number(r);
    v->starts = s;
    return !r->failed && (type_bytes(type) == 8 ||
        wrong(r, "variable '%s' of type .%s starts with the address of "
              "'%s'; an address has 64 bits", v->name, type_names[type],
              s->name));
}

static bool read_start(struct Reader *r, struct Variable *v, enum Type type)
{
    unsigned char *start = pool_alloc(r->t->pool, v->bytes + 8);
    size_t at = 0, size = (size_t)type_bytes(type);
    bool braces = take(r, "{");
    while (!braces || !is(r, "}")) {
        struct Operand o = { 0 };
        uint64_t bits;
        if (is(r, "{"))
            return wrong(r, "variable '%s' starts with lists in a list; "
                         "write one list of all numbers", v->name);
        if (at + size > v->bytes)
            return wrong(r, "too many values for variable '%s'", v->name);
        if (r->word == WORD_NAME) {
            if (!read_address(r, v, at, type))
                return false;
        } else {
            if (!read_value(r, &o))
                return false;
            if (!number_as(&bits, &o, type))
                return wrong(r, "variable '%s' of type .%s starts with a "
                             "number of another kind", v->name,
                             type_names[type]);
            memcpy(start + at, &bits, size);
        }
        at += size;
        if (!braces || !take(r, ","))
            break;
    }
    v->start = start;
    return !braces || need(r, "}");
}

static struct Variable *read_variable(struct Reader *r, enum Space space)
{
    struct Text *t = r->t;
    struct Variable *v = pool_alloc(t->pool, sizeof *v);
    enum Type type;
    size_t vector, n = 1;
    v->space = space;
    if (!read_attributes(r, v, &type, &vector))
        return NULL;
    v->name = need_name(r);
    size_t size = (size_t)type_bytes(type) * vector;
    while (take(r, "[")) {
        uint64_t k = is(r, "]") ? 0 : need_number(r);
        if (k > MAX_VARIABLE || n * k * size > MAX_VARIABLE)
            wrong(r, "variable '%s' is larger than 1 GiB", v->name);
        else
            n *= k;
        need(r, "]");
    }
    v->bytes = n * size;
    v->external = v->bytes == 0;
    if (!v->align)
        v->align = size;
    if (take(r, "="))
        read_start(r, v, type);
    return r->failed ? NULL : v;
}

static bool keep_variable(struct Reader *r, struct Variable *v)
{
    struct Text *t = r->t;
    if (!v)
        return false;
    if (!r->f) {
        t->variables = pool_grow(t->pool, t->variables, t->n_variables,
                                 &t->variables_room, sizeof v);
        t->variables[t->n_variables++] = v;
        return true;
    }
    if (r->n_scope == MAX_SCOPE)
        return wrong(r, "more than %d variables in a function", MAX_SCOPE);
    struct Function *f = r->f;
    f->locals = pool_grow(t->pool, f->locals, f->n_locals, &f->locals_room,
                          sizeof v);
    f->locals[f->n_locals++] = v;
    r->scope[r->n_scope++] = v;
    return true;
}

/* declare registers */
static bool read_registers(struct Reader *r)
{
    struct Registers g = { 0 };
    if (take(r, ".v2") || take(r, ".v4"))
        return wrong(r, "vector registers are not supported; declare the "
                     "elements");
    if (r->word == WORD_NAME && r->text[0] == '.')
        g.type = type_named(r->text + 1, r->length - 1);
    if (g.type == TYPE_NONE)
        return wrong(r, "'%.*s' is not a type of a register", WORD_OF(r));
    next(r);
    do {
        g.prefix = need_name(r);
        g.length = strlen(g.prefix);
        g.count = -1;
        g.first = r->f->n_registers;
        int n = 1;
        if (take(r, "<")) {
            uint64_t count = need_number(r);
            n = count > MAX_REGISTERS ? MAX_REGISTERS : (int)count;
            g.count = n;
            need(r, ">");
        }
        if (r->f->n_registers + n > MAX_REGISTERS ||
            r->n_registers == MAX_SCOPE)
            return wrong(r, "more than %d registers in a function",
                         MAX_REGISTERS);
        r->f->n_registers += n;
        r->registers[r->n_registers++] = g;
    } while (!r->failed && take(r, ","));
    return need(r, ";");
}

/* read an operand */
static bool read_operand(struct Reader *r, struct Operand *o, int depth);

static bool read_list(struct Reader *r, struct Operand *o,
                      const char *close, int depth)
{
    int room = 0;
    o->kind = OPERAND_LIST;
    while (!r->failed && !take(r, close)) {
        if (o->n == MAX_LIST)
            return wrong(r, "more than %d operands in a list", MAX_LIST);
        o->list = pool_grow(r->t->pool, o->list, o->n, &room,
                            sizeof *o->list);
        if (!read_operand(r, &o->list[o->n++], depth + 1))
            return false;
        if (!is(r, close))
            need(r, ",");
    }
    return !r->failed;
}

static bool read_plain(struct Reader *r, struct Operand *o)
{
    if (r->word == WORD_NUMBER || is(r, "-"))
        return read_value(r, o);
    if (r->word != WORD_NAME)
        return wrong(r, "an operand was expected before '%.*s'",
                     WORD_OF(r));
    o->reg = find_register(r, r->text, r->length, &o->type);
    if (o->reg >= 0)
        o->kind = OPERAND_REGISTER;
    else if (is(r, "_"))
        o->kind = OPERAND_NONE;
    else if (r->text[0] == '%')
        o->kind = OPERAND_SPECIAL;
    else if ((o->variable = find_variable(r, r->text, r->length)))
        o->kind = OPERAND_VARIABLE;
    else
        o->kind = OPERAND_NAME;
    o->name = copy_of(r, r->text, r->length);
    next(r);
    return true;
}

/* read an address */
static bool read_offset(struct Reader *r, struct Operand *o)
{
    while (is(r, "+") || is(r, "-")) {
        bool minus = is(r, "-");
        next(r);
        uint64_t value = need_number(r);
        o->value += minus ? 0 - value : value;
    }
    return !r->failed;
}

static bool read_operand(struct Reader *r, struct Operand *o, int depth)
{
    *o = (struct Operand){ 0 };
    if (depth > 4)
        return wrong(r, "operands are nested too deeply");
    if (take(r, "{"))
        return read_list(r, o, "}", depth);
    if (take(r, "("))
        return read_list(r, o, ")", depth);
    if (take(r, "[")) {
        if (!read_operand(r, o, depth + 1) || !read_offset(r, o))
            return false;
        o->address = true;
        if (take(r, ",")) {     /* [map, {x, y}] of a tensor copy */
            o->second = pool_alloc(r->t->pool, sizeof *o);
            if (!read_operand(r, o->second, depth + 1))
                return false;
        }
        return need(r, "]");
    }
    o->not = take(r, "!");
    bool not = o->not;
    if (!read_plain(r, o))
        return false;
    o->not = not;
    if (o->kind == OPERAND_VARIABLE && depth == 0)
        return read_offset(r, o);
    if (take(r, "|")) {
        o->second = pool_alloc(r->t->pool, sizeof *o);
        return read_operand(r, o->second, depth + 1);
    }
    return true;
}

/* read a statement */
static bool read_guard(struct Reader *r, struct Statement *s)
{
    enum Type type;
    s->guard = -1;
    if (!take(r, "@"))
        return true;
    s->guard_not = take(r, "!");
    s->guard = find_register(r, r->text, r->length, &type);
    if (s->guard < 0 || type != PRED)
        return wrong(r, "'%.*s' is not a predicate", WORD_OF(r));
    next(r);
    return true;
}

static bool read_statement(struct Reader *r)
{
    struct Function *f = r->f;
    struct Statement s = { .ptx_line = r->line, .file = r->file,
                           .line = r->source_line };
    if (!read_guard(r, &s))
        return false;
    s.op = need_name(r);
    while (!r->failed && !is(r, ";")) {
        if (s.operands == MAX_OPERANDS)
            return wrong(r, "'%.40s' has more than %d operands", s.op,
                         MAX_OPERANDS);
        if (!read_operand(r, &s.operand[s.operands++], 0))
            return false;
        if (!is(r, ";"))
            need(r, ",");
    }
    if (f->n_code == MAX_STATEMENTS)
        return wrong(r, "a function has more than %d statements",
                     MAX_STATEMENTS);
    f->code = pool_grow(r->t->pool, f->code, f->n_code, &f->code_room,
                        sizeof s);
    f->code[f->n_code++] = s;
    return need(r, ";");
}

/* read directives inside a body */
/* .loc FILE LINE COLUMN [, function_name ..., inlined_at FILE LINE COLUMN]
 *
 * What a header contributed is charged to the line of the main file that
 * called it. */
static bool read_loc(struct Reader *r)
{
    uint64_t file = need_number(r), line = need_number(r);
    need_number(r);
    uint64_t from_file = file, from_line = line;
    while (!r->failed && take(r, ",")) {
        if (take(r, "function_name")) {
            next(r);
            if (take(r, "+"))
                need_number(r);
        } else if (take(r, "inlined_at")) {
            from_file = need_number(r);
            from_line = need_number(r);
            need_number(r);
        } else {
            return wrong(r, "unknown part of .loc: '%.*s'", WORD_OF(r));
        }
    }
    if (r->failed)
        return false;
    if (r->f && !r->f->main_file)
        r->f->main_file = (int)(file % MAX_FILES);
    if (r->f && (int)(file % MAX_FILES) != r->f->main_file) {
        file = from_file;
        line = from_line;
    }
    if (line && line < 1 << 24 && file < MAX_FILES &&
        (!r->f || (int)file == r->f->main_file)) {
        r->file = (int)file;
        r->source_line = (int)line;
    }
    return true;
}

static bool read_file_name(struct Reader *r)
{
    struct Text *t = r->t;
    uint64_t n = need_number(r);
    if (n >= MAX_FILES || r->word != WORD_STRING)
        return wrong(r, "'.file' wants a number below %d and a name in "
                     "quotes", MAX_FILES);
    if (!t->files)
        t->files = pool_alloc(t->pool, MAX_FILES * sizeof *t->files);
    t->files[n] = copy_of(r, r->text, r->length);
    if (t->n_files <= (int)n)
        t->n_files = (int)n + 1;
    next(r);
    while (take(r, ","))
        need_number(r);
    return !r->failed;
}

static bool skip_section(struct Reader *r)
{
    while (r->word != WORD_END && !is(r, "{"))
        next(r);
    if (r->failed || r->word == WORD_END)
        return wrong(r, "'.section' without '{'");
    while (r->word != WORD_END && !is(r, "}"))
        next(r);
    return need(r, "}");
}

static bool read_target_table(struct Reader *r, const char *label)
{
    struct Statement s = { .op = ".branchtargets", .guard = -1,
                           .ptx_line = r->line };
    struct Statement *kept = pool_alloc(r->t->pool, sizeof s);
    struct Operand *list = &s.operand[0];
    int room = 0;
    list->kind = OPERAND_LIST;
    do {
        if (list->n == 65536)
            return wrong(r, "a table of more than 65536 branch targets");
        list->list = pool_grow(r->t->pool, list->list, list->n, &room,
                               sizeof *list->list);
        struct Operand *o = &list->list[list->n++];
        *o = (struct Operand){ .kind = OPERAND_NAME, .name = need_name(r) };
    } while (!r->failed && take(r, ","));
    *kept = s;
    for (int i = r->f->n_labels - 1; i >= 0; i--)
        if (!strcmp(r->f->labels[i].name, label))
            r->f->labels[i].table = kept;
    return need(r, ";");
}

/* read a body */
static bool read_label(struct Reader *r)
{
    struct Function *f = r->f;
    struct Label l = { .name = need_name(r), .at = f->n_code };
    need(r, ":");
    f->labels = pool_grow(r->t->pool, f->labels, f->n_labels,
                          &f->labels_room, sizeof l);
    f->labels[f->n_labels++] = l;
    if (take(r, ".branchtargets"))
        return read_target_table(r, l.name);
    if (take(r, ".callprototype")) {    /* the call itself says as much */
        while (r->word != WORD_END && !is(r, ";"))
            next(r);
        return need(r, ";");
    }
    return !r->failed;
}

static bool at_label(const struct Reader *r)
{
    const char *p = r->at;
    while (p < r->end && (*p == ' ' || *p == '\t'))
        p++;
    return r->word == WORD_NAME && p < r->end && *p == ':';
}

static enum Space space_named(const struct Reader *r)
{
    static const struct { const char *name; enum Space space; } names[] = {
        { ".shared", SPACE_SHARED }, { ".local", SPACE_LOCAL },
        { ".param", SPACE_PARAM }, { ".global", SPACE_GLOBAL },
        { ".const", SPACE_CONST } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(r, names[i].name))
            return names[i].space;
    return SPACE_GENERIC;
}

/* Labels and branches of the block that began with this label and this
 * statement. */
static void hide_labels(struct Reader *r, int label, int code)
{
    struct Function *f = r->f;
    for (int i = label; !r->failed && i < f->n_labels; i++) {
        const char *plain = f->labels[i].name;
        size_t room = strlen(plain) + 24;
        char *name = pool_alloc(r->t->pool, room);
        snprintf(name, room, "%s of block %d", plain, code);
        f->labels[i].name = name;
        for (int k = code; k < f->n_code; k++)
            for (int j = 0; j < f->code[k].operands; j++) {
                struct Operand *o = &f->code[k].operand[j];
                if (o->kind == OPERAND_NAME && !strcmp(o->name, plain))
                    o->name = name;
            }
    }
}

static bool read_body(struct Reader *r, int depth)
{
    int registers = r->n_registers, scope = r->n_scope;
    int labels = r->f->n_labels, code = r->f->n_code;
    if (depth > MAX_NESTING)
        return wrong(r, "blocks are nested more than %d deep", MAX_NESTING);
    while (!r->failed && !is(r, "}")) {
        enum Space space = space_named(r);
        if (r->word == WORD_END)
            return wrong(r, "a function does not end");
        if (space != SPACE_GENERIC) {
            next(r);
            keep_variable(r, read_variable(r, space));
            need(r, ";");
        } else if (take(r, "{")) {
            read_body(r, depth + 1);
        } else if (take(r, ".reg")) {
            read_registers(r);
        } else if (take(r, ".loc")) {
            read_loc(r);
        } else if (take(r, ".pragma")) {
            next(r);
            need(r, ";");
        } else if (take(r, ".file")) {
            read_file_name(r);
        } else if (at_label(r)) {
            read_label(r);
        } else if (!take(r, ";")) {
            read_statement(r);
        }
    }
    r->n_registers = registers;
    r->n_scope = scope;
    if (depth > 0)
        hide_labels(r, labels, code);
    return need(r, "}");
}

/* labels in order */
static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct Label *)a)->name,
                  ((const struct Label *)b)->name);
}

static bool sort_labels(struct Reader *r, struct Function *f)
{
    if (f->n_labels)
        qsort(f->labels, (size_t)f->n_labels, sizeof *f->labels, by_name);
    for (int i = 1; i < f->n_labels; i++)
        if (!strcmp(f->labels[i - 1].name, f->labels[i].name))
            return wrong(r, "label '%.60s' is there twice in function "
                         "'%.60s'", f->labels[i].name, f->name);
    return true;
}

/* read a function */
static bool read_params(struct Reader *r, struct Function *f)
{
    while (!r->failed && !take(r, ")")) {
        if (!take(r, ".param"))
            return wrong(r, "'.param' was expected before '%.*s'",
                         WORD_OF(r));
        struct Variable *v = read_variable(r, SPACE_PARAM);
        if (!v)
            return false;
        if (f->n_params == 1024 || r->n_scope == MAX_SCOPE)
            return wrong(r, "more than 1024 parameters");
        f->params = pool_grow(r->t->pool, f->params, f->n_params,
                              &f->params_room, sizeof v);
        f->params[f->n_params++] = v;
        r->scope[r->n_scope++] = v;
        if (!is(r, ")"))
            need(r, ",");
    }
    return !r->failed;
}

static void read_bounds(struct Reader *r, struct Function *f)
{
    while (r->word == WORD_NAME && r->text[0] == '.') {
        bool most = is(r, ".maxntid") || is(r, ".reqntid");
        uint64_t n = 1;
        next(r);
        while (r->word == WORD_NUMBER) {
            uint64_t k = need_number(r);
            n = k && n > MAX_THREADS * 4096ull / k ? MAX_THREADS + 1
                                                   : n * k;
            if (!take(r, ","))
                break;
        }
        if (most)
            f->max_threads = n > MAX_THREADS ? MAX_THREADS : (uint32_t)n;
    }
}

static bool read_function(struct Reader *r, bool entry)
{
    struct Text *t = r->t;
    struct Function f = { .entry = entry, .ptx_line = r->line };
    r->n_scope = r->n_registers = 0;
    r->file = r->source_line = 0;
    if (!entry && take(r, "(") && !take(r, ")")) {
        if (!need(r, ".param") ||
            !(f.result = read_variable(r, SPACE_PARAM)))
            return false;
        r->scope[r->n_scope++] = f.result;
        need(r, ")");
    }
    f.name = need_name(r);
    if (take(r, "("))
        read_params(r, &f);
    read_bounds(r, &f);
    if (take(r, "{")) {
        f.has_body = true;
        r->f = &f;
        read_body(r, 0);
        sort_labels(r, &f);
        r->f = NULL;
    } else {
        need(r, ";");
    }
    if (r->failed)
        return false;
    t->functions = pool_grow(t->pool, t->functions, t->n_functions,
                             &t->functions_room, sizeof f);
    t->functions[t->n_functions++] = f;
    return true;
}

/* read the text */
static void read_item(struct Reader *r)
{
    bool external = false;
    while (is(r, ".visible") || is(r, ".extern") || is(r, ".weak") ||
           is(r, ".common")) {
        external |= is(r, ".extern");
        next(r);
    }
    enum Space space = space_named(r);
    if (take(r, ".version") || take(r, ".address_size")) {
        next(r);
    } else if (take(r, ".target")) {
        do
            next(r);
        while (take(r, ","));
    } else if (take(r, ".file")) {
        read_file_name(r);
    } else if (take(r, ".loc")) {
        read_loc(r);
    } else if (is(r, ".section")) {
        skip_section(r);
    } else if (take(r, ";")) {
        return;
    } else if (take(r, ".entry")) {
        read_function(r, true);
    } else if (take(r, ".func")) {
        read_function(r, false);
    } else if (space != SPACE_GENERIC && space != SPACE_PARAM) {
        next(r);
        struct Variable *v = read_variable(r, space);
        if (v)
            v->external |= external;
        keep_variable(r, v);
        need(r, ";");
    } else {
        wrong(r, "'%.*s' is not what a module is made of", WORD_OF(r));
    }
}

bool ptx_read(struct Text *t, const char *text, size_t bytes,
              struct Error *e)
{
    if (bytes > MAX_TEXT)
        return error_set(e, "PTX of %zu bytes; the most is %d", bytes,
                         MAX_TEXT);
    struct Reader *r = calloc(1, sizeof *r);
    if (!r)
        fail("no memory to read PTX");
    *r = (struct Reader){ .at = text, .end = text + bytes, .line = 1,
                          .text = text, .t = t, .e = e };
    const char *zero = memchr(text, 0, bytes);
    if (zero)
        r->end = zero;
    next(r);
    while (!r->failed && r->word != WORD_END)
        read_item(r);
    bool ok = !r->failed;
    free(r);
    return ok;
}
