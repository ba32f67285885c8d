/* Tangled from chapters/workshop/gpu-model.nw, "Backends".  Edit it there. */

/* profile.h: how long the parts of a program took, by their names. */
#ifndef BACKEND_PROFILE_H
#define BACKEND_PROFILE_H

#include <stdbool.h>
#include <stdio.h>
#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

enum { PROFILE_NAMES = 128 };

struct ProfileRow { const char *what; int calls; double seconds; };

struct Profile {
    bool on;
    const char *now;                    /* what runs, since when; of the */
    double since_s;                     /* CPU, which has no events      */
    int rows;
    struct ProfileRow row[PROFILE_NAMES];
};

/* Add a time under a name (a constant); print a row per name, the longest
 * first, and forget all. */
void profile_add(struct Profile *p, const char *what, double seconds);
void profile_rows_print(struct Profile *p, FILE *out);

C_FUNCTIONS_END

#endif
