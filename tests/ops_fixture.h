/* What the tests of the operators share: every operator written plainly, in
 * float (NAME_f) and in double (NAME_d), and inputs. */
#ifndef OPS_FIXTURE_H
#define OPS_FIXTURE_H

#include "rows.h"
#include "ops/adamw/adamw.h"
#include "backend/backend.h"

#pragma GCC diagnostic ignored "-Wunused-function"

#define P float
#define F(name) name##_f
#define EXP expf
#define TANH tanhf
#include "plain_ops.h"
#undef P
#undef F
#undef EXP
#undef TANH
#define P double
#define F(name) name##_d
#define EXP exp
#define TANH tanh
#include "plain_ops.h"

/* A host array where the operators can read it; backend_free. */
static void *sent(const void *host, size_t bytes)
{
    void *p = backend_alloc(bytes, "a test");
    backend_put(p, host, bytes);
    return p;
}

/* n tokens below V, the last of them V - 1; free. */
static int32_t *some_tokens(int n, int V)
{
    int32_t *t = malloc((size_t)n * sizeof *t);
    for (int i = 0; i < n; i++)
        t[i] = (int32_t)((noise(77, (uint64_t)i) + 1) / 2 * V);
    t[n - 1] = (int32_t)(V - 1);
    return t;
}

#endif
