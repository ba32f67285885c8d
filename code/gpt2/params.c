/* Tangled from chapters/workshop/file-formats.nw, "The parameter table".  Edit it there. */

#include "gpt2/params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"

/* make the table of a config */
enum { ALIGN = 16 };        /* reals: every tensor starts a cache line */

static void add_row(struct ParamTable *t, int layer, const char *name,
                    size_t rows, size_t cols, enum ParamInit init,
                    bool decay)
{
    struct Param *p = &t->row[t->n++];
    *p = (struct Param){ .rows = rows, .cols = cols, .offset = t->total,
                         .size = (rows ? rows : 1) * cols,
                         .init = init, .decay = decay };
    /* write its name, with the layer if it belongs to one */
    if (layer < 0)
        snprintf(p->name, sizeof p->name, "%s", name);
    else
        snprintf(p->name, sizeof p->name, "h.%d.%s", layer, name);
    t->count += p->size;
    t->total += (p->size + ALIGN - 1) / ALIGN * ALIGN;
}

#define COUNT_ROW(...) + 1
#define ADD_ROW(field, name, rows, cols, init, decay) \
    add_row(t, layer, name, rows, cols, init, decay);


bool params_table(struct ParamTable *t, const struct Config *c)
{
    const size_t V = (size_t)c->V, T = (size_t)c->T, C = (size_t)c->C;
    /* count the rows and allocate them */
    int rows = 0 PARAMS_FIRST(COUNT_ROW) PARAMS_LAST(COUNT_ROW)
             + c->L * (0 PARAMS_LAYER(COUNT_ROW));
    *t = (struct ParamTable){ 0 };
    t->row = calloc((size_t)rows, sizeof *t->row);
    if (!t->row)
        return false;
    int layer = -1;
    PARAMS_FIRST(ADD_ROW)
    for (layer = 0; layer < c->L; layer++) {
        PARAMS_LAYER(ADD_ROW)
    }
    layer = -1;
    PARAMS_LAST(ADD_ROW)
    return true;
}


/* free the parameter table */
void params_free(struct ParamTable *t)
{
    free(t->row);
    t->row = NULL;
}

/* bind the fields of the structs to memory */
#define BIND_MODEL(field, ...) w->field = base + p++->offset;
#define BIND_LAYER(field, ...) w->h[l].field = base + p++->offset;


bool weights_bind(struct Weights *w, const struct ParamTable *t,
                  const struct Config *c, real *base)
{
    const struct Param *p = t->row;
    w->base = base;
    w->h = calloc((size_t)c->L, sizeof *w->h);
    if (!w->h)
        return false;
    PARAMS_FIRST(BIND_MODEL)
    for (int l = 0; l < c->L; l++) {
        PARAMS_LAYER(BIND_LAYER)
    }
    PARAMS_LAST(BIND_MODEL)
    return true;
}


/* free the array of layers */
void weights_unbind(struct Weights *w)
{
    free(w->h);
    *w = (struct Weights){ 0 };
}

/* draw the initial weights */
#define INIT_STD 0.02f      /* GPT-2's initializer_range */

enum { PIECE = 65536 };     /* numbers from one stream */
static const uint64_t INIT_STREAM = (uint64_t)1 << 63;


static void draw_normal(real *w, size_t n, real std, uint64_t seed,
                        uint64_t tensor)
{
    #pragma omp parallel for schedule(static)
    for (size_t start = 0; start < n; start += PIECE) {
        struct Rng r = rng_new(seed, INIT_STREAM | tensor << 32
                                     | start / PIECE);
        size_t end = start + PIECE < n ? start + PIECE : n;
        for (size_t i = start; i < end; i++)
            w[i] = std * (real)rng_normal(&r);
    }
}

/* draw the tensors of the table */
static void draw_param(real *w, const struct Param *p, int L,
                       uint64_t seed, uint64_t tensor)
{
    switch (p->init) {
    case INIT_NORMAL:
        draw_normal(w, p->size, INIT_STD, seed, tensor);
        break;
    case INIT_RESIDUAL:
        draw_normal(w, p->size, INIT_STD / (real)sqrt(2.0 * L), seed,
                    tensor);
        break;
    case INIT_ZERO:
    case INIT_ONE:
        for (size_t i = 0; i < p->size; i++)
            w[i] = p->init == INIT_ONE;
    }
}


void params_init(real *base, const struct ParamTable *t,
                 const struct Config *c, uint64_t seed)
{
    for (int i = 0; i < t->n; i++)
        draw_param(base + t->row[i].offset, &t->row[i], c->L, seed,
                   (uint64_t)i);
}
