/* Boxes of tensors of 1 to 5 dimensions, with each swizzle, inside, across
 * and outside of the tensor: what lies in shared memory is compared byte by
 * byte with what the host computes; and the way back. */
#include "hopper.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Box { int rank, at[5], bytes; };
enum { BOTH, ADDED, LOAD_ONLY };            /* ways of a case */

#define LOAD(n, coordinates, ...) \
    asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile" \
        ".mbarrier::complete_tx::bytes [%0], [%1, {" coordinates "}], [%2];" \
        :: "r"(at(s)), "l"(map), "r"(at(&bar)), __VA_ARGS__ : "memory")
#define STORE(n, how, coordinates, ...) \
    asm volatile(how ".async.bulk.tensor." #n "d.global.shared::cta" ADD \
        ".tile.bulk_group [%0, {" coordinates "}], [%1];" \
        :: "l"(to), "r"(at(s)), __VA_ARGS__ : "memory")

__device__ static void load(void *s, const CUtensorMap *map, uint64_t &bar,
                            const Box &b)
{
    const int *x = b.at;
    switch (b.rank) {
    case 1: LOAD(1, "%3", "r"(x[0])); break;
    case 2: LOAD(2, "%3, %4", "r"(x[0]), "r"(x[1])); break;
    case 3: LOAD(3, "%3, %4, %5", "r"(x[0]), "r"(x[1]), "r"(x[2])); break;
    case 4: LOAD(4, "%3, %4, %5, %6", "r"(x[0]), "r"(x[1]), "r"(x[2]),
                 "r"(x[3])); break;
    case 5: LOAD(5, "%3, %4, %5, %6, %7", "r"(x[0]), "r"(x[1]), "r"(x[2]),
                 "r"(x[3]), "r"(x[4])); break;
    }
}

/* Shared memory as it is after the copy goes to `raw`, and by way of the
 * second map to another tensor of the same form. */
__global__ void there_and_back(unsigned char *raw,
                               const __grid_constant__ CUtensorMap from,
                               const __grid_constant__ CUtensorMap into,
                               Box b, int way)
{
    extern __shared__ __align__(1024) unsigned char s[];
    __shared__ uint64_t bar;
    const CUtensorMap *to = &into;
    const int *x = b.at;
    if (threadIdx.x == 0) {
        PTX("prefetch.tensormap [%0];", "l"(&from));
        barrier_new(&bar, b.bytes);
        load(s, &from, bar, b);
    }
    __syncthreads();
    WAIT(&bar, 0);
    for (int i = threadIdx.x; i < b.bytes; i += blockDim.x)
        raw[i] = s[i];
    if (threadIdx.x || way == LOAD_ONLY)
        return;
#define ADD
#define BACK(how) \
    switch (b.rank) { \
    case 1: STORE(1, how, "%2", "r"(x[0])); break; \
    case 2: STORE(2, how, "%2, %3", "r"(x[0]), "r"(x[1])); break; \
    case 3: STORE(3, how, "%2, %3, %4", "r"(x[0]), "r"(x[1]), "r"(x[2])); \
        break; \
    case 4: STORE(4, how, "%2, %3, %4, %5", "r"(x[0]), "r"(x[1]), \
                  "r"(x[2]), "r"(x[3])); break; \
    case 5: STORE(5, how, "%2, %3, %4, %5, %6", "r"(x[0]), "r"(x[1]), \
                  "r"(x[2]), "r"(x[3]), "r"(x[4])); break; \
    }
    if (way != ADDED) {
        BACK("cp")
    } else {
#undef ADD
#define ADD ".add"
        BACK("cp.reduce")
    }
    asm volatile("cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" ::: "memory");
}

static Encode *encode;

/* A tensor of this type and these sizes, rows padded to `pitch` bytes. */
struct Case {
    const char *name;
    CUtensorMapDataType type;
    int element, rank;
    int size[5], box[5], step[5], at[5];
    int swizzle, nan, way;
    const char *refused;        /* what is said, if it must not be copied */
} cases[] = {
#define BF16 CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2
#define F32  CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4
#define S32  CU_TENSOR_MAP_DATA_TYPE_INT32, 4
#define U8   CU_TENSOR_MAP_DATA_TYPE_UINT8, 1
#define ONES { 1, 1, 1, 1, 1 }
    { "one dimension", F32, 1, { 1000 }, { 256 }, ONES, { 300 } },
    { "one dimension, past the end", F32, 1, { 1000 }, { 256 }, ONES,
      { 900 } },
    { "two dimensions", F32, 2, { 100, 40 }, { 32, 8 }, ONES, { 20, 9 } },
    { "before the first row", F32, 2, { 100, 40 }, { 32, 8 }, ONES,
      { 20, -2 }, 0, 0, LOAD_ONLY },
    { "before the first column", F32, 2, { 100, 40 }, { 32, 8 }, ONES,
      { -8, 3 }, 0, 0, LOAD_ONLY },
    { "the last corner", F32, 2, { 101, 41 }, { 32, 8 }, ONES, { 92, 37 } },
    { "nothing of the tensor", F32, 2, { 100, 40 }, { 32, 8 }, ONES,
      { 100, 3 } },
    { "swizzle 32", BF16, 2, { 64, 64 }, { 16, 32 }, ONES, { 16, 8 }, 1 },
    { "swizzle 64", BF16, 2, { 64, 64 }, { 32, 32 }, ONES, { 32, 8 }, 2 },
    { "swizzle 128", BF16, 2, { 128, 64 }, { 64, 32 }, ONES, { 64, 8 }, 3 },
    { "swizzle 128, odd corner", BF16, 2, { 126, 60 }, { 64, 32 }, ONES,
      { 72, 43 }, 3 },
    { "swizzle 128 of bytes", U8, 2, { 300, 20 }, { 128, 16 }, ONES,
      { 208, 7 }, 3 },
    { "three dimensions", BF16, 3, { 128, 70, 3 }, { 64, 64, 1 }, ONES,
      { 64, 30, 2 }, 3 },
    { "four dimensions", F32, 4, { 20, 7, 5, 3 }, { 8, 3, 4, 2 }, ONES,
      { 12, 5, 3, 2 } },
    { "five dimensions", F32, 5, { 20, 7, 5, 3, 3 }, { 8, 3, 2, 2, 2 },
      ONES, { 16, 5, 4, 1, 2 } },
    { "five dimensions, before some", F32, 5, { 20, 7, 5, 3, 3 },
      { 8, 3, 2, 2, 2 }, ONES, { -4, -1, 4, -1, 2 }, 0, 0, LOAD_ONLY },
    { "every second row", F32, 2, { 64, 40 }, { 32, 9 }, { 1, 2 },
      { 8, 30 } },
    { "NaN outside", F32, 2, { 100, 40 }, { 32, 8 }, ONES, { 92, 36 }, 0, 1 },
    { "NaN outside, bf16", BF16, 2, { 100, 40 }, { 32, 8 }, ONES,
      { 88, 36 }, 2, 1 },
    { "NaN outside, f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 2,
      { 100, 40 }, { 32, 8 }, ONES, { 88, 36 }, 2, 1 },
    { "NaN outside, f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, 2,
      { 100, 40 }, { 16, 8 }, ONES, { 90, 36 }, 3, 1 },
    { "added", S32, 2, { 100, 40 }, { 32, 8 }, ONES, { 92, 36 }, 3, 0, ADDED },
    { "an odd column", F32, 2, { 100, 40 }, { 32, 8 }, ONES, { 21, 9 }, 0, 0,
      LOAD_ONLY, "multiple of 16" },
    { "stored before the first row", F32, 2, { 100, 40 }, { 32, 8 }, ONES,
      { 20, -2 }, 0, 0, BOTH, "before" },
};

enum { MOST = 1 << 17 };
static unsigned char source[MOST], target[MOST], want[MOST], raw[MOST];
static unsigned char found[MOST];

struct Walk { int i[5]; };
static int strides(const Case &c, cuuint64_t *stride)
{
    int pitch = c.size[0] * c.element;
    for (int d = 0; d < c.rank - 1; d++) {
        pitch = (pitch + 15) / 16 * 16;
        stride[d] = (cuuint64_t)pitch;
        pitch *= c.size[d + 1];
    }
    return (pitch + 15) / 16 * 16;
}

static unsigned swizzled(unsigned x, int swizzle)
{
    return x ^ ((x >> 7 & ((1u << swizzle) - 1)) << 4);
}

/* A byte of an element outside of the tensor; NaN is 0x7ff7 in all types. */
static unsigned char outside(const Case &c, int k)
{
    return (unsigned char)(!c.nan ? 0 : k % 2 ? 0x7f : 0xf7);
}

/* What the host expects in shared memory, in `want`, and in the second
 * tensor, in `target`. */
static int expect(const Case &c, const cuuint64_t *stride)
{
    int n[5] = { c.box[0], 1, 1, 1, 1 }, bytes = c.element;
    for (int d = 1; d < c.rank; d++)
        n[d] = (c.box[d] + c.step[d] - 1) / c.step[d];
    for (int d = 0; d < 5; d++)
        bytes *= n[d];
    for (int e = 0; e < bytes / c.element; e++) {
        long from = 0, rest = e;
        bool inside = true, padding = true;
        for (int d = 0; d < c.rank; d++) {
            long x = c.at[d] + rest % n[d] * (d ? c.step[d] : 1);
            rest /= n[d];
            inside &= x >= 0 && x < c.size[d];
            padding &= d ? x >= 0 && x < c.size[d] : x >= c.size[0] &&
                x * c.element < (c.size[0] * c.element + 15) / 16 * 16;
            from += x * (d ? (long)stride[d - 1] : c.element);
        }
        for (int k = 0; k < c.element; k++) {
            unsigned char v = inside ? source[from + k] : outside(c, k);
            want[swizzled((unsigned)(e * c.element + k), c.swizzle)] = v;
        }
        if (c.way == LOAD_ONLY)
            continue;
        if (inside && c.way == ADDED) {
            int a, b;
            memcpy(&a, target + from, 4);
            memcpy(&b, source + from, 4);
            a += b;
            memcpy(target + from, &a, 4);
        } else if (inside)
            memcpy(target + from, source + from, (size_t)c.element);
        else if (padding)               /* a store writes whole 16 bytes */
            for (int k = 0; k < c.element; k++)
                target[from + k] = outside(c, k);
    }
    return bytes;
}

static bool make_map(CUtensorMap *m, const Case &c, void *p,
                     const cuuint64_t *stride)
{
    cuuint64_t size[5];
    cuuint32_t box[5], step[5];
    for (int d = 0; d < 5; d++) {
        size[d] = (cuuint64_t)c.size[d];
        box[d] = (cuuint32_t)c.box[d];
        step[d] = (cuuint32_t)c.step[d];
    }
    return !encode(m, c.type, (cuuint32_t)c.rank, p, size, stride, box,
                   step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   (CUtensorMapSwizzle)c.swizzle,
                   CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                   c.nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                         : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static int run(const Case &c)
{
    cuuint64_t stride[4] = { 0 };
    const int all = strides(c, stride);
    unsigned char *a, *b, *r;
    CUtensorMap from, into;
    int wrong = 0;
    for (int i = 0; i < MOST; i++) {
        source[i] = (unsigned char)(rand() >> 8);
        target[i] = (unsigned char)(i * 7);
    }
    cudaMalloc(&a, (size_t)all);
    cudaMalloc(&b, (size_t)all);
    cudaMalloc(&r, MOST);
    cudaMemcpy(a, source, (size_t)all, cudaMemcpyHostToDevice);
    cudaMemcpy(b, target, (size_t)all, cudaMemcpyHostToDevice);
    if (!make_map(&from, c, a, stride) || !make_map(&into, c, b, stride))
        return 1;
    Box x = { c.rank, { 0 }, expect(c, stride) };
    memcpy(x.at, c.at, sizeof x.at);
    there_and_back<<<1, 64, x.bytes>>>(r, from, into, x, c.way);
    cudaMemcpy(raw, r, (size_t)x.bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(found, b, (size_t)all, cudaMemcpyDeviceToHost);
    for (int i = 0; i < x.bytes; i++)
        wrong += raw[i] != want[i];
    for (int i = 0; i < all; i++)
        wrong += found[i] != target[i];
    cudaFree(a);
    cudaFree(b);
    cudaFree(r);
    return wrong;
}

/* hopper_tensor [N]: all cases that are copied, or the N-th alone, from 0.
 * An illegal instruction ends the context, and with it all later cases, so
 * those that are refused run alone. */
int main(int argc, char **argv)
{
    enum { CASES = sizeof cases / sizeof *cases };
    const int only = argc > 1 ? atoi(argv[1]) : -1;
    int failed = 0;
    if (!(encode = encoder()))
        return 1;
    for (int i = 0; i < CASES; i++) {
        const Case &c = cases[i];
        if (only >= 0 ? i != only : c.refused != NULL)
            continue;
        const int wrong = run(c);
        printf("%s: %d wrong, %s\n", c.name, wrong,
               cudaGetErrorString(cudaDeviceSynchronize()));
        failed += wrong != 0;
    }
    return failed;
}
