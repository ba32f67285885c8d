/* Tangled from chapters/workshop/file-formats.nw, "Whole or not at all".  Edit it there. */

#include "io/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backend/backend.h"
#include "base/json.h"
#include "io/safetensors.h"

/* names of files */
/* out = DIR/name; false if that is too long. */
static bool join(char out[CHECKPOINT_PATH_MAX], const char *dir,
                 const char *name, struct Error *e)
{
    int n = snprintf(out, CHECKPOINT_PATH_MAX, "%s/%s", dir, name);
    return n < CHECKPOINT_PATH_MAX
        || error_set(e, "%.60s...: the path is too long", dir);
}

/* The directory of a file: "." if the path has no slash. */
static bool dir_of(char out[CHECKPOINT_PATH_MAX], const char *path,
                   struct Error *e)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 1;
    if (n >= CHECKPOINT_PATH_MAX)
        return error_set(e, "%.60s...: the path is too long", path);
    memcpy(out, slash ? path : ".", n);
    out[n] = 0;
    if (slash == path)
        strcpy(out, "/");
    return true;
}

/* the names of tensors in a weights file */
#define HF_PREFIX "transformer."

static const char *prefix_of(const struct Safetensors *s)
{
    return safetensors_find(s, HF_PREFIX "wte.weight") ? HF_PREFIX : "";
}

static const struct StTensor *find_param(const struct Safetensors *s,
                                         const char *prefix,
                                         const char *name)
{
    char full[PARAM_NAME_MAX + 20];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return safetensors_find(s, full);
}

static bool need_matrix(const struct Safetensors *s, const char *name,
                        uint64_t *rows, uint64_t *cols, struct Error *e)
{
    const struct StTensor *t = find_param(s, prefix_of(s), name);
    if (!t)
        return error_set(e, "%s: there is no tensor '%s': these are not "
                         "the weights of a GPT-2", s->path, name);
    if (t->ndim != 2 || t->shape[0] - 1 >= 65536
        || t->shape[1] - 1 >= 65536)
        return error_set(e, "%s: tensor '%s' must be a matrix with sides "
                         "of 1 to 65536", s->path, name);
    *rows = t->shape[0];
    *cols = t->shape[1];
    return true;
}

/* read config.json */
/* What config.json says; -1 where it says nothing. */
struct HfConfig { int64_t V, T, C, L, NH; };

static bool read_count(const char *path, const struct Json *root,
                       const char *key, int64_t *value, struct Error *e)
{
    const struct Json *v = json_get(root, key);
    *value = -1;
    if (!v)
        return true;
    if (v->type != JSON_NUMBER || !v->is_count || v->count < 1
        || v->count > 65536)
        return error_set(e, "%s: byte %zu: %s must be a whole number from "
                         "1 to 65536", path, v->offset, key);
    *value = (int64_t)v->count;
    return true;
}

/* Settings that change what the model computes: we have one of each. */
static bool check_kind(const char *path, const struct Json *root,
                       struct Error *e)
{
    static const struct { const char *key, *value; } words[] = {
        { "model_type", "gpt2" }, { "activation_function", "gelu_new" } };
    for (int i = 0; i < 2; i++) {
        const struct Json *v = json_get(root, words[i].key);
        if (v && (v->type != JSON_STRING
                  || strcmp(v->string, words[i].value) != 0))
            return error_set(e, "%s: byte %zu: %s is '%.40s'; this "
                             "program knows %s only", path, v->offset,
                             words[i].key,
                             v->type == JSON_STRING ? v->string : "?",
                             words[i].value);
    }
    const struct Json *v = json_get(root, "layer_norm_epsilon");
    if (v && !(v->type == JSON_NUMBER && fabs(v->number - 1e-5) < 1e-9))
        return error_set(e, "%s: byte %zu: layer_norm_epsilon must be "
                         "1e-5, GPT-2's", path, v->offset);
    return true;
}

static bool parse_file(struct JsonDocument *doc, const char *path,
                       struct Error *e)
{
    struct Mapped map;
    if (!map_file(&map, path, e))
        return false;
    bool ok = json_parse(doc, path, (const char *)map.data, map.size, e);
    unmap_file(&map);
    return ok;
}

static bool read_said(struct HfConfig *said, const char *path,
                      struct Error *e)
{
    struct JsonDocument doc;
    if (!parse_file(&doc, path, e))
        return false;
    const struct Json *r = doc.root;
    bool ok = check_kind(path, r, e)
        && read_count(path, r, "vocab_size", &said->V, e)
        && read_count(path, r, "n_positions", &said->T, e)
        && read_count(path, r, "n_embd", &said->C, e)
        && read_count(path, r, "n_layer", &said->L, e)
        && read_count(path, r, "n_head", &said->NH, e);
    json_free(&doc);
    return ok;
}

/* the config of a weights file */
static bool config_of_shapes(struct Config *c, const struct Safetensors *s,
                             struct Error *e)
{
    uint64_t V, T, C, wpe_C;
    if (!need_matrix(s, "wte.weight", &V, &C, e)
        || !need_matrix(s, "wpe.weight", &T, &wpe_C, e))
        return false;
    if (C != wpe_C)
        return error_set(e, "%s: wte.weight has %" PRIu64 " channels and "
                         "wpe.weight %" PRIu64 "; they must agree",
                         s->path, C, wpe_C);
    *c = (struct Config){ .V = (int)V, .T = (int)T, .C = (int)C };
    char name[PARAM_NAME_MAX];
    do
        snprintf(name, sizeof name, "h.%d.ln_1.weight", c->L++);
    while (find_param(s, prefix_of(s), name));
    c->L--;
    return true;
}

static bool agree(const char *path, const char *key, int64_t said,
                  int64_t found, struct Error *e)
{
    return said < 0 || said == found
        || error_set(e, "%s: %s is %" PRId64 ", but the weights beside it "
                     "have %" PRId64 "; the two do not belong together",
                     path, key, said, found);
}

/* Heads leave no trace in the shapes: the reader of the file must know. */
static bool find_heads(struct Config *c, const char *path, int64_t said,
                       int heads, struct Error *e)
{
    if (heads > 0 && said > 0 && heads != said)
        return error_set(e, "%s: config.json beside it says %" PRId64
                         " heads, not %d; leave --heads out", path, said,
                         heads);
    c->NH = heads > 0 ? heads : said > 0 ? (int)said : c->C / 64;
    if (heads <= 0 && said <= 0 && c->C % 64)
        return error_set(e, "%s: %d channels are not a multiple of 64, "
                         "and no config.json lies beside it; say the "
                         "number of heads with --heads", path, c->C);
    return true;
}

static bool config_of(struct Config *c, const struct Safetensors *s,
                      int heads, struct Error *e)
{
    struct HfConfig said = { -1, -1, -1, -1, -1 };
    char dir[CHECKPOINT_PATH_MAX], path[CHECKPOINT_PATH_MAX];
    if (!config_of_shapes(c, s, e) || !dir_of(dir, s->path, e)
        || !join(path, dir, "config.json", e))
        return false;
    if (access(path, F_OK) == 0 && !read_said(&said, path, e))
        return false;
    return agree(path, "vocab_size", said.V, c->V, e)
        && agree(path, "n_positions", said.T, c->T, e)
        && agree(path, "n_embd", said.C, c->C, e)
        && agree(path, "n_layer", said.L, c->L, e)
        && find_heads(c, s->path, said.NH, heads, e)
        && config_check(c, e);
}

bool weights_config(struct Config *c, const char *path, int heads,
                    struct Error *e)
{
    struct Safetensors s;
    bool ok = safetensors_open(&s, path, e) && config_of(c, &s, heads, e);
    safetensors_close(&s);
    return ok;
}

/* compare a file with the parameter table */
static void shape_text(char out[80], const struct StTensor *t)
{
    int n = snprintf(out, 80, "%s [", t->type == ST_F32 ? "F32" : "dtype");
    for (int i = 0; i < t->ndim && n < 70; i++)
        n += snprintf(out + n, (size_t)(80 - n), "%s%" PRIu64,
                      i ? "," : "", t->shape[i]);
    snprintf(out + (n < 78 ? n : 78), 2, "]");
}

static bool is_float(const struct StTensor *t)
{
    return t->type == ST_F32 || t->type == ST_F64 || t->type == ST_F16
        || t->type == ST_BF16;
}

static bool has_shape(const struct StTensor *t, const struct Param *p)
{
    return p->rows ? t->ndim == 2 && t->shape[0] == p->rows
                     && t->shape[1] == p->cols
                   : t->ndim == 1 && t->shape[0] == p->cols;
}

static bool check_param(const struct Safetensors *s, const char *prefix,
                        const struct Param *p, struct Error *e)
{
    char found[80];
    const struct StTensor *t = find_param(s, prefix, p->name);
    if (!t)
        return error_set(e, "%s: tensor '%s%s' is missing; the file is "
                         "not complete or is of another model", s->path,
                         prefix, p->name);
    if (has_shape(t, p) && is_float(t))
        return true;
    shape_text(found, t);
    return error_set(e, "%s: tensor '%s' at byte %" PRIu64 " is %s; "
                     "expected floats of shape [%zu%s%zu]; the file is of "
                     "another model", s->path, t->name,
                     s->data_offset + t->begin, found,
                     p->rows ? p->rows : p->cols, p->rows ? "," : "] = [",
                     p->cols);
}

static bool check_params(const struct Safetensors *s, const char *prefix,
                         const struct ParamTable *t, struct Error *e)
{
    for (int i = 0; i < t->n; i++)
        if (!check_param(s, prefix, &t->row[i], e))
            return false;
    return true;
}

/* base is the host's */
static bool read_params(const struct Safetensors *s, const char *prefix,
                        const struct ParamTable *t, real *base,
                        struct Error *e)
{
    for (int i = 0; i < t->n; i++) {
        const struct Param *p = &t->row[i];
        if (!safetensors_read(s, find_param(s, prefix, p->name),
                              base + p->offset, e))
            return false;
    }
    return true;
}

static bool read_weights(const struct Safetensors *s, struct Model *m,
                         struct Error *e)
{
    real *host = model_borrow(m);
    bool ok = host && read_params(s, prefix_of(s), &m->table, host, e);
    model_return(m, host, ok);
    return host ? ok && model_ok(m, e) : model_ok(m, e);
}

static bool read_moment(const struct Safetensors *s, const char *prefix,
                        const struct ParamTable *t, real *base,
                        struct Error *e)
{
    const size_t bytes = t->total * sizeof *base;
    real *host = backend_borrow(base, bytes);
    bool ok = host && read_params(s, prefix, t, host, e);
    backend_return(base, host, bytes, ok);
    return host ? ok && backend_ok(e) : backend_ok(e);
}

/* load and save weights */
static bool is_param(const struct ParamTable *t, const char *name)
{
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->row[i].name, name) == 0)
            return true;
    return false;
}

/* A second copy of wte under the name of the classifier is fine if it is
 * a copy; an untied classifier would be another model. */
static bool check_tied(const struct Safetensors *s,
                       const struct StTensor *head, struct Error *e)
{
    const struct StTensor *wte = find_param(s, prefix_of(s), "wte.weight");
    uint64_t bytes = wte->end - wte->begin;
    if (head->type == wte->type && head->ndim == 2
        && head->shape[0] == wte->shape[0]
        && head->shape[1] == wte->shape[1]
        && memcmp(s->data + head->begin, s->data + wte->begin, bytes) == 0)
        return true;
    return error_set(e, "%s: lm_head.weight at byte %" PRIu64 " is not "
                     "wte.weight; this program ties the two", s->path,
                     s->data_offset + head->begin);
}

/* The causal mask and its fill value, which old files carry along, of a
 * layer that the model has. */
static bool is_buffer(const struct ParamTable *t, const char *name)
{
    char layer[PARAM_NAME_MAX];
    if (strncmp(name, "h.", 2) != 0)
        return false;
    int digits = (int)strspn(name + 2, "0123456789");
    const char *rest = name + 2 + digits;
    if (strcmp(rest, ".attn.bias") && strcmp(rest, ".attn.masked_bias"))
        return false;
    snprintf(layer, sizeof layer, "h.%.*s.ln_1.weight", digits, name + 2);
    return is_param(t, layer);
}

static bool check_extras(const struct Safetensors *s,
                         const struct ParamTable *t, struct Error *e)
{
    const char *prefix = prefix_of(s);
    size_t skip = strlen(prefix);
    for (int i = 0; i < s->n; i++) {
        const struct StTensor *x = &s->tensor[i];
        bool ours = strncmp(x->name, prefix, skip) == 0;
        const char *name = ours ? x->name + skip : x->name;
        if (strcmp(x->name, "lm_head.weight") == 0) {
            if (!check_tied(s, x, e))
                return false;
        } else if (!ours || !(is_param(t, name) || is_buffer(t, name)))
            return error_set(e, "%s: tensor '%.80s' at byte %" PRIu64
                             " has no place in a GPT-2 of %d tensors; the "
                             "file is of another model", s->path, x->name,
                             s->data_offset + x->begin, t->n);
    }
    return true;
}

static bool check_weights(const struct Safetensors *s,
                          const struct ParamTable *t, struct Error *e)
{
    return check_params(s, prefix_of(s), t, e) && check_extras(s, t, e);
}

bool weights_load(struct Model *m, const char *path, struct Error *e)
{
    struct Safetensors s;
    bool ok = safetensors_open(&s, path, e)
           && check_weights(&s, &m->table, e)
           && read_weights(&s, m, e);
    safetensors_close(&s);
    return ok;
}

/* n sources of the table's tensors in base, named prefix + name */
static void add_sources(struct StSource *source,
                        char (*name)[PARAM_NAME_MAX + 20],
                        const struct ParamTable *t, const char *prefix,
                        const real *base)
{
    for (int i = 0; i < t->n; i++) {
        const struct Param *p = &t->row[i];
        snprintf(name[i], sizeof name[i], "%s%s", prefix, p->name);
        source[i] = (struct StSource){ name[i], p->rows, p->cols,
                                       base + p->offset };
    }
}

/* One or two copies of the table (first, second) into one file. */
static bool save_copies(const struct ParamTable *t, const char *path,
                        const char *prefix[2], real *host[2],
                        struct Error *e)
{
    const int copies = host[1] ? 2 : 1;
    const size_t n = (size_t)t->n;
    struct StSource *source = calloc(2 * n, sizeof *source);
    char (*name)[PARAM_NAME_MAX + 20] = calloc(2 * n, sizeof *name);
    bool ok = source && name;
    if (!ok)
        error_set(e, "%s: no memory for a list of %d tensors", path,
                  copies * t->n);
    for (int k = 0; ok && k < copies; k++)
        add_sources(source + (size_t)k * n, name + (size_t)k * n, t,
                    prefix[k], host[k]);
    ok = ok && safetensors_write(path, source, copies * t->n, e);
    free(name);
    free(source);
    return ok;
}

bool weights_save(const struct Model *m, const char *path, struct Error *e)
{
    const char *prefix[2] = { HF_PREFIX, NULL };
    real *host[2] = { model_borrow(m), NULL };
    bool ok = model_ok(m, e)
           && save_copies(&m->table, path, prefix, host, e);
    model_return((struct Model *)(uintptr_t)m, host[0], false);
    return ok;
}

static bool save_moments(const struct ParamTable *t, const char *path,
                         const real *adam_m, const real *adam_v,
                         struct Error *e)
{
    const size_t bytes = t->total * sizeof(real);
    const char *prefix[2] = { "m.", "v." };
    real *host[2] = { backend_borrow(adam_m, bytes),
                      backend_borrow(adam_v, bytes) };
    bool ok = backend_ok(e) && save_copies(t, path, prefix, host, e);
    for (int k = 0; k < 2; k++)
        backend_return(NULL, host[k], bytes, false);
    return ok;
}

/* read and write train.json */
#define TRAIN_FORMAT "moving-bytes training state 1"

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

/* Write what print() puts into a stream to a file of its own. */
static bool write_text(const char *dir, const char *name, const char *text,
                       size_t n, struct Error *e)
{
    char path[CHECKPOINT_PATH_MAX];
    struct Writer w;
    if (!join(path, dir, name, e) || !writer_open(&w, path, e))
        return false;
    writer_write(&w, text, n);
    return writer_commit(&w, e);
}

static bool write_train(const char *dir, int64_t step,
                        const struct Field *field, int n, struct Error *e)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return error_set(e, "%s: no memory for train.json", dir);
    fprintf(f, "{\n  \"format\": \"%s\",\n  \"step\": %" PRId64,
            TRAIN_FORMAT, step);
    for (int i = 0; i < n; i++)
        put_field(f, &field[i]);
    fputs("\n}\n", f);
    bool ok = fclose(f) == 0
           || error_set(e, "%s: no memory for train.json", dir);
    ok = ok && write_text(dir, "train.json", text, size, e);
    free(text);
    return ok;
}

static bool write_config(const char *dir, const struct Config *c,
                         struct Error *e)
{
    char text[1200];
    int n = snprintf(text, sizeof text,
        /* the text of config.json */
        "{\n  \"architectures\": [\"GPT2LMHeadModel\"],\n"
        "  \"model_type\": \"gpt2\",\n"
        "  \"vocab_size\": %d,\n  \"n_positions\": %d,\n  \"n_ctx\": %d,\n"
        "  \"n_embd\": %d,\n  \"n_layer\": %d,\n  \"n_head\": %d,\n"
        "  \"activation_function\": \"gelu_new\",\n"
        "  \"layer_norm_epsilon\": 1e-05,\n"
        "  \"initializer_range\": 0.02,\n"
        "  \"embd_pdrop\": 0.0,\n  \"attn_pdrop\": 0.0,\n"
        "  \"resid_pdrop\": 0.0,\n"
        "  \"tie_word_embeddings\": true,\n"
        "  \"torch_dtype\": \"float32\",\n"
        "  \"bos_token_id\": %d,\n  \"eos_token_id\": %d\n}\n"
        , c->V, c->T, c->T, c->C, c->L, c->NH, c->V - 1, c->V - 1);
    return write_text(dir, "config.json", text, (size_t)n, e);
}

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

static void take_field(const struct Field *field, const struct Json *v)
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

static const char *const kinds[] = {
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
                             kinds[field[i].type]);
    }
    return true;
}

static bool check_train(const char *path, const struct Json *root,
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

/* list, remove and recover checkpoint directories */
#define STEP_PREFIX "step-"
#define TEMP_PREFIX "tmp-"      /* being written, or being deleted */
#define OLD_PREFIX  "old-"      /* being replaced */

/* "step-000100" -> 100, anything else -> -1. */
static int64_t step_of(const char *name)
{
    size_t n = strlen(STEP_PREFIX);
    if (strncmp(name, STEP_PREFIX, n) != 0)
        return -1;
    const char *digits = name + n;
    size_t count = strspn(digits, "0123456789");
    if (count < 6 || count > 18 || digits[count])
        return -1;
    return strtoll(digits, NULL, 10);
}

static bool starts(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0
        && step_of(name + strlen(prefix)) >= 0;
}

static bool no_entry(const char *path, const char *doing, struct Error *e)
{
    return error_set(e, "%s: cannot %s: %s", path, doing, strerror(errno));
}

/* A checkpoint holds files only; anything else stops the removal. */
static bool remove_dir(const char *path, struct Error *e)
{
    DIR *d = opendir(path);
    if (!d)
        return no_entry(path, "open", e);
    bool ok = true;
    for (struct dirent *f; ok && (f = readdir(d)) != NULL;) {
        char name[CHECKPOINT_PATH_MAX];
        if (!strcmp(f->d_name, ".") || !strcmp(f->d_name, ".."))
            continue;
        ok = join(name, path, f->d_name, e)
            && (unlink(name) == 0 || no_entry(name, "delete", e));
    }
    closedir(d);
    return ok && (rmdir(path) == 0 || no_entry(path, "delete", e));
}

static bool rename_dir(const char *from, const char *to, struct Error *e)
{
    return rename(from, to) == 0 || no_entry(from, "rename", e);
}

/* Put an old- directory back if its place is empty; else delete it. */
static bool recover(const char *out, const char *name, struct Error *e)
{
    char path[CHECKPOINT_PATH_MAX], to[CHECKPOINT_PATH_MAX];
    if (!join(path, out, name, e)
        || !join(to, out, name + strlen(OLD_PREFIX), e))
        return false;
    return access(to, F_OK) == 0 ? remove_dir(path, e)
                                 : rename_dir(path, to, e);
}

bool checkpoint_clean(const char *out, struct Error *e)
{
    DIR *d = opendir(out);
    if (!d)
        return no_entry(out, "open", e);
    bool ok = true;
    for (struct dirent *f; ok && (f = readdir(d)) != NULL;) {
        char path[CHECKPOINT_PATH_MAX];
        if (starts(f->d_name, OLD_PREFIX))
            ok = recover(out, f->d_name, e);
        else if (starts(f->d_name, TEMP_PREFIX))
            ok = join(path, out, f->d_name, e) && remove_dir(path, e);
    }
    closedir(d);
    return ok;
}

static int by_step(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The steps of all checkpoints in OUT, newest first; *list to be freed. */
static bool list_steps(const char *out, int64_t **list, size_t *n,
                       struct Error *e)
{
    *list = NULL;
    *n = 0;
    DIR *d = opendir(out);
    if (!d)
        return no_entry(out, "open", e);
    bool ok = true;
    for (struct dirent *f; ok && (f = readdir(d)) != NULL;) {
        int64_t step = step_of(f->d_name);
        if (step < 0)
            continue;
        int64_t *more = realloc(*list, (*n + 1) * sizeof **list);
        ok = more != NULL;
        if (ok) {
            *list = more;
            more[(*n)++] = step;
        }
    }
    closedir(d);
    if (!ok) {
        free(*list);
        return error_set(e, "%s: no memory to list %zu checkpoints", out,
                         *n + 1);
    }
    if (*n)
        qsort(*list, *n, sizeof **list, by_step);
    return true;
}

static bool step_path(char path[CHECKPOINT_PATH_MAX], const char *out,
                      const char *prefix, int64_t step, struct Error *e)
{
    char name[64];
    snprintf(name, sizeof name, "%s" STEP_PREFIX "%06" PRId64, prefix,
             step);
    return join(path, out, name, e);
}

bool checkpoint_latest(const char *out, char path[CHECKPOINT_PATH_MAX],
                       int64_t *step, struct Error *e)
{
    int64_t *list;
    size_t n;
    if (!list_steps(out, &list, &n, e))
        return false;
    *step = n ? list[0] : -1;
    free(list);
    return *step < 0 || step_path(path, out, "", *step, e);
}

/* Out of sight first, then gone: a kill between leaves no half. */
static bool remove_step(const char *out, int64_t step, struct Error *e)
{
    char path[CHECKPOINT_PATH_MAX], temp[CHECKPOINT_PATH_MAX];
    return step_path(path, out, "", step, e)
        && step_path(temp, out, TEMP_PREFIX, step, e)
        && rename_dir(path, temp, e) && remove_dir(temp, e);
}

bool checkpoint_prune(const char *out, int keep, struct Error *e)
{
    int64_t *list;
    size_t n;
    if (keep <= 0)
        return true;
    if (!list_steps(out, &list, &n, e))
        return false;
    bool ok = true;
    for (size_t i = (size_t)keep; ok && i < n; i++)
        ok = remove_step(out, list[i], e);
    free(list);
    return ok;
}

/* save a checkpoint */
static bool write_all(const char *dir, int64_t step, const struct Model *m,
                      const real *adam_m, const real *adam_v,
                      const struct Field *field, int n, struct Error *e)
{
    char weights[CHECKPOINT_PATH_MAX], moments[CHECKPOINT_PATH_MAX];
    return join(weights, dir, "model.safetensors", e)
        && join(moments, dir, "optimizer.safetensors", e)
        && weights_save(m, weights, e)
        && save_moments(&m->table, moments, adam_m, adam_v, e)
        && write_config(dir, &m->config, e)
        && write_train(dir, step, field, n, e)
        && sync_dir(dir, e);
}

/* temp takes the place of path, which may exist. */
static bool publish(const char *out, const char *temp, const char *path,
                    int64_t step, struct Error *e)
{
    char old[CHECKPOINT_PATH_MAX];
    if (!step_path(old, out, OLD_PREFIX, step, e))
        return false;
    bool replace = access(path, F_OK) == 0;
    if (replace && !rename_dir(path, old, e))
        return false;
    if (!rename_dir(temp, path, e) || !sync_dir(out, e))
        return false;
    return !replace || remove_dir(old, e);
}

bool checkpoint_save(const char *out, int64_t step, const struct Model *m,
                     const real *adam_m, const real *adam_v,
                     const struct Field *field, int n_fields,
                     struct Error *e)
{
    char path[CHECKPOINT_PATH_MAX], temp[CHECKPOINT_PATH_MAX];
    if (!make_dirs(out, e) || !step_path(path, out, "", step, e)
        || !step_path(temp, out, TEMP_PREFIX, step, e))
        return false;
    if (access(temp, F_OK) == 0 && !remove_dir(temp, e))
        return false;
    if (!make_dirs(temp, e))
        return false;
    if (write_all(temp, step, m, adam_m, adam_v, field, n_fields, e)
        && publish(out, temp, path, step, e))
        return true;
    remove_dir(temp, NULL);
    return false;
}

/* load a checkpoint */
bool checkpoint_config(struct Config *c, const char *path, struct Error *e)
{
    char weights[CHECKPOINT_PATH_MAX], config[CHECKPOINT_PATH_MAX];
    struct HfConfig said;
    return join(weights, path, "model.safetensors", e)
        && join(config, path, "config.json", e)
        && read_said(&said, config, e)
        && weights_config(c, weights, 0, e);
}

static bool name_agrees(const char *path, int64_t step, struct Error *e)
{
    const char *slash = strrchr(path, '/');
    int64_t named = step_of(slash ? slash + 1 : path);
    return named < 0 || named == step
        || error_set(e, "%s: train.json in it says step %" PRId64 "; the "
                     "directory has been renamed or its files mixed",
                     path, step);
}

/* The files of a checkpoint, open. */
struct Opened {
    struct Safetensors weights, moments;
    struct JsonDocument train;
    bool has_train;
};

static bool open_moments(struct Opened *o, const char *path,
                         const struct ParamTable *t, struct Error *e)
{
    struct Safetensors *s = &o->moments;
    if (!safetensors_open(s, path, e) || !check_params(s, "m.", t, e)
        || !check_params(s, "v.", t, e))
        return false;
    return s->n == 2 * t->n
        || error_set(e, "%s: %d tensors, expected %d; the file is of "
                     "another model", path, s->n, 2 * t->n);
}

static bool open_train(struct Opened *o, const char *path,
                       const struct Field *field, int n, int64_t *step,
                       struct Error *e)
{
    o->has_train = parse_file(&o->train, path, e);
    return o->has_train && check_train(path, o->train.root, step, e)
        && check_fields(path, o->train.root, field, n, e);
}

static bool open_all(struct Opened *o, const char *dir,
                     const struct Model *m, bool moments,
                     const struct Field *field, int n, int64_t *step,
                     struct Error *e)
{
    char path[CHECKPOINT_PATH_MAX];
    return join(path, dir, "model.safetensors", e)
        && safetensors_open(&o->weights, path, e)
        && check_weights(&o->weights, &m->table, e)
        && (!moments || (join(path, dir, "optimizer.safetensors", e)
                         && open_moments(o, path, &m->table, e)))
        && join(path, dir, "train.json", e)
        && open_train(o, path, field, n, step, e)
        && name_agrees(dir, *step, e);
}

static bool read_all(struct Opened *o, struct Model *m, real *adam_m,
                     real *adam_v, const struct Field *field, int n,
                     struct Error *e)
{
    const struct ParamTable *t = &m->table;
    if (!read_weights(&o->weights, m, e))
        return false;
    if (adam_m && (!read_moment(&o->moments, "m.", t, adam_m, e)
                   || !read_moment(&o->moments, "v.", t, adam_v, e)))
        return false;
    for (int i = 0; i < n; i++)
        take_field(&field[i], json_get(o->train.root, field[i].name));
    return true;
}

bool checkpoint_load(const char *path, struct Model *m, real *adam_m,
                     real *adam_v, const struct Field *field, int n_fields,
                     int64_t *step, struct Error *e)
{
    struct Opened o = { 0 };
    int64_t found = -1;
    bool ok = open_all(&o, path, m, adam_m != NULL, field, n_fields,
                       &found, e)
           && read_all(&o, m, adam_m, adam_v, field, n_fields, e);
    if (ok)
        *step = found;
    safetensors_close(&o.weights);
    safetensors_close(&o.moments);
    if (o.has_train)
        json_free(&o.train);
    return ok;
}
