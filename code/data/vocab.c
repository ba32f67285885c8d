/* Tangled from chapters/workshop/text-tables.nw, "Reading and writing a vocabulary".  Edit it there. */

#include "data/vocab.h"

#include "base/file.h"
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the order of byte tokens */
/* 0x21-0x7E, 0xA1-0xAC, 0xAE-0xFF, then the rest: 0x00-0x20, 0x7F-0xA0,
 * 0xAD. */
#define SIXTEEN(x)                                                    \
    x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7,               \
    x + 8, x + 9, x + 10, x + 11, x + 12, x + 13, x + 14, x + 15
#define PRINTABLE 188

const uint8_t byte_order[256] = {
    SIXTEEN(0x21), SIXTEEN(0x31), SIXTEEN(0x41), SIXTEEN(0x51),
    SIXTEEN(0x61), 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79,
    0x7A, 0x7B, 0x7C, 0x7D, 0x7E,
    0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xAB, 0xAC,
    0xAE, 0xAF, SIXTEEN(0xB0), SIXTEEN(0xC0), SIXTEEN(0xD0),
    SIXTEEN(0xE0), SIXTEEN(0xF0),
    SIXTEEN(0x00), SIXTEEN(0x10), 0x20,
    0x7F, SIXTEEN(0x80), SIXTEEN(0x90), 0xA0, 0xAD
};

/* spell bytes in GPT-2's alphabet */
static void alphabet(uint16_t character[256])
{
    for (int i = 0; i < 256; i++)
        character[byte_order[i]] = (uint16_t)(
            i < PRINTABLE ? byte_order[i] : 256 + i - PRINTABLE);
}

/* Append byte b to the spelling at out; returns its new end. */
static char *spell_byte(char *out, const uint16_t character[256], uint8_t b)
{
    unsigned c = character[b];
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    *out++ = (char)(0xC0 | c >> 6);
    *out++ = (char)(0x80 | (c & 0x3F));
    return out;
}

/* lay out the spellings of a vocabulary */
static bool no_memory(const struct Vocab *v, struct Error *e)
{
    return error_set(e, "out of memory for a vocabulary of %d tokens",
                     v->size);
}

const uint8_t *vocab_spelling(const struct Vocab *v, int token,
                              size_t *length)
{
    *length = v->length[token];
    return v->bytes + v->start[token];
}

void vocab_free(struct Vocab *v)
{
    free(v->merge);
    free(v->start);
    free(v->length);
    free(v->bytes);
    *v = (struct Vocab){0};
}

/* Bytes that all spellings of v need, from bytes and merges; SIZE_MAX if
 * that is more than a vocabulary may have.  Fills v->start, v->length. */
static size_t place_spellings(struct Vocab *v)
{
    size_t end = 0;
    for (int i = -257; i < v->merges; i++) {
        int token = i == -257 ? v->eot : i < 0 ? v->byte_token[i + 256]
                                       : v->merge[i].token;
        size_t n = i == -257 ? strlen(EOT_TEXT) : i < 0 ? 1
                 : (size_t)v->length[v->merge[i].left]
                   + v->length[v->merge[i].right];
        v->start[token] = (uint32_t)end;
        v->length[token] = (uint32_t)n;
        end += n;
        if (end > VOCAB_MAX_BYTES)
            return SIZE_MAX;
    }
    return end;
}

static bool layout(struct Vocab *v, struct Error *e)
{
    v->start = calloc((size_t)v->size, sizeof *v->start);
    v->length = calloc((size_t)v->size, sizeof *v->length);
    if (!v->start || !v->length)
        return no_memory(v, e);
    size_t size = place_spellings(v);
    if (size == SIZE_MAX)
        return error_set(e, "the spellings of all %d tokens together are "
                         "longer than %d bytes", v->size, VOCAB_MAX_BYTES);
    v->bytes = malloc(size);
    if (!v->bytes)
        return no_memory(v, e);
    memcpy(v->bytes + v->start[v->eot], EOT_TEXT, strlen(EOT_TEXT));
    for (int b = 0; b < 256; b++)
        v->bytes[v->start[v->byte_token[b]]] = (uint8_t)b;
    for (int i = 0; i < v->merges; i++) {
        const struct Merge *m = &v->merge[i];
        uint8_t *to = v->bytes + v->start[m->token];
        memcpy(to, v->bytes + v->start[m->left], v->length[m->left]);
        memcpy(to + v->length[m->left], v->bytes + v->start[m->right],
               v->length[m->right]);
    }
    return true;
}

bool vocab_from_merges(struct Vocab *v, const struct Merge *merge,
                       int merges, struct Error *e)
{
    *v = (struct Vocab){ .size = merges + 257, .merges = merges,
                         .eot = merges + 256 };
    v->merge = malloc(((size_t)merges + 1) * sizeof *merge);
    if (!v->merge)
        return no_memory(v, e);
    for (int i = 0; i < 256; i++)
        v->byte_token[byte_order[i]] = (uint16_t)i;
    for (int i = 0; i < merges; i++)
        v->merge[i] = (struct Merge){ merge[i].left, merge[i].right,
                                      (uint16_t)(256 + i) };
    const bool ok = layout(v, e);
    if (!ok)
        vocab_free(v);
    return ok;
}

/* a table from spelling to id */
struct Names {
    const struct Json **slot;
    size_t mask;
};

static size_t hash_name(const char *text, size_t size)
{
    uint64_t h = 0xcbf29ce484222325u;           /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        h = (h ^ (uint8_t)text[i]) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

static const struct Json **find_slot(const struct Names *names,
                                     const char *text, size_t size)
{
    size_t i = hash_name(text, size) & names->mask;
    for (; names->slot[i]; i = (i + 1) & names->mask)
        if (names->slot[i]->key_length == size
            && memcmp(names->slot[i]->key, text, size) == 0)
            break;
    return &names->slot[i];
}

static bool index_names(struct Names *names, const struct Json *object)
{
    size_t slots = 1024;
    while (slots < 2 * object->children)
        slots *= 2;
    names->mask = slots - 1;
    names->slot = calloc(slots, sizeof *names->slot);
    if (!names->slot)
        return false;
    for (const struct Json *m = object->first; m; m = m->next)
        *find_slot(names, m->key, m->key_length) = m;
    return true;
}

/* fill the table from encoder.json */
struct Source {
    const char *bpe_name, *json_name;   /* for messages */
    struct Names names;
    bool *made;                 /* [size] ids that a line has made so far */
    uint16_t character[256];
};

static bool check_ids(const struct Source *s, const struct Json *object,
                      const struct Vocab *v, struct Error *e)
{
    const int size = v->size;
    bool *seen = calloc((size_t)size, sizeof *seen);
    const struct Json *m = object->first;
    if (!seen)
        return no_memory(v, e);
    while (m && m->is_count && m->count < (uint64_t)size
           && !seen[m->count]) {
        seen[m->count] = true;
        m = m->next;
    }
    free(seen);
    return !m || error_set(e, "%s: byte %zu: the id of \"%.40s\" is not a "
        "whole number from 0 to %d that no other token has",
        s->json_name, m->offset, m->key, size - 1);
}

static bool check_object(const struct Source *s, const struct Json *root,
                         struct Vocab *v, struct Error *e)
{
    if (root->type != JSON_OBJECT)
        return error_set(e, "%s: byte 0: expected an object from spelling "
                         "to token id, as in GPT-2's file", s->json_name);
    if (root->children < 257 || root->children > VOCAB_MAX)
        return error_set(e, "%s: %u tokens; expected 257 (256 bytes and "
                         EOT_TEXT ") to %d", s->json_name, root->children,
                         VOCAB_MAX);
    v->size = (int)root->children;
    return check_ids(s, root, v, e);
}

static int find_id(const struct Source *s, const char *text, size_t size)
{
    const struct Json *m = *find_slot(&s->names, text, size);
    return m ? (int)m->count : -1;
}

/* Find <|endoftext|> and the 256 single bytes. */
static bool find_bytes(struct Source *s, struct Vocab *v, struct Error *e)
{
    v->eot = find_id(s, EOT_TEXT, strlen(EOT_TEXT));
    if (v->eot < 0)
        return error_set(e, "%s: no token \"" EOT_TEXT "\"", s->json_name);
    for (int b = 0; b < 256; b++) {
        char name[2];
        char *end = spell_byte(name, s->character, (uint8_t)b);
        int id = find_id(s, name, (size_t)(end - name));
        if (id < 0)
            return error_set(e, "%s: no token \"%.*s\" for the byte 0x%02x",
                             s->json_name, (int)(end - name), name, b);
        v->byte_token[b] = (uint16_t)id;
        s->made[id] = true;
    }
    return true;
}

/* read one line of vocab.bpe */
struct Line {
    const char *text;
    size_t size;
    int number;
};

static bool bad_line(const struct Source *s, const struct Line *l,
                     struct Error *e, const char *what)
{
    return error_set(e, "%s: line %d: \"%.*s\": %s", s->bpe_name, l->number,
                     (int)(l->size < 60 ? l->size : 60), l->text, what);
}

/* The id of a part of a merge, or -1. */
static int find_part(const struct Source *s, const char *text, size_t size)
{
    int id = find_id(s, text, size);
    return id >= 0 && s->made[id] ? id : -1;
}

static bool read_merge(struct Source *s, struct Vocab *v,
                       const struct Line *l, char *joined, struct Error *e)
{
    const char *space = memchr(l->text, ' ', l->size);
    size_t left = space ? (size_t)(space - l->text) : 0;
    if (!left || left + 1 == l->size
        || memchr(space + 1, ' ', l->size - left - 1))
        return bad_line(s, l, e, "expected two tokens with one space "
                        "between them");
    size_t right = l->size - left - 1;
    memcpy(joined, l->text, left);
    memcpy(joined + left, space + 1, right);
    int a = find_part(s, l->text, left), b = find_part(s, space + 1, right);
    int c = find_id(s, joined, left + right);
    if (a < 0 || b < 0)
        return bad_line(s, l, e, a < 0
            ? "the left part is neither a byte nor made by a line above"
            : "the right part is neither a byte nor made by a line above");
    if (c < 0)
        return bad_line(s, l, e, "the token it makes is not in "
                        "encoder.json");
    if (c == v->eot || s->made[c])
        return bad_line(s, l, e, c == v->eot ? "makes " EOT_TEXT
            : "makes a token that exists already");
    s->made[c] = true;
    v->merge[v->merges++] = (struct Merge){ (uint16_t)a, (uint16_t)b,
                                            (uint16_t)c };
    return true;
}

/* read all merges */
static bool next_line(struct Line *l, const char **at, const char *end)
{
    if (*at == end)
        return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    l->text = *at;
    l->size = (size_t)((newline ? newline : end) - *at);
    l->number++;
    *at = newline ? newline + 1 : end;
    return true;
}

static bool read_lines(struct Source *s, struct Vocab *v, const char *bpe,
                       size_t size, char *joined, struct Error *e)
{
    const char *at = bpe, *end = bpe + size;
    struct Line l = {0};
    if (!next_line(&l, &at, end) || l.size < 8
        || memcmp(l.text, "#version", 8) != 0)
        return bad_line(s, &l, e, "expected \"#version: 0.2\"");
    if (l.text[l.size - 1] == '\r')
        return bad_line(s, &l, e, "lines end with CR LF; remove the CRs");
    while (next_line(&l, &at, end)) {
        if (v->merges == v->size - 257)
            return bad_line(s, &l, e, "more merges than encoder.json has "
                            "tokens for");
        if (!read_merge(s, v, &l, joined, e))
            return false;
    }
    if (v->merges == v->size - 257)
        return true;
    return error_set(e, "%s: %d merges, but %s has %d tokens: expected "
        "%d (tokens less 256 bytes and " EOT_TEXT ")", s->bpe_name,
        v->merges, s->json_name, v->size, v->size - 257);
}

/* read a vocabulary */
static bool read_both(struct Source *s, struct Vocab *v, const char *bpe,
                      size_t bpe_size, const struct Json *root,
                      struct Error *e)
{
    struct Error why;
    if (!check_object(s, root, v, e))
        return false;
    s->made = calloc((size_t)v->size, sizeof *s->made);
    v->merge = malloc((size_t)v->size * sizeof *v->merge);
    char *joined = malloc(bpe_size + 1);
    bool ok = index_names(&s->names, root) && s->made && v->merge && joined;
    if (!ok)
        no_memory(v, e);
    ok = ok && find_bytes(s, v, e)
      && read_lines(s, v, bpe, bpe_size, joined, e);
    free(joined);
    if (ok && !layout(v, &why))
        ok = error_set(e, "%s: %s", s->bpe_name, why.text);
    return ok;
}

bool vocab_parse(struct Vocab *v, const char *bpe_name, const char *bpe,
                 size_t bpe_size, const char *json_name, const char *json,
                 size_t json_size, struct Error *e)
{
    *v = (struct Vocab){0};
    struct Source s = { .bpe_name = bpe_name, .json_name = json_name };
    alphabet(s.character);
    struct JsonDocument doc;
    if (!json_parse(&doc, json_name, json, json_size, e))
        return false;
    bool ok = read_both(&s, v, bpe, bpe_size, doc.root, e);
    free(s.made);
    free(s.names.slot);
    json_free(&doc);
    if (!ok)
        vocab_free(v);
    return ok;
}

static bool vocab_path(char path[4096], const char *dir, const char *name,
                       struct Error *e)
{
    if (snprintf(path, 4096, "%s/%s", dir, name) < 4096)
        return true;
    return error_set(e, "%.60s...: the path is too long", dir);
}

bool vocab_read(struct Vocab *v, const char *dir, struct Error *e)
{
    char bpe_path[4096], json_path[4096];
    struct Mapped bpe, json;
    if (!vocab_path(bpe_path, dir, "vocab.bpe", e)
        || !vocab_path(json_path, dir, "encoder.json", e)
        || !map_file(&bpe, bpe_path, e))
        return false;
    bool ok = map_file(&json, json_path, e);
    if (ok) {
        ok = vocab_parse(v, bpe_path, (const char *)bpe.data, bpe.size,
                         json_path, (const char *)json.data, json.size, e);
        unmap_file(&json);
    }
    unmap_file(&bpe);
    return ok;
}

/* write a vocabulary */
static void put_merges(struct Writer *w, const struct Vocab *v,
                       const uint16_t character[256])
{
    char text[2];
    writer_write(w, "#version: 0.2\n", 14);
    for (int i = 0; i < 2 * v->merges; i++) {
        const struct Merge *m = &v->merge[i / 2];
        size_t n;
        const uint8_t *b = vocab_spelling(v, i % 2 ? m->right : m->left,
                                          &n);
        for (size_t k = 0; k < n; k++)
            writer_write(w, text, (size_t)(spell_byte(text, character,
                                                      b[k]) - text));
        writer_write(w, i % 2 ? "\n" : " ", 1);
    }
}

static void put_ids(struct Writer *w, const struct Vocab *v,
                    const uint16_t character[256])
{
    char text[32];
    for (int id = 0; id < v->size; id++) {
        size_t n;
        const uint8_t *b = vocab_spelling(v, id, &n);
        writer_write(w, id ? ", \"" : "{\"", id ? 3 : 2);
        for (size_t k = 0; k < n; k++) {
            unsigned c = id == v->eot ? b[k] : character[b[k]];
            const char *form = c == '"' || c == '\\' ? "\\%c"
                             : c < 0x80 ? "%c" : "\\u%04x";
            int length = snprintf(text, sizeof text, form, c);
            writer_write(w, text, (size_t)length);
        }
        writer_write(w, text, (size_t)snprintf(text, sizeof text,
                                               "\": %d", id));
    }
    writer_write(w, "}\n", 2);
}

bool vocab_write(const struct Vocab *v, const char *dir, struct Error *e)
{
    char path[4096];
    uint16_t character[256];
    struct Writer bpe, json;
    alphabet(character);
    if (!make_dirs(dir, e) || !vocab_path(path, dir, "vocab.bpe", e)
        || !writer_open(&bpe, path, e))
        return false;
    put_merges(&bpe, v, character);
    if (!vocab_path(path, dir, "encoder.json", e)
        || !writer_open(&json, path, e)) {
        writer_abort(&bpe);
        return false;
    }
    put_ids(&json, v, character);
    if (!writer_commit(&json, e)) {
        writer_abort(&bpe);
        return false;
    }
    return writer_commit(&bpe, e);
}
