/* Tangled from chapters/workshop/matmul-plumbing.nw, "Operators on floats".  Edit it there. */

#include "ops/fp32/fp32.h"

#include <string.h>
#include "backend/backend.h"

bool fp32_mode_set(const char *name)
{
    static const char *const names[] = { "simple", "tf32", "", "3xtf32" };
    const int modes = backend_kind() == BACKEND_CPU ? 1 : 4;
    for (int i = 0; i < modes; i++)
        if (*name && strcmp(name, names[i]) == 0) {
            backend_current()->kernels.fp32 = i;
            return true;
        }
    return false;
}

int fp32_terms(void)
{
    return backend_current()->kernels.fp32;
}
