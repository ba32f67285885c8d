/* Tangled from chapters/workshop/simt-hopper.nw, "The driver's function".  Edit it there. */

#ifndef SIMT_CUDA_TYPEDEFS_H
#define SIMT_CUDA_TYPEDEFS_H
#include "cuda.h"

typedef CUresult (*PFN_cuTensorMapEncodeTiled_v12000)(
    CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
    const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
    const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
#define PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000

#endif
