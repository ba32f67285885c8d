// use after free: a block returns while another reads its shared memory
#include "wrong.h"
#include "bulk.h"

INLINE void cluster_sync(void)
{
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

__global__ void kernel(float *y, const float *x)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    unsigned there, other = 1 - blockIdx.x;
    float v;
    s[t] = x[64 * blockIdx.x + t];
    cluster_sync();
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(there) : "r"(shared_at(&s[t])), "r"(other));
    asm volatile("ld.shared::cluster.f32 %0, [%1];"     // HERE
                 : "=f"(v) : "r"(there) : "memory");
    y[64 * blockIdx.x + t] = v;
#ifdef RIGHT
    cluster_sync();
#endif
}

int main()
{
    float *x = numbers<float>(128), *y = zeroes<float>(128);
    void *arguments[] = { &y, &x };
    cudaLaunchAttribute how = {};
    cudaLaunchConfig_t c = {};
    how.id = cudaLaunchAttributeClusterDimension;
    how.val.clusterDim.x = 2, how.val.clusterDim.y = how.val.clusterDim.z = 1;
    c.gridDim = dim3(2), c.blockDim = dim3(64);
    c.attrs = &how, c.numAttrs = 1;
    cudaLaunchKernelExC(&c, (const void *)kernel, arguments);
    finish();
    cudaFree(x);
    cudaFree(y);
}
