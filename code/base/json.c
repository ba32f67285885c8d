/* Tangled from chapters/workshop/ground-floor.nw, "JSON, strictly".  Edit it there. */

#include "base/json.h"
#include "base/file.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The state of one parse: where we are and what has been handed out. */
struct Parser {
    const char *name, *text;
    size_t size, at;
    struct Json *nodes;
    size_t used;
    char *string;           /* where the next decoded byte goes */
    struct Error *error;
};

static bool parse_value(struct Parser *p, struct Json *v, int depth);

/* take white space and punctuation */
static bool refuse(struct Parser *p, const char *what)
{
    return error_set(p->error, "%s: byte %zu: %s; the file is damaged or "
                     "is not JSON", p->name, p->at, what);
}

static int peek(const struct Parser *p)
{
    return p->at < p->size ? (unsigned char)p->text[p->at] : -1;
}

static int skip_space(struct Parser *p)
{
    int c;
    while ((c = peek(p)) == ' ' || c == '\n' || c == '\t' || c == '\r')
        p->at++;
    return c;
}

static bool take_word(struct Parser *p, const char *word)
{
    size_t n = strlen(word);
    if (p->size - p->at < n || memcmp(p->text + p->at, word, n) != 0)
        return refuse(p, "expected a value");
    p->at += n;
    return true;
}

/* decode a JSON string */
static void put_utf8(struct Parser *p, uint32_t c)
{
    if (c < 0x80) {
        *p->string++ = (char)c;
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = { 0, 0xC0, 0xE0, 0xF0 };
    *p->string++ = (char)(lead[more] | c >> (6 * more));
    while (more-- > 0)
        *p->string++ = (char)(0x80 | ((c >> (6 * more)) & 0x3F));
}

static bool take_utf8(struct Parser *p)
{
    uint32_t c;
    size_t n = utf8_decode(&c, p->text + p->at, p->size - p->at);
    if (n == 0)
        return refuse(p, "a string that is not UTF-8");
    memcpy(p->string, p->text + p->at, n);
    p->string += n;
    p->at += n;
    return true;
}

static bool take_hex4(struct Parser *p, uint32_t *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++) {
        int c = peek(p);
        int digit = c >= '0' && c <= '9' ? c - '0'
                  : c >= 'a' && c <= 'f' ? c - 'a' + 10
                  : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0)
            return refuse(p, "expected four hexadecimal digits");
        *value = *value * 16 + (uint32_t)digit;
        p->at++;
    }
    return true;
}

static bool take_unicode_escape(struct Parser *p)
{
    uint32_t c, low;
    if (!take_hex4(p, &c))
        return false;
    if (c >= 0xDC00 && c <= 0xDFFF)
        return refuse(p, "half of a surrogate pair");
    if (c >= 0xD800 && c <= 0xDBFF) {
        if (peek(p) != '\\' || p->at + 1 >= p->size
            || p->text[p->at + 1] != 'u')
            return refuse(p, "half of a surrogate pair");
        p->at += 2;
        if (!take_hex4(p, &low))
            return false;
        if (low < 0xDC00 || low > 0xDFFF)
            return refuse(p, "half of a surrogate pair");
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    put_utf8(p, c);
    return true;
}

static bool take_escape(struct Parser *p)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    p->at++;
    int c = peek(p);
    const char *where = c > 0 ? strchr(from, c) : NULL;
    if (c == 'u') {
        p->at++;
        return take_unicode_escape(p);
    }
    if (!where)
        return refuse(p, "an unknown escape");
    p->at++;
    *p->string++ = to[where - from];
    return true;
}

static bool take_string(struct Parser *p, const char **string,
                        uint32_t *length)
{
    if (peek(p) != '"')
        return refuse(p, "expected a string");
    p->at++;
    char *start = p->string;
    for (int c = peek(p); c != '"'; c = peek(p)) {
        if (c < 0)
            return refuse(p, "the text ends inside a string");
        if (c < 0x20)
            return refuse(p, "a control character inside a string");
        if (!(c == '\\' ? take_escape(p) : take_utf8(p)))
            return false;
    }
    p->at++;
    *string = start;
    *length = (uint32_t)(p->string - start);
    *p->string++ = 0;
    return true;
}

/* read a JSON number */
static bool take_digits(struct Parser *p)
{
    if (peek(p) < '0' || peek(p) > '9')
        return refuse(p, "expected a digit");
    while (peek(p) >= '0' && peek(p) <= '9')
        p->at++;
    return true;
}

static bool walk_number(struct Parser *p, bool *whole)
{
    *whole = true;
    if (peek(p) == '-') {
        *whole = false;
        p->at++;
    }
    if (peek(p) == '0')
        p->at++;
    else if (!take_digits(p))
        return false;
    if (peek(p) == '.') {
        *whole = false;
        p->at++;
        if (!take_digits(p))
            return false;
    }
    if (peek(p) == 'e' || peek(p) == 'E') {
        *whole = false;
        p->at++;
        if (peek(p) == '+' || peek(p) == '-')
            p->at++;
        return take_digits(p);
    }
    return true;
}

static bool take_number(struct Parser *p, struct Json *v)
{
    size_t start = p->at;
    if (!walk_number(p, &v->is_count))
        return false;
    char copy[64];
    size_t n = p->at - start;
    if (n >= sizeof copy)
        return refuse(p, "a number of more than 63 characters");
    memcpy(copy, p->text + start, n);
    copy[n] = 0;
    v->type = JSON_NUMBER;
    v->number = strtod(copy, NULL);
    if (!isfinite(v->number))
        return refuse(p, "a number past the range of double");
    for (size_t i = 0; v->is_count && i < n; i++) {
        uint64_t digit = (uint64_t)(copy[i] - '0');
        if (v->count > (UINT64_MAX - digit) / 10)
            v->is_count = false;
        v->count = v->count * 10 + digit;
    }
    return true;
}

/* read the members of an array or object */
static int compare_keys(const void *a, const void *b)
{
    const struct Json *x = *(struct Json *const *)a;
    const struct Json *y = *(struct Json *const *)b;
    size_t n = x->key_length < y->key_length ? x->key_length
                                             : y->key_length;
    int order = memcmp(x->key, y->key, n);
    if (order)
        return order;
    return (x->key_length > y->key_length)
         - (x->key_length < y->key_length);
}

static bool check_duplicates(struct Parser *p, const struct Json *object)
{
    size_t n = object->children, i = 0;
    if (n < 2)
        return true;
    struct Json **sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return error_set(p->error, "%s: no memory for %zu JSON keys",
                         p->name, n);
    for (struct Json *c = object->first; c; c = c->next)
        sorted[i++] = c;
    qsort(sorted, n, sizeof *sorted, compare_keys);
    for (i = 1; i < n; i++)
        if (compare_keys(&sorted[i - 1], &sorted[i]) == 0)
            break;
    bool ok = i == n;
    if (!ok)
        error_set(p->error, "%s: byte %zu: the key \"%.60s\" appears twice",
                  p->name, sorted[i]->offset, sorted[i]->key);
    free(sorted);
    return ok;
}

static bool parse_member(struct Parser *p, struct Json *parent,
                         struct Json *child, int depth)
{
    if (parent->type == JSON_OBJECT) {
        skip_space(p);
        if (!take_string(p, &child->key, &child->key_length))
            return false;
        if (skip_space(p) != ':')
            return refuse(p, "expected a colon");
        p->at++;
    }
    return parse_value(p, child, depth + 1);
}

static bool parse_members(struct Parser *p, struct Json *v, int close,
                          int depth)
{
    struct Json **link = &v->first;
    p->at++;
    if (depth >= JSON_MAX_DEPTH)
        return refuse(p, "nested too deeply");
    if (skip_space(p) == close) {
        p->at++;
        return true;
    }
    for (;;) {
        struct Json *child = &p->nodes[p->used++];
        *link = child;
        link = &child->next;
        v->children++;
        if (!parse_member(p, v, child, depth))
            return false;
        int c = skip_space(p);
        p->at++;
        if (c == close)
            break;
        if (c != ',') {
            p->at--;
            return refuse(p, "expected a comma or a closing bracket");
        }
    }
    return v->type != JSON_OBJECT || check_duplicates(p, v);
}

/* read any JSON value */
static bool parse_value(struct Parser *p, struct Json *v, int depth)
{
    int c = skip_space(p);
    v->offset = p->at;
    switch (c) {
    case '{':
        v->type = JSON_OBJECT;
        return parse_members(p, v, '}', depth);
    case '[':
        v->type = JSON_ARRAY;
        return parse_members(p, v, ']', depth);
    case '"':
        v->type = JSON_STRING;
        return take_string(p, &v->string, &v->length);
    case 't':
        v->type = JSON_BOOL;
        v->boolean = true;
        return take_word(p, "true");
    case 'f':
        v->type = JSON_BOOL;
        return take_word(p, "false");
    case 'n':
        v->type = JSON_NULL;
        return take_word(p, "null");
    default:
        return take_number(p, v);
    }
}

/* parse a document */
_Static_assert(sizeof(struct Json) <= 48, "JSON_MAX_VALUES counts so");

static size_t count_values(const char *text, size_t size)
{
    size_t n = 1;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"')
            in_string = !in_string;
        else if (in_string)
            i += text[i] == '\\';
        else
            n += text[i] == ',' || text[i] == '[' || text[i] == '{';
    }
    return n;
}

static bool check_memory(const char *name, const char *text, size_t size,
                         size_t *values, struct Error *e)
{
    if (size > JSON_MAX_BYTES)
        return error_set(e, "%s: byte 0: %zu bytes of JSON; at most %d are "
                         "read", name, size, JSON_MAX_BYTES);
    *values = count_values(text, size);
    if (*values > JSON_MAX_VALUES(size))
        return error_set(e, "%s: byte 0: %zu values in %zu bytes of JSON; "
                         "at most %zu are read, since no real file has "
                         "more", name, *values, size,
                         JSON_MAX_VALUES(size));
    return true;
}

bool json_parse(struct JsonDocument *doc, const char *name,
                const char *text, size_t size, struct Error *e)
{
    size_t values = 0;
    *doc = (struct JsonDocument){0};
    if (!check_memory(name, text, size, &values, e))
        return false;
    doc->nodes = calloc(values, sizeof *doc->nodes);
    doc->strings = malloc(size + 1);
    if (!doc->nodes || !doc->strings) {
        json_free(doc);
        return error_set(e, "%s: no memory to parse %zu bytes of JSON",
                         name, size);
    }
    doc->root = doc->nodes;
    struct Parser p = { .name = name, .text = text, .size = size,
                        .nodes = doc->nodes, .used = 1,
                        .string = doc->strings, .error = e };
    bool ok = parse_value(&p, doc->root, 0);
    if (ok && skip_space(&p) != -1)
        ok = refuse(&p, "text after the end of the value");
    if (!ok)
        json_free(doc);
    return ok;
}

bool json_parse_file(struct JsonDocument *doc, const char *path,
                     struct Error *e)
{
    struct Mapped map;
    *doc = (struct JsonDocument){0};
    if (!map_file(&map, path, e))
        return false;
    bool ok = json_parse(doc, path, (const char *)map.data, map.size, e);
    unmap_file(&map);
    return ok;
}

void json_free(struct JsonDocument *doc)
{
    free(doc->nodes);
    free(doc->strings);
    *doc = (struct JsonDocument){0};
}

const struct Json *json_get(const struct Json *value, const char *key)
{
    if (!value || value->type != JSON_OBJECT)
        return NULL;
    size_t n = strlen(key);
    for (const struct Json *c = value->first; c; c = c->next)
        if (c->key_length == n && memcmp(c->key, key, n) == 0)
            return c;
    return NULL;
}
