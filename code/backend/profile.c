/* Tangled from chapters/workshop/gpu-model.nw, "A machine that is not waited for".  Edit it there. */

#include "backend/profile.h"

#include <stdlib.h>
#include <string.h>
#include "base/error.h"

enum { NAMES = 128 };
static struct Row { const char *what; int calls; double seconds; }
    row[NAMES];
static int rows;

void profile_add(const char *what, double seconds)
{
    int i = 0;
    while (i < rows && strcmp(row[i].what, what) != 0)
        i++;
    if (i == NAMES)
        fail("a profile of more than %d names (a bug)", NAMES);
    if (i == rows)
        row[rows++] = (struct Row){ .what = what };
    row[i].calls++;
    row[i].seconds += seconds;
}

/* print the times, the longest first */
static int longest_first(const void *a, const void *b)
{
    const struct Row *x = a, *y = b;
    return x->seconds < y->seconds ? 1 : -(x->seconds > y->seconds);
}

void profile_rows_print(FILE *out)
{
    double sum = 0;
    for (int i = 0; i < rows; i++)
        sum += row[i].seconds;
    qsort(row, (size_t)rows, sizeof *row, longest_first);
    fprintf(out, "%-24s %7s %12s %10s %7s\n", "what", "calls", "total ms",
            "us each", "share");
    for (int i = 0; i < rows; i++)
        fprintf(out, "%-24s %7d %12.3f %10.1f %6.1f%%\n", row[i].what,
                row[i].calls, 1e3 * row[i].seconds,
                1e6 * row[i].seconds / row[i].calls,
                100 * row[i].seconds / sum);
    fprintf(out, "%-24s %7s %12.3f\n", "sum", "", 1e3 * sum);
    rows = 0;
}
