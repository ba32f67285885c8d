/* Tangled from chapters/workshop/file-formats.nw, "Safetensors".  Edit it there. */

#include "io/safetensors.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"

/* the element types of safetensors */
static const struct {
    const char *name;
    unsigned bytes;
} types[ST_TYPES] = {
    [ST_BOOL] = { "BOOL", 1 }, [ST_U8]  = { "U8", 1 },
    [ST_I8]   = { "I8", 1 },   [ST_I16] = { "I16", 2 },
    [ST_U16]  = { "U16", 2 },  [ST_F16] = { "F16", 2 },
    [ST_BF16] = { "BF16", 2 }, [ST_I32] = { "I32", 4 },
    [ST_U32]  = { "U32", 4 },  [ST_F32] = { "F32", 4 },
    [ST_I64]  = { "I64", 8 },  [ST_U64] = { "U64", 8 },
    [ST_F64]  = { "F64", 8 },
};

/* read one entry of a safetensors header */
/* Every complaint about an entry: file, tensor, place, what, advice. */
#define ENTRY(s, t, at, e, ...) \
    entry_error(s, t, (at)->offset, e, __VA_ARGS__)

static bool entry_error(const struct Safetensors *s,
                        const struct StTensor *t, size_t offset,
                        struct Error *e, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static bool entry_error(const struct Safetensors *s,
                        const struct StTensor *t, size_t offset,
                        struct Error *e, const char *format, ...)
{
    char what[300];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return error_set(e, "%s: byte %zu: tensor '%.80s': %s; the file is "
                     "damaged: fetch or save it again", s->path,
                     offset + 8, t->name, what);
}

static bool read_type(const struct Safetensors *s, struct StTensor *t,
                      const struct Json *v, struct Error *e)
{
    if (v->type != JSON_STRING)
        return ENTRY(s, t, v, e, "dtype must be a string");
    for (int i = 0; i < ST_TYPES; i++)
        if (strcmp(v->string, types[i].name) == 0) {
            t->type = (enum StType)i;
            return true;
        }
    return ENTRY(s, t, v, e, "dtype '%.20s' is unknown; expected F32, "
                 "F16, BF16, F64 or an integer type", v->string);
}

static bool read_shape(const struct Safetensors *s, struct StTensor *t,
                       const struct Json *v, struct Error *e)
{
    if (v->type != JSON_ARRAY || v->children > ST_MAX_DIMS)
        return ENTRY(s, t, v, e, "shape must be a list of at most %d "
                     "sizes", ST_MAX_DIMS);
    t->count = 1;
    for (const struct Json *d = v->first; d; d = d->next) {
        if (d->type != JSON_NUMBER || !d->is_count)
            return ENTRY(s, t, d, e, "a size in shape must be a whole "
                         "number, 0 or more");
        if (d->count && t->count > UINT64_MAX / 8 / d->count)
            return ENTRY(s, t, d, e, "shape has more elements than any "
                         "file can hold");
        t->shape[t->ndim++] = d->count;
        t->count *= d->count;
    }
    return true;
}

static bool read_offsets(const struct Safetensors *s, struct StTensor *t,
                         const struct Json *v, struct Error *e)
{
    const struct Json *begin = v->type == JSON_ARRAY ? v->first : NULL;
    if (!begin || v->children != 2 || !begin->is_count
        || !begin->next->is_count)
        return ENTRY(s, t, v, e, "data_offsets must be two whole numbers");
    t->begin = begin->count;
    t->end = begin->next->count;
    if (t->begin > t->end || t->end > s->data_bytes)
        return ENTRY(s, t, v, e, "data_offsets %" PRIu64 " to %" PRIu64
                     ", but the file has %" PRIu64 " bytes of data",
                     t->begin, t->end, s->data_bytes);
    return true;
}

static bool read_entry(const struct Safetensors *s, struct StTensor *t,
                       const struct Json *v, struct Error *e)
{
    const struct Json *type = json_get(v, "dtype");
    const struct Json *shape = json_get(v, "shape");
    const struct Json *offsets = json_get(v, "data_offsets");
    if (strlen(v->key) != v->key_length)
        return ENTRY(s, t, v, e, "a name with a zero byte in it");
    if (!type || !shape || !offsets || v->children != 3)
        return ENTRY(s, t, v, e, "expected dtype, shape and data_offsets, "
                     "and nothing else");
    if (!read_type(s, t, type, e) || !read_shape(s, t, shape, e)
        || !read_offsets(s, t, offsets, e))
        return false;
    uint64_t bytes = t->count * types[t->type].bytes;
    if (bytes != t->end - t->begin)
        return ENTRY(s, t, offsets, e, "data_offsets span %" PRIu64
                     " bytes, its shape and type need %" PRIu64,
                     t->end - t->begin, bytes);
    return true;
}

/* check that the tensors fill the data */
static int by_begin(const void *a, const void *b)
{
    const struct StTensor *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static int by_name(const void *a, const void *b)
{
    const struct StTensor *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static bool check_tiling(struct Safetensors *s, struct Error *e)
{
    uint64_t at = 0;
    qsort(s->tensor, (size_t)s->n, sizeof *s->tensor, by_begin);
    for (int i = 0; i < s->n; i++) {
        const struct StTensor *t = &s->tensor[i];
        if (t->begin != at)
            return error_set(e, "%s: tensor '%.80s' begins at byte %"
                PRIu64 " of the data, the one before it ends at %" PRIu64
                ": %s; the file is damaged: fetch or save it again",
                s->path, t->name, t->begin, at,
                t->begin < at ? "they overlap" : "there is a hole");
        at = t->end;
    }
    if (at != s->data_bytes)
        return error_set(e, "%s: the tensors end at byte %" PRIu64
            " of the data, the file has %" PRIu64 "; the file is damaged: "
            "fetch or save it again", s->path, at, s->data_bytes);
    qsort(s->tensor, (size_t)s->n, sizeof *s->tensor, by_name);
    return true;
}

/* read a safetensors header */
static bool no_memory(const char *path, struct Error *e)
{
    return error_set(e, "%s: no memory for the list of its tensors", path);
}

static char *copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

static bool check_metadata(const struct Safetensors *s,
                           const struct Json *v, struct Error *e)
{
    bool good = v->type == JSON_OBJECT;
    for (const struct Json *m = v->first; good && m; m = m->next)
        good = m->type == JSON_STRING;
    if (good)
        return true;
    return error_set(e, "%s: byte %zu: __metadata__ must be an object "
                     "whose values are strings", s->path, v->offset + 8);
}

static bool read_entries(struct Safetensors *s, const struct Json *root,
                         struct Error *e)
{
    if (root->type != JSON_OBJECT)
        return error_set(e, "%s: byte 8: the header must be a JSON "
                         "object; this is no safetensors file", s->path);
    s->tensor = calloc(root->children + 1, sizeof *s->tensor);
    if (!s->tensor)
        return no_memory(s->path, e);
    for (const struct Json *v = root->first; v; v = v->next) {
        if (strcmp(v->key, "__metadata__") == 0) {
            if (!check_metadata(s, v, e))
                return false;
            continue;
        }
        struct StTensor *t = &s->tensor[s->n++];
        t->name = copy_text(v->key);
        if (!t->name)
            return no_memory(s->path, e);
        if (!read_entry(s, t, v, e))
            return false;
    }
    return check_tiling(s, e);
}

static bool read_length(struct Safetensors *s, const unsigned char *bytes,
                        size_t size, uint64_t *length, struct Error *e)
{
    if (size < 8)
        return error_set(e, "%s: %zu bytes; a safetensors file begins "
                         "with 8 that give the length of its header; the "
                         "file is cut off or of another kind", s->path,
                         size);
    *length = 0;
    for (int i = 7; i >= 0; i--)
        *length = *length << 8 | bytes[i];
    if (*length > size - 8 || *length > JSON_MAX_BYTES)
        return error_set(e, "%s: byte 0: a header of %" PRIu64 " bytes, "
                         "but only %zu follow (and %d is the most "
                         "allowed); the file is cut off or of another "
                         "kind", s->path, *length, size - 8,
                         JSON_MAX_BYTES);
    return true;
}

bool safetensors_parse(struct Safetensors *s, const char *path,
                       const void *bytes, size_t size, struct Error *e)
{
    uint64_t length = 0;
    *s = (struct Safetensors){ .path = copy_text(path) };
    if (!s->path)
        return no_memory(path, e);
    if (!read_length(s, bytes, size, &length, e))
        return false;
    s->data_offset = 8 + length;
    s->data_bytes = size - s->data_offset;
    s->data = (const unsigned char *)bytes + s->data_offset;
    /* parse the JSON and read its entries */
    char name[200];
    struct JsonDocument doc;
    snprintf(name, sizeof name, "%.150s: header (from byte 8)", path);
    if (!json_parse(&doc, name, (const char *)bytes + 8, length, e))
        return false;
    bool ok = read_entries(s, doc.root, e);
    json_free(&doc);
    return ok;
}

/* open, close and find */
bool safetensors_open(struct Safetensors *s, const char *path,
                      struct Error *e)
{
    struct Mapped map;
    *s = (struct Safetensors){ 0 };
    if (!map_file(&map, path, e))
        return false;
    bool ok = safetensors_parse(s, path, map.data, map.size, e);
    s->map = map;
    return ok;
}

void safetensors_close(struct Safetensors *s)
{
    for (int i = 0; i < s->n; i++)
        free(s->tensor[i].name);
    free(s->tensor);
    free(s->path);
    unmap_file(&s->map);
    *s = (struct Safetensors){ 0 };
}

const struct StTensor *safetensors_find(const struct Safetensors *s,
                                        const char *name)
{
    struct StTensor key = { .name = (char *)name };
    return s->n ? bsearch(&key, s->tensor, (size_t)s->n,
                          sizeof *s->tensor, by_name) : NULL;
}

/* convert elements to real */
static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float from_bf16(uint16_t h)
{
    return from_bits((uint32_t)h << 16);
}

static float from_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t exponent = h >> 10 & 31, fraction = h & 1023;
    if (exponent == 0) {                    /* zero and subnormals */
        float x = (float)fraction * 0x1p-24f;
        return sign ? -x : x;
    }
    exponent = exponent == 31 ? 255 : exponent + 112;
    return from_bits(sign | exponent << 23 | fraction << 13);
}

#define CONVERT(type, value)                             \
    for (uint64_t i = 0; i < t->count; i++) {            \
        type x;                                          \
        memcpy(&x, from + i * sizeof x, sizeof x);       \
        out[i] = (real)(value);                          \
    }                                                    \
    return true

bool safetensors_read(const struct Safetensors *s,
                      const struct StTensor *t, real *out, struct Error *e)
{
    const unsigned char *from = s->data + t->begin;
    switch (t->type) {
    case ST_F32:
        if (sizeof(real) == 4) {
            if (t->count)
                memcpy(out, from, t->count * sizeof(real));
            return true;
        }
        CONVERT(float, x);
    case ST_F64:
        CONVERT(double, x);
    case ST_F16:
        CONVERT(uint16_t, from_f16(x));
    case ST_BF16:
        CONVERT(uint16_t, from_bf16(x));
    default:
        return error_set(e, "%s: tensor '%.80s' holds %s; expected F32, "
                         "F16, BF16 or F64", s->path, t->name,
                         types[t->type].name);
    }
}

/* write safetensors */
static int source_by_name(const void *a, const void *b)
{
    const struct StSource *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static size_t source_count(const struct StSource *s)
{
    return (s->rows ? s->rows : 1) * s->cols;
}

/* The header as text, padded so that the data begin at a multiple of 8;
 * names are the program's own and need no escapes. */
static char *make_header(const struct StSource *s, int n, size_t *length)
{
    char *text;
    FILE *f = open_memstream(&text, length);
    if (!f)
        return NULL;
    size_t at = 0;
    fputs("{\"__metadata__\":{\"format\":\"pt\"}", f);
    for (int i = 0; i < n; i++) {
        const enum StType type = s[i].data ? ST_F32 : s[i].type;
        size_t bytes = types[type].bytes * source_count(&s[i]);
        /* write the entry of tensor i */
        fprintf(f, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", s[i].name,
                types[type].name);
        if (s[i].rows)
            fprintf(f, "%zu,", s[i].rows);
        fprintf(f, "%zu],\"data_offsets\":[%zu,%zu]}", s[i].cols, at,
                at + bytes);
        at += bytes;
    }
    fputc('}', f);
    for (long end = ftell(f); end % 8; end++)
        fputc(' ', f);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

static void write_floats(struct Writer *w, const real *data, size_t n)
{
    if (sizeof(real) == sizeof(float)) {
        writer_write(w, data, n * sizeof(float));
        return;
    }
    float block[1024];
    for (size_t i = 0; i < n; i += 1024) {
        size_t count = n - i < 1024 ? n - i : 1024;
        for (size_t k = 0; k < count; k++)
            block[k] = (float)data[i + k];
        writer_write(w, block, count * sizeof(float));
    }
}

bool safetensors_write(const char *path, const struct StSource *source,
                       int n, struct Error *e)
{
    struct Writer w;
    struct StSource *s = calloc((size_t)n + 1, sizeof *s);
    if (!s)
        return no_memory(path, e);
    if (n)
        memcpy(s, source, (size_t)n * sizeof *s);
    qsort(s, (size_t)n, sizeof *s, source_by_name);
    size_t length;
    char *header = make_header(s, n, &length);
    if (header ? !writer_open(&w, path, e) : !no_memory(path, e)) {
        free(header);
        free(s);
        return false;
    }
    unsigned char prefix[8];
    for (int i = 0; i < 8; i++)
        prefix[i] = (unsigned char)(length >> (8 * i));
    writer_write(&w, prefix, 8);
    writer_write(&w, header, length);
    for (int i = 0; i < n; i++)
        if (s[i].data)
            write_floats(&w, s[i].data, source_count(&s[i]));
        else
            writer_write(&w, s[i].raw, types[s[i].type].bytes
                                       * source_count(&s[i]));
    free(header);
    free(s);
    return writer_commit(&w, e);
}
