/* Copies of TMA and multiplications of warpgroups, one kind in each launch.
 * hopper_counts [GROUP]: the tensor copies (tensor), the copies of rows
 * (bulk), those between blocks (between and other) or the multiplications
 * (multiply); without a word, all.  Each copy is compared with what the host
 * expects. */
#include "hopper.h"
#include <stdio.h>
#include <string.h>

enum Way { LOAD, STORE, ADD, MIN, AND, MULTICAST };

struct Box { int rank, at[5], bytes, way, times, room; };
enum { GAP = 0x5a };            /* in bytes that no copy writes */

__device__ static void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::: "memory");
}
__device__ static int rank_here()
{
    int r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ static uint32_t elsewhere(const void *p, int rank)
{
    uint32_t a;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(a) : "r"(at(p)), "r"(rank));
    return a;
}
__device__ static void fill(unsigned char *s, int bytes)
{
    for (int i = threadIdx.x * 4; i < bytes; i += blockDim.x * 4)
        *(uint32_t *)(s + i) = 0x20002000u + (uint32_t)i * 0x10000;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}
__device__ static void all_stored()
{
    asm volatile("cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" ::: "memory");
}

/* ---- boxes of tensors ------------------------------------------------ */

#define AT1 "r"(x[0])
#define AT2 AT1, "r"(x[1])
#define AT3 AT2, "r"(x[2])
#define AT4 AT3, "r"(x[3])
#define AT5 AT4, "r"(x[4])
#define RANKS(X) \
    case 1: X(1, "%3", AT1); break; \
    case 2: X(2, "%3,%4", AT2); break; \
    case 3: X(3, "%3,%4,%5", AT3); break; \
    case 4: X(4, "%3,%4,%5,%6", AT4); break; \
    case 5: X(5, "%3,%4,%5,%6,%7", AT5); break;
#define LOAD_TENSOR(n, c, ...) \
    PTX("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile" \
        ".mbarrier::complete_tx::bytes [%0], [%1, {" c "}], [%2];", \
        "r"(at(to)), "l"(&map), "r"(at(&bar)), __VA_ARGS__)
#define STORE_TENSOR(n, c, ...) \
    PTX("cp.async.bulk.tensor." #n "d.global.shared::cta.tile.bulk_group " \
        "[%0, {" c "}], [%1];", \
        "l"(&map), "r"(at(s)), "r"(0), __VA_ARGS__)
#define REDUCE(op, n, c, ...) \
    PTX("cp.reduce.async.bulk.tensor." #n "d.global.shared::cta." op \
        ".tile.bulk_group [%0, {" c "}], [%1];", \
        "l"(&map), "r"(at(s)), "r"(0), __VA_ARGS__)
#define ADD_TENSOR(n, c, ...) REDUCE("add", n, c, __VA_ARGS__)
#define MIN_TENSOR(n, c, ...) REDUCE("min", n, c, __VA_ARGS__)
#define AND_TENSOR(n, c, ...) REDUCE("and", n, c, __VA_ARGS__)

/* out[block] = the sum of the bytes of its boxes.  Later times and blocks
 * move one box further along the last dimension. */
__global__ void tensor_load(const __grid_constant__ CUtensorMap map, Box b,
                            int further, uint32_t *out)
{
    extern __shared__ __align__(1024) unsigned char s[];
    __shared__ uint64_t bar;
    __shared__ uint32_t sum;
    int x[5];
    for (int d = 0; d < 5; d++)
        x[d] = b.at[d];
    for (int d = 0; d < 5; d++)
        if (d == b.rank - 1)
            x[d] += blockIdx.x * b.times * further;
    for (int i = threadIdx.x; b.room > b.bytes && i < b.room;
         i += blockDim.x)
        s[i] = GAP;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        barrier_new(&bar, b.bytes * b.times);
        for (int k = 0; k < b.times; k++) {
            const unsigned char *to = s + k * b.bytes;
            switch (b.rank) { RANKS(LOAD_TENSOR) }
            for (int d = 0; d < 5; d++)
                if (d == b.rank - 1)
                    x[d] += further;
        }
    }
    __syncthreads();
    WAIT(&bar, 0);
    uint32_t mine = 0;
    const int all = b.room > b.bytes ? b.room : b.bytes * b.times;
    for (int i = threadIdx.x; i < all; i += blockDim.x)
        mine += s[i];
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

__global__ void tensor_store(const __grid_constant__ CUtensorMap map, Box b)
{
    extern __shared__ __align__(1024) unsigned char s[];
    const int *x = b.at;
    fill(s, b.room > b.bytes ? b.room : b.bytes);
    if (threadIdx.x)
        return;
    if (b.way == STORE)
        switch (b.rank) { RANKS(STORE_TENSOR) }
    else if (b.way == ADD)
        switch (b.rank) { RANKS(ADD_TENSOR) }
    else if (b.way == MIN)
        switch (b.rank) { RANKS(MIN_TENSOR) }
    else
        switch (b.rank) { RANKS(AND_TENSOR) }
    all_stored();
}

/* Block 0 loads for the blocks in `mask`. */
__global__ void tensor_multicast(const __grid_constant__ CUtensorMap map,
                                 Box b, int mask, uint32_t *out)
{
    extern __shared__ __align__(1024) unsigned char s[];
    __shared__ uint64_t bar;
    const int *x = b.at, rank = rank_here();
    if (threadIdx.x == 0 && mask >> rank & 1)
        barrier_new(&bar, b.bytes);
    cluster_barrier();
    if (threadIdx.x == 0 && rank == 0)
        PTX("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
            ".mbarrier::complete_tx::bytes.multicast::cluster "
            "[%0], [%1, {%3, %4}], [%2], %5;", "r"(at(s)), "l"(&map),
            "r"(at(&bar)), "r"(x[0]), "r"(x[1]), "h"((short)mask));
    uint32_t mine = 0;
    if (mask >> rank & 1) {
        WAIT(&bar, 0);
        for (int i = 0; i < b.bytes; i++)
            mine += s[i];
    }
    if (threadIdx.x == 0)
        out[rank] = mine;
    cluster_barrier();
}

static Encode *encode;

/* pad: bytes behind a row, in whole 16; base: where the tensor begins. */
struct Case {
    const char *name;
    CUtensorMapDataType type;
    int element, rank;
    int size[5], box[5], at[5];
    int swizzle, way;
    int promotion, base, pad, step, times, blocks;
};
#define T(x) CU_TENSOR_MAP_DATA_TYPE_##x
#define F32  T(FLOAT32), 4
#define BF16 T(BFLOAT16), 2
#define F16  T(FLOAT16), 2
#define S32  T(INT32), 4
#define U8   T(UINT8), 1
#define F64  T(FLOAT64), 8
static const Case cases[] = {
    { "row of 256 f32", F32, 1, { 1000 }, { 256 }, { 0 } },
    { "row of 256 f32 from 4", F32, 1, { 1000 }, { 256 }, { 4 } },
    { "row of 256 f32 from 300", F32, 1, { 1000 }, { 256 }, { 300 } },
    { "row past the end", F32, 1, { 1000 }, { 256 }, { 900 } },
    { "row before the start", F32, 1, { 1000 }, { 256 }, { -100 } },
    { "row of 16 bytes", U8, 1, { 1024 }, { 16 }, { 32 } },
    { "row of 48 bytes from 16", U8, 1, { 1024 }, { 48 }, { 16 } },
    { "row of 64 bytes from 96", U8, 1, { 1024 }, { 64 }, { 96 } },
    { "row of 208 bytes", U8, 1, { 1024 }, { 208 }, { 32 } },
    { "row of 32 f64", F64, 1, { 1024 }, { 32 }, { 8 } },
    { "row of 64 bf16", BF16, 1, { 1024 }, { 64 }, { 64 } },
    { "32 x 8 f32, pitch 400", F32, 2, { 100, 40 }, { 32, 8 }, { 20, 9 } },
    { "32 x 8 f32, pitch 512", F32, 2, { 128, 40 }, { 32, 8 }, { 32, 9 } },
    { "32 x 8 f32, half a line off", F32, 2, { 128, 40 }, { 32, 8 },
      { 16, 9 } },
    { "32 x 8 f32, 16 bytes off", F32, 2, { 128, 40 }, { 32, 8 },
      { 4, 9 } },
    { "16 bytes x 64", F32, 2, { 64, 80 }, { 4, 64 }, { 8, 3 } },
    { "16 bytes x 64, second half", F32, 2, { 64, 80 }, { 4, 64 },
      { 4, 3 } },
    { "32 bytes x 64", F32, 2, { 64, 80 }, { 8, 64 }, { 8, 3 } },
    { "32 bytes x 64, across sectors", F32, 2, { 64, 80 }, { 8, 64 },
      { 4, 3 } },
    { "48 bytes x 64", F32, 2, { 64, 80 }, { 12, 64 }, { 0, 3 } },
    { "64 bytes x 64", F32, 2, { 64, 80 }, { 16, 64 }, { 16, 3 } },
    { "80 bytes x 40, pitch 80", F32, 2, { 20, 64 }, { 20, 40 }, { 0, 5 } },
    { "160 bytes x 16", F32, 2, { 64, 80 }, { 40, 16 }, { 8, 3 } },
    { "16 bytes x 64, pitch 16", F32, 2, { 4, 80 }, { 4, 64 }, { 0, 4 } },
    { "32 bytes x 64, pitch 32", F32, 2, { 8, 80 }, { 8, 64 }, { 0, 4 } },
    { "64 bytes x 64, pitch 64", F32, 2, { 16, 80 }, { 16, 64 }, { 0, 4 } },
    { "128 bytes x 64, pitch 128", F32, 2, { 32, 80 }, { 32, 64 },
      { 0, 4 } },
    { "1024 bytes x 4", F32, 2, { 512, 16 }, { 256, 4 }, { 128, 3 } },
    { "rows past the end", F32, 2, { 101, 41 }, { 32, 8 }, { 92, 37 } },
    { "columns past the end", F32, 2, { 104, 41 }, { 32, 8 }, { 92, 7 } },
    { "rows before the start", F32, 2, { 128, 40 }, { 32, 8 }, { 32, -3 } },
    { "columns before the start", F32, 2, { 128, 40 }, { 32, 8 },
      { -20, 3 } },
    { "nothing of the tensor", F32, 2, { 100, 40 }, { 32, 8 }, { 100, 3 } },
    { "swizzle 32", BF16, 2, { 64, 64 }, { 16, 32 }, { 16, 8 }, 1 },
    { "swizzle 64", BF16, 2, { 64, 64 }, { 32, 32 }, { 32, 8 }, 2 },
    { "swizzle 128", BF16, 2, { 128, 64 }, { 64, 32 }, { 64, 8 }, 3 },
    { "swizzle 128, 16 bytes off", BF16, 2, { 128, 64 }, { 64, 32 },
      { 24, 8 }, 3 },
    { "swizzle 128, 64 x 256", BF16, 2, { 128, 300 }, { 64, 256 },
      { 64, 8 }, 3 },
    { "32 x 32 bf16, no swizzle", BF16, 2, { 64, 64 }, { 32, 32 },
      { 32, 8 } },
    { "f16", F16, 2, { 128, 64 }, { 64, 32 }, { 64, 8 }, 3 },
    { "u8", U8, 2, { 256, 64 }, { 128, 32 }, { 128, 8 }, 3 },
    { "u16", T(UINT16), 2, 2, { 128, 64 }, { 64, 32 }, { 64, 8 }, 3 },
    { "u32", T(UINT32), 4, 2, { 64, 64 }, { 32, 32 }, { 32, 8 }, 3 },
    { "u64", T(UINT64), 8, 2, { 32, 64 }, { 16, 32 }, { 16, 8 }, 3 },
    { "f64", F64, 2, { 32, 64 }, { 16, 32 }, { 16, 8 }, 3 },
    { "tf32", T(TFLOAT32), 4, 2, { 64, 64 }, { 32, 32 }, { 32, 8 }, 3 },
    { "f32ftz", T(FLOAT32_FTZ), 4, 2, { 64, 64 }, { 32, 32 },
      { 32, 8 }, 3 },
    { "64 x 64 x 1", BF16, 3, { 128, 70, 3 }, { 64, 64, 1 }, { 64, 3, 2 },
      3 },
    { "64 x 4 x 3", BF16, 3, { 128, 10, 5 }, { 64, 4, 3 }, { 0, 3, 1 }, 3 },
    { "8 x 3 x 4 x 2", F32, 4, { 20, 7, 5, 3 }, { 8, 3, 4, 2 },
      { 12, 5, 3, 2 } },
    { "five dimensions", F32, 5, { 20, 7, 5, 3, 3 }, { 8, 3, 2, 2, 2 },
      { 8, 3, 2, 1, 1 } },
    { "five dimensions, before", F32, 5, { 20, 7, 5, 3, 3 },
      { 8, 3, 2, 2, 2 }, { -4, -1, 4, -1, 2 } },
    { "every second row", F32, 2, { 64, 40 }, { 32, 16 }, { 32, 8 }, 0,
      LOAD, 0, 0, 0, 2 },
    { "every third row", F32, 2, { 64, 60 }, { 32, 16 }, { 32, 8 }, 0,
      LOAD, 0, 0, 0, 3 },
    { "32 bytes x 16, promoted to 64", F32, 2, { 64, 40 }, { 8, 16 },
      { 8, 8 }, 0, LOAD, 1 },
    { "32 bytes x 16, promoted to 128", F32, 2, { 64, 40 }, { 8, 16 },
      { 8, 8 }, 0, LOAD, 2 },
    { "32 bytes x 16, promoted to 256", F32, 2, { 64, 40 }, { 8, 16 },
      { 8, 8 }, 0, LOAD, 3 },
    { "128 bytes x 16, promoted to 256", F32, 2, { 64, 40 }, { 32, 16 },
      { 32, 8 }, 0, LOAD, 3 },
    { "128 bytes x 16, 64 off, promoted", F32, 2, { 64, 40 }, { 32, 16 },
      { 16, 8 }, 0, LOAD, 2 },
    { "base at 16", F32, 2, { 128, 40 }, { 32, 8 }, { 32, 9 }, 0, LOAD, 0,
      16 },
    { "base at 64", BF16, 2, { 128, 40 }, { 64, 8 }, { 64, 9 }, 3, LOAD, 0,
      64 },
    { "pitch 528", F32, 2, { 128, 40 }, { 32, 8 }, { 32, 8 }, 0, LOAD, 0, 0,
      16 },
    { "pitch 544, swizzle 128", BF16, 2, { 256, 40 }, { 64, 16 }, { 64, 8 },
      3, LOAD, 0, 0, 32 },
    { "three boxes", BF16, 2, { 128, 64 }, { 64, 8 }, { 64, 8 }, 3, LOAD, 0,
      0, 0, 1, 3 },
    { "four blocks", BF16, 2, { 128, 64 }, { 64, 8 }, { 64, 8 }, 3, LOAD, 0,
      0, 0, 1, 1, 4 },
    { "four blocks, two boxes", F32, 2, { 64, 80 }, { 12, 8 }, { 4, 8 }, 0,
      LOAD, 0, 0, 0, 1, 2, 4 },

    { "store row of 256 f32", F32, 1, { 1000 }, { 256 }, { 0 }, 0, STORE },
    { "store row from 300", F32, 1, { 1000 }, { 256 }, { 300 }, 0, STORE },
    { "store row past the end", F32, 1, { 1000 }, { 256 }, { 900 }, 0,
      STORE },
    { "store 48 bytes from 16", U8, 1, { 1024 }, { 48 }, { 16 }, 0, STORE },
    { "store 32 x 8, pitch 400", F32, 2, { 100, 40 }, { 32, 8 }, { 20, 9 },
      0, STORE },
    { "store 32 x 8, 16 bytes off", F32, 2, { 128, 40 }, { 32, 8 },
      { 4, 9 }, 0, STORE },
    { "store 16 bytes x 64", F32, 2, { 64, 80 }, { 4, 64 }, { 4, 3 }, 0,
      STORE },
    { "store 16 bytes x 64, pitch 16", F32, 2, { 4, 80 }, { 4, 64 },
      { 0, 4 }, 0, STORE },
    { "store 48 bytes x 16", F32, 2, { 64, 80 }, { 12, 16 }, { 8, 3 }, 0,
      STORE },
    { "store the last corner", F32, 2, { 104, 41 }, { 32, 8 }, { 92, 37 },
      0, STORE },
    { "store swizzle 64", BF16, 2, { 64, 64 }, { 32, 32 }, { 32, 8 }, 2,
      STORE },
    { "store swizzle 128", BF16, 2, { 128, 64 }, { 64, 32 }, { 64, 8 }, 3,
      STORE },
    { "store 64 x 4 x 3", BF16, 3, { 128, 10, 5 }, { 64, 4, 3 },
      { 0, 3, 1 }, 3, STORE },
    { "store 8 x 3 x 4 x 2", F32, 4, { 20, 7, 5, 3 }, { 8, 3, 4, 2 },
      { 12, 5, 3, 2 }, 0, STORE },
    { "store u64", T(UINT64), 8, 2, { 32, 64 }, { 16, 32 }, { 16, 8 }, 3,
      STORE },
    { "add s32", S32, 2, { 128, 40 }, { 32, 8 }, { 32, 9 }, 0, ADD },
    { "add s32, pitch 400", S32, 2, { 100, 40 }, { 32, 8 }, { 20, 9 }, 0,
      ADD },
    { "add s32, 16 bytes off", S32, 2, { 128, 40 }, { 32, 8 }, { 4, 9 }, 0,
      ADD },
    { "add s32, the last corner", S32, 2, { 104, 41 }, { 32, 8 },
      { 92, 37 }, 0, ADD },
    { "add f32", F32, 2, { 128, 40 }, { 32, 8 }, { 32, 9 }, 0, ADD },
    { "add f32, swizzle 128", F32, 2, { 128, 40 }, { 32, 8 }, { 32, 9 }, 3,
      ADD },
    { "add bf16", BF16, 2, { 128, 40 }, { 64, 8 }, { 64, 9 }, 3, ADD },
    { "add f16", F16, 2, { 128, 40 }, { 64, 8 }, { 64, 9 }, 3, ADD },
    { "add u64", T(UINT64), 8, 2, { 32, 40 }, { 16, 8 }, { 16, 9 }, 3,
      ADD },
    { "min s32", S32, 2, { 128, 40 }, { 32, 8 }, { 32, 9 }, 0, MIN },
    { "and u32", T(UINT32), 4, 2, { 128, 40 }, { 32, 8 }, { 32, 9 }, 0,
      AND },
    { "add s32 row", S32, 1, { 1000 }, { 256 }, { 300 }, 0, ADD },

    { "multicast to 1 of 2", BF16, 2, { 128, 64 }, { 64, 32 }, { 64, 8 }, 3,
      MULTICAST, 0, 0, 0, 1, 1, 1 },
    { "multicast to 2 of 2", BF16, 2, { 128, 64 }, { 64, 32 }, { 64, 8 }, 3,
      MULTICAST, 0, 0, 0, 1, 1, 3 },
    { "multicast to 3 of 4", BF16, 2, { 128, 64 }, { 64, 32 }, { 64, 8 }, 3,
      MULTICAST, 0, 0, 0, 1, 1, 11 },
    { "multicast to 4 of 4", BF16, 2, { 128, 64 }, { 64, 32 }, { 64, 8 }, 3,
      MULTICAST, 0, 0, 0, 1, 1, 15 },
    { "multicast of 16 bytes x 64", F32, 2, { 64, 80 }, { 4, 64 }, { 4, 3 },
      0, MULTICAST, 0, 0, 0, 1, 1, 3 },
    { "multicast of 48 bytes x 16", F32, 2, { 64, 80 }, { 12, 16 },
      { 4, 3 }, 0, MULTICAST, 0, 0, 0, 1, 1, 3 },
};
/* Pieces that are partly outside, and rows shorter than their swizzle. */
static const Case partial[] = {
    { "half a piece before the start", F32, 2, { 128, 40 }, { 32, 8 },
      { -16, 3 } },
    { "32 bytes before the start", F32, 2, { 128, 40 }, { 32, 8 },
      { -8, 3 } },
    { "half a piece past the end", F32, 2, { 128, 40 }, { 32, 8 },
      { 112, 3 } },
    { "48 bytes past the end", F32, 2, { 128, 40 }, { 32, 8 }, { 108, 3 } },
    { "16 bytes of 32 past the end", F32, 2, { 68, 40 }, { 8, 16 },
      { 64, 3 } },
    { "short rows, swizzle 128", BF16, 2, { 128, 64 }, { 32, 32 },
      { 32, 8 }, 3 },
    { "short rows, swizzle 64", BF16, 2, { 128, 64 }, { 8, 32 },
      { 16, 8 }, 2 },
    { "short rows, swizzle 128, 16 bytes off", BF16, 2, { 128, 64 },
      { 48, 32 }, { 24, 8 }, 3 },
    { "store short rows, swizzle 128", BF16, 2, { 128, 64 }, { 32, 32 },
      { 32, 8 }, 3, STORE },
    { "store half a piece past the end", F32, 2, { 128, 40 }, { 32, 8 },
      { 112, 3 }, 0, STORE },
    { "multicast of 32 bytes x 64", F32, 2, { 64, 80 }, { 8, 64 },
      { 8, 3 }, 0, MULTICAST, 0, 0, 0, 1, 1, 3 },
    { "multicast half a piece past", F32, 2, { 128, 40 }, { 32, 8 },
      { 112, 3 }, 0, MULTICAST, 0, 0, 0, 1, 1, 3 },
    { "multicast of 80 bytes x 16", F32, 2, { 64, 80 }, { 20, 16 },
      { 4, 3 }, 0, MULTICAST, 0, 0, 0, 1, 1, 3 },
};
static const Case to_the_other = {
    "multicast to the other of 2", BF16, 2, { 128, 64 }, { 64, 32 },
    { 64, 8 }, 3, MULTICAST, 0, 0, 0, 1, 1, 2 };

enum { BYTES = 1 << 18 };
static unsigned char source[BYTES], want[BYTES], found[BYTES];
static unsigned char *d_source;
static uint32_t *d_out;
static int number, failed;

static void before()
{
    for (int i = 0; i < BYTES / 4; i++) {
        const uint32_t r = (uint32_t)i * 2654435761u;
        ((uint32_t *)source)[i] = (r & 0x1fffe000) | 0x20000000;
    }
    memcpy(want, source, BYTES);
    cudaMemcpy(d_source, source, BYTES, cudaMemcpyHostToDevice);
}

static void tell(const char *name, int wrong)
{
    const char *e = cudaGetErrorString(cudaDeviceSynchronize());
    printf("%d %s: %d wrong, %s\n", number++, name, wrong, e);
    failed += wrong != 0 || strcmp(e, "no error") != 0;
}

static int differing()
{
    int wrong = 0;
    cudaMemcpy(found, d_source, BYTES, cudaMemcpyDeviceToHost);
    for (int i = 0; i < BYTES; i++)
        wrong += found[i] != want[i];
    return wrong;
}

template <class N> static N combined(int way, N a, N b)
{
    return way == STORE ? b : way == ADD ? (N)(a + b) : a < b ? a : b;
}
template <class N> static void combine(int way, unsigned char *p,
                                       const unsigned char *q)
{
    N a, b;
    memcpy(&a, p, sizeof a);
    memcpy(&b, q, sizeof b);
    a = combined(way, a, b);
    memcpy(p, &a, sizeof a);
}

/* What `fill` has written at an offset of shared memory. */
static void filled(unsigned char *v, unsigned offset, int n)
{
    for (int k = 0; k < n; k++, offset++) {
        const uint32_t w = 0x20002000u + (offset & ~3u) * 0x10000;
        v[k] = (unsigned char)(w >> 8 * (offset & 3));
    }
}

/* One element is written: to global memory at p, from offset o. */
static void expect_stored(const Case &c, unsigned char *p, unsigned o)
{
    unsigned char v[8];
    filled(v, o ^ ((o >> 7 & ((1u << c.swizzle) - 1)) << 4), c.element);
    if (c.way == AND)
        for (int k = 0; k < c.element; k++)
            p[k] &= v[k];
    else if (c.way == STORE)
        memcpy(p, v, (size_t)c.element);
    else if (c.element == 8)
        combine<uint64_t>(c.way, p, v);
    else if (c.type == T(FLOAT32))
        combine<float>(c.way, p, v);
    else
        combine<int32_t>(c.way, p, v);
}

/* Rows of the box lie this far apart in shared memory. */
static int pitch_of(const Case &c)
{
    return c.swizzle ? 16 << c.swizzle : c.box[0] * c.element;
}

/* Bytes of the box; *sum: of those of the tensor, or `want` is changed. */
static int expect(const Case &c, const cuuint64_t *stride, int moved,
                  uint32_t *sum)
{
    int n[5] = { c.box[0], 1, 1, 1, 1 }, elements = 1;
    for (int d = 1; d < c.rank; d++)
        n[d] = (c.box[d] + (c.step ? c.step : 1) - 1)
             / (c.step ? c.step : 1);
    for (int d = 0; d < 5; d++)
        elements *= n[d];
    for (int e = 0; e < elements; e++) {
        long from = c.base, rest = e;
        bool inside = true, padding = true;
        for (int d = 0; d < c.rank; d++) {
            const long x = c.at[d] + (d == c.rank - 1 ? moved : 0) +
                rest % n[d] * (d && c.step ? c.step : 1);
            rest /= n[d];
            inside &= x >= 0 && x < c.size[d];
            padding &= d ? x >= 0 && x < c.size[d] : x >= c.size[0] &&
                x * c.element < (c.size[0] * c.element + 15) / 16 * 16;
            from += x * (d ? (long)stride[d - 1] : c.element);
        }
        if (c.way == LOAD || c.way == MULTICAST)
            for (int k = 0; inside && k < c.element; k++)
                *sum += source[from + k];
        else if (inside)
            expect_stored(c, want + from, (unsigned)(
                e / c.box[0] * pitch_of(c) + e % c.box[0] * c.element));
        else if (padding && c.way == STORE)
            memset(want + from, 0, (size_t)c.element);
    }
    return elements * c.element;
}

static bool make_map(CUtensorMap *m, const Case &c, cuuint64_t *stride)
{
    cuuint64_t size[5];
    cuuint32_t box[5], step[5];
    int pitch = c.size[0] * c.element + c.pad;
    for (int d = 0; d < 5; d++) {
        size[d] = (cuuint64_t)c.size[d];
        box[d] = (cuuint32_t)c.box[d];
        step[d] = (cuuint32_t)(d && c.step ? c.step : 1);
    }
    for (int d = 0; d < c.rank - 1; d++) {
        pitch = (pitch + 15) / 16 * 16;
        stride[d] = (cuuint64_t)pitch;
        pitch *= c.size[d + 1];
    }
    return !encode(m, c.type, (cuuint32_t)c.rank, d_source + c.base, size,
                   stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   (CUtensorMapSwizzle)c.swizzle,
                   (CUtensorMapL2promotion)c.promotion,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* A launch of `blocks` blocks that are one cluster. */
template <class... A> static void launch(void (*kernel)(A...), int blocks,
                                         int bytes, A... a)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = (unsigned)blocks;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3(32);
    config.dynamicSmemBytes = (size_t)bytes;
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, a...);
}

static int sums_wrong(int blocks, const uint32_t *sum)
{
    uint32_t out[16];
    int wrong = 0;
    cudaMemcpy(out, d_out, (size_t)blocks * 4, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; b++)
        wrong += out[b] != sum[b];
    return wrong;
}

static void run(const Case &c)
{
    cuuint64_t stride[4] = { 0 };
    CUtensorMap map;
    const int times = c.times ? c.times : 1;
    const int blocks = c.blocks ? c.blocks : 1;
    const int further = c.box[c.rank - 1];
    uint32_t sum[16] = { 0 };
    before();
    if (!make_map(&map, c, stride)) {
        tell(c.name, -1);
        return;
    }
    Box b = { c.rank, { 0 }, 0, c.way, times, 0 };
    memcpy(b.at, c.at, sizeof b.at);
    uint32_t nothing = 0;
    b.room = expect(c, stride, 0, &nothing) / (c.box[0] * c.element)
           * pitch_of(c);
    memcpy(want, source, BYTES);
    if (c.way == MULTICAST) {
        const int all = c.blocks > 3 ? 4 : 2;
        for (int r = 0; r < all; r++)
            if (c.blocks >> r & 1)
                b.bytes = expect(c, stride, 0, &sum[r]);
        launch(tensor_multicast, all, b.bytes, map, b, c.blocks, d_out);
        tell(c.name, sums_wrong(all, sum));
    } else if (c.way == LOAD) {
        for (int k = 0; k < blocks * times; k++)
            b.bytes = expect(c, stride, k * further, &sum[k / times]);
        sum[0] += (uint32_t)((b.room - b.bytes) * GAP);
        tensor_load<<<blocks, 128, b.room * times>>>(map, b, further, d_out);
        tell(c.name, sums_wrong(blocks, sum));
    } else {
        b.bytes = expect(c, stride, 0, sum);
        tensor_store<<<1, 128, b.room>>>(map, b);
        const bool known = c.way != ADD || c.element > 2;
        tell(c.name, known ? differing() : 0);
    }
}

/* ---- rows of bytes --------------------------------------------------- */

__global__ void bulk_load(const unsigned char *from, int bytes, int to,
                          uint32_t *out)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    unsigned char *s = memory + to;
    __shared__ uint64_t bar;
    if (threadIdx.x)
        return;
    barrier_new(&bar, bytes);
    PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], %2, [%3];", "r"(at(s)), "l"(from), "r"(bytes),
        "r"(at(&bar)));
    WAIT(&bar, 0);
    uint32_t sum = 0;
    for (int i = 0; i < bytes; i++)
        sum += s[i];
    out[0] = sum;
}

__global__ void bulk_multicast(const unsigned char *from, int bytes,
                               int mask, uint32_t *out)
{
    extern __shared__ __align__(1024) unsigned char s[];
    __shared__ uint64_t bar;
    const int rank = rank_here();
    if (threadIdx.x == 0)
        barrier_new(&bar, bytes);
    cluster_barrier();
    if (threadIdx.x == 0 && rank == 0)
        PTX("cp.async.bulk.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster "
            "[%0], [%1], %2, [%3], %4;", "r"(at(s)), "l"(from), "r"(bytes),
            "r"(at(&bar)), "h"((short)mask));
    WAIT(&bar, 0);
    uint32_t sum = 0;
    for (int i = 0; i < bytes; i++)
        sum += s[i];
    if (threadIdx.x == 0)
        out[rank] = sum;
    cluster_barrier();
}

#define TO_GLOBAL(name, op) \
    __global__ void name(unsigned char *to, int bytes, int from) \
    { \
        extern __shared__ __align__(1024) unsigned char memory[]; \
        unsigned char *s = memory + from; \
        fill(s, bytes); \
        if (threadIdx.x) \
            return; \
        PTX(op " [%0], [%1], %2;", "l"(to), "r"(at(s)), "r"(bytes)); \
        all_stored(); \
    }
#define SUM(op) "cp.reduce.async.bulk.global.shared::cta.bulk_group." op
TO_GLOBAL(bulk_store, "cp.async.bulk.global.shared::cta.bulk_group")
TO_GLOBAL(bulk_add_s32, SUM("add.s32"))
TO_GLOBAL(bulk_max_s32, SUM("max.s32"))
TO_GLOBAL(bulk_and_b32, SUM("and.b32"))
TO_GLOBAL(bulk_add_u64, SUM("add.u64"))
TO_GLOBAL(bulk_add_f32, SUM("add.f32"))
TO_GLOBAL(bulk_add_f64, SUM("add.f64"))
TO_GLOBAL(bulk_add_f16, SUM("add.noftz.f16"))
TO_GLOBAL(bulk_add_bf16, SUM("add.noftz.bf16"))

static uint32_t sum_of(int from, int bytes)
{
    uint32_t sum = 0;
    for (int i = 0; i < bytes; i++)
        sum += source[from + i];
    return sum;
}

static void bulks()
{
    static const int loads[][3] = {     /* from, bytes, offset in shared */
        { 0, 16 }, { 16, 16 }, { 0, 32 }, { 16, 32 }, { 96, 48 },
        { 0, 128 }, { 64, 128 }, { 112, 256 }, { 0, 1024 }, { 48, 1024 },
        { 0, 4096 }, { 16, 4096 }, { 0, 16384 }, { 240, 16400 },
        { 0, 128, 16 }, { 16, 128, 16 }, { 0, 256, 112 }, { 32, 1024, 96 },
        { 48, 1024, 80 }, { 0, 4096, 48 }, { 16, 272, 16 },
    };
    char name[80];
    for (const int *l : loads) {
        before();
        const uint32_t sum = sum_of(l[0], l[1]);
        bulk_load<<<1, 32, l[1] + 128>>>(d_source + l[0], l[1], l[2], d_out);
        snprintf(name, sizeof name, "bulk load of %d from %d to %d", l[1],
                 l[0], l[2]);
        tell(name, sums_wrong(1, &sum));
    }
    for (int i = 0; i < 4; i++) {
        const int bytes = i == 3 ? 48 : 1024, from = i == 3 ? 16 : 0;
        const int blocks = i == 2 ? 4 : 2;
        uint32_t sum[4];
        before();
        for (int r = 0; r < blocks; r++)
            sum[r] = sum_of(from, bytes);
        launch(bulk_multicast, blocks, bytes,
               (const unsigned char *)d_source + from, bytes,
               (1 << blocks) - 1, d_out);
        snprintf(name, sizeof name, "bulk multicast of %d to %d", bytes,
                 blocks);
        tell(name, sums_wrong(blocks, sum));
    }
    for (const int *l : loads) {
        before();
        filled(want + l[0], 0, l[1]);
        bulk_store<<<1, 32, l[1] + 128>>>(d_source + l[0], l[1], l[2]);
        snprintf(name, sizeof name, "bulk store of %d from %d to %d", l[1],
                 l[2], l[0]);
        tell(name, differing());
    }
}

static void bulk_sums()
{
    static const struct {
        const char *name;
        void (*kernel)(unsigned char *, int, int);
        int from, bytes, way, type;     /* type: 0 s32, 1 u64, 2 f32, or */
    } rows[] = {                        /* -1, whose result is not asked */
        { "add.s32 of 1024", bulk_add_s32, 0, 1024, ADD, 0 },
        { "add.s32 of 1024 to 16", bulk_add_s32, 16, 1024, ADD, 0 },
        { "add.s32 of 16 to 16", bulk_add_s32, 16, 16, ADD, 0 },
        { "add.s32 of 48 to 112", bulk_add_s32, 112, 48, ADD, 0 },
        { "max.s32 of 256", bulk_max_s32, 0, 256, -1, -1 },
        { "and.b32 of 256", bulk_and_b32, 0, 256, -1, -1 },
        { "add.u64 of 256", bulk_add_u64, 0, 256, ADD, 1 },
        { "add.f32 of 256", bulk_add_f32, 0, 256, ADD, 2 },
        { "add.f64 of 256", bulk_add_f64, 0, 256, -1, -1 },
        { "add.f16 of 256", bulk_add_f16, 0, 256, -1, -1 },
        { "add.bf16 of 256", bulk_add_bf16, 0, 256, -1, -1 },
    };
    for (const auto &r : rows) {
        before();
        for (int i = 0; r.type >= 0 && i < r.bytes; i += r.type == 1 ? 8 : 4) {
            unsigned char v[8];
            filled(v, (unsigned)i, 8);
            if (r.type == 0)
                combine<int32_t>(ADD, want + r.from + i, v);
            else if (r.type == 1)
                combine<uint64_t>(ADD, want + r.from + i, v);
            else
                combine<float>(ADD, want + r.from + i, v);
        }
        r.kernel<<<1, 32, r.bytes>>>(d_source + r.from, r.bytes, 0);
        tell(r.name, r.type < 0 ? 0 : differing());
    }
}

/* ---- from block to block --------------------------------------------- */

/* Block 0 copies to block 1; both are one cluster. */
__global__ void between(int bytes, uint32_t *out)
{
    extern __shared__ __align__(1024) unsigned char s[];
    __shared__ uint64_t bar;
    unsigned char *to = s + bytes;
    const int rank = rank_here();
    fill(s, bytes);
    if (threadIdx.x == 0 && rank == 1)
        barrier_new(&bar, bytes);
    cluster_barrier();
    if (threadIdx.x == 0 && rank == 0)
        PTX("cp.async.bulk.shared::cluster.shared::cta"
            ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
            "r"(elsewhere(to, 1)), "r"(at(s)), "r"(bytes),
            "r"(elsewhere(&bar, 1)));
    if (rank == 1) {
        WAIT(&bar, 0);
        uint32_t sum = 0;
        for (int i = 0; i < bytes; i++)
            sum += to[i];
        out[0] = sum;
    }
    cluster_barrier();
}

static void betweens()
{
    char name[80];
    for (int bytes : { 16, 48, 128, 1024, 4096 }) {
        unsigned char v[4096];
        uint32_t sum = 0;
        filled(v, 0, bytes);
        for (int i = 0; i < bytes; i++)
            sum += v[i];
        launch(between, 2, 2 * bytes, bytes, d_out);
        snprintf(name, sizeof name, "%d bytes to the other block", bytes);
        tell(name, sums_wrong(1, &sum));
    }
}

/* ---- multiplications ------------------------------------------------- */

#define TEN(t) "d" t "0,d" t "1,d" t "2,d" t "3,d" t "4,d" t "5,d" t "6,d" \
    t "7,d" t "8,d" t "9"
#define D2  "d0,d1"
#define D4  "d0,d1,d2,d3"
#define D8  D4 ",d4,d5,d6,d7"
#define D12 TEN("") ",d10,d11"
#define D16 D12 ",d12,d13,d14,d15"
#define D20 TEN("") "," TEN("1")
#define D32 D20 "," TEN("2") ",d30,d31"
#define D48 D20 "," TEN("2") "," TEN("3") ",d40,d41,d42,d43,d44,d45,d46,d47"
#define D64 D20 "," TEN("2") "," TEN("3") "," TEN("4") "," TEN("5") \
    ",d60,d61,d62,d63"
#define D96 D20 "," TEN("2") "," TEN("3") "," TEN("4") "," TEN("5") "," \
    TEN("6") "," TEN("7") "," TEN("8") ",d90,d91,d92,d93,d94,d95"
#define D128 D20 "," TEN("2") "," TEN("3") "," TEN("4") "," TEN("5") "," \
    TEN("6") "," TEN("7") "," TEN("8") "," TEN("9") "," TEN("10") "," \
    TEN("11") ",d120,d121,d122,d123,d124,d125,d126,d127"

enum { A_BYTES = 8192, B_BYTES = 32768 };
struct Operand { int offset, lead, stride, swizzle; };

__device__ static uint64_t descriptor(const unsigned char *s, Operand o)
{
    static const int code[] = { 0, 3, 2, 1 };
    return ((at(s) + o.offset) >> 4 & 0x3fff)
         | (uint64_t)(o.lead >> 4) << 16 | (uint64_t)(o.stride >> 4) << 32
         | (uint64_t)code[o.swizzle] << 62;
}

#define SHARED_A "%1"
#define REGISTERS_A "{a0,a1,a2,a3}"
#define MULTIPLY(name, op, type, d, a, tail) \
    __global__ void name(Operand left, Operand right, int times, \
                         uint32_t *out) \
    { \
        uint32_t first = 0; \
        __shared__ __align__(1024) unsigned char s[A_BYTES + B_BYTES]; \
        fill(s, A_BYTES + B_BYTES); \
        for (int k = 0; k < times; k++) \
            asm volatile("{\n.reg .pred p;\n.reg ." type " d<128>;\n" \
                ".reg .b32 a<4>;\nsetp.ne.b32 p, 0, 0;\n" \
                "mov.b32 a0, 0;\nmov.b32 a1, 0;\nmov.b32 a2, 0;\n" \
                "mov.b32 a3, 0;\nwgmma.fence.sync.aligned;\n" \
                "wgmma.mma_async.sync.aligned." op " {" d "}, " a ", %2, p" \
                tail ";\nwgmma.commit_group.sync.aligned;\n" \
                "wgmma.wait_group.sync.aligned 0;\n" \
                "mov.b32 %0, d0;\n}" : "=r"(first) \
                : "l"(descriptor(s, left)), \
                  "l"(descriptor(s + A_BYTES, right)) : "memory"); \
        out[threadIdx.x] = first; \
    }
#define BF(name, n, d) \
    MULTIPLY(name, "m64n" #n "k16.f32.bf16.bf16", "f32", d, SHARED_A, \
             ",1,1,0,0")
#define BF_R(name, n, d) \
    MULTIPLY(name, "m64n" #n "k16.f32.bf16.bf16", "f32", d, REGISTERS_A, \
             ",1,1,0")
BF(bf16_8, 8, D4)       BF(bf16_16, 16, D8)     BF(bf16_24, 24, D12)
BF(bf16_32, 32, D16)    BF(bf16_40, 40, D20)    BF(bf16_64, 64, D32)
BF(bf16_96, 96, D48)    BF(bf16_128, 128, D64)  BF(bf16_192, 192, D96)
BF(bf16_256, 256, D128)
BF_R(bf16_r_8, 8, D4)   BF_R(bf16_r_24, 24, D12) BF_R(bf16_r_64, 64, D32)
BF_R(bf16_r_128, 128, D64) BF_R(bf16_r_256, 256, D128)
MULTIPLY(bf16_t_b, "m64n64k16.f32.bf16.bf16", "f32", D32, SHARED_A,
         ",1,1,0,1")
MULTIPLY(bf16_t_a, "m64n64k16.f32.bf16.bf16", "f32", D32, SHARED_A,
         ",1,1,1,0")
MULTIPLY(bf16_t_ab, "m64n128k16.f32.bf16.bf16", "f32", D64, SHARED_A,
         ",1,1,1,1")
MULTIPLY(bf16_r_t, "m64n64k16.f32.bf16.bf16", "f32", D32, REGISTERS_A,
         ",1,1,1")
MULTIPLY(f16_64, "m64n64k16.f32.f16.f16", "f32", D32, SHARED_A, ",1,1,0,0")
MULTIPLY(f16_h_64, "m64n64k16.f16.f16.f16", "b32", D16, SHARED_A,
         ",1,1,0,0")
MULTIPLY(f16_h_8, "m64n8k16.f16.f16.f16", "b32", D2, SHARED_A, ",1,1,0,0")
MULTIPLY(tf32_8, "m64n8k8.f32.tf32.tf32", "f32", D4, SHARED_A, ",1,1")
MULTIPLY(tf32_64, "m64n64k8.f32.tf32.tf32", "f32", D32, SHARED_A, ",1,1")
MULTIPLY(tf32_256, "m64n256k8.f32.tf32.tf32", "f32", D128, SHARED_A, ",1,1")
MULTIPLY(tf32_r_64, "m64n64k8.f32.tf32.tf32", "f32", D32, REGISTERS_A,
         ",1,1")
MULTIPLY(e4m3_8, "m64n8k32.f32.e4m3.e4m3", "f32", D4, SHARED_A, ",1,1")
MULTIPLY(e4m3_64, "m64n64k32.f32.e4m3.e4m3", "f32", D32, SHARED_A, ",1,1")
MULTIPLY(e4m3_256, "m64n256k32.f32.e4m3.e4m3", "f32", D128, SHARED_A,
         ",1,1")
MULTIPLY(e5m2_r_64, "m64n64k32.f32.e5m2.e5m2", "f32", D32, REGISTERS_A,
         ",1,1")
MULTIPLY(e4m3_h_64, "m64n64k32.f16.e4m3.e4m3", "b32", D16, SHARED_A, ",1,1")
MULTIPLY(s8_64, "m64n64k32.s32.s8.s8", "s32", D32, SHARED_A, "")
MULTIPLY(u8_r_64, "m64n64k32.s32.u8.u8", "s32", D32, REGISTERS_A, "")

static void multiply(const char *name,
                     void (*kernel)(Operand, Operand, int, uint32_t *),
                     Operand a, Operand b, int groups, int times)
{
    kernel<<<1, 128 * groups>>>(a, b, times, d_out);
    tell(name, 0);
}
#define ROW(name, a, b) multiply(#name, name, a, b, 1, 1);
#define ROW_AS(words, name, a, b, groups, times) \
    multiply(#name " " words, name, a, b, groups, times);

static void multiplications()
{
    const Operand wide = { 0, 16, 1024, 3 }, half = { 0, 16, 512, 2 };
    const Operand quarter = { 0, 16, 256, 1 }, plain = { 0, 128, 256, 0 };
    const Operand step = { 32, 16, 1024, 3 };
    ROW(bf16_8, wide, wide) ROW(bf16_16, wide, wide)
    ROW(bf16_24, wide, wide) ROW(bf16_32, wide, wide)
    ROW(bf16_40, wide, wide) ROW(bf16_64, wide, wide)
    ROW(bf16_96, wide, wide) ROW(bf16_128, wide, wide)
    ROW(bf16_192, wide, wide) ROW(bf16_256, wide, wide)
    ROW(bf16_r_8, wide, wide) ROW(bf16_r_24, wide, wide)
    ROW(bf16_r_64, wide, wide) ROW(bf16_r_128, wide, wide)
    ROW(bf16_r_256, wide, wide)
    ROW_AS("from the second step", bf16_64, step, step, 1, 1)
    ROW_AS("swizzle 64", bf16_64, half, half, 1, 1)
    ROW_AS("swizzle 32", bf16_64, quarter, quarter, 1, 1)
    ROW_AS("no swizzle", bf16_64, plain, plain, 1, 1)
    ROW_AS("swizzle 64", bf16_256, half, half, 1, 1)
    ROW_AS("no swizzle", bf16_256, plain, plain, 1, 1)
    ROW_AS("swizzle 64", bf16_r_64, half, half, 1, 1)
    ROW_AS("swizzle 32", bf16_r_64, quarter, quarter, 1, 1)
    ROW_AS("no swizzle", bf16_r_64, plain, plain, 1, 1)
    const Operand lines = { 0, 1024, 128, 0 }, far = { 0, 16, 2048, 3 };
    const Operand one = { 0, 0, 0, 0 }, sixteen = { 0, 16, 32, 0 };
    const Operand same_rows = { 0, 16, 0, 3 };
    ROW_AS("lead 1024, stride 128", bf16_r_64, wide, lines, 1, 1)
    ROW_AS("stride 2048", bf16_r_64, wide, far, 1, 1)
    ROW_AS("strides 0", bf16_r_64, wide, one, 1, 1)
    ROW_AS("lead 16, stride 32", bf16_r_64, wide, sixteen, 1, 1)
    ROW_AS("all rows the same", bf16_r_64, wide, same_rows, 1, 1)
    ROW_AS("strides of A 0", bf16_8, one, wide, 1, 1)
    ROW_AS("lead 1024, stride 128 of A", bf16_8, lines, wide, 1, 1)
    ROW_AS("A without swizzle", bf16_8, plain, wide, 1, 1)
    const Operand across = { 0, 4096, 1024, 3 }, low = { 0, 1024, 2048, 3 };
    const Operand across_64 = { 0, 1024, 512, 2 };
    const Operand across_none = { 0, 256, 128, 0 };
    ROW(bf16_t_b, wide, across)
    ROW_AS("lead 1024, stride 2048", bf16_t_b, wide, low, 1, 1)
    ROW_AS("swizzle 64", bf16_t_b, half, across_64, 1, 1)
    ROW_AS("no swizzle", bf16_t_b, plain, across_none, 1, 1)
    ROW(bf16_t_a, across, wide)
    ROW_AS("swizzle 64", bf16_t_a, across_64, wide, 1, 1)
    ROW_AS("no swizzle", bf16_t_a, across_none, wide, 1, 1)
    ROW(bf16_t_ab, across, across)
    ROW(bf16_r_t, wide, across)
    ROW_AS("swizzle 64", bf16_r_t, wide, across_64, 1, 1)
    ROW_AS("no swizzle", bf16_r_t, wide, across_none, 1, 1)
    ROW(f16_64, wide, wide) ROW(f16_h_64, wide, wide)
    ROW(f16_h_8, wide, wide)
    ROW(tf32_8, wide, wide) ROW(tf32_64, wide, wide)
    ROW(tf32_256, wide, wide) ROW(tf32_r_64, wide, wide)
    ROW_AS("no swizzle", tf32_64, plain, plain, 1, 1)
    ROW(e4m3_8, wide, wide) ROW(e4m3_64, wide, wide)
    ROW(e4m3_256, wide, wide) ROW(e5m2_r_64, wide, wide)
    ROW(e4m3_h_64, wide, wide) ROW(s8_64, wide, wide)
    ROW(u8_r_64, wide, wide)
    ROW_AS("no swizzle", s8_64, plain, plain, 1, 1)
    ROW_AS("four times", bf16_64, wide, wide, 1, 4)
    ROW_AS("two warpgroups", bf16_64, wide, wide, 2, 1)
    ROW_AS("two warpgroups, three times", bf16_r_128, wide, wide, 2, 3)
}

int main(int argc, char **argv)
{
    const char *group = argc > 1 ? argv[1] : "";
    if (!(encode = encoder()))
        return 1;
    cudaMalloc(&d_source, BYTES);
    cudaMalloc(&d_out, 1024);
    if (!*group || !strcmp(group, "tensor"))
        for (const Case &c : cases)
            run(c);
    if (!*group || !strcmp(group, "bulk")) {
        bulks();
        bulk_sums();
    }
    if (!*group || !strcmp(group, "between"))
        betweens();
    if (!*group || !strcmp(group, "multiply"))
        multiplications();
    if (!*group || !strcmp(group, "partial"))
        for (const Case &c : partial)
            run(c);
    if (!*group || !strcmp(group, "other"))
        run(to_the_other);
    cudaFree(d_source);
    cudaFree(d_out);
    return failed;
}
