/* Tangled from chapters/workshop/simt-runtime.nw, "Cooperative groups".  Edit it there. */

/* Groups of threads: blocks, tiles of a warp, and active lanes. */
#ifndef SIMT_COOPERATIVE_GROUPS_H
#define SIMT_COOPERATIVE_GROUPS_H

#define SIMT_IN_GROUP __device__ inline \
    __attribute__((always_inline, nodebug))

/* shuffle a value of any size */
#define SIMT_GROUP_SHUFFLE(name, argument)                              \
    template <class T> SIMT_IN_GROUP T name(T x, argument from) const   \
    {                                                                   \
        unsigned word[(sizeof x + 3) / 4] = {};                         \
        __builtin_memcpy(word, &x, sizeof x);                           \
        _Pragma("unroll") for (unsigned &w : word)                      \
            w = __##name##_sync(mask(), w, from, n);                    \
        __builtin_memcpy(&x, word, sizeof x);                           \
        return x;                                                       \
    }

namespace cooperative_groups {

/* a block and a grid as groups */
struct thread_block {
    SIMT_IN_GROUP static void sync() { __syncthreads(); }
    SIMT_IN_GROUP static unsigned thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
               threadIdx.x;
    }
    SIMT_IN_GROUP static unsigned size()
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    SIMT_IN_GROUP static unsigned num_threads() { return size(); }
    SIMT_IN_GROUP static dim3 group_index() { return uint3(blockIdx); }
    SIMT_IN_GROUP static dim3 thread_index() { return uint3(threadIdx); }
    SIMT_IN_GROUP static dim3 group_dim() { return blockDim; }
};
SIMT_IN_GROUP thread_block this_thread_block() { return {}; }

struct grid_group {
    SIMT_IN_GROUP static void sync() __attribute__((unavailable(
        "simtcc: blocks cannot wait for each other: end the kernel there "
        "and start a second one")));
    SIMT_IN_GROUP static unsigned long long thread_rank()
    {
        unsigned long long block =
            (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * thread_block::size() + thread_block::thread_rank();
    }
    SIMT_IN_GROUP static unsigned long long size()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z *
               thread_block::size();
    }
};
SIMT_IN_GROUP grid_group this_grid() { return {}; }

/* a cluster as a group */
#define SIMT_CLUSTER_REGISTER(name, text)                               \
    SIMT_IN_GROUP static unsigned name()                                \
    {                                                                   \
        unsigned x;                                                     \
        asm("mov.u32 %0, %%" text ";" : "=r"(x));                       \
        return x;                                                       \
    }
struct cluster_group {
    SIMT_CLUSTER_REGISTER(block_rank, "cluster_ctarank")
    SIMT_CLUSTER_REGISTER(num_blocks, "cluster_nctarank")
    SIMT_IN_GROUP static void barrier_arrive()
    {
        asm volatile("barrier.cluster.arrive;" ::: "memory");
    }
    SIMT_IN_GROUP static void barrier_wait()
    {
        asm volatile("barrier.cluster.wait;" ::: "memory");
    }
    SIMT_IN_GROUP static void sync() { barrier_arrive(); barrier_wait(); }
    /* The same variable in the shared memory of another block. */
    template <class T>
    SIMT_IN_GROUP static T *map_shared_rank(T *p, unsigned rank)
    {
        T *there;
        asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(rank));
        return there;
    }
};
SIMT_IN_GROUP cluster_group this_cluster() { return {}; }
template <class Group> SIMT_IN_GROUP void sync(const Group &g) { g.sync(); }

/* a tile of a warp */
template <unsigned n, class Parent = void> struct thread_block_tile {
    static_assert(n <= 32 && (n & (n - 1)) == 0,
                  "simtcc: a tile has 1, 2, 4, 8, 16 or 32 threads");
    thread_block_tile() = default;
    template <class P>
    SIMT_IN_GROUP thread_block_tile(const thread_block_tile<n, P> &) {}
    SIMT_IN_GROUP static unsigned mask()
    {
        unsigned first = thread_block::thread_rank() % 32 / n * n;
        return (unsigned)((1ull << n) - 1) << first;
    }
    SIMT_IN_GROUP static void sync() { __syncwarp(mask()); }
    SIMT_IN_GROUP static unsigned thread_rank()
    {
        return thread_block::thread_rank() % n;
    }
    SIMT_IN_GROUP static constexpr unsigned size() { return n; }
    SIMT_IN_GROUP static constexpr unsigned num_threads() { return n; }
    SIMT_IN_GROUP static unsigned meta_group_rank()
    {
        return thread_block::thread_rank() / n;
    }
    SIMT_IN_GROUP static unsigned meta_group_size()
    {
        return (thread_block::size() + n - 1) / n;
    }
    SIMT_GROUP_SHUFFLE(shfl, int)
    SIMT_GROUP_SHUFFLE(shfl_up, unsigned)
    SIMT_GROUP_SHUFFLE(shfl_down, unsigned)
    SIMT_GROUP_SHUFFLE(shfl_xor, unsigned)
    SIMT_IN_GROUP static unsigned ballot(int x)
    {
        unsigned m = mask();
        return (__ballot_sync(m, x) & m) >> (__ffs(m) - 1);
    }
    SIMT_IN_GROUP static int any(int x) { return __any_sync(mask(), x); }
    SIMT_IN_GROUP static int all(int x) { return __all_sync(mask(), x); }
};
template <unsigned n, class Parent>
SIMT_IN_GROUP thread_block_tile<n, Parent> tiled_partition(const Parent &)
{
    return {};
}

/* the lanes that are active */
struct coalesced_group {
    unsigned mask;
    SIMT_IN_GROUP void sync() const { __syncwarp(mask); }
    SIMT_IN_GROUP unsigned thread_rank() const
    {
        unsigned lane = thread_block::thread_rank() % 32;
        return __popc(mask & ((1u << lane) - 1));
    }
    SIMT_IN_GROUP unsigned size() const { return __popc(mask); }
    SIMT_IN_GROUP unsigned num_threads() const { return size(); }
    template <class T> SIMT_IN_GROUP T shfl(T x, unsigned rank) const
    {
        unsigned rest = mask;
        while (rank-- > 0)
            rest &= rest - 1;
        return __shfl_sync(mask, x, __ffs(rest) - 1);
    }
};
SIMT_IN_GROUP coalesced_group coalesced_threads()
{
    return { __activemask() };
}
}

#endif
