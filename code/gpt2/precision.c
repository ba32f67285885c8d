/* Tangled from chapters/workshop/gpu-model.nw, "Options of a model".  Edit it there. */

#include "gpt2/precision.h"

#include <stddef.h>
#include <string.h>
#include "backend/backend.h"
#include "ops/fp32/fp32.h"
#include "ops/matmul/matmul.h"

static const char *const precisions[] = { "fp32", "tf32", "bf16" };
static const char *const recomputes[] = { "none", "gelu",
                                          "gelu+layernorm", "block" };

/* find a word among names */
static int find(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!name || strcmp(names[i], name) == 0)
            return i;
    return -1;
}

const char *precision_name(enum Precision p)
{
    return precisions[p];
}

/* choose the kernels of a precision */
static bool use_library(enum Precision p)
{
    if (p == FP32 && gemm_use("cublas"))    /* where there is one */
        return fp32_mode_set("3xtf32");
    if (p == TF32)
        return gemm_use("cublas-tf32") && fp32_mode_set("tf32");
    return true;
}

static bool choose_kernels(struct ModelOptions *o, struct Error *e)
{
    struct Backend *b = backend_current();
    const struct Kernels before = b->kernels;
    const bool good = use_library(o->precision);
    o->kernels = b->kernels;
    o->chosen = true;
    b->kernels = before;
    return good
        || error_set(e, "tf32 is a mode of a GPU's tensor cores: use the "
                     "program whose name ends in -cuda, or --precision "
                     "fp32");
}

/* options from words */
bool precision_options(struct ModelOptions *o, const char *precision,
                       const char *recompute, bool master,
                       struct Error *e)
{
    const bool gpu = backend_kind() == BACKEND_CUDA;
    int p = find(precisions, 3, precision ? precision
                                : gpu ? "bf16" : "fp32");
    int r = find(recomputes, 4, recompute);
    if (p < 0 || r < 0)
        return error_set(e, "--%s %s: expected %s",
                         p < 0 ? "precision" : "recompute",
                         p < 0 ? precision : recompute,
                         p < 0 ? PRECISION_NAMES : RECOMPUTE_NAMES);
    if (p != BF16 && (r || !master))
        return error_set(e, "--%s needs --precision bf16: in %s "
                         "everything is kept", r ? "recompute"
                         : "master-weights off", precisions[p]);
    *o = (struct ModelOptions){ .precision = (enum Precision)p,
        .recompute = (enum Recompute)r, .no_master = !master };
    return choose_kernels(o, e);
}
