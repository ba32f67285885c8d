/* Tangled from chapters/workshop/file-formats.nw, "The tensors of the table".  Edit it there. */

#include "io/param_tensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "io/quantised_tensors.h"

#define TENSOR_NAME_MAX (PARAM_NAME_MAX + 20)   /* prefix and name */

/* find a tensor by prefix and name */
const struct StTensor *param_tensor_find(const struct Safetensors *s,
                                         const char *prefix,
                                         const char *name)
{
    char full[TENSOR_NAME_MAX];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return safetensors_find(s, full);
}

/* compare a tensor with a row of the table */
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

static void shape_text(char out[80], const struct StTensor *t)
{
    int n = snprintf(out, 80, "%s [", t->type == ST_F32 ? "F32" : "dtype");
    for (int i = 0; i < t->ndim && n < 70; i++)
        n += snprintf(out + n, (size_t)(80 - n), "%s%" PRIu64,
                      i ? "," : "", t->shape[i]);
    snprintf(out + (n < 78 ? n : 78), 2, "]");
}

/* compare a file with the parameter table */
static bool check_param(const struct Safetensors *s, const char *prefix,
                        const struct ParamTable *table, int i,
                        bool quantised, struct Error *e)
{
    char found[80];
    struct Quantised q;
    const struct Param *p = &table->row[i];
    const struct StTensor *t = param_tensor_find(s, prefix, p->name);
    if (!t)
        return error_set(e, "%s: tensor '%s%s' is missing; the file is "
                         "not complete or is of another model", s->path,
                         prefix, p->name);
    if (has_shape(t, p) && is_float(t))
        return true;
    if (quantised && quantised_tensor_is(t))
        return quantised_tensor_check(&q, s, prefix, table, i, e);
    shape_text(found, t);
    return error_set(e, "%s: tensor '%s' at byte %" PRIu64 " is %s; "
                     "expected floats of shape [%zu%s%zu]; the file is of "
                     "another model", s->path, t->name,
                     s->data_offset + t->begin, found,
                     p->rows ? p->rows : p->cols, p->rows ? "," : "] = [",
                     p->cols);
}

bool param_tensors_check(const struct Safetensors *s, const char *prefix,
                         const struct ParamTable *t, bool quantised,
                         struct Error *e)
{
    for (int i = 0; i < t->n; i++)
        if (!check_param(s, prefix, t, i, quantised, e))
            return false;
    return true;
}

/* read and write the rows of the table */
bool param_tensors_read(const struct Safetensors *s, const char *prefix,
                        const struct ParamTable *t, real *host,
                        struct Error *e)
{
    for (int i = 0; i < t->n; i++) {
        const struct Param *p = &t->row[i];
        const struct StTensor *x = param_tensor_find(s, prefix, p->name);
        real *to = host + p->offset;
        if (!(quantised_tensor_is(x)
              ? quantised_tensor_unpack(to, s, prefix, t, i, e)
              : safetensors_read(s, x, to, e)))
            return false;
    }
    return true;
}

/* Source and name of each row of one copy. */
static void add_sources(struct StSource *source,
                        char (*name)[TENSOR_NAME_MAX],
                        const struct ParamTable *t, const char *prefix,
                        const real *host)
{
    for (int i = 0; i < t->n; i++) {
        const struct Param *p = &t->row[i];
        snprintf(name[i], sizeof name[i], "%s%s", prefix, p->name);
        source[i] = (struct StSource){ .name = name[i], .rows = p->rows,
            .cols = p->cols, .data = host + p->offset };
    }
}

bool param_tensors_write(const char *path, const struct ParamTable *t,
                         const char *const prefix[],
                         const real *const host[], int copies,
                         struct Error *e)
{
    const size_t n = (size_t)t->n, all = n * (size_t)copies;
    struct StSource *source = calloc(all, sizeof *source);
    char (*name)[TENSOR_NAME_MAX] = calloc(all, sizeof *name);
    bool ok = source && name;
    if (!ok)
        error_set(e, "%s: no memory for a list of %zu tensors", path, all);
    for (size_t k = 0; ok && k < (size_t)copies; k++)
        add_sources(source + k * n, name + k * n, t, prefix[k], host[k]);
    ok = ok && safetensors_write(path, source, (int)all, e);
    free(name);
    free(source);
    return ok;
}
