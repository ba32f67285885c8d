/* Tangled from chapters/workshop/foreign-features.nw, "Reductions and scans".  Edit it there. */

#ifndef SIMT_COOPERATIVE_SCAN_H
#define SIMT_COOPERATIVE_SCAN_H
#include "reduce.h"

namespace cooperative_groups {
template <class Group, class T, class Operation>
SIMT_IN_GROUP T inclusive_scan(const Group &g, T x, Operation combine)
{
    for (unsigned by = 1; by < g.size(); by *= 2) {
        T y = g.shfl_up(x, by);
        if (g.thread_rank() >= by)
            x = combine(y, x);
    }
    return x;
}
template <class Group, class T, class Operation>
SIMT_IN_GROUP T exclusive_scan(const Group &g, T x, Operation combine)
{
    T before = g.shfl_up(inclusive_scan(g, x, combine), 1);
    return g.thread_rank() == 0 ? T{} : before;
}
template <class Group, class T>
SIMT_IN_GROUP T inclusive_scan(const Group &g, T x)
{
    return inclusive_scan(g, x, plus<T>());
}
template <class Group, class T>
SIMT_IN_GROUP T exclusive_scan(const Group &g, T x)
{
    return exclusive_scan(g, x, plus<T>());
}
}

#endif
