/* Tangled from chapters/workshop/file-formats.nw, "The training state".  Edit it there. */

#include "io/train_state.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"

#define TRAIN_FORMAT "moving-bytes training state 1"

/* write train.json */
static void put_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p < 0x20 || *p == '"' || *p == '\\')
            fprintf(f, "\\u%04x", *p);
        else
            fputc(*p, f);
    fputc('"', f);
}

static void put_field(FILE *f, const struct Field *field)
{
    fprintf(f, ",\n  \"%s\": ", field->name);
    switch (field->type) {
    case FIELD_INT:
        fprintf(f, "%d", *(int *)field->value);
        break;
    case FIELD_INT64:
        fprintf(f, "%" PRId64, *(int64_t *)field->value);
        break;
    case FIELD_DOUBLE:
        fprintf(f, "%.17g", *(double *)field->value);
        break;
    case FIELD_TEXT:
        put_text(f, field->value);
    }
}

bool train_state_write(const char *path, int64_t step,
                       const struct Field *field, int n, struct Error *e)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return error_set(e, "%s: no memory for its text", path);
    fprintf(f, "{\n  \"format\": \"%s\",\n  \"step\": %" PRId64,
            TRAIN_FORMAT, step);
    for (int i = 0; i < n; i++)
        put_field(f, &field[i]);
    fputs("\n}\n", f);
    bool ok = fclose(f) == 0
           || error_set(e, "%s: no memory for its text", path);
    ok = ok && write_file(path, text, size, e);
    free(text);
    return ok;
}

/* check train.json */
static bool field_fits(const struct Field *field, const struct Json *v)
{
    switch (field->type) {
    case FIELD_INT:
        return v->is_count && v->count <= INT_MAX;
    case FIELD_INT64:
        return v->is_count && v->count <= INT64_MAX;
    case FIELD_DOUBLE:
        return v->type == JSON_NUMBER;
    case FIELD_TEXT:
        return v->type == JSON_STRING && v->length < FIELD_TEXT_MAX
            && strlen(v->string) == v->length;
    }
    return false;
}

static const char *const expected[] = {
    [FIELD_INT] = "a whole number that fits in 31 bits",
    [FIELD_INT64] = "a whole number that fits in 63 bits",
    [FIELD_DOUBLE] = "a number",
    [FIELD_TEXT] = "a short text",
};

static bool check_fields(const char *path, const struct Json *root,
                         const struct Field *field, int n, struct Error *e)
{
    for (int i = 0; i < n; i++) {
        const struct Json *v = json_get(root, field[i].name);
        if (!v)
            return error_set(e, "%s: '%s' is missing; the file is of "
                             "another version of this program", path,
                             field[i].name);
        if (!field_fits(&field[i], v))
            return error_set(e, "%s: byte %zu: '%s' must be %s", path,
                             v->offset, field[i].name,
                             expected[field[i].type]);
    }
    return true;
}

static bool check_step(const char *path, const struct Json *root,
                       int64_t *step, struct Error *e)
{
    const struct Json *format = json_get(root, "format");
    const struct Json *v = json_get(root, "step");
    if (!format || format->type != JSON_STRING
        || strcmp(format->string, TRAIN_FORMAT) != 0)
        return error_set(e, "%s: 'format' must be '%s'; this is not the "
                         "training state of this program", path,
                         TRAIN_FORMAT);
    if (!v || !v->is_count || v->count > INT64_MAX)
        return error_set(e, "%s: 'step' must be a whole number", path);
    *step = (int64_t)v->count;
    return true;
}

bool train_state_open(struct JsonDocument *doc, const char *path,
                      const struct Field *field, int n, int64_t *step,
                      struct Error *e)
{
    return json_parse_file(doc, path, e)
        && check_step(path, doc->root, step, e)
        && check_fields(path, doc->root, field, n, e);
}

/* load the fields of train.json */
static void load_field(const struct Field *field, const struct Json *v)
{
    switch (field->type) {
    case FIELD_INT:
        *(int *)field->value = (int)v->count;
        break;
    case FIELD_INT64:
        *(int64_t *)field->value = (int64_t)v->count;
        break;
    case FIELD_DOUBLE:
        *(double *)field->value = v->number;
        break;
    case FIELD_TEXT:
        strcpy(field->value, v->string);
    }
}

void train_state_load(const struct JsonDocument *doc,
                      const struct Field *field, int n)
{
    for (int i = 0; i < n; i++)
        load_field(&field[i], json_get(doc->root, field[i].name));
}
