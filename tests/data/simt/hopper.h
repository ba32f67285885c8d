/* What the programs hopper_*.cu share: addresses, barriers, the encoder of
 * tensor maps. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define PTX(text, ...) asm volatile(text :: __VA_ARGS__ : "memory")

__device__ static inline uint32_t at(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* For one arrival, which is there, and so many bytes. */
__device__ static inline void barrier_new(uint64_t *bar, int bytes)
{
    PTX("mbarrier.init.shared::cta.b64 [%0], 1;", "r"(at(bar)));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    PTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;",
        "r"(at(bar)), "r"(bytes));
}

#define WAIT(b, parity) PTX("{\n.reg .pred p;\nagain:\n" \
    "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n" \
    "@!p bra again;\n}", "r"(at(b)), "r"(parity))

typedef CUresult Encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t,
    void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
    const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/* NULL: there is none. */
static inline Encode *encoder()
{
    Encode *encode = NULL;
    cudaDriverEntryPointQueryResult status;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled",
            (void **)&encode, 12000, cudaEnableDefault, &status)
        || status != cudaDriverEntryPointSuccess)
        return NULL;
    return encode;
}
