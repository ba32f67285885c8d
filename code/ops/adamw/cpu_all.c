/* Tangled from chapters/workshop/fused-details.nw, "The optimiser".  Edit it there. */

#include <assert.h>
#include "ops/adamw/adamw.h"
#include "ops/operators.h"

void cpu_adamw_all(real *w, bf16 *w16, real *m, real *v, const real *g,
                   const struct AdamwSpan *span, int spans,
                   const struct AdamwStep *s)
{
    assert(w && !w16);
    for (int i = 0; i < spans; i++) {
        const size_t at = span[i].offset;
        struct AdamwStep step = *s;
        step.decay = span[i].decays ? s->decay : 0;
        adamw_update(w + at, m + at, v + at, g + at, span[i].size, &step);
    }
}
