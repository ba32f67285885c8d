/* Tangled from chapters/workshop/gpu-model.nw, "The seam".  Edit it there. */

#include "gpt2/mixed.h"

#include <stdlib.h>

bool mixed_create(struct Model *m, struct Error *e)
{
    (void)m;
    return error_set(e, "bf16 needs a GPU, and this program runs on the "
                     "CPU: use the program whose name ends in -cuda (or "
                     "-simt, the software GPU), or --precision fp32");
}

void mixed_free(struct Model *m)
{
    (void)m;
}

/* none of the rest can be called */
void mixed_put(struct Model *m, const real *host)
{
    (void)m, (void)host;
    abort();
}

void mixed_get(const struct Model *m, real *host)
{
    (void)m, (void)host;
    abort();
}

double mixed_loss(struct Model *m, const int32_t *tokens,
                  const int32_t *targets, int B, int T)
{
    (void)m, (void)tokens, (void)targets, (void)B, (void)T;
    abort();
}

void mixed_train(struct Model *m, const int32_t *tokens,
                 const int32_t *targets, int B, int T, real scale,
                 bool accumulate)
{
    (void)m, (void)tokens, (void)targets, (void)B, (void)T;
    (void)scale, (void)accumulate;
    abort();
}

double mixed_train_loss(struct Model *m)
{
    (void)m;
    abort();
}

void mixed_logits(struct Model *m, real *logits, const int32_t *tokens,
                  int B, int T)
{
    (void)m, (void)logits, (void)tokens, (void)B, (void)T;
    abort();
}
