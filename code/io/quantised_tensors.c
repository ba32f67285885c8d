/* Tangled from chapters/workshop/quantised-weights.nw, "In a file".  Edit it there. */

#include "io/quantised_tensors.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/param_tensors.h"

enum { WTE, WPE };              /* the first rows of the table */

#define SCALE_NAME_MAX (PARAM_NAME_MAX + 32)

/* which tensors are quantised */
bool quantised_tensor_is(const struct StTensor *t)
{
    return t && (t->type == ST_I8 || t->type == ST_U8);
}

bool quantised_tensor_scale(const struct Safetensors *s, const char *name)
{
    char matrix[SCALE_NAME_MAX];
    const size_t n = strlen(name), end = strlen(QUANTISED_SCALE);
    if (n <= end || n - end >= sizeof matrix
        || strcmp(name + n - end, QUANTISED_SCALE) != 0)
        return false;
    memcpy(matrix, name, n - end);
    matrix[n - end] = 0;
    return quantised_tensor_is(safetensors_find(s, matrix));
}

bool quantised_tensor_possible(const struct ParamTable *t, int i)
{
    return t->row[i].rows && i != WPE;
}

static const struct StTensor *scales_of(const struct Safetensors *s,
                                        const char *prefix,
                                        const char *name)
{
    char full[SCALE_NAME_MAX];
    snprintf(full, sizeof full, "%s" QUANTISED_SCALE, name);
    return param_tensor_find(s, prefix, full);
}


/* the sides of a quantised matrix */
void quantised_tensor_steps(const struct ParamTable *t, int i,
                            size_t *output, size_t *input)
{
    *output = i == WTE ? t->row[i].cols : 1;
    *input = i == WTE ? 1 : t->row[i].cols;
}

void quantised_tensor_sides(struct Quantised *q, const struct ParamTable *t,
                            int i)
{
    const struct Param *p = &t->row[i];
    q->N = (int)(i == WTE ? p->rows : p->cols);
    q->K = (int)(i == WTE ? p->cols : p->rows);
}


/* check the scales of a quantised matrix */
/* The group size that gives so many groups; 0 if none does. */
static int group_of(struct Quantised *q, uint64_t groups)
{
    q->group = QUANTISED_LEAST_GROUP;
    while (q->group < q->K && quantised_groups(q) > groups)
        q->group *= 2;
    return quantised_groups(q) == groups ? q->group : 0;
}

static bool check_values(const struct Safetensors *s,
                         const struct StTensor *scale, struct Error *e)
{
    bf16 x;
    for (uint64_t i = 0; i < scale->count; i++) {
        memcpy(&x, s->data + scale->begin + i * sizeof x, sizeof x);
        const float v = bf16_to_float(x);
        if (!(v >= 0 && isfinite(v)))
            return error_set(e, "%s: tensor '%s': scale %" PRIu64 " is %g; "
                             "expected a number that is not negative; the "
                             "file is damaged: quantize it again", s->path,
                             scale->name, i, (double)v);
    }
    return true;
}


static bool check_scales(struct Quantised *q, const struct Safetensors *s,
                         const char *prefix, const struct Param *p,
                         struct Error *e)
{
    const struct StTensor *t = scales_of(s, prefix, p->name);
    if (!t)
        return error_set(e, "%s: tensor '%s%s" QUANTISED_SCALE "' is "
                         "missing, the scales of a matrix of integers; "
                         "quantize the model again", s->path, prefix,
                         p->name);
    if (t->type != ST_BF16 || t->ndim != 2
        || t->shape[0] != (uint64_t)q->N)
        return error_set(e, "%s: tensor '%s' must be BF16 with a row for "
                         "each of %d outputs", s->path, t->name, q->N);
    if (!group_of(q, t->shape[1]))
        return error_set(e, "%s: tensor '%s' has %" PRIu64 " scales for %d "
                         "inputs, which is no group size of 32, 64, 128, "
                         "...; quantize the model again", s->path, t->name,
                         t->shape[1], q->K);
    return check_values(s, t, e);
}


/* check a quantised matrix */
bool quantised_tensor_check(struct Quantised *q,
                            const struct Safetensors *s, const char *prefix,
                            const struct ParamTable *t, int i,
                            struct Error *e)
{
    const struct Param *p = &t->row[i];
    const struct StTensor *x = param_tensor_find(s, prefix, p->name);
    *q = (struct Quantised){ .group = QUANTISED_LEAST_GROUP,
        .type = x->type == ST_I8 ? WEIGHTS_INT8 : WEIGHTS_INT4 };
    if (!quantised_tensor_possible(t, i))
        return error_set(e, "%s: tensor '%s' is of integers; only matrices "
                         "are quantised, and not the positions'", s->path,
                         x->name);
    quantised_tensor_sides(q, t, i);
    if (x->ndim != 2 || x->shape[0] != (uint64_t)q->N
        || x->shape[1] != quantised_row_bytes(q))
        return error_set(e, "%s: tensor '%s' at byte %" PRIu64 " must have "
                         "the shape [%d,%zu], a row of bytes for each "
                         "output; the file is of another model", s->path,
                         x->name, s->data_offset + x->begin, q->N,
                         quantised_row_bytes(q));
    return check_scales(q, s, prefix, p, e);
}


/* read a quantised matrix */
bool quantised_reserve(struct Quantised *q)
{
    q->codes = malloc((size_t)q->N * quantised_row_bytes(q));
    q->scales = malloc((size_t)q->N * quantised_groups(q)
                       * sizeof *q->scales);
    return q->codes && q->scales;
}

void quantised_release(struct Quantised *q)
{
    free(q->codes);
    free(q->scales);
    q->codes = NULL;
    q->scales = NULL;
}

void quantised_tensor_read(const struct Quantised *q,
                           const struct Safetensors *s, const char *prefix,
                           const struct ParamTable *t, int i)
{
    const char *name = t->row[i].name;
    const struct StTensor *x = param_tensor_find(s, prefix, name);
    const struct StTensor *scale = scales_of(s, prefix, name);
    memcpy(q->codes, s->data + x->begin, x->end - x->begin);
    memcpy(q->scales, s->data + scale->begin, scale->end - scale->begin);
}


bool quantised_tensor_unpack(real *w, const struct Safetensors *s,
                             const char *prefix, const struct ParamTable *t,
                             int i, struct Error *e)
{
    struct Quantised q;
    size_t output, input;
    if (!quantised_tensor_check(&q, s, prefix, t, i, e))
        return false;
    const bool room = quantised_reserve(&q);
    if (room) {
        quantised_tensor_read(&q, s, prefix, t, i);
        quantised_tensor_steps(t, i, &output, &input);
        quantised_unpack(&q, w, output, input);
    }
    quantised_release(&q);
    return room || error_set(e, "%s: no memory for '%s'", s->path,
                             t->row[i].name);
}
