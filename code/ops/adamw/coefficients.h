/* Tangled from chapters/workshop/programs.nw, "AdamW".  Edit it there. */

#ifndef OPS_ADAMW_COEFFICIENTS_H
#define OPS_ADAMW_COEFFICIENTS_H

#include <math.h>
#include "ops/adamw/adamw.h"

/* `struct AdamwCoefficients` */
struct AdamwCoefficients {
    real beta1, one_minus_beta1, beta2, one_minus_beta2;
    real scale;         /* of the gradient */
    real rate;          /* lr / (1 - beta1^t) */
    real root;          /* 1 / sqrt(1 - beta2^t) */
    real eps, shrink;   /* shrink = lr * decay */
};

/* fold a step into coefficients */
static inline struct AdamwCoefficients
adamw_coefficients(const struct AdamwStep *s)
{
    double correct1 = 1 - pow(s->beta1, (double)s->step);
    double correct2 = 1 - pow(s->beta2, (double)s->step);
    const struct AdamwCoefficients c = {
        .beta1 = (real)s->beta1, .one_minus_beta1 = (real)(1 - s->beta1),
        .beta2 = (real)s->beta2, .one_minus_beta2 = (real)(1 - s->beta2),
        .scale = (real)s->scale,
        .rate = (real)(s->lr / correct1),
        .root = (real)(1 / sqrt(correct2)),
        .eps = (real)s->eps, .shrink = (real)(s->lr * s->decay),
    };
    return c;
}

#endif
