/* Tangled from chapters/workshop/file-formats.nw, "The parameter table".  Edit it there. */

/* params.h: the table of all parameters.  One row gives a tensor's field
 * in struct Weights, its name in files, shape, initialisation and whether
 * it decays; everything that walks over parameters walks over this. */
#ifndef GPT2_PARAMS_H
#define GPT2_PARAMS_H

#include <stdint.h>
#include "base/real.h"
#include "gpt2/config.h"

C_FUNCTIONS_BEGIN

/* list the rows of the parameter table */
enum ParamInit { INIT_ZERO, INIT_ONE, INIT_NORMAL, INIT_RESIDUAL };

/*    field   name in files       rows cols   init           decays */
#define PARAMS_FIRST(X)                                              \
    X(wte,    "wte.weight",          V,   C,  INIT_NORMAL,   true)   \
    X(wpe,    "wpe.weight",          T,   C,  INIT_NORMAL,   true)

#define PARAMS_LAYER(X)                                              \
    X(ln_1_w, "ln_1.weight",         0,   C,  INIT_ONE,      false)  \
    X(ln_1_b, "ln_1.bias",           0,   C,  INIT_ZERO,     false)  \
    X(qkv_w,  "attn.c_attn.weight",  C, 3*C,  INIT_NORMAL,   true)   \
    X(qkv_b,  "attn.c_attn.bias",    0, 3*C,  INIT_ZERO,     false)  \
    X(proj_w, "attn.c_proj.weight",  C,   C,  INIT_RESIDUAL, true)   \
    X(proj_b, "attn.c_proj.bias",    0,   C,  INIT_ZERO,     false)  \
    X(ln_2_w, "ln_2.weight",         0,   C,  INIT_ONE,      false)  \
    X(ln_2_b, "ln_2.bias",           0,   C,  INIT_ZERO,     false)  \
    X(fc_w,   "mlp.c_fc.weight",     C, 4*C,  INIT_NORMAL,   true)   \
    X(fc_b,   "mlp.c_fc.bias",       0, 4*C,  INIT_ZERO,     false)  \
    X(mlp_w,  "mlp.c_proj.weight", 4*C,   C,  INIT_RESIDUAL, true)   \
    X(mlp_b,  "mlp.c_proj.bias",     0,   C,  INIT_ZERO,     false)

#define PARAMS_LAST(X)                                               \
    X(ln_f_w, "ln_f.weight",         0,   C,  INIT_ONE,      false)  \
    X(ln_f_b, "ln_f.bias",           0,   C,  INIT_ZERO,     false)

/* `struct Weights`: a pointer for each row */
#define PARAM_FIELD(field, ...) real *field;
struct LayerWeights { PARAMS_LAYER(PARAM_FIELD) };
struct Weights {
    real *base;                          /* all, one after another */
    PARAMS_FIRST(PARAM_FIELD)
    PARAMS_LAST(PARAM_FIELD)
    struct LayerWeights *h;              /* [L] */
};

/* `struct Param`: a row as the program sees it */
#define PARAM_NAME_MAX 40

struct Param {
    char   name[PARAM_NAME_MAX];         /* "h.11.mlp.c_fc.weight" */
    size_t rows, cols;                   /* rows = 0: a vector of cols */
    size_t offset, size;                 /* from base, in reals */
    enum ParamInit init;
    bool   decay;
};

struct ParamTable {
    int    n;                            /* 2 + 12 L + 2 tensors */
    struct Param *row;                   /* [n], embedding to ln_f */
    size_t count;                        /* parameters */
    size_t total;                        /* reals, with padding */
};

/* what can be done with the table */
/* The table of a checked config; params_free gives it back.  False, and an
 * empty table, if there is no memory for it. */
bool params_table(struct ParamTable *t, const struct Config *c);
void params_free(struct ParamTable *t);

/* Point every field of w into base[0 .. total), 64-byte aligned if base
 * is.  Also used for gradients.  w->h is allocated; weights_unbind frees
 * it, not base.  False if there is no memory for it. */
bool weights_bind(struct Weights *w, const struct ParamTable *t,
                  const struct Config *c, real *base);
void weights_unbind(struct Weights *w);

/* GPT-2's initialisation.  Each tensor has its own random stream, so the
 * result depends on seed and config only. */
void params_init(real *base, const struct ParamTable *t,
                 const struct Config *c, uint64_t seed);

C_FUNCTIONS_END

#endif
