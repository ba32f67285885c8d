/* Tangled from chapters/workshop/simt-runtime.nw, "Cooperative groups".  Edit it there. */

/* Groups of threads: blocks, tiles of a warp, and active lanes. */
#ifndef SIMT_COOPERATIVE_GROUPS_H
#define SIMT_COOPERATIVE_GROUPS_H

#define SIMT_IN_GROUP __device__ inline \
    __attribute__((always_inline, nodebug))

/* shuffle a value of any size */
#define SIMT_GROUP_SHUFFLE(name, shuffle, argument, width)              \
    template <class T> SIMT_IN_GROUP T name(T x, argument from) const   \
    {                                                                   \
        unsigned word[(sizeof x + 3) / 4] = {};                         \
        __builtin_memcpy(word, &x, sizeof x);                           \
        _Pragma("unroll") for (unsigned &w : word)                      \
            w = shuffle(mask(), w, from, width);                        \
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
    /* wait for all blocks of the grid */
    SIMT_IN_GROUP static unsigned *workspace()
    {
        unsigned low, high;
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        return (unsigned *)((unsigned long long)high << 32 | low);
    }
    SIMT_IN_GROUP static bool is_valid() { return workspace() != nullptr; }
    SIMT_IN_GROUP static void sync()
    {
        unsigned *count = workspace(), now;
        if (!count)
            __assertfail("grid.sync() needs cudaLaunchCooperativeKernel",
                         "cooperative_groups.h", 0, "grid_group::sync", 1);
        __syncthreads();
        if (thread_block::thread_rank() == 0) {
            const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
            __threadfence();
            const unsigned all = (atomicAdd(count, 1) / blocks + 1) * blocks;
            do
                asm volatile("ld.acquire.gpu.u32 %0, [%1];"
                             : "=r"(now) : "l"(count) : "memory");
            while ((int)(now - all) < 0);
            __threadfence();
        }
        __syncthreads();
    }
    SIMT_IN_GROUP static unsigned long long num_threads() { return size(); }
    SIMT_IN_GROUP static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    SIMT_IN_GROUP static unsigned long long block_rank()
    {
        return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    SIMT_IN_GROUP static dim3 group_dim() { return gridDim; }
    SIMT_IN_GROUP static dim3 dim_blocks() { return gridDim; }
    SIMT_IN_GROUP static dim3 block_index() { return uint3(blockIdx); }
    SIMT_IN_GROUP static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::size() +
               thread_block::thread_rank();
    }
    SIMT_IN_GROUP static unsigned long long size()
    {
        return num_blocks() * thread_block::size();
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
template <unsigned n> struct simt_tile {
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
};

template <unsigned n, class Parent = void>
struct thread_block_tile : simt_tile<n> {
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
    SIMT_GROUP_SHUFFLE(shfl, __shfl_sync, int, n)
    SIMT_GROUP_SHUFFLE(shfl_up, __shfl_up_sync, unsigned, n)
    SIMT_GROUP_SHUFFLE(shfl_down, __shfl_down_sync, unsigned, n)
    SIMT_GROUP_SHUFFLE(shfl_xor, __shfl_xor_sync, unsigned, n)
    SIMT_IN_GROUP static unsigned ballot(int x)
    {
        unsigned m = mask();
        return (__ballot_sync(m, x) & m) >> (__ffs(m) - 1);
    }
    SIMT_IN_GROUP static int any(int x) { return __any_sync(mask(), x); }
    SIMT_IN_GROUP static int all(int x) { return __all_sync(mask(), x); }
    /* which lanes of a tile have the same value */
    template <class T> SIMT_IN_GROUP static unsigned match_any(T x)
    {
        return __match_any_sync(mask(), x) >> (__ffs((int)mask()) - 1);
    }
    template <class T> SIMT_IN_GROUP static unsigned match_all(T x, int &p)
    {
        return __match_all_sync(mask(), x, &p) >> (__ffs((int)mask()) - 1);
    }
};
template <unsigned n, class Parent>
SIMT_IN_GROUP thread_block_tile<n, Parent> tiled_partition(const Parent &)
{
    return {};
}

/* the lanes that a mask names */
SIMT_IN_GROUP unsigned simt_lane()
{
    return thread_block::thread_rank() % 32;
}
SIMT_IN_GROUP unsigned simt_nth_lane(unsigned mask, unsigned rank)
{
    while (rank-- > 0)
        mask &= mask - 1;
    return (unsigned)__ffs((int)mask) - 1;
}
/* The bits of the group's lanes, pushed together. */
SIMT_IN_GROUP unsigned simt_pack(unsigned bits, unsigned mask)
{
    unsigned packed = 0;
    for (unsigned k = 0; mask; mask &= mask - 1, k++)
        packed |= (bits >> (__ffs((int)mask) - 1) & 1) << k;
    return packed;
}

struct coalesced_group {
    unsigned lanes, part, parts;    /* of how many parts of a group      */
    SIMT_IN_GROUP unsigned mask() const { return lanes; }
    SIMT_IN_GROUP void sync() const { __syncwarp(lanes); }
    SIMT_IN_GROUP unsigned thread_rank() const
    {
        return __popc(lanes & ((1u << simt_lane()) - 1));
    }
    SIMT_IN_GROUP unsigned size() const { return __popc(lanes); }
    SIMT_IN_GROUP unsigned num_threads() const { return size(); }
    SIMT_IN_GROUP unsigned meta_group_rank() const { return part; }
    SIMT_IN_GROUP unsigned meta_group_size() const { return parts; }
    /* shuffles of a coalesced group */
    SIMT_GROUP_SHUFFLE(simt_from, __shfl_sync, unsigned, 32)
    template <class T> SIMT_IN_GROUP T shfl(T x, unsigned rank) const
    {
        return simt_from(x, simt_nth_lane(lanes, rank));
    }
    template <class T> SIMT_IN_GROUP T shfl_up(T x, unsigned by) const
    {
        unsigned rank = thread_rank();
        return shfl(x, rank < by ? rank : rank - by);
    }
    template <class T> SIMT_IN_GROUP T shfl_down(T x, unsigned by) const
    {
        unsigned rank = thread_rank();
        return shfl(x, rank + by < size() ? rank + by : rank);
    }
    SIMT_IN_GROUP unsigned ballot(int x) const
    {
        return simt_pack(__ballot_sync(lanes, x), lanes);
    }
    SIMT_IN_GROUP int any(int x) const { return __any_sync(lanes, x); }
    SIMT_IN_GROUP int all(int x) const { return __all_sync(lanes, x); }
    template <class T> SIMT_IN_GROUP unsigned match_any(T x) const
    {
        return simt_pack(__match_any_sync(lanes, x), lanes);
    }
    template <class T> SIMT_IN_GROUP unsigned match_all(T x, int &p) const
    {
        return simt_pack(__match_all_sync(lanes, x, &p), lanes);
    }
};
SIMT_IN_GROUP coalesced_group coalesced_threads()
{
    return { __activemask(), 0, 1 };
}

/* a group of any kind */
struct thread_group {
    unsigned lanes;
    thread_group() = default;
    SIMT_IN_GROUP thread_group(thread_block) : lanes(0) {}
    SIMT_IN_GROUP thread_group(const coalesced_group &g) : lanes(g.lanes) {}
    template <unsigned n, class Parent>
    SIMT_IN_GROUP thread_group(const thread_block_tile<n, Parent> &t)
        : lanes(t.mask()) {}
    SIMT_IN_GROUP coalesced_group few() const { return { lanes, 0, 1 }; }
    SIMT_IN_GROUP unsigned size() const
    {
        return lanes ? few().size() : thread_block::size();
    }
    SIMT_IN_GROUP unsigned num_threads() const { return size(); }
    SIMT_IN_GROUP unsigned thread_rank() const
    {
        return lanes ? few().thread_rank() : thread_block::thread_rank();
    }
    SIMT_IN_GROUP void sync() const
    {
        if (lanes)
            few().sync();
        else
            thread_block::sync();
    }
};

/* parts of groups */
template <unsigned n> struct block_tile_memory { char unused; };
template <unsigned n>
SIMT_IN_GROUP thread_block this_thread_block(block_tile_memory<n> &)
{
    return {};
}
template <unsigned n> struct simt_large_tile : simt_tile<n> {
    static_assert(n <= 1024 && (n & (n - 1)) == 0,
                  "simtcc: a tile has a power of two of threads, to 1024");
    SIMT_IN_GROUP static void sync()
    {
        const unsigned barrier = (simt_tile<n>::meta_group_rank() + 1) % 16;
        asm volatile("bar.sync %0, %1;" :: "r"(barrier), "r"(n) : "memory");
    }
};
template <unsigned n, bool large> struct simt_tile_of {
    typedef thread_block_tile<n, thread_block> type;
};
template <unsigned n> struct simt_tile_of<n, true> {
    typedef simt_large_tile<n> type;
};
template <unsigned n>
SIMT_IN_GROUP typename simt_tile_of<n, (n > 32)>::type
tiled_partition(const thread_block &)
{
    return {};
}

SIMT_IN_GROUP coalesced_group tiled_partition(const coalesced_group &g,
                                              unsigned n)
{
    unsigned first = g.thread_rank() / n * n, mask = 0;
    for (unsigned r = first; r < first + n && r < g.size(); r++)
        mask |= 1u << simt_nth_lane(g.lanes, r);
    return { mask, first / n, (g.size() + n - 1) / n };
}
template <unsigned n>
SIMT_IN_GROUP coalesced_group tiled_partition(const coalesced_group &g)
{
    return tiled_partition(g, n);
}
SIMT_IN_GROUP thread_group tiled_partition(const thread_group &g,
                                           unsigned n)
{
    if (g.lanes)
        return tiled_partition(g.few(), n);
    unsigned left = g.size() - g.thread_rank() / 32 * 32;
    unsigned all = left < 32 ? (1u << left) - 1 : 0xffffffffu;
    return tiled_partition(coalesced_group{ all, 0, 1 }, n);
}

/* The lanes of the group with this label; parts are numbered by their
 * first lane. */
template <class Group, class Label>
SIMT_IN_GROUP coalesced_group labeled_partition(const Group &g, Label label)
{
    unsigned all = g.mask(), mine = __match_any_sync(all, label) & all;
    unsigned firsts = __ballot_sync(
        all, (mine & ((1u << simt_lane()) - 1)) == 0) & all;
    unsigned first = mine & (0u - mine);
    return { mine, (unsigned)__popc(firsts & (first - 1)),
             (unsigned)__popc(firsts) };
}
template <class Group>
SIMT_IN_GROUP coalesced_group binary_partition(const Group &g, bool yes)
{
    unsigned all = g.mask(), set = __ballot_sync(all, yes) & all;
    return { yes ? set : all & ~set, yes ? 1u : 0u, 2u };
}
}

#endif
