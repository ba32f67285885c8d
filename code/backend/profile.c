/* Tangled from chapters/workshop/gpu-model.nw, "Backends".  Edit it there. */

#include "backend/profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void profile_add(struct Profile *p, const char *what, double seconds)
{
    int i = 0;
    while (i < p->rows && strcmp(p->row[i].what, what) != 0)
        i++;
    assert(i < PROFILE_NAMES);
    if (i == p->rows)
        p->row[p->rows++] = (struct ProfileRow){ .what = what };
    p->row[i].calls++;
    p->row[i].seconds += seconds;
}

/* print the times, the longest first */
static int longest_first(const void *a, const void *b)
{
    const struct ProfileRow *x = a, *y = b;
    return x->seconds < y->seconds ? 1 : -(x->seconds > y->seconds);
}

void profile_rows_print(struct Profile *p, FILE *out)
{
    double sum = 0;
    for (int i = 0; i < p->rows; i++)
        sum += p->row[i].seconds;
    qsort(p->row, (size_t)p->rows, sizeof *p->row, longest_first);
    fprintf(out, "%-24s %7s %12s %10s %7s\n", "what", "calls", "total ms",
            "us each", "share");
    for (int i = 0; i < p->rows; i++)
        fprintf(out, "%-24s %7d %12.3f %10.1f %6.1f%%\n", p->row[i].what,
                p->row[i].calls, 1e3 * p->row[i].seconds,
                1e6 * p->row[i].seconds / p->row[i].calls,
                100 * p->row[i].seconds / sum);
    fprintf(out, "%-24s %7s %12.3f\n", "sum", "", 1e3 * sum);
    p->rows = 0;
}
