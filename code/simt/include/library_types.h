/* Tangled from chapters/workshop/foreign-programs.nw, "What the calls compute".  Edit it there. */

#ifndef SIMT_LIBRARY_TYPES_H
#define SIMT_LIBRARY_TYPES_H
typedef enum cudaDataType_t {
    CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_8I, CUDA_R_8U = 8,
    CUDA_R_32I = 10, CUDA_R_16BF = 14, CUDA_R_8F_E4M3 = 28,
    CUDA_R_8F_E5M2,
} cudaDataType_t;
typedef cudaDataType_t cudaDataType;
#endif
