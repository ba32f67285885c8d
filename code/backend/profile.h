/* Tangled from chapters/workshop/gpu-model.nw, "A machine that is not waited for".  Edit it there. */

/* profile.h: how long the parts of a program took, by their names. */
#ifndef BACKEND_PROFILE_H
#define BACKEND_PROFILE_H

#include <stdio.h>
#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* Add a time under a name (a constant); print a row per name, the longest
 * first, and forget all. */
void profile_add(const char *what, double seconds);
void profile_rows_print(FILE *out);

C_FUNCTIONS_END

#endif
