/* Tangled from chapters/workshop/quantised-weights.nw, "The matrices of a model".  Edit it there. */

/* quantised_model.h: the matrices of a model in few bits. */
#ifndef GPT2_QUANTISED_MODEL_H
#define GPT2_QUANTISED_MODEL_H

#include "gpt2/model.h"
#include "ops/quantised/quantised.h"

C_FUNCTIONS_BEGIN

/* A struct for each row of the parameter table, on the model's backend;
 * codes NULL: that row is not quantised. */
struct QuantisedModel {
    const struct Model *m;
    int n;                              /* rows that are quantised */
    struct Quantised *row;              /* [m->table.n] */
};

/* The quantised matrices of a file from which m has been loaded; n is 0 if
 * the file has none.  Free also after a failure. */
bool quantised_model_read(struct QuantisedModel *q, const struct Model *m,
                          const char *path, struct Error *e);

/* Round all matrices of m, and make m's own weights what the codes stand
 * for.  False if a weight is not a number, or there is no memory. */
bool quantised_model_round(struct QuantisedModel *q, struct Model *m,
                           enum QuantisedType type, int group,
                           struct Error *e);
void quantised_model_free(struct QuantisedModel *q);

C_FUNCTIONS_END

#endif
