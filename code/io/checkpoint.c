/* Tangled from chapters/workshop/file-formats.nw, "A whole checkpoint".  Edit it there. */

#include "io/checkpoint.h"

#include <inttypes.h>
#include "backend/backend.h"
#include "io/checkpoint_dir.h"
#include "io/hf_config.h"
#include "io/param_tensors.h"
#include "io/weights.h"

/* save and read the moments */
static bool save_moments(const struct ParamTable *t, const char *path,
                         const real *adam_m, const real *adam_v,
                         struct Error *e)
{
    const size_t bytes = t->total * sizeof(real);
    const char *const prefix[] = { "m.", "v." };
    real *m = backend_borrow(adam_m, bytes);
    real *v = backend_borrow(adam_v, bytes);
    const real *const copy[] = { m, v };
    bool ok = param_tensors_write(path, t, prefix, copy, 2, e);
    backend_return(NULL, m, bytes, false);
    backend_return(NULL, v, bytes, false);
    return ok;
}

static bool read_moment(const struct Safetensors *s, const char *prefix,
                        const struct ParamTable *t, real *base,
                        struct Error *e)
{
    const size_t bytes = t->total * sizeof *base;
    real *host = backend_borrow(base, bytes);
    bool ok = param_tensors_read(s, prefix, t, host, e);
    backend_return(base, host, bytes, ok);
    return ok;
}

/* save a checkpoint */
static bool write_all(const char *dir, int64_t step, const struct Model *m,
                      const real *adam_m, const real *adam_v,
                      const struct Field *field, int n, struct Error *e)
{
    char weights[FILE_PATH_MAX], moments[FILE_PATH_MAX];
    char config[FILE_PATH_MAX], train[FILE_PATH_MAX];
    return path_join(weights, dir, "model.safetensors", e)
        && path_join(moments, dir, "optimizer.safetensors", e)
        && path_join(config, dir, "config.json", e)
        && path_join(train, dir, "train.json", e)
        && weights_save(m, weights, e)
        && save_moments(&m->table, moments, adam_m, adam_v, e)
        && hf_config_write(config, &m->config, e)
        && train_state_write(train, step, field, n, e);
}

bool checkpoint_save(const char *out, int64_t step, const struct Model *m,
                     const real *adam_m, const real *adam_v,
                     const struct Field *field, int n_fields,
                     struct Error *e)
{
    struct CheckpointDir d;
    if (!checkpoint_begin(&d, out, step, e))
        return false;
    if (write_all(d.temporary, step, m, adam_m, adam_v, field, n_fields, e)
        && checkpoint_publish(&d, e))
        return true;
    checkpoint_abandon(&d);
    return false;
}

/* open and compare the files of a checkpoint */
bool checkpoint_config(struct Config *c, const char *path, struct Error *e)
{
    char weights[FILE_PATH_MAX], config[FILE_PATH_MAX];
    struct HfConfig h;
    return path_join(weights, path, "model.safetensors", e)
        && path_join(config, path, "config.json", e)
        && hf_config_read(&h, config, e)
        && weights_config(c, weights, 0, e);
}

/* The files of a checkpoint, open. */
struct OpenFiles {
    struct Safetensors weights, moments;
    struct JsonDocument train;
};

static bool open_moments(struct Safetensors *s, const char *path,
                         const struct ParamTable *t, struct Error *e)
{
    if (!safetensors_open(s, path, e)
        || !param_tensors_check(s, "m.", t, e)
        || !param_tensors_check(s, "v.", t, e))
        return false;
    return s->n == 2 * t->n
        || error_set(e, "%s: %d tensors, expected %d; the file is of "
                     "another model", path, s->n, 2 * t->n);
}

static bool check_name(const char *path, int64_t step, struct Error *e)
{
    int64_t named = checkpoint_step(path);
    return named < 0 || named == step
        || error_set(e, "%s: train.json in it says step %" PRId64 "; the "
                     "directory has been renamed or its files mixed",
                     path, step);
}

static bool open_all(struct OpenFiles *o, const char *dir,
                     const struct Model *m, bool moments,
                     const struct Field *field, int n, int64_t *step,
                     struct Error *e)
{
    char path[FILE_PATH_MAX];
    return path_join(path, dir, "model.safetensors", e)
        && weights_open(&o->weights, path, &m->table, e)
        && (!moments || (path_join(path, dir, "optimizer.safetensors", e)
                         && open_moments(&o->moments, path, &m->table, e)))
        && path_join(path, dir, "train.json", e)
        && train_state_open(&o->train, path, field, n, step, e)
        && check_name(dir, *step, e);
}

/* load a checkpoint */
static bool read_all(struct OpenFiles *o, struct Model *m, real *adam_m,
                     real *adam_v, const struct Field *field, int n,
                     struct Error *e)
{
    const struct ParamTable *t = &m->table;
    if (!weights_read(m, &o->weights, e))
        return false;
    if (adam_m && (!read_moment(&o->moments, "m.", t, adam_m, e)
                   || !read_moment(&o->moments, "v.", t, adam_v, e)))
        return false;
    train_state_load(&o->train, field, n);
    return true;
}

bool checkpoint_load(const char *path, struct Model *m, real *adam_m,
                     real *adam_v, const struct Field *field, int n_fields,
                     int64_t *step, struct Error *e)
{
    struct OpenFiles o = { 0 };
    int64_t found = -1;
    bool ok = open_all(&o, path, m, adam_m != NULL, field, n_fields,
                       &found, e)
           && read_all(&o, m, adam_m, adam_v, field, n_fields, e);
    if (ok)
        *step = found;
    safetensors_close(&o.weights);
    safetensors_close(&o.moments);
    json_free(&o.train);
    return ok;
}
