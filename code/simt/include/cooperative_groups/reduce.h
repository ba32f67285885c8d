/* Tangled from chapters/workshop/foreign-features.nw, "Reductions and scans".  Edit it there. */

#ifndef SIMT_COOPERATIVE_REDUCE_H
#define SIMT_COOPERATIVE_REDUCE_H
#include "../cooperative_groups.h"

#define SIMT_GROUP_OPERATION(name, result)                               \
    template <class T = void> struct name {                              \
        SIMT_IN_GROUP T operator()(T a, T b) const { return result; }    \
    };                                                                   \
    template <> struct name<void> {                                      \
        template <class T>                                               \
        SIMT_IN_GROUP T operator()(T a, T b) const { return result; }    \
    };
namespace cooperative_groups {
SIMT_GROUP_OPERATION(plus, a + b)
SIMT_GROUP_OPERATION(less, b < a ? b : a)
SIMT_GROUP_OPERATION(greater, a < b ? b : a)
SIMT_GROUP_OPERATION(bit_and, a & b)
SIMT_GROUP_OPERATION(bit_or, a | b)
SIMT_GROUP_OPERATION(bit_xor, a ^ b)

/* reduce over a group */
template <unsigned n, class Parent, class T, class Operation>
SIMT_IN_GROUP T reduce(const thread_block_tile<n, Parent> &tile, T x,
                       Operation combine)
{
    for (unsigned by = n / 2; by > 0; by /= 2)
        x = combine(x, tile.shfl_xor(x, by));
    return x;
}
template <unsigned n, class T, class Operation>
SIMT_IN_GROUP T reduce(const simt_large_tile<n> &tile, T x,
                       Operation combine)
{
    __shared__ T sums[32];
    const unsigned first = thread_block::thread_rank() / n * (n / 32);
    x = reduce(thread_block_tile<32>(), x, combine);
    tile.sync();
    sums[thread_block::thread_rank() / 32] = x;
    tile.sync();
    x = sums[first];
    for (unsigned k = 1; k < n / 32; k++)
        x = combine(x, sums[first + k]);
    return x;
}
template <class T, class Operation>
SIMT_IN_GROUP T reduce(const coalesced_group &g, T x, Operation combine)
{
    for (unsigned n = g.size(); n > 1; n = (n + 1) / 2) {
        T y = g.shfl_down(x, (n + 1) / 2);
        if (g.thread_rank() < n / 2)
            x = combine(x, y);
    }
    return g.shfl(x, 0);
}
}

#endif
