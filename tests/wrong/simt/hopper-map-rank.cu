// out of bounds: a map of three dimensions for a copy of two
// says: the tensor map has 3 dimensions, the instruction 2
#include "wrong.h"
#include "bulk.h"
#include <cuda.h>

__global__ void kernel(float *y, const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) float s[128];
    __shared__ Barrier full;
    int t = threadIdx.x;
    float *to = s + 0;
    if (t == 0) {
        bar_init(&full, 1);
        bar_ready();
        bar_expect(&full, 256);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"     // HERE
            ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
            :: "r"(shared_at(to)), "l"(&map), "r"(0), "r"(4),
               "r"(shared_at(&full)) : "memory");
    }
    __syncthreads();
    bar_wait(&full, 0);
    y[t] = to[t];
}

static bool describe(CUtensorMap *map, float *p, int dimensions, int rows)
{
    cuuint64_t size[] = { 64, (cuuint64_t)rows, 1 }, stride[] = { 256, 4096 };
    cuuint32_t box[] = { 64, 1, 1 }, one[] = { 1, 1, 1 };
    return !cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        dimensions, p, size, stride, box, one,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(64);
    CUtensorMap map = {};
#ifdef RIGHT
    describe(&map, x, 2, 16);
#else
    describe(&map, x, 3, 16);
#endif
    kernel<<<1, 64>>>(y, map);
    finish();
    cudaFree(x);
    cudaFree(y);
}
