/* Tangled from chapters/workshop/foreign-features.nw, "Asynchronous copies by name".  Edit it there. */

#ifndef SIMT_COOPERATIVE_MEMCPY_ASYNC_H
#define SIMT_COOPERATIVE_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"
#include "../simt_copies.h"

namespace cooperative_groups {
template <class Group, class T, class U, class Size>
SIMT_IN_GROUP void memcpy_async(const Group &g, T *to, const U *from,
                                Size bytes)
{
    simt_copy_async(to, from, bytes, g.thread_rank(), g.size());
    simt_commit_copies();
}
/* So many elements as there are on both sides. */
template <class Group, class T, class U>
SIMT_IN_GROUP void memcpy_async(const Group &g, T *to, size_t to_count,
                                const U *from, size_t from_count)
{
    size_t n = to_count < from_count ? to_count : from_count;
    memcpy_async(g, to, from, n * sizeof(T));
}
template <class Group> SIMT_IN_GROUP void wait(const Group &g)
{
    simt_wait_copies(0);
    g.sync();
}
template <unsigned left, class Group>
SIMT_IN_GROUP void wait_prior(const Group &g)
{
    simt_wait_copies(left);
    g.sync();
}
}

#endif
