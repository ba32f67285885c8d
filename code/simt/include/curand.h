/* Tangled from chapters/workshop/foreign-features.nw, "Arrays of numbers".  Edit it there. */

#ifndef CURAND_H_
#define CURAND_H_
#ifdef __cplusplus
#include "cuda_runtime.h"
#else
#include "cuda_runtime_api.h"
#endif
#include "simt_philox.h"

/* types of cuRAND */
typedef enum curandStatus {
    CURAND_STATUS_SUCCESS = 0, CURAND_STATUS_VERSION_MISMATCH = 100,
    CURAND_STATUS_NOT_INITIALIZED, CURAND_STATUS_ALLOCATION_FAILED,
    CURAND_STATUS_TYPE_ERROR, CURAND_STATUS_OUT_OF_RANGE,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_PREEXISTING_FAILURE,
    CURAND_STATUS_INITIALIZATION_FAILED, CURAND_STATUS_ARCH_MISMATCH,
    CURAND_STATUS_INTERNAL_ERROR = 999,
} curandStatus_t;
typedef enum curandRngType {
    CURAND_RNG_TEST, CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141, CURAND_RNG_PSEUDO_MT19937,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161, CURAND_RNG_QUASI_DEFAULT = 200,
    CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
    CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64,
} curandRngType_t;
typedef enum curandOrdering {
    CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT,
    CURAND_ORDERING_PSEUDO_SEEDED, CURAND_ORDERING_PSEUDO_LEGACY,
    CURAND_ORDERING_QUASI_DEFAULT = 201,
} curandOrdering_t;
typedef enum curandDirectionVectorSet {
    CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
    CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103,
} curandDirectionVectorSet_t;
typedef unsigned curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
typedef struct curandGenerator_st *curandGenerator_t;

/* calls of cuRAND */
#define SIMT_CURAND(name) SIMT_API curandStatus_t curand##name
SIMT_CURAND(CreateGenerator)(curandGenerator_t *, curandRngType_t);
SIMT_CURAND(CreateGeneratorHost)(curandGenerator_t *, curandRngType_t);
SIMT_CURAND(DestroyGenerator)(curandGenerator_t);
SIMT_CURAND(GetVersion)(int *);
SIMT_CURAND(SetStream)(curandGenerator_t, cudaStream_t);
SIMT_CURAND(SetPseudoRandomGeneratorSeed)(curandGenerator_t,
                                          unsigned long long);
SIMT_CURAND(SetGeneratorOffset)(curandGenerator_t, unsigned long long);
SIMT_CURAND(SetGeneratorOrdering)(curandGenerator_t, curandOrdering_t);
SIMT_CURAND(SetQuasiRandomGeneratorDimensions)(curandGenerator_t,
                                               unsigned);
SIMT_CURAND(GenerateSeeds)(curandGenerator_t);
SIMT_CURAND(Generate)(curandGenerator_t, unsigned *, size_t n);
SIMT_CURAND(GenerateLongLong)(curandGenerator_t, unsigned long long *,
                              size_t n);
SIMT_CURAND(GenerateUniform)(curandGenerator_t, float *, size_t n);
SIMT_CURAND(GenerateUniformDouble)(curandGenerator_t, double *, size_t n);
SIMT_CURAND(GenerateNormal)(curandGenerator_t, float *, size_t n,
                            float mean, float deviation);
SIMT_CURAND(GenerateNormalDouble)(curandGenerator_t, double *, size_t n,
                                  double mean, double deviation);
SIMT_CURAND(GenerateLogNormal)(curandGenerator_t, float *, size_t n,
                               float mean, float deviation);
SIMT_CURAND(GenerateLogNormalDouble)(curandGenerator_t, double *, size_t n,
                                     double mean, double deviation);
SIMT_CURAND(GeneratePoisson)(curandGenerator_t, unsigned *, size_t n,
                             double lambda);
SIMT_CURAND(GetDirectionVectors32)(curandDirectionVectors32_t **,
                                   curandDirectionVectorSet_t);
SIMT_CURAND(GetDirectionVectors64)(curandDirectionVectors64_t **,
                                   curandDirectionVectorSet_t);
#endif
