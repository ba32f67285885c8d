/* Tangled from chapters/workshop/quantised-weights.nw, "The matrices of a model".  Edit it there. */

#include "gpt2/quantised_model.h"

#include <stdlib.h>
#include "backend/backend.h"
#include "io/hf_names.h"
#include "io/param_tensors.h"
#include "io/quantised_tensors.h"
#include "io/weights.h"

/* send a quantised matrix to the backend */
/* q = h, whose memory is on the host */
static bool send(struct Quantised *q, const struct Quantised *h)
{
    const size_t codes = (size_t)h->N * quantised_row_bytes(h);
    const size_t scales = (size_t)h->N * quantised_groups(h)
                        * sizeof *h->scales;
    *q = *h;
    q->codes = backend_alloc(codes, "quantised weights");
    q->scales = backend_alloc(scales, "the scales of weights");
    if (!q->codes || !q->scales)
        return false;
    backend_put(q->codes, h->codes, codes);
    backend_put(q->scales, h->scales, scales);
    return true;
}

static bool read_row(struct QuantisedModel *q, const struct Safetensors *s,
                     int i, struct Error *e)
{
    const struct ParamTable *t = &q->m->table;
    struct Quantised h;
    if (!quantised_tensor_is(param_tensor_find(s, hf_prefix(s),
                                               t->row[i].name)))
        return true;
    if (!quantised_tensor_check(&h, s, hf_prefix(s), t, i, e))
        return false;
    const bool room = quantised_reserve(&h);
    if (room)
        quantised_tensor_read(&h, s, hf_prefix(s), t, i);
    const bool sent = room && send(&q->row[i], &h);
    quantised_release(&h);
    q->n += sent;
    return sent || (backend_ok(e) && error_set(e, "%s: no memory for '%s'",
                                               s->path, t->row[i].name));
}


/* read the quantised matrices of a file */
bool quantised_model_read(struct QuantisedModel *q, const struct Model *m,
                          const char *path, struct Error *e)
{
    struct Safetensors s;
    *q = (struct QuantisedModel){ .m = m, .row = calloc(
        (size_t)m->table.n, sizeof *q->row) };
    if (!q->row)
        return error_set(e, "%s: no memory for the list of its matrices",
                         path);
    const struct ModelUse u = model_use(m);
    bool ok = weights_open(&s, path, &m->table, e);
    for (int i = 0; ok && i < m->table.n; i++)
        ok = read_row(q, &s, i, e);
    safetensors_close(&s);
    model_unuse(m, u);
    return ok;
}

void quantised_model_free(struct QuantisedModel *q)
{
    const struct ModelUse u = model_use(q->m);
    for (int i = 0; q->row && i < q->m->table.n; i++) {
        backend_free(q->row[i].codes);
        backend_free(q->row[i].scales);
    }
    model_unuse(q->m, u);
    free(q->row);
    *q = (struct QuantisedModel){ 0 };
}

/* round the matrices of a model */
static bool round_matrix(struct QuantisedModel *q, real *w, int i,
                         struct Quantised h, struct Error *e)
{
    const struct ParamTable *t = &q->m->table;
    size_t output, input;
    int bad[2];
    quantised_tensor_sides(&h, t, i);
    quantised_tensor_steps(t, i, &output, &input);
    w += t->row[i].offset;
    const bool room = quantised_reserve(&h);
    const bool good = room && quantised_round(&h, w, output, input,
                                              SCALE_AMAX, bad, bad + 1);
    if (good)
        quantised_unpack(&h, w, output, input);
    const bool sent = good && send(&q->row[i], &h);
    quantised_release(&h);
    q->n += sent;
    if (room && !good)
        error_set(e, "%s has a weight that is not a number",
                  t->row[i].name);
    else if (!sent && backend_ok(e))
        error_set(e, "no memory for '%s'", t->row[i].name);
    return sent;
}


bool quantised_model_round(struct QuantisedModel *q, struct Model *m,
                           enum QuantisedType type, int group,
                           struct Error *e)
{
    *q = (struct QuantisedModel){ .m = m, .row = calloc(
        (size_t)m->table.n, sizeof *q->row) };
    real *w = q->row ? model_borrow(m) : NULL;
    if (!w)
        return model_ok(m, e) && error_set(e, "no memory for the list of "
                                           "the model's matrices");
    const struct ModelUse u = model_use(m);
    bool ok = true;
    for (int i = 0; ok && i < m->table.n; i++)
        if (quantised_tensor_possible(&m->table, i))
            ok = round_matrix(q, w, i, (struct Quantised){
                .type = type, .group = group }, e);
    model_unuse(m, u);
    model_return(m, w, true);
    return ok;
}
