/* What TMA does to numbers: loads by maps of tf32, additions by maps that
 * flush, and which reductions there are, each against what an H100 did.
 * hopper_types [TYPE OP]: one reduction alone, since one that does not exist
 * ends the context. */
#include "hopper.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 48 };

__global__ void load(const __grid_constant__ CUtensorMap m, uint32_t *out)
{
    __shared__ __align__(128) uint32_t s[WORDS];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        barrier_new(&bar, WORDS * 4);
        PTX("cp.async.bulk.tensor.1d.shared::cluster.global.tile"
            ".mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];",
            "r"(at(s)), "l"(&m), "r"(at(&bar)), "r"(0));
    }
    __syncthreads();
    WAIT(&bar, 0);
    if (threadIdx.x < WORDS)
        out[threadIdx.x] = s[threadIdx.x];
}

#define OPS(X) X(0, "add") X(1, "min") X(2, "max") X(3, "inc") X(4, "dec") \
    X(5, "and") X(6, "or") X(7, "xor")
template <int op> __global__ void reduce(
    const __grid_constant__ CUtensorMap m, const uint32_t *in)
{
    __shared__ __align__(128) uint32_t s[WORDS];
    if (threadIdx.x < WORDS)
        s[threadIdx.x] = in[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x)
        return;
#define X(n, name) \
    if (op == n) \
        PTX("cp.reduce.async.bulk.tensor.1d.global.shared::cta." name \
            ".tile.bulk_group [%0, {%2}], [%1];", \
            "l"(&m), "r"(at(s)), "r"(0));
    OPS(X)
#undef X
    asm volatile("cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" ::: "memory");
}

/* Loaded as tf32, and the sum of neighbours in a map of FLOAT32_FTZ. */
static const struct { uint32_t in, tf32, flushed; } words[WORDS] = {
    { 0x11111111, 0x11112000, 0x3f801000 },
    { 0x3f801000, 0x3f800000, 0x40002000 },
    { 0x3f803000, 0x3f804000, 0x40002000 },
    { 0x3f800fff, 0x3f800000, 0x40001000 },
    { 0x3f801001, 0x3f802000, 0x40002000 },
    { 0x3f802fff, 0x3f802000, 0x40003000 },
    { 0x3f803001, 0x3f804000, 0x3a800400 },
    { 0xbf801000, 0xbf800000, 0xc0002000 },
    { 0xbf803000, 0xbf804000, 0x7f7fffff },
    { 0x7f7fffff, 0x7f800000, 0x7f800000 },
    { 0x7f7fefff, 0x7f7fe000, 0x7f800000 },
    { 0x7f7ff000, 0x7f800000, 0xf97ff000 },
    { 0xff7fffff, 0xff800000, 0x7f800000 },
    { 0x7f800000, 0x7f800000, 0x7fffffff },
    { 0xff800000, 0xff800000, 0x7fffffff },
    { 0x7f800001, 0x7fffe000, 0x7fffffff },
    { 0x7f801000, 0x7fffe000, 0x7fffffff },
    { 0x7fc00000, 0x7fffe000, 0x7fffffff },
    { 0x7fffffff, 0x7fffe000, 0x7fffffff },
    { 0xffffffff, 0x7fffe000, 0x7fffffff },
    { 0x7f9fffff, 0x7fffe000, 0x7fffffff },
    { 0x7fbfffff, 0x7fffe000, 0x7fffffff },
    { 0x00000001, 0x00000000, 0x00000000 },
    { 0x00001000, 0x00000000, 0x00000000 },
    { 0x00001001, 0x00002000, 0x00000000 },
    { 0x00003000, 0x00004000, 0x00000000 },
    { 0x007fffff, 0x00800000, 0x00000000 },
    { 0x007ff000, 0x00800000, 0x00000000 },
    { 0x007fefff, 0x007fe000, 0x00000000 },
    { 0x80001000, 0x80000000, 0x80000000 },
    { 0x80001001, 0x80002000, 0x80000000 },
    { 0x807fffff, 0x80800000, 0x00000000 },
    { 0x00000000, 0x00000000, 0x00000000 },
    { 0x80000000, 0x80000000, 0x00800000 },
    { 0x00800000, 0x00800000, 0x01000800 },
    { 0x00800fff, 0x00800000, 0x01001000 },
    { 0x00801000, 0x00800000, 0x3fffffff },
    { 0x3fffffff, 0x40000000, 0x407ff7ff },
    { 0x3fffefff, 0x3fffe000, 0x407ff000 },
    { 0x3ffff000, 0x40000000, 0x3ffff000 },
    { 0x12345678, 0x12346000, 0x9abcde96 },
    { 0x9abcdef0, 0x9abce000, 0x7fffffff },
    { 0x7f802000, 0x7fffe000, 0x7fffffff },
    { 0x7fa00000, 0x7fffe000, 0x7fffffff },
    { 0xff801000, 0x7fffe000, 0x7fffffff },
    { 0x00400000, 0x00400000, 0x00000000 },
    { 0x00002000, 0x00002000, 0x00000000 },
    { 0x00000fff, 0x00000000, 0x00000000 },
};
static const uint32_t next_word = 0x80000fff;   /* after the last */

static Encode *encode;

static CUtensorMap map_of(int type, void *p, int elements)
{
    CUtensorMap m = {};
    const cuuint64_t size = (cuuint64_t)elements;
    const cuuint32_t box = (cuuint32_t)elements, one = 1;
    encode(&m, (CUtensorMapDataType)type, 1, p, &size, &size, &box, &one,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
           CU_TENSOR_MAP_L2_PROMOTION_NONE,
           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return m;
}

static int failed;
static void tell(const char *name, int wrong)
{
    printf("%s: %d wrong, %s\n", name, wrong,
           cudaGetErrorString(cudaDeviceSynchronize()));
    failed += wrong != 0;
}

/* A reduction of small bytes: what it leaves, as one number. */
static void alone(uint32_t *a, uint32_t *b, int type, int op)
{
    static const int bytes[] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4 };
    static const char *const names[] = { "u8", "u16", "u32", "s32", "u64",
        "s64", "f16", "f32", "f64", "bf16", "f32ftz", "tf32", "tf32ftz" };
    unsigned char h[256];
    for (int i = 0; i < 256; i++)
        h[i] = (unsigned char)(i * 53 % 64);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    for (int i = 0; i < 256; i++)
        h[i] = (unsigned char)(i * 37 % 64);
    cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
    const CUtensorMap m = map_of(type, a, 128 / bytes[type]);
#define X(n, name) \
    if (op == n) { \
        printf("%s " name, names[type]); \
        reduce<n><<<1, 64>>>(m, b); \
    }
    OPS(X)
#undef X
    uint64_t sum = 0;
    const bool there = cudaDeviceSynchronize() == cudaSuccess;
    if (there)
        cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; there && i < 256; i++)
        sum = sum * 1099511628211ull + h[i];
    printf(" %s %016llx\n", there ? "ok" : "illegal",
           (unsigned long long)sum);
}

int main(int argc, char **argv)
{
    uint32_t *a, *b, h[WORDS];
    int wrong = 0;
    if (!(encode = encoder()))
        return 1;
    cudaMalloc(&a, 256);
    cudaMalloc(&b, 256);
    if (argc == 3) {
        alone(a, b, atoi(argv[1]), atoi(argv[2]));
    } else {
        for (int i = 0; i < WORDS; i++)
            h[i] = words[i].in;
        cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
        for (int type = 11; type < 13; type++) {
            load<<<1, 64>>>(map_of(type, a, WORDS), b);
            cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
            for (int i = 0; i < WORDS; i++)
                wrong += h[i] != words[i].tf32;
        }
        tell("loads of tf32", wrong);
        for (int i = 0; i < WORDS; i++)
            h[i] = i + 1 < WORDS ? words[i + 1].in : next_word;
        cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
        reduce<0><<<1, 64>>>(map_of(10, b, WORDS), a);
        cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
        wrong = 0;
        for (int i = 0; i < WORDS; i++)
            wrong += h[i] != words[i].flushed;
        tell("sums that are flushed", wrong);
    }
    cudaFree(a);
    cudaFree(b);
    return failed;
}
