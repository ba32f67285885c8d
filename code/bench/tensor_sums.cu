/* Tangled from chapters/workshop/simt-wgmma.nw, "Sums to compare with a GPU's".  Edit it there. */

/* tensor_sums: what the tensor cores of this GPU make of many operands,
 * as hashes, and some of the bits: to compare with the software GPU. */
#include "bench/cuda_bench.cuh"
#include "ops/kernels/hopper.cuh"

extern "C" {
#include "bench/tensor_cases.h"
}

/* tensor_sums: instructions */
#define BITS8(d, i)                                                      \
    "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3]),          \
    "+r"(d[i + 4]), "+r"(d[i + 5]), "+r"(d[i + 6]), "+r"(d[i + 7])
#define LIST16                                                           \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "  \
    "%15"
#define WGMMA(shape, rest)                                               \
    asm volatile("wgmma.mma_async.sync.aligned.m64n64" shape " {"        \
        WGMMA_LIST32 "}, %32, %33, 1" rest ";"                           \
        : BITS8(d, 0), BITS8(d, 8), BITS8(d, 16), BITS8(d, 24)           \
        : "l"(a), "l"(b))
#define WGMMA_F16(shape, rest)                                           \
    asm volatile("wgmma.mma_async.sync.aligned.m64n64" shape " {"        \
        LIST16 "}, %16, %17, 1" rest ";"                                 \
        : BITS8(d, 0), BITS8(d, 8) : "l"(a), "l"(b))

template <int kind>
DEVICE_INLINE void wgmma_kind(uint32_t *d, uint64_t a, uint64_t b)
{
    if (kind == 0) WGMMA("k16.f32.bf16.bf16", ", 1, 1, 0, 0");
    if (kind == 1) WGMMA("k16.f32.f16.f16", ", 1, 1, 0, 0");
    if (kind == 2) WGMMA_F16("k16.f16.f16.f16", ", 1, 1, 0, 0");
    if (kind == 3) WGMMA("k8.f32.tf32.tf32", ", 1, 1");
    if (kind == 4) WGMMA("k32.f32.e4m3.e4m3", ", 1, 1");
    if (kind == 5) WGMMA("k32.f32.e5m2.e5m2", ", 1, 1");
    if (kind == 6) WGMMA("k32.f32.e4m3.e5m2", ", 1, 1");
    if (kind == 7) WGMMA_F16("k32.f16.e4m3.e4m3", ", 1, 1");
    if (kind == 8) WGMMA_F16("k32.f16.e5m2.e5m2", ", 1, 1");
    if (kind == 9) WGMMA("k32.s32.s8.s8", "");
}

#define MMA4(shape, d, a, b)                                             \
    asm volatile("mma.sync.aligned.m16n8" shape                          \
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "                \
        "{%0, %1, %2, %3};"                                              \
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                 \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),         \
          "r"(b[1]))
#define MMA2(shape, d, a, b)                                             \
    asm volatile("mma.sync.aligned.m16n8" shape                          \
        " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"           \
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                 \
        : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#define MMA_HALF(shape, d, a, b)                                         \
    asm volatile("mma.sync.aligned.m16n8" shape                          \
        " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"               \
        : "+r"(d[0]), "+r"(d[1])                                         \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),         \
          "r"(b[1]))

template <int kind>
DEVICE_INLINE void mma_kind(uint32_t *d, uint32_t *a, uint32_t *b)
{
    if (kind == 10) MMA4("k16.row.col.f32.bf16.bf16.f32", d, a, b);
    if (kind == 11) MMA4("k16.row.col.f32.f16.f16.f32", d, a, b);
    if (kind == 12) MMA_HALF("k16.row.col.f16.f16.f16.f16", d, a, b);
    if (kind == 13) MMA4("k8.row.col.f32.tf32.tf32.f32", d, a, b);
    if (kind == 14) MMA4("k32.row.col.f32.e4m3.e4m3.f32", d, a, b);
    if (kind == 15) MMA4("k32.row.col.f32.e5m2.e5m2.f32", d, a, b);
    if (kind == 16) MMA2("k8.row.col.f32.bf16.bf16.f32", d, a, b);
    if (kind == 17) MMA2("k4.row.col.f32.tf32.tf32.f32", d, a, b);
}

/* tensor_sums: sums of a tile */
struct TileInShared { unsigned char a[2][64][16], b[2][64][16]; };

DEVICE_INLINE void load_tile(TileInShared &s, const TensorTile &t)
{
    for (int i = threadIdx.x; i < 64 * 2; i += GROUP) {
        const int row = i / 2, half = i % 2;
        *(uint4 *)s.a[half][row] = *(const uint4 *)(t.a[row] + 16 * half);
        *(uint4 *)s.b[half][row] = *(const uint4 *)(t.b[row] + 16 * half);
    }
    fence_proxy_async();
    __syncthreads();
}

/* Without a swizzle: halves 1024 bytes apart, eight rows 128. */
DEVICE_INLINE uint64_t plain_matrix(const void *p)
{
    return (uint64_t)(shared_address(p) >> 4 & 0x3fff)
         | (uint64_t)(1024 >> 4) << 16 | (uint64_t)(128 >> 4) << 32;
}

/* Old sums, or new ones: element e of thread t, two halves in a word. */
DEVICE_INLINE void place_of_sum(int t, int e, int &row, int &col)
{
    row = t / 32 * 16 + t % 32 / 4 + e / 2 % 2 * 8;
    col = e / 4 * 8 + t % 4 * 2 + e % 2;
}

template <int kind>
DEVICE_INLINE void multiply_tile(uint32_t *d, TileInShared &s, bool half)
{
    if (kind < 10) {
        wgmma_fence();
        wgmma_kind<kind>(d, plain_matrix(s.a), plain_matrix(s.b));
        wgmma_commit();
        wgmma_wait<0>();
        return;
    }
    const int t = threadIdx.x, lane = t % 32, row = t / 32 * 16 + lane / 4;
    #pragma unroll
    for (int j = 0; j < 8; j++) {
        uint32_t a[4], b[2];
        #pragma unroll
        for (int r = 0; r < 4; r++)
            a[r] = *(uint32_t *)(s.a[r / 2][row + r % 2 * 8]
                                 + lane % 4 * 4);
        #pragma unroll
        for (int r = 0; r < 2; r++)
            b[r] = *(uint32_t *)(s.b[r][8 * j + lane / 4]
                                 + lane % 4 * 4);
        mma_kind<kind>(d + (half ? 2 : 4) * j, a, b);
    }
}

template <int kind>
__global__ void tile_sums(uint32_t *out, const TensorTile *tiles)
{
#if __CUDA_ARCH_FEAT_SM90_ALL
    __shared__ __align__(1024) TileInShared s;
    constexpr bool half = kind == 2 || kind == 7 || kind == 8 || kind == 12;
    const TensorTile &t = tiles[blockIdx.x];
    uint32_t d[32];
    int row, col;
    load_tile(s, t);
    /* tensor_sums: take old sums, multiply, store */
    #pragma unroll
    for (int e = 0; e < 32; e++) {
        place_of_sum(threadIdx.x, e, row, col);
        if (!half)
            d[e] = t.c[row][col];
        else if (e % 2 == 0)
            d[e / 2] = t.c[row][col] | t.c[row][col + 1] << 16;
    }
    multiply_tile<kind>(d, s, half);
    #pragma unroll
    for (int e = 0; e < 32; e++) {
        place_of_sum(threadIdx.x, e, row, col);
        out[(blockIdx.x * 64 + row) * 64 + col] =
            half ? d[e / 2] >> e % 2 * 16 & 0xffff : d[e];
    }
#endif
}

/* tensor_sums: run a kind */
static FILE *raw;
static TensorTile tiles[TENSOR_TILES];
static uint32_t sums[TENSOR_TILES][64][64];

template <int kind> static void run_kind(void)
{
    TensorTile *d_tiles;
    uint32_t *d_sums;
    CUDA_OK(cudaMalloc(&d_tiles, sizeof tiles));
    CUDA_OK(cudaMalloc(&d_sums, sizeof sums));
    for (int c = 0; c < TENSOR_CLASSES; c++) {
        for (int i = 0; i < TENSOR_TILES; i++)
            tensor_tile(&tiles[i], kind, c, i);
        CUDA_OK(cudaMemcpy(d_tiles, tiles, sizeof tiles,
                           cudaMemcpyHostToDevice));
        CUDA_OK(cudaMemset(d_sums, 0xff, sizeof sums));
        tile_sums<kind><<<TENSOR_TILES, GROUP>>>(d_sums, d_tiles);
        CUDA_OK(cudaGetLastError());
        CUDA_OK(cudaMemcpy(sums, d_sums, sizeof sums,
                           cudaMemcpyDeviceToHost));
        printf("%s %s %016llx", tensor_kinds[kind].name, tensor_classes[c],
               (unsigned long long)tensor_hash(0, sums[0][0],
                                               sizeof sums / 4));
        for (int j = 0; j < 6; j++)
            printf(" %08x", sums[0][j][j]);
        printf("\n");
        if (raw && fwrite(sums[0], sizeof sums[0], 1, raw) != 1)
            fail("cannot write the results");
    }
    CUDA_OK(cudaFree(d_tiles));
    CUDA_OK(cudaFree(d_sums));
    if constexpr (kind + 1 < TENSOR_KINDS)
        run_kind<kind + 1>();
}

/* tensor_sums: operands at random places */
template <int ta, int tb>
__global__ void place_sums(uint32_t *out, const uint4 *memory, uint64_t a,
                           uint64_t b)
{
#if __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) uint4 shared[];
    float d[32] = {};
    int row, col;
    for (int i = threadIdx.x; i < PLACES_BYTES / 16; i += GROUP)
        shared[i] = memory[i];
    fence_proxy_async();
    __syncthreads();
    const uint64_t base = shared_address(shared) >> 4;
    wgmma_fence();
    wgmma_m64n64<ta, tb>(d, a + base, b + base, 0);
    wgmma_commit();
    wgmma_wait<0>();
    #pragma unroll
    for (int e = 0; e < 32; e++) {
        place_of_sum(threadIdx.x, e, row, col);
        out[row * 64 + col] = __float_as_uint(d[e]);
    }
#endif
}

template <int ta, int tb>
static void run_place(uint32_t *d_sums, uint4 *d_memory,
                      const TensorPlaces &p)
{
    CUDA_OK(cudaFuncSetAttribute((const void *)place_sums<ta, tb>,
        cudaFuncAttributeMaxDynamicSharedMemorySize, PLACES_BYTES));
    place_sums<ta, tb><<<1, GROUP, PLACES_BYTES>>>(d_sums, d_memory, p.a,
                                                   p.b);
    CUDA_OK(cudaGetLastError());
}

static void run_places(void)
{
    static uint16_t memory[PLACES_BYTES / 2];
    uint4 *d_memory;
    uint32_t *d_sums;
    tensor_memory(memory);
    CUDA_OK(cudaMalloc(&d_memory, PLACES_BYTES));
    CUDA_OK(cudaMalloc(&d_sums, sizeof sums[0]));
    CUDA_OK(cudaMemcpy(d_memory, memory, PLACES_BYTES,
                       cudaMemcpyHostToDevice));
    for (int i = 0; i < PLACES; i++) {
        const TensorPlaces p = tensor_places(i);
        CUDA_OK(cudaMemset(d_sums, 0xff, sizeof sums[0]));
        (p.turn_a ? p.turn_b ? run_place<1, 1> : run_place<1, 0>
                  : p.turn_b ? run_place<0, 1> : run_place<0, 0>)(
            d_sums, d_memory, p);
        CUDA_OK(cudaMemcpy(sums, d_sums, sizeof sums[0],
                           cudaMemcpyDeviceToHost));
        printf("place %d %016llx\n", i,
               (unsigned long long)tensor_hash(0, sums[0][0], 64 * 64));
    }
}

/* tensor_sums: main */
int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "Usage: tensor-sums [FILE]\n"
                "Print hashes of sums by the tensor cores of a Hopper GPU; "
                "FILE gets some of them.\n");
        return 2;
    }
    int major;
    CUDA_OK(cudaDeviceGetAttribute(&major,
                                   cudaDevAttrComputeCapabilityMajor, 0));
    if (major != 9)
        fail("tensor-sums needs a GPU of compute capability 9.0");
    raw = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (argc == 2 && !raw)
        fail("cannot write %s", argv[1]);
    printf("# %s\n", cuda_name(0));
    run_kind<0>();
    run_places();
    if (raw && fclose(raw))
        fail("cannot write %s", argv[1]);
    return 0;
}
