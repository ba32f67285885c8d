/* Tangled from chapters/workshop/file-formats.nw, "A whole checkpoint".  Edit it there. */

#include "io/checkpoint.h"

#include <inttypes.h>
#include "io/checkpoint_dir.h"
#include "io/hf_config.h"
#include "io/weights.h"

/* save a checkpoint */
static bool save_files(const char *dir, int64_t step,
                       const struct Model *m, const struct Optimizer *o,
                       const struct Field *field, int n, struct Error *e)
{
    char weights[FILE_PATH_MAX], moments[FILE_PATH_MAX];
    char config[FILE_PATH_MAX], train[FILE_PATH_MAX];
    return path_join(weights, dir, "model.safetensors", e)
        && path_join(moments, dir, "optimizer.safetensors", e)
        && path_join(config, dir, "config.json", e)
        && path_join(train, dir, "train.json", e)
        && weights_save(m, weights, e) && optimizer_save(o, moments, e)
        && hf_config_write(config, &m->config, e)
        && train_state_write(train, step, field, n, e);
}

bool checkpoint_save(const char *out, int64_t step, const struct Model *m,
                     const struct Optimizer *o, const struct Field *field,
                     int n_fields, struct Error *e)
{
    struct CheckpointDir d;
    if (!checkpoint_begin(&d, out, step, e))
        return false;
    if (save_files(d.temporary, step, m, o, field, n_fields, e)
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

static bool check_name(const char *path, int64_t step, struct Error *e)
{
    int64_t named = checkpoint_step(path);
    return named < 0 || named == step
        || error_set(e, "%s: train.json in it says step %" PRId64 "; the "
                     "directory has been renamed or its files mixed",
                     path, step);
}

/* The files of a checkpoint, open. */
struct OpenFiles {
    struct Safetensors weights, moments;
    struct JsonDocument train;
};

static bool open_files(struct OpenFiles *f, const char *dir,
                       const struct Model *m, const struct Field *field,
                       int n, int64_t *step, struct Error *e)
{
    char path[FILE_PATH_MAX];
    return path_join(path, dir, "model.safetensors", e)
        && weights_open(&f->weights, path, &m->table, e)
        && path_join(path, dir, "optimizer.safetensors", e)
        && optimizer_open(&f->moments, path, &m->table, e)
        && path_join(path, dir, "train.json", e)
        && train_state_open(&f->train, path, field, n, step, e)
        && check_name(dir, *step, e);
}

/* load a checkpoint */
bool checkpoint_load(const char *path, struct Model *m,
                     struct Optimizer *o, const struct Field *field,
                     int n_fields, int64_t *step, struct Error *e)
{
    struct OpenFiles f = { 0 };
    int64_t found = -1;
    bool ok = open_files(&f, path, m, field, n_fields, &found, e)
           && weights_read(m, &f.weights, e)
           && optimizer_read(o, &f.moments, e);
    if (ok) {
        train_state_load(&f.train, field, n_fields);
        *step = found;
    }
    safetensors_close(&f.weights);
    safetensors_close(&f.moments);
    json_free(&f.train);
    return ok;
}
