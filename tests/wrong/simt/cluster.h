/* Clusters of two blocks, for the known-wrong kernels: without lines of their
 * own, like bulk.h. */
INLINE void cluster_arrive(void)
{
    asm volatile("barrier.cluster.arrive;" ::: "memory");
}
INLINE void cluster_wait(void)
{
    asm volatile("barrier.cluster.wait;" ::: "memory");
}
INLINE void cluster_sync(void)
{
    cluster_arrive();
    cluster_wait();
}
INLINE unsigned there(const void *p, unsigned rank)
{
    unsigned a;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(a) : "r"(shared_at(p)), "r"(rank));
    return a;
}
INLINE float load_there(const float *p, unsigned rank)
{
    float v;
    asm volatile("ld.shared::cluster.f32 %0, [%1];"
                 : "=f"(v) : "r"(there(p, rank)) : "memory");
    return v;
}
INLINE void store_there(float *p, unsigned rank, float v)
{
    asm volatile("st.shared::cluster.f32 [%0], %1;"
                 :: "r"(there(p, rank)), "f"(v) : "memory");
}
INLINE void arrive_there(Barrier *b, unsigned rank)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
                 :: "r"(there(b, rank)) : "memory");
}
/* To both blocks. */
INLINE void load_both(void *to, const void *from, int bytes, Barrier *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], %2, [%3], %4;"
                 :: "r"(shared_at(to)), "l"(from), "r"(bytes),
                    "r"(shared_at(b)), "h"((short)3) : "memory");
}
template <class K> static void two_blocks(K *kernel, float *y, float *x)
{
    void *arguments[] = { &y, &x };
    cudaLaunchAttribute how = {};
    cudaLaunchConfig_t c = {};
    how.id = cudaLaunchAttributeClusterDimension;
    how.val.clusterDim.x = 2, how.val.clusterDim.y = how.val.clusterDim.z = 1;
    c.gridDim = dim3(2), c.blockDim = dim3(64);
    c.attrs = &how, c.numAttrs = 1;
    cudaLaunchKernelExC(&c, (const void *)kernel, arguments);
}
