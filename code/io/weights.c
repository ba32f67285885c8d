/* Tangled from chapters/workshop/file-formats.nw, "The weights of a model".  Edit it there. */

#include "io/weights.h"

#include "io/hf_config.h"
#include "io/hf_names.h"
#include "io/param_tensors.h"

bool weights_config(struct Config *c, const char *path, int heads,
                    struct Error *e)
{
    struct Safetensors s;
    bool ok = safetensors_open(&s, path, e)
           && hf_config_find(c, &s, heads, e);
    safetensors_close(&s);
    return ok;
}

/* open, read, save the weights */
bool weights_open(struct Safetensors *s, const char *path,
                  const struct ParamTable *t, struct Error *e)
{
    return safetensors_open(s, path, e) && hf_names_check(s, t, e);
}

bool weights_read(struct Model *m, const struct Safetensors *s,
                  struct Error *e)
{
    real *host = model_borrow(m);
    bool ok = host
           && param_tensors_read(s, hf_prefix(s), &m->table, host, e);
    model_return(m, host, ok);
    return host ? ok && model_ok(m, e) : model_ok(m, e);
}

bool weights_load(struct Model *m, const char *path, struct Error *e)
{
    struct Safetensors s;
    bool ok = weights_open(&s, path, &m->table, e)
           && weights_read(m, &s, e);
    safetensors_close(&s);
    return ok;
}

bool weights_save(const struct Model *m, const char *path, struct Error *e)
{
    const char *const prefix[] = { HF_PREFIX };
    real *host = model_borrow(m);
    const real *const copy[] = { host };
    bool ok = model_ok(m, e)
           && param_tensors_write(path, &m->table, prefix, copy, 1, e);
    model_return((struct Model *)(uintptr_t)m, host, false);
    return ok;
}
