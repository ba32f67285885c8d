/* Tangled from chapters/workshop/programs.nw, "Kernels by the environment".  Edit it there. */

#include "programs/kernels.h"

#include <stdlib.h>
#include "base/fail.h"
#include "ops/operators.h"

void kernels_from_environment(void)
{
    const char *g = getenv("GEMM_KERNEL"), *p = getenv("PRODUCT_KERNEL");
    const char *a = getenv("FLASH_KERNEL");
    const bool gpu = backend_current()->ops->matmul_bf16;
    if (g && !gemm_use(g))
        misuse("GEMM_KERNEL=%s: no such kernel, or not for this machine",
               g);
    if (p && gpu && !matmul_bf16_use(p))
        misuse("PRODUCT_KERNEL=%s: this program has no such product; try "
               "mma or cublas", p);
    if (a && gpu && !attention_bf16_use(a))
        misuse("FLASH_KERNEL=%s: this program has no such attention; try "
               "mma or hopper", a);
}
