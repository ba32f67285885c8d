/* Tangled from chapters/workshop/simt-runtime.nw, "Headers that are missing".  Edit it there. */

/* The driver interface is missing; cuda_runtime.h has what is here. */
#ifndef SIMT_CUDA_H
#define SIMT_CUDA_H
#include "cuda_runtime_api.h"

#define CUDA_VERSION CUDART_VERSION
#ifdef SIMT_REFUSED
#define SIMT_NO_DRIVER "no driver interface: use cuda_runtime.h"
SIMT_REFUSED(cuInit, SIMT_NO_DRIVER);
SIMT_REFUSED_TYPE(CUdevice, SIMT_NO_DRIVER);
SIMT_REFUSED_TYPE(CUcontext, SIMT_NO_DRIVER);
SIMT_REFUSED_TYPE(CUmodule, SIMT_NO_DRIVER);
SIMT_REFUSED_TYPE(CUfunction, SIMT_NO_DRIVER);
SIMT_REFUSED_TYPE(CUdeviceptr, SIMT_NO_DRIVER);
#endif

/* tensor maps of the driver */
#include <stdint.h>

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef enum cudaError_enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_NOT_SUPPORTED = 801,
} CUresult;

typedef struct CUtensorMap_st {
#ifdef __cplusplus
    alignas(64)
#else
    _Alignas(64)
#endif
    cuuint64_t opaque[16];
} CUtensorMap;

typedef enum CUtensorMapDataType_enum {
    CU_TENSOR_MAP_DATA_TYPE_UINT8,  CU_TENSOR_MAP_DATA_TYPE_UINT16,
    CU_TENSOR_MAP_DATA_TYPE_UINT32, CU_TENSOR_MAP_DATA_TYPE_INT32,
    CU_TENSOR_MAP_DATA_TYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_INT64,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
} CUtensorMapDataType;

typedef enum CUtensorMapInterleave_enum {
    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_INTERLEAVE_16B,
    CU_TENSOR_MAP_INTERLEAVE_32B,
} CUtensorMapInterleave;

typedef enum CUtensorMapSwizzle_enum {
    CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
    CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B,
} CUtensorMapSwizzle;

typedef enum CUtensorMapL2promotion_enum {
    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
} CUtensorMapL2promotion;

typedef enum CUtensorMapFloatOOBfill_enum {
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
} CUtensorMapFloatOOBfill;

SIMT_API CUresult cuTensorMapEncodeTiled(
    CUtensorMap *, CUtensorMapDataType, cuuint32_t rank, void *address,
    const cuuint64_t *sizes, const cuuint64_t *strides,
    const cuuint32_t *box, const cuuint32_t *steps, CUtensorMapInterleave,
    CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

#endif
