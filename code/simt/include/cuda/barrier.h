/* Tangled from chapters/workshop/foreign-features.nw, "Barriers as objects".  Edit it there. */

#ifndef SIMT_CUDA_BARRIER_H
#define SIMT_CUDA_BARRIER_H
#include "../simt_copies.h"
#include "../simt_scope.h"

#define SIMT_BARRIER_ADDRESS "r"((unsigned)__cvta_generic_to_shared(&state))
#define SIMT_BARRIER_WAIT(form, phase)                                   \
    unsigned over;                                                       \
    do                                                                   \
        asm volatile("{ .reg .pred p;\n\t"                               \
                     "mbarrier.try_wait" form ".shared.b64 p, [%1], %2;" \
                     "\n\tselp.u32 %0, 1, 0, p; }" : "=r"(over)          \
                     : SIMT_BARRIER_ADDRESS, phase : "memory");          \
    while (!over);
namespace cuda {
template <thread_scope scope, class Completion = void> class barrier {
    static_assert(scope == thread_scope_block,
                  "simtcc: a cuda::barrier of a block only: blocks wait for"
                  " each other by grid.sync()");
public:
    unsigned long long state;
    typedef unsigned long long arrival_token;
    barrier() = default;
    __device__ barrier(ptrdiff_t n) { init(this, n); }
    /* arrive and wait */
    friend SIMT_IN_SCOPE void init(barrier *b, ptrdiff_t n)
    {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                     :: "r"((unsigned)__cvta_generic_to_shared(&b->state)),
                        "r"((unsigned)n) : "memory");
    }
    SIMT_IN_SCOPE arrival_token arrive(ptrdiff_t n = 1)
    {
        arrival_token t;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(t)
                     : SIMT_BARRIER_ADDRESS, "r"((unsigned)n) : "memory");
        return t;
    }
    SIMT_IN_SCOPE void arrive_and_drop()
    {
        arrival_token t;
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(t)
                     : SIMT_BARRIER_ADDRESS : "memory");
    }
    SIMT_IN_SCOPE void wait(arrival_token t) const
    {
        SIMT_BARRIER_WAIT("", "l"(t))
    }
    SIMT_IN_SCOPE void wait_parity(bool parity) const
    {
        SIMT_BARRIER_WAIT(".parity", "r"((unsigned)parity))
    }
    SIMT_IN_SCOPE void arrive_and_wait() { wait(arrive()); }
    /* Counts once when the thread's copies so far have come. */
    SIMT_IN_SCOPE void simt_arrive_copies() const
    {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];"
                     :: SIMT_BARRIER_ADDRESS : "memory");
    }
    /* The same, and the phase expects one arrival more. */
    SIMT_IN_SCOPE void simt_expect_copies() const
    {
        asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];"
                     :: SIMT_BARRIER_ADDRESS : "memory");
    }
};

/* asynchronous copies that a barrier counts */
template <class T, class U, class Size, class F>
SIMT_IN_SCOPE void memcpy_async(T *to, const U *from, Size bytes,
                                barrier<thread_scope_block, F> &b)
{
    simt_copy_async(to, from, bytes, 0, 1);
    b.simt_expect_copies();
}
template <class Group, class T, class U, class Size, class F>
SIMT_IN_SCOPE void memcpy_async(const Group &g, T *to, const U *from,
                                Size bytes,
                                barrier<thread_scope_block, F> &b)
{
    simt_copy_async(to, from, bytes, g.thread_rank(), g.size());
    b.simt_expect_copies();
}
}
#endif
