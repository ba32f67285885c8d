/* Tangled from chapters/workshop/simt-runtime.nw, "The language".  Edit it there. */

/* CUDA C for clang's device and host pass, with no SDK: included before
 * every .cu file by simtcc, as nvcc includes its own. */
#ifndef SIMT_CUDA_RUNTIME_H
#define SIMT_CUDA_RUNTIME_H

#ifndef __clang__
#error "this cuda_runtime.h is read by clang: use simtcc"
#endif
#define __CUDA_RUNTIME_H__      /* for those who ask */
#ifndef __CUDA__                /* a .cpp file: the host calls only */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cuda_runtime_api.h"
#include "vector_functions.h"
#ifdef __cplusplus
#include "simt_calls.h"
#include "simt_formats.h"
#endif
#else

#define __SIMT__ 1              /* programs can ask which machine it is */
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif

#define __host__         __attribute__((host))
#define __device__       __attribute__((device))
#define __global__       __attribute__((global))
#define __shared__       __attribute__((shared))
#define __constant__     __attribute__((constant))
#define __forceinline__  inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n)     __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#if __clang_major__ < 20
#define __grid_constant__
#endif
#if __clang_major__ < 15        /* a keyword since                       */
#define __noinline__     __attribute__((noinline))
#endif
#ifdef __CUDA_ARCH__
#define __managed__ __device__
#else                           /* see @sec:foreign-managed */
#define __managed__ __device__ __attribute__((section("simt_managed")))
#endif
#define SIMT_TEXT(...) #__VA_ARGS__         /* see @sec:simt-cluster-dims */
#define __cluster_dims__(...)                                             \
    __attribute__((section("simt_cluster " SIMT_TEXT(__VA_ARGS__))))

#include <assert.h>
#include <initializer_list>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __cplusplus
#include <climits>              /* which nvcc's own header brings, too */
#include <cmath>
#include <cstdlib>
#ifdef __CUDA__                 /* <new> calls them (see the executor)   */
extern "C" __attribute__((device, nothrow)) void *malloc(size_t);
extern "C" __attribute__((device, nothrow)) void free(void *);
#endif
#include <new>
#include <utility>
#endif

#include "cuda_runtime_api.h"

/* A device function of this header.  Without debug information of its own
 * its instructions belong to the line that calls it: the reader's line. */
#define SIMT_DEVICE static __device__ inline \
    __attribute__((always_inline, nodebug, unused))
#define SIMT_BOTH static __host__ __device__ inline \
    __attribute__((always_inline, nodebug, unused))
#define SIMT_MEMBER __host__ __device__ inline \
    __attribute__((always_inline, nodebug))

#include "simt_atomics.h"
#include "simt_device.h"
#include "simt_spaces.h"
#include "simt_launch.h"
#include "simt_graph_kernel.h"
#include "simt_numbers.h"
#include "simt_double.h"
#include "simt_std.h"
#include "vector_functions.h"
#include "simt_formats.h"
#include "simt_texture.h"
#include "simt_texture_reference.h"
#include "simt_child.h"

#endif
#endif
