/* Barriers with phases and bulk copies, for the known-wrong kernels: without
 * lines of their own, so that a report names the kernel's. */
#undef INLINE
#define INLINE static __device__ __attribute__((always_inline, nodebug))
typedef unsigned long long Barrier;

INLINE unsigned shared_at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
INLINE void bar_init(Barrier *b, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :: "r"(shared_at(b)), "r"(arrivals) : "memory");
}
INLINE void bar_inval(Barrier *b)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];"
                 :: "r"(shared_at(b)) : "memory");
}
INLINE void bar_ready(void)      /* TMA may see the barriers */
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
INLINE void bar_arrive(Barrier *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                 :: "r"(shared_at(b)) : "memory");
}
INLINE void bar_expect(Barrier *b, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(shared_at(b)), "r"(bytes) : "memory");
}
INLINE void bar_wait(Barrier *b, int parity)
{
    asm volatile("{\n.reg .pred p;\nagain:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
        "@!p bra again;\n}" :: "r"(shared_at(b)), "r"(parity) : "memory");
}
INLINE void load(void *to, const void *from, int bytes,
                            Barrier *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(shared_at(to)), "l"(from), "r"(bytes),
                    "r"(shared_at(b)) : "memory");
}
INLINE void store(void *to, const void *from, int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group "
                 "[%0], [%1], %2;\ncp.async.bulk.commit_group;"
                 :: "l"(to), "r"(shared_at(from)), "r"(bytes) : "memory");
}
INLINE void store_read(void)     /* their sources */
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
INLINE void store_done(void)
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
INLINE void fence_proxy(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
