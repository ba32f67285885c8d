/* Tangled from chapters/workshop/measuring-a-gpu.nw, "access: sectors and banks against the clock".  Edit it there. */

#include "bench/access_kernels.h"

#include "backend/cuda.h"

#include <stdint.h>

/* y[i] = x[i * stride + offset] */
__global__ void gather_kernel(float *y, const float *x, int n, int stride,
                              int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[(size_t)i * stride + offset];
}

/* copy by pieces of a type */
#define COPY(name, type)                                               \
    __global__ void name(type *y, const type *x, size_t n)             \
    {                                                                  \
        size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;      \
        if (i < n)                                                     \
            y[i] = x[i];                                               \
    }
COPY(copy_1, uint8_t)
COPY(copy_2, uint16_t)
COPY(copy_4, float)
COPY(copy_8, float2)
COPY(copy_16, float4)

/* read a word of a bank again and again */
__global__ void bank_words(float *y, int stride, int times)
{
    __shared__ float tile[32 * 36 + 4];
    int t = threadIdx.x;
    for (int i = t; i < 32 * 36 + 4; i += blockDim.x)
        tile[i] = (float)i;
    __syncthreads();
    const volatile float *p = tile + t % 32 * stride;
    float sum = 0;
    for (int i = 0; i < times; i += 8)
        #pragma unroll
        for (int k = 0; k < 8; k++)
            sum += *p;
    y[blockIdx.x * blockDim.x + t] = sum;
}

/* read four words of banks again and again */
__global__ void bank_quads(float *y, int stride, int times)
{
    __shared__ float4 tile[8 * 36 + 1];
    int t = threadIdx.x;
    for (int i = t; i < 8 * 36 + 1; i += blockDim.x)
        tile[i] = make_float4((float)i, 1, 2, 3);
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(tile)
                + t % 32 * stride * 4;
    float sum = 0;
    for (int i = 0; i < times; i += 8)
        #pragma unroll
        for (int k = 0; k < 8; k++) {
            float4 v;
            asm volatile("ld.volatile.shared.v4.f32 "
                         "{%0, %1, %2, %3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "r"(at) : "memory");
            sum += v.x;
        }
    y[blockIdx.x * blockDim.x + t] = sum;
}

/* launch the access kernels */
void gather(float *y, const float *x, int n, int stride, int offset)
{
    gather_kernel<<<(n + 255) / 256, 256>>>(y, x, n, stride, offset);
    CUDA_OK(cudaGetLastError());
}

void copy_by(void *y, const void *x, size_t bytes, int width)
{
    size_t n = bytes / width;
    unsigned b = (unsigned)((n + 255) / 256);
    switch (width) {
    case 1:  copy_1<<<b, 256>>>((uint8_t *)y, (uint8_t *)x, n); break;
    case 2:  copy_2<<<b, 256>>>((uint16_t *)y, (uint16_t *)x, n); break;
    case 4:  copy_4<<<b, 256>>>((float *)y, (float *)x, n); break;
    case 8:  copy_8<<<b, 256>>>((float2 *)y, (float2 *)x, n); break;
    case 16: copy_16<<<b, 256>>>((float4 *)y, (float4 *)x, n); break;
    default: fail("copy_by: a width of %d bytes", width);
    }
    CUDA_OK(cudaGetLastError());
}

void read_banks(float *y, int blocks, int stride, int width, int times)
{
    if (width == 4)
        bank_words<<<blocks, 1024>>>(y, stride, times);
    else
        bank_quads<<<blocks, 1024>>>(y, stride, times);
    CUDA_OK(cudaGetLastError());
}
