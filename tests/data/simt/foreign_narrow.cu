/* Pairs of narrow numbers, their functions, atomics, large tiles. */
#include "foreign_rows.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/std/type_traits>
#include <math.h>
#include <nvToolsExt.h>
#include <string.h>

namespace cg = cooperative_groups;
template <class T, class T2> __global__ void pairs(T2 *out, T *one, bool *yes, int *whole)
{
    T2 a(T(1.5f), T(-2.0f)), b(T(0.5f), T(4.0f));
    out[0] = a + b, out[1] = a - b, out[2] = a * b, out[3] = a / b, out[4] = -a;
    T2 c = a;
    c += b, c *= b, c -= a;
    out[5] = c;
    out[6] = __hmax2(a, b), out[7] = __hlt2(a, b), out[8] = h2sqrt(b), out[9] = __lowhigh2highlow(a);
    one[0] = hexp(T(1.0f)), one[1] = hrsqrt(T(4.0f)), one[2] = hfloor(T(-1.5f)), one[3] = __shfl_sync(1, T(7.0f), 0);
    yes[0] = __hbge2(b, T2(T(0.5f), T(4.0f))), yes[1] = T2(a.x, b.y) == a, yes[2] = a != b, yes[3] = __hisinf(T(1e30f) * T(1e30f)) == 1;
    (void)whole;
}
__global__ void integers(int *to)
{
    __half h = __float2half(-2.5f);
    to[0] = __half2int_rz(h), to[1] = __half2int_rn(h), to[2] = __half2int_rd(h), to[3] = __half2int_ru(h);
    to[4] = (int)(float)__int2half_rn(77), to[5] = __umul24(0x1000003, 5), to[6] = __half2float(__float2half_rz(2049.5f));
}
template <class T, class T2> __global__ void sums(T *one, T2 *two)
{
    atomicAdd(one + 1, T(1.0f));
    atomicAdd(two, T2(T(1.0f), T(2.0f)));
}
__global__ void large(int *to)
{
    __shared__ cg::block_tile_memory<256> room;
    auto tile = cg::tiled_partition<128>(cg::this_thread_block(room));
    static_assert(cuda::std::is_same<int, int>::value, "");
    int sum = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
    tile.sync();
    if (tile.thread_rank() == 127)
        to[tile.meta_group_rank()] = sum;
}
template <class T, class T2> static int right()
{
    T2 *d, h[10];
    T *o, one[4];
    bool *y, yes[4];
    cudaMalloc(&d, sizeof h), cudaMalloc(&o, sizeof one), cudaMalloc(&y, sizeof yes);
    pairs<T><<<1, 1>>>(d, o, y, nullptr);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(one, o, sizeof one, cudaMemcpyDeviceToHost);
    cudaMemcpy(yes, y, sizeof yes, cudaMemcpyDeviceToHost);
    static const float x[10] = { 2, 1, .75f, 3, -1.5f, -.5f, 1.5f, 0, (float)M_SQRT1_2, -2 };
    static const float z[10] = { 2, -6, -8, -.5f, 2, 10, 4, 1, 2, 1.5f };
    int good = yes[0] && !yes[1] && yes[2] && yes[3];
    for (int i = 0; i < 10; i++)
        good &= fabsf(float(h[i].x) - x[i]) <= 0.01f * fabsf(x[i]) && float(h[i].y) == z[i];
    good &= fabsf(float(one[0]) - (float)M_E) < 0.01f && float(one[1]) == 0.5f && float(one[2]) == -2 && float(one[3]) == 7;
    cudaFree(d), cudaFree(o), cudaFree(y);
    return good;
}
template <class T, class T2> static int added()
{
    T *one, a[2];
    T2 *two, b;
    cudaMalloc(&one, sizeof a), cudaMalloc(&two, sizeof b);
    cudaMemset(one, 0, sizeof a), cudaMemset(two, 0, sizeof b);
    sums<T><<<3, 40>>>(one, two);
    cudaMemcpy(a, one, sizeof a, cudaMemcpyDeviceToHost);
    cudaMemcpy(&b, two, sizeof b, cudaMemcpyDeviceToHost);
    cudaFree(one), cudaFree(two);
    return float(a[0]) == 0 && float(a[1]) == 120 && float(b.x) == 120 && float(b.y) == 240;
}
int main()
{
    int *to, got[7], two[2];
    nvtxRangePushA("all");
    row("pairs of half", right<__half, __half2>());
    row("pairs of bfloat16", right<__nv_bfloat16, __nv_bfloat162>());
    row("atomic sums of half", added<__half, __half2>());
    row("atomic sums of bfloat16", added<__nv_bfloat16, __nv_bfloat162>());
    cudaMalloc(&to, sizeof got);
    integers<<<1, 1>>>(to);
    cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
    row("integers from half", got[0] == -2 && got[1] == -2 && got[2] == -3 && got[3] == -2 && got[4] == 77 && got[5] == 15 && got[6] == 2048);
    large<<<1, 256>>>(to);
    cudaMemcpy(two, to, sizeof two, cudaMemcpyDeviceToHost);
    row("a tile of four warps", two[0] == 127 * 64 && two[1] == 127 * 64 + 128 * 128);
    nvtxRangePop();
    cudaFree(to);
    return rows_end();
}
