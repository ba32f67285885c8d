// Cooperative groups: each number that they give is compared with a plain sum.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;

enum { X = 24, Y = 4, THREADS = X * Y, BLOCKS = 3 };

struct Place { int value; double weight; };
__device__ Place further(Place a, Place b)
{
    return a.weight < b.weight ? b : a;
}

template <unsigned n> __device__ int tile_is_wrong(int value)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<n> tile = cg::tiled_partition<n>(block);
    __shared__ int all[THREADS];
    unsigned me = block.thread_rank(), first = me / n * n;
    all[me] = value;
    cg::sync(block);
    int sum = 0, most = value, least = value, odd = 0;
    for (unsigned i = first; i < first + n; i++) {
        sum += all[i];
        most = max(most, all[i]);
        least = min(least, all[i]);
        odd |= (all[i] & 1) << (i - first);
    }
    block.sync();
    int wrong = cg::reduce(tile, value, cg::plus<int>()) != sum;
    wrong += cg::reduce(tile, value, cg::greater<int>()) != most;
    wrong += cg::reduce(tile, (float)value, cg::less<float>{}) != (float)least;
    wrong += tile.thread_rank() != me - first || tile.size() != n;
    wrong += tile.meta_group_rank() != me / n;
    wrong += tile.meta_group_size() != THREADS / n;
    wrong += tile.ballot(value & 1) != (unsigned)odd;
    wrong += tile.any(value & 1) != (odd != 0);
    wrong += tile.shfl(value, 0) != all[first];
    wrong += tile.shfl_down(value, n / 2) != all[me - first < n / 2 ? me + n / 2 : me];
    wrong += tile.shfl_xor(value, 1) != all[me ^ 1];
    Place far = cg::reduce(tile, Place{ value, 0.5 * value }, further);
    wrong += far.value != most || far.weight != 0.5 * most;
    tile.sync();
    return wrong;
}
__global__ void groups(int *wrong, int *places)
{
    cg::thread_block block = cg::this_thread_block();
    int me = block.thread_rank(), value = me * 37 % 101;
    int bad = me != (int)(threadIdx.y * X + threadIdx.x);
    bad += block.size() != THREADS || block.num_threads() != THREADS;
    bad += block.group_index().x != blockIdx.x;
    bad += cg::this_grid().thread_rank() != blockIdx.x * THREADS + me;
    bad += cg::this_grid().size() != BLOCKS * THREADS;
    bad += tile_is_wrong<32>(value) + tile_is_wrong<16>(value);
    bad += tile_is_wrong<4>(value);
    cg::thread_block_tile<8, cg::thread_block> tile = cg::tiled_partition<8>(block);
    bad += cg::tiled_partition<4>(tile).thread_rank() != me % 4u;
    if (value % 3 == 0) {       // one addition for the lanes that are here
        cg::coalesced_group here = cg::coalesced_threads();
        int place = 0;
        if (here.thread_rank() == 0)
            place = atomicAdd(places, (int)here.size());
        place = here.shfl(place, 0) + here.thread_rank();
        atomicAdd(places + 1, place);
        bad += here.shfl(me, here.size() - 1) < me;
    }
    atomicAdd(wrong, bad);
}
int main(void)
{
    int *d, h[3], n = 0;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    groups<<<BLOCKS, dim3(X, Y)>>>(d, d + 1);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < THREADS; i++)
        n += BLOCKS * (i * 37 % 101 % 3 == 0);
    cudaFree(d);
    h[0] += h[1] != n || h[2] != n * (n - 1) / 2;
    printf("%d wrong, %s\n", h[0], cudaGetErrorString(cudaGetLastError()));
    return 0;
}
