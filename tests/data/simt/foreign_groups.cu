/* Groups by masks, scans, and asynchronous copies under their C++ names. */
#include "foreign_rows.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
enum { THREADS = 96 };
#define EXPECT(row, x) do { if (!(x)) atomicExch(&wrong[row], __LINE__); } while (0)
enum { PARTS, SCANS, ANY_GROUP, COPIES, BARRIER, PIPELINE, ROLES, ATOMIC, ROWS };

__device__ int value_of(int i) { return i * 37 % 101; }

/* Sums over the lanes of this warp that are in the group: by plain loops. */
template <class Group, class Is>
__device__ void look(const Group &g, Is is, int *wrong)
{
    int me = threadIdx.x, first = me / 32 * 32, rank = 0, size = 0, sum = 0, before = 0, most = -1;
    for (int i = first; i < first + 32; i++)
        if (is(i)) {
            size++, sum += value_of(i);
            most = max(most, value_of(i));
            if (i < me)
                rank++, before += value_of(i);
        }
    EXPECT(PARTS, (int)g.size() == size && (int)g.thread_rank() == rank);
    EXPECT(SCANS, cg::reduce(g, value_of(me), cg::plus<int>()) == sum);
    EXPECT(SCANS, cg::reduce(g, value_of(me), cg::greater<int>()) == most);
    EXPECT(SCANS, cg::exclusive_scan(g, value_of(me)) == before);
    EXPECT(SCANS, cg::inclusive_scan(g, value_of(me), cg::plus<int>()) == before + value_of(me));
    EXPECT(PARTS, __popc(g.ballot(value_of(me) % 2)) <= size && g.any(1) && g.all(1));
    EXPECT(PARTS, g.ballot(rank == size - 1) == 1u << (size - 1));
    int next = g.shfl_down(me, 1);
    EXPECT(PARTS, next == me ? rank == size - 1 : is(next) && next > me);
    g.sync();
}
__device__ unsigned rank_and_size(const cg::thread_group &g)
{
    g.sync();
    return g.thread_rank() * 1000 + g.size();
}
__global__ void groups(int *wrong)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int me = threadIdx.x;
    auto label = cg::labeled_partition(warp, me * me % 7);
    look(label, [=](int i) { return i * i % 7 == me * me % 7; }, wrong);
    EXPECT(PARTS, label.meta_group_size() == 4 && label.meta_group_rank() < 4);
    auto half = cg::binary_partition(warp, me % 3 == 0);
    look(half, [=](int i) { return (i % 3 == 0) == (me % 3 == 0); }, wrong);
    look(warp, [=](int) { return true; }, wrong);
    if (me % 5 != 2) {
        cg::coalesced_group here = cg::coalesced_threads();
        look(here, [=](int i) { return i % 5 != 2; }, wrong);
        auto part = cg::tiled_partition(here, 4);
        EXPECT(PARTS, part.size() <= 4 && part.thread_rank() == here.thread_rank() % 4);
        EXPECT(PARTS, here.match_any(1) == (1u << here.size()) - 1);
    }
    EXPECT(ANY_GROUP, rank_and_size(block) == me * 1000u + THREADS);
    EXPECT(ANY_GROUP, rank_and_size(cg::tiled_partition<8>(block)) == me % 8 * 1000u + 8);
    EXPECT(ANY_GROUP, rank_and_size(cg::tiled_partition(block, 16)) == me % 16 * 1000u + 16);
}
__global__ void copies(int *wrong, const int *from)
{
    __shared__ __align__(16) int to[THREADS + 1], other[THREADS];
    cg::thread_block block = cg::this_thread_block();
    int me = threadIdx.x;
    cg::memcpy_async(block, to, from, sizeof(int) * THREADS);
    cg::memcpy_async(block, to + THREADS, 1, from + 5, 1);
    cg::wait(block);
    EXPECT(COPIES, to[THREADS - 1 - me] == value_of(THREADS - 1 - me) && to[THREADS] == value_of(5));
    __pipeline_memcpy_async(other + me, from + me, 4, me % 2 ? 4 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    EXPECT(COPIES, other[me ^ 1] == ((me ^ 1) % 2 ? 0 : value_of(me ^ 1)));
}
__global__ void barriers(int *wrong, const int *from)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int sum, to[THREADS];
    int me = threadIdx.x;
    if (me == 0) {
        init(&bar, THREADS);
        sum = 0;
    }
    __syncthreads();
    for (int round = 1; round < 4; round++) {
        atomicAdd(&sum, 1);
        auto token = bar.arrive();
        bar.wait(std::move(token));
        EXPECT(BARRIER, sum == round * THREADS);
        bar.arrive_and_wait();
    }
    cuda::memcpy_async(cg::this_thread_block(), to, from, cuda::aligned_size_t<4>(sizeof to), bar);
    bar.arrive_and_wait();
    EXPECT(BARRIER, to[THREADS - 1 - me] == value_of(THREADS - 1 - me));
}
__global__ void pipelines(int *wrong, const int *from)
{
    enum { STAGES = 3, ROUNDS = 8 };
    __shared__ int tile[STAGES][32];
    auto pipe = cuda::make_pipeline();
    int me = threadIdx.x % 32, sum = 0, want = 0;
    for (int r = 0; r < ROUNDS + STAGES - 1; r++) {
        if (r < ROUNDS) {
            pipe.producer_acquire();
            if (threadIdx.x < 32)
                cuda::memcpy_async(&tile[r % STAGES][me], from + (me + r) % 90, sizeof(int), pipe);
            pipe.producer_commit();
        }
        if (r >= STAGES - 1) {
            pipe.consumer_wait();
            __syncthreads();
            sum += tile[(r - STAGES + 1) % STAGES][31 - me];
            want += value_of((31 - me + r - STAGES + 1) % 90);
            pipe.consumer_release();
            __syncthreads();
        }
    }
    EXPECT(PIPELINE, sum == want);
}
__global__ void roles(int *wrong, const int *from)
{
    enum { STAGES = 2, ROUNDS = 7 };
    __shared__ int tile[STAGES][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    bool copies = threadIdx.x < 32;
    int me = threadIdx.x % 32, sum = 0, want = 0;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state,
        copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int r = 0; r < ROUNDS; r++)
        if (copies) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[r % STAGES][me], from + me + r, sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += tile[r % STAGES][31 - me];
            want += value_of(31 - me + r);
            pipe.consumer_release();
        }
    EXPECT(ROLES, sum == want);
}
struct Mail { cuda::atomic<int, cuda::thread_scope_device> full; int letter; };
__global__ void atomics(int *wrong, Mail *mail, unsigned *count)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> n(*count);
    n.fetch_add(2, cuda::memory_order_relaxed);
    n++;
    if (threadIdx.x == 0) {
        mail->letter = 7;
        mail->full.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 40) {
        while (mail->full.load(cuda::memory_order_acquire) == 0)
            ;
        EXPECT(ATOMIC, mail->letter == 7);
    }
    __shared__ unsigned most;
    if (threadIdx.x == 0)
        most = 0;
    __syncthreads();
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> m(most);
    m.fetch_max((unsigned)value_of(threadIdx.x));
    unsigned old = m.load();
    while (!m.compare_exchange_weak(old, old + 1000))
        ;
    __syncthreads();
    EXPECT(ATOMIC, m.load() == 1000 * THREADS + 100);
}
int main()
{
    static const char *text[ROWS] = {
        "parts of a warp by label and mask", "reductions and scans", "a thread_group",
        "cooperative memcpy_async", "cuda::barrier", "a pipeline of a thread", "a pipeline with roles", "cuda::atomic",
    };
    int *wrong, said[ROWS], *from, host[THREADS];
    unsigned *count;
    Mail *mail;
    memset(said, 1, sizeof said);
    cudaMalloc(&wrong, sizeof said);
    cudaMemset(wrong, 0, sizeof said);
    cudaMallocManaged(&mail, sizeof *mail);
    cudaMallocManaged(&count, sizeof *count);
    *count = 0, mail->full = 0;
    for (int i = 0; i < THREADS; i++)
        host[i] = i * 37 % 101;
    cudaMalloc(&from, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    groups<<<2, THREADS>>>(wrong);
    copies<<<1, THREADS>>>(wrong, from);
    barriers<<<1, THREADS>>>(wrong, from);
    pipelines<<<1, THREADS>>>(wrong, from);
    roles<<<1, 64>>>(wrong, from);
    atomics<<<1, THREADS>>>(wrong, mail, count);
    cudaMemcpy(said, wrong, sizeof said, cudaMemcpyDeviceToHost);
    mail->full++;
    said[ATOMIC] |= *count != 3 * THREADS || mail->full.load() != 2;
    for (int i = 0; i < ROWS; i++) {
        row(text[i], said[i] == 0);
        if (said[i])
            fprintf(stderr, "%s: line %d\n", text[i], said[i]);
    }
    cudaFree(wrong), cudaFree(from), cudaFree(mail), cudaFree(count);
    return rows_end();
}
