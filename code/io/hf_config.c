/* Tangled from chapters/workshop/file-formats.nw, "The config of a file".  Edit it there. */

#include "io/hf_config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/json.h"
#include "gpt2/params.h"
#include "io/hf_names.h"
#include "io/param_tensors.h"
#include "io/quantised_tensors.h"

/* read config.json */
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

bool hf_config_read(struct HfConfig *h, const char *path, struct Error *e)
{
    struct JsonDocument doc;
    if (!json_parse_file(&doc, path, e))
        return false;
    const struct Json *r = doc.root;
    bool ok = check_kind(path, r, e)
        && read_count(path, r, "vocab_size", &h->V, e)
        && read_count(path, r, "n_positions", &h->T, e)
        && read_count(path, r, "n_embd", &h->C, e)
        && read_count(path, r, "n_layer", &h->L, e)
        && read_count(path, r, "n_head", &h->NH, e);
    json_free(&doc);
    return ok;
}

/* take the config from the shapes */
static bool find_matrix(const struct Safetensors *s, const char *name,
                        uint64_t *rows, uint64_t *cols, struct Error *e)
{
    const struct StTensor *t = param_tensor_find(s, hf_prefix(s), name);
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

static bool config_of_shapes(struct Config *c, const struct Safetensors *s,
                             struct Error *e)
{
    uint64_t V = 0, T = 0, C = 0, wpe_C = 0;
    if (!find_matrix(s, "wte.weight", &V, &C, e)
        || !find_matrix(s, "wpe.weight", &T, &wpe_C, e))
        return false;
    if (quantised_tensor_is(param_tensor_find(s, hf_prefix(s),
                                              "wte.weight")))
        C = wpe_C;                      /* a row of codes is longer */
    if (C != wpe_C)
        return error_set(e, "%s: wte.weight has %" PRIu64 " channels and "
                         "wpe.weight %" PRIu64 "; they must agree",
                         s->path, C, wpe_C);
    *c = (struct Config){ .V = (int)V, .T = (int)T, .C = (int)C };
    char name[PARAM_NAME_MAX];
    do
        snprintf(name, sizeof name, "h.%d.ln_1.weight", c->L++);
    while (param_tensor_find(s, hf_prefix(s), name));
    c->L--;
    return true;
}

/* compare the shapes with config.json */
static bool check_equal(const char *path, const char *key, int64_t value,
                        int64_t found, struct Error *e)
{
    return value < 0 || value == found
        || error_set(e, "%s: %s is %" PRId64 ", but the weights beside it "
                     "have %" PRId64 "; the two do not belong together",
                     path, key, value, found);
}

/* Heads leave no trace in the shapes: the reader of the file must know. */
static bool find_heads(struct Config *c, const char *path, int64_t value,
                       int heads, struct Error *e)
{
    if (heads > 0 && value > 0 && heads != value)
        return error_set(e, "%s: config.json beside it says %" PRId64
                         " heads, not %d; leave --heads out", path, value,
                         heads);
    c->NH = heads > 0 ? heads : value > 0 ? (int)value : c->C / 64;
    if (heads <= 0 && value <= 0 && c->C % 64)
        return error_set(e, "%s: %d channels are not a multiple of 64, "
                         "and no config.json lies beside it; say the "
                         "number of heads with --heads", path, c->C);
    return true;
}

bool hf_config_find(struct Config *c, const struct Safetensors *s,
                    int heads, struct Error *e)
{
    struct HfConfig h = { -1, -1, -1, -1, -1 };
    char dir[FILE_PATH_MAX], path[FILE_PATH_MAX];
    if (!config_of_shapes(c, s, e) || !path_dir(dir, s->path, e)
        || !path_join(path, dir, "config.json", e))
        return false;
    if (access(path, F_OK) == 0 && !hf_config_read(&h, path, e))
        return false;
    return check_equal(path, "vocab_size", h.V, c->V, e)
        && check_equal(path, "n_positions", h.T, c->T, e)
        && check_equal(path, "n_embd", h.C, c->C, e)
        && check_equal(path, "n_layer", h.L, c->L, e)
        && find_heads(c, s->path, h.NH, heads, e)
        && config_check(c, e);
}

/* write config.json */
bool hf_config_write(const char *path, const struct Config *c,
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
    return write_file(path, text, (size_t)n, e);
}
