/* Tangled from chapters/workshop/gpu-model.nw, "The table of operators".  Edit it there. */

/* The backends of a program, the default first. */
#include "ops/operators.h"

#define CPU_ROW(name) .name = cpu_##name,
static const struct Operators cpu_operators = { OPERATORS(CPU_ROW) };

#ifdef WITH_GPU
#define GPU_ROW(name) .name = cuda_##name,
static const struct Operators gpu_operators = { OPERATORS(GPU_ROW)
                                                GPU_OPERATORS(GPU_ROW) };
#endif

const struct BackendRow backend_rows[] = {
#ifdef WITH_GPU
    { &gpu_backend, &gpu_operators },
#endif
    { &cpu_backend, &cpu_operators },
    { NULL, NULL },
};
