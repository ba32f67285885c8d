/* Tangled from chapters/workshop/timing-operators.nw, "Linear layers".  Edit it there. */

#include <string.h>
#include "ops/operators.h"

/* sum dy over its rows */
enum { STRIP = 256 };       /* columns that one thread takes at a time */

/* add a strip of the rows of dy */
SIMD_CLONES
static void add_columns(real *db, const real *dy, size_t row, int N, int n)
{
    int i = 0;
    for (; i + 4 <= N; i += 4, dy += 4 * row)
        #pragma omp simd
        for (int c = 0; c < n; c++)
            db[c] += (dy[c] + dy[c + row])
                   + (dy[c + 2 * row] + dy[c + 3 * row]);
    for (; i < N; i++, dy += row)
        for (int c = 0; c < n; c++)
            db[c] += dy[c];
}

void cpu_bias_grad(real *db, const real *dy, int N, int OC,
                   bool accumulate)
{
    if (!accumulate)
        memset(db, 0, (size_t)OC * sizeof *db);
    #pragma omp parallel for schedule(static)
    for (int c = 0; c < OC; c += STRIP)
        add_columns(db + c, dy + c, (size_t)OC, N,
                    OC - c < STRIP ? OC - c : STRIP);
}
