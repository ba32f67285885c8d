/* Tangled from chapters/workshop/simt-hopper.nw, "The driver's function".  Edit it there. */

#include "simt/executor/tensor_map.h"
#include "simt/include/cuda.h"

#include <stdio.h>
#include <string.h>

/* encode for the driver */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type,
    cuuint32_t rank, void *address, const cuuint64_t *sizes,
    const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *steps, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill)
{
    struct TensorMap m;
    struct Error e;
    struct TensorMapWanted w = { (int)type, rank,
        (uint64_t)(uintptr_t)address, sizes, strides, box, steps,
        (int)interleave, (int)swizzle, (int)promotion, (int)fill };
    bool given = map && sizes && box && steps && (strides || rank == 1);
    if (!given || (uintptr_t)map % 64)
        error_set(&e, "cuTensorMapEncodeTiled: %s", given ? "the map is "
                  "not aligned to 64 bytes" : "an argument is NULL");
    else if (tensor_map_encode(&m, &w, &e)) {
        memset(map, 0, sizeof *map);
        memcpy(map, &m, sizeof m);
        return CUDA_SUCCESS;
    }
    fflush(stdout);
    fprintf(stderr, "simt: %s [CUDA_ERROR_INVALID_VALUE]\n", e.text);
    return CUDA_ERROR_INVALID_VALUE;
}

/* find a function of the driver */
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function,
                                    unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *found)
{
    bool known = name && !strcmp(name, "cuTensorMapEncodeTiled");
    (void)flags;
    if (!name || !function)
        return cudaErrorInvalidValue;
    CUresult (*f)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
        const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
        const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
        CUtensorMapL2promotion, CUtensorMapFloatOOBfill)
        = cuTensorMapEncodeTiled;
    *function = NULL;
    if (known)
        memcpy(function, &f, sizeof f);
    if (found)
        *found = known ? cudaDriverEntryPointSuccess
                       : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(
    const char *name, void **function, unsigned version,
    unsigned long long flags, cudaDriverEntryPointQueryResult *found)
{
    cudaError_t e = cudaGetDriverEntryPoint(name, function, flags, found);
    if (!e && *function && version < 12000) {
        *function = NULL;
        if (found)
            *found = cudaDriverEntryPointVersionNotSufficent;
    }
    return e;
}
