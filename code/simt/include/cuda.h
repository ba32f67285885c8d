/* Tangled from chapters/workshop/simt-runtime.nw, "Headers that are missing".  Edit it there. */

/* The driver interface is missing; cuda_runtime.h has what is here. */
#ifndef SIMT_CUDA_H
#define SIMT_CUDA_H
#include "cuda_runtime_api.h"

#define CUDA_VERSION CUDART_VERSION
#ifdef SIMT_REFUSED
#define SIMT_NO_DRIVER "no driver interface: use cuda_runtime.h"
SIMT_REFUSED(cuInit, SIMT_NO_DRIVER);
SIMT_REFUSED_TYPE(CUresult, SIMT_NO_DRIVER);
SIMT_REFUSED_TYPE(CUdevice, SIMT_NO_DRIVER);
SIMT_REFUSED_TYPE(CUcontext, SIMT_NO_DRIVER);
SIMT_REFUSED_TYPE(CUmodule, SIMT_NO_DRIVER);
SIMT_REFUSED_TYPE(CUfunction, SIMT_NO_DRIVER);
SIMT_REFUSED_TYPE(CUdeviceptr, SIMT_NO_DRIVER);
SIMT_REFUSED_TYPE(CUtensorMap, SIMT_NO_DRIVER);
#endif

#endif
