/* Tangled from chapters/workshop/foreign-features.nw, "Pipelines".  Edit it there. */

#ifndef SIMT_CUDA_PIPELINE_H
#define SIMT_CUDA_PIPELINE_H
#include "barrier.h"

namespace cuda {
enum class pipeline_role { producer, consumer };
template <thread_scope scope> class pipeline;
template <> class pipeline<thread_scope_thread> {
public:
    unsigned head = 0, tail = 0;
    SIMT_IN_SCOPE void producer_acquire() {}
    SIMT_IN_SCOPE void producer_commit()
    {
        simt_commit_copies();
        head++;
    }
    SIMT_IN_SCOPE void consumer_wait()
    {
        simt_wait_copies(head - ++tail);
    }
    SIMT_IN_SCOPE void consumer_release() {}
    SIMT_IN_SCOPE bool quit() { return true; }
};
SIMT_IN_SCOPE pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <unsigned char left>
SIMT_IN_SCOPE void
pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &p)
{
    simt_wait_copies(left);
    p.tail = p.head - left;
}

/* a pipeline of a block */
template <thread_scope scope, unsigned char n>
struct pipeline_shared_state {
    barrier<thread_scope_block> full[n], empty[n];
};
template <> class pipeline<thread_scope_block> {
public:
    barrier<thread_scope_block> *full, *empty;
    unsigned stages, head, tail;
    SIMT_IN_SCOPE void producer_acquire()
    {
        if (head >= stages)
            empty[head % stages].wait_parity(head / stages - 1 & 1);
    }
    SIMT_IN_SCOPE void producer_commit()
    {
        full[head++ % stages].simt_arrive_copies();
    }
    SIMT_IN_SCOPE void consumer_wait()
    {
        full[tail % stages].wait_parity(tail / stages & 1);
    }
    SIMT_IN_SCOPE void consumer_release()
    {
        empty[tail++ % stages].arrive();
    }
    SIMT_IN_SCOPE bool quit() { return true; }
};

template <class Group, unsigned char n>
SIMT_IN_SCOPE pipeline<thread_scope_block> simt_make_pipeline(
    const Group &g, pipeline_shared_state<thread_scope_block, n> *s,
    unsigned producers, unsigned consumers)
{
    if (g.thread_rank() == 0)
        for (unsigned k = 0; k < n; k++) {
            init(&s->full[k], producers);
            init(&s->empty[k], consumers);
        }
    g.sync();
    return { s->full, s->empty, n, 0, 0 };
}
template <class Group, unsigned char n>
SIMT_IN_SCOPE pipeline<thread_scope_block> make_pipeline(
    const Group &g, pipeline_shared_state<thread_scope_block, n> *s)
{
    return simt_make_pipeline(g, s, g.size(), g.size());
}
/* The group is the block; each thread has one role. */
template <class Group, unsigned char n>
SIMT_IN_SCOPE pipeline<thread_scope_block> make_pipeline(
    const Group &g, pipeline_shared_state<thread_scope_block, n> *s,
    pipeline_role role)
{
    unsigned producers =
        (unsigned)__syncthreads_count(role == pipeline_role::producer);
    return simt_make_pipeline(g, s, producers, g.size() - producers);
}

/* asynchronous copies of a pipeline */
template <class T, class U, class Size, thread_scope scope>
SIMT_IN_SCOPE void memcpy_async(T *to, const U *from, Size bytes,
                                pipeline<scope> &)
{
    simt_copy_async(to, from, bytes, 0, 1);
}
template <class Group, class T, class U, class Size, thread_scope scope>
SIMT_IN_SCOPE void memcpy_async(const Group &g, T *to, const U *from,
                                Size bytes, pipeline<scope> &)
{
    simt_copy_async(to, from, bytes, g.thread_rank(), g.size());
}
}
#endif
