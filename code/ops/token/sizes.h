/* Tangled from chapters/workshop/inference-plumbing.nw, "The kernel of a token".  Edit it there. */

/* sizes.h: how the arrays of a token are divided. */
#ifndef OPS_TOKEN_SIZES_H
#define OPS_TOKEN_SIZES_H

#include "ops/token/token.h"

/* Inputs and outputs of a matrix. */
static inline int token_inputs(const struct TokenModel *m,
                               enum TokenMatrix which)
{
    return which == TOKEN_MLP ? 4 * m->C : m->C;
}

static inline int token_outputs(const struct TokenModel *m,
                                enum TokenMatrix which)
{
    return which == TOKEN_QKV ? 3 * m->C : which == TOKEN_FC ? 4 * m->C
         : which == TOKEN_WTE ? (m->V + 15) / 16 * 16 : m->C;
}

/* Where a matrix begins, in numbers. */
static inline size_t token_matrix_at(const struct TokenModel *m, int l,
                                     enum TokenMatrix which)
{
    static const int before[] = { 0, 3, 4, 8 };
    const size_t square = (size_t)m->C * (size_t)m->C;
    return which == TOKEN_WTE ? 12 * square * (size_t)m->L
         : square * (12 * (size_t)l + (size_t)before[which]);
}

static inline size_t token_numbers(const struct TokenModel *m)
{
    return token_matrix_at(m, 0, TOKEN_WTE)
         + (size_t)token_outputs(m, TOKEN_WTE) * (size_t)m->C;
}

#endif
