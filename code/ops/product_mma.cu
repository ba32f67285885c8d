/* Chapter 18c, Matrix products on tensor cores: 18c.2 A portable kernel */
/* Tangled from chapters/18c-products.nw by `make tangle`; edit it there. */

#include <stdint.h>
#include "ops/columns16.h"
#include "ops/gpu.h"
#include "ops/product_bodies.h"

/* the sizes of a block's work (18c.2) */
enum {
    TILE = 128,             /* rows and columns of out in a block       */
    DEPTH = 64,             /* of a and b in a stage                    */
    STAGES = 3,
    TEAM = 128,             /* threads: 2 x 2 warps, each 64 x 64       */
    PART = TILE * DEPTH,    /* elements of one operand in a stage       */
    STAGE_BYTES = 2 * PART * (int)sizeof(bf16),
    GROUP = 16,             /* rows of tiles that are walked together   */
    WAVE = 264,             /* tiles that an H200 makes at a time       */
};

/* an operand, and where its elements lie in a tile (18c.2) */
/* op(a) as [X][K], whose neighbours along k touch; or, DOWN, those along x
 * do.  wide: rows begin at multiples of 16 bytes. */
struct Operand {
    const bf16 *at;
    size_t ld;
    int X, K;
    bool wide;
};

/* The place of element (x, k) of a tile.  Rows of 64 elements; the eight
 * chunks of row r are exchanged by r % 8. */
template <int DOWN>
__device__ static __forceinline__ int place(int x, int k)
{
    if (DOWN)
        return x / 64 * (DEPTH * 64) + k * 64 + (((x / 8) ^ k) % 8) * 8;
    return x * 64 + (((k / 8) ^ x) % 8) * 8;
}

/* bring a tile of an operand nearer (18c.2) */
/* eight elements from global to shared memory, n of them, the rest 0 */
__device__ static __forceinline__ void
copy8(bf16 *to, const bf16 *from, int n, bool wide)
{
    if (wide) {
        const unsigned at = (unsigned)__cvta_generic_to_shared(to);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :: "r"(at), "l"(from), "r"(2 * n) : "memory");
    } else {
        __align__(16) uint16_t x[8];
        for (int j = 0; j < 8; j++)
            x[j] = j < n ? ((const uint16_t *)from)[j] : 0;
        *(uint4 *)to = *(const uint4 *)x;
    }
}

/* bring a tile of an operand nearer, continued (18c.2) */
template <int DOWN>
__device__ static __forceinline__ void
fetch(bf16 *tile, const struct Operand &m, int x0, int k0)
{
    const int chunks = DOWN ? 16 : 8, step = TEAM / chunks;
    const int row = threadIdx.x / chunks, col = threadIdx.x % chunks * 8;
    const int r0 = (DOWN ? k0 : x0) + row, c0 = (DOWN ? x0 : k0) + col;
    const int rows = (DOWN ? m.K : m.X) - r0;
    const int cols = min((DOWN ? m.X : m.K) - c0, 8);
    const bf16 *from = m.at + r0 * m.ld + c0;
    bf16 *to = tile + (DOWN ? place<DOWN>(col, row)
                            : place<DOWN>(row, col));
    #pragma unroll
    for (int i = 0; i < PART / 8 / TEAM; i++)
        copy8(to + i * step * 64, from + i * step * m.ld,
              i * step < rows ? max(cols, 0) : 0, m.wide);
}

/* fragments of the tensor cores (18c.2) */
/* four 8 x 8 matrices, of which this lane names the row at `from` */
template <int DOWN>
__device__ static __forceinline__ void
load_matrices(uint32_t r[4], const bf16 *from)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(from);
    if (DOWN)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                     "{%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(at));
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     "{%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(at));
}

/* fragments of the tensor cores, continued (18c.2) */
/* c += a b, 16 x 8 x 16 */
__device__ static __forceinline__ void
mma(float c[4], const uint32_t a[4], uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0),
                   "r"(b1));
}

/* the job of a launch (18c.2) */
struct Job {
    struct Product p;
    struct Operand a, b;
    int rows, cols;             /* of tiles                              */
    bool wide;                  /* out, pre, add, bias in chunks of 16 B */
    int splits, steps;          /* parts of K, and stages in each        */
    float *part;                /* [splits][M][N], if splits > 1         */
    float *sums;                /* column sums, [rows][N] or [splits][N] */
};

/* Which tile this block makes: GROUP rows of tiles go together, so that
 * the blocks of one moment share what they read. */
__device__ static __forceinline__ void
tile_of_block(const struct Job &j, int *row, int *col)
{
    const int all = GROUP * j.cols, group = blockIdx.x / all;
    const int first = group * GROUP;
    const int high = min(GROUP, j.rows - first);
    *row = first + blockIdx.x % all % high;
    *col = blockIdx.x % all / high;
}

/* finish eight neighbours of a row (18c.2) */
__device__ static __forceinline__ void
load8(float x[8], const bf16 *from, int n, bool wide)
{
    if (wide && n == 8)
        pack_get(x, pack_load<8>(from));
    else
        for (int i = 0; i < 8; i++)
            x[i] = i < n ? bf16_to_float(from[i]) : 0;
}

__device__ static __forceinline__ void
store8(bf16 *to, const float x[8], int n, bool wide)
{
    if (wide && n == 8) {
        Pack<8> pack;
        pack_put(&pack, x);
        pack_store<8>(to, pack);
    } else {
        for (int i = 0; i < 8; i++)
            if (i < n)
                to[i] = float_to_bf16(x[i]);
    }
}

/* finish eight neighbours of a row, continued (18c.2) */
/* sigmoid(2u) of gelu, and the derivative of 2u */
__device__ static __forceinline__ float gelu_gate(float x, float *slope)
{
    const float xx = x * x;
    const float u2 = x * fmaf(0.0713548163f, xx, 1.5957691216f);
    float e, s;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(-1.44269504f * u2));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(s) : "f"(1 + e));
    *slope = fmaf(0.2140644488f, xx, 1.5957691216f);
    return s;
}

/* x of row m, from column c, n of them, becomes out */
__device__ static __forceinline__ void
finish8(float x[8], const struct Product &p, int m, int c, int n,
        bool wide)
{
    const size_t at = m * p.ldo + c;
    float y[8], slope;
    /* add the bias and what is to be added (18c.2) */
    if (p.bias) {
        load8(y, p.bias + c, n, wide);
        for (int i = 0; i < 8; i++)
            x[i] += y[i];
    }
    if (p.add) {
        load8(y, p.add + at, n, wide);
        for (int i = 0; i < 8; i++)
            x[i] += y[i];
    }
    if (p.epilogue == EPI_GELU && p.pre)
        store8(p.pre + at, x, n, wide);
    /* apply gelu or its derivative (18c.2) */
    if (p.epilogue == EPI_GELU)
        for (int i = 0; i < 8; i++)
            x[i] *= gelu_gate(x[i], &slope);
    if (p.epilogue == EPI_DGELU) {
        load8(y, p.pre + at, n, wide);
        for (int i = 0; i < 8; i++) {
            const float s = gelu_gate(y[i], &slope);
            x[i] *= fmaf(y[i] * slope, s * (1 - s), s);
        }
    }
    /* store as bf16 or as float (18c.2) */
    if (!p.out_float) {
        store8((bf16 *)p.out + at, x, n, wide);
        return;
    }
    float *to = (float *)p.out + at;
    if (p.flags & GEMM_ADD)
        for (int i = 0; i < 8; i++)
            x[i] += i < n ? to[i] : 0;
    if (wide && n == 8) {
        ((float4 *)to)[0] = make_float4(x[0], x[1], x[2], x[3]);
        ((float4 *)to)[1] = make_float4(x[4], x[5], x[6], x[7]);
    } else {
        for (int i = 0; i < 8; i++)
            if (i < n)
                to[i] = x[i];
    }
}

/* finish a tile (18c.2) */
/* The place of element (m, n) of a tile of sums in shared memory. */
__device__ static __forceinline__ int sum_place(int m, int n)
{
    return m * TILE + (n ^ m % 4 * 8);
}

/* Take a tile of sums from shared memory to out.  A thread has eight
 * columns and every eighth row. */
__device__ static __forceinline__ void
finish_tile(float *tile, const struct Job &j, int m0, int n0, int row)
{
    const int c = threadIdx.x % 16 * 8, left = j.p.N - n0 - c;
    const int n = left < 8 ? left : 8;
    float x[8], sum[8] = { 0 };
    for (int m = threadIdx.x / 16; m < TILE && m0 + m < j.p.M; m += 8) {
        if (n <= 0)
            break;
        /* x = eight sums of row m (18c.2) */
        const float4 *from = (const float4 *)(tile + sum_place(m, c));
        const float4 low = from[0], high = from[1];
        x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
        x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
        finish8(x, j.p, m0 + m, n0 + c, n, j.wide);
        for (int i = 0; i < 8; i++)
            sum[i] += x[i];
    }
    if (j.sums && !j.p.out_float) {
        /* add up the columns of a tile (18c.2) */
        __syncthreads();
        for (int i = 0; i < 8; i++)
            tile[threadIdx.x / 16 * TILE + c + i] = sum[i];
        __syncthreads();
        float all = 0;
        for (int i = 0; i < 8; i++)
            all += tile[i * TILE + threadIdx.x];
        if (n0 + (int)threadIdx.x < j.p.N)
            j.sums[(size_t)row * j.p.N + n0 + threadIdx.x] = all;
    }
}

/* finish a tile, continued (18c.2) */
/* Take it to part[blockIdx.y], for finish_kernel. */
__device__ static __forceinline__ void
keep_tile(const float *tile, const struct Job &j, int m0, int n0)
{
    float *to = j.part + (size_t)blockIdx.y * j.p.M * j.p.N;
    const int n = n0 + threadIdx.x;
    for (int m = 0; m < TILE && m0 + m < j.p.M && n < j.p.N; m++)
        to[(size_t)(m0 + m) * j.p.N + n]
            = tile[sum_place(m, threadIdx.x)];
}

/* out from the parts of K: eight neighbours a thread. */
__global__ void finish_kernel(struct Job j)
{
    const int chunks = (j.p.N + 7) / 8;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int m = i / chunks, c = i % chunks * 8;
    if (m >= j.p.M)
        return;
    const int n = min(j.p.N - c, 8);
    const float *from = j.part + (size_t)m * j.p.N + c;
    float x[8] = {};
    for (int s = 0; s < j.splits; s++, from += (size_t)j.p.M * j.p.N)
        for (int k = 0; k < 8; k++)
            x[k] += k < n ? from[k] : 0;
    finish8(x, j.p, m, c, n, j.wide);
}

/* the kernel of mma.sync (18c.2) */
/* ask for stage s of `steps`, if there is one */
template <int A_DOWN, int B_DOWN>
__device__ static __forceinline__ void
ask(bf16 *stage, const struct Job &j, int m0, int n0, int first, int s,
    int steps)
{
    if (s < steps) {
        bf16 *to = stage + s % STAGES * (2 * PART);
        fetch<A_DOWN>(to, j.a, m0, (first + s) * DEPTH);
        fetch<B_DOWN>(to + PART, j.b, n0, (first + s) * DEPTH);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* the kernel of mma.sync, continued (18c.2) */
/* out = epilogue(op(a) op(b) ...), a block per tile of 128 x 128.
 *   launch    tiles of out; 128 threads, 96 KiB of shared memory: two
 *             blocks for each multiprocessor of an H200
 *   moves     2 (M N K) (1/128 + 1/128) bytes from L2, plus out
 *   ceiling   the tensor cores' rate for mma.sync */
template <int A_DOWN, int B_DOWN, int SUMS>
__global__ void __launch_bounds__(TEAM, 2) product_kernel_mma(struct Job j)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(128) unsigned char shared[];
    bf16 *stage = (bf16 *)shared;
    int row, col;
    tile_of_block(j, &row, &col);
    const int m0 = row * TILE, n0 = col * TILE;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int wm = warp / 2 * 64, wn = warp % 2 * 64;
    const bool sums = SUMS && row == 0 && wm == 0;
    const int first = blockIdx.y * j.steps;
    const int steps = min(j.steps, (j.p.K + DEPTH - 1) / DEPTH - first);
    float c[4][8][4] = {}, ones[SUMS ? 8 : 1][4] = {};
    /* multiply, stage after stage (18c.2) */
    for (int s = 0; s < STAGES - 1; s++)
        ask<A_DOWN, B_DOWN>(stage, j, m0, n0, first, s, steps);
    for (int s = 0; s < steps; s++) {
        asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
        __syncthreads();
        const bf16 *a = stage + s % STAGES * (2 * PART), *b = a + PART;
        ask<A_DOWN, B_DOWN>(stage, j, m0, n0, first, s + STAGES - 1, steps);
        for (int k = 0; k < DEPTH; k += 16) {
            /* multiply 64 x 64 x 16 (18c.2) */
            uint32_t fa[4][4], fb[4][4];
            const int u = lane / 8 % 2 * 8, v = lane / 16 * 8, w = lane % 8;
            #pragma unroll
            for (int i = 0; i < 4; i++) {
                const int ma = wm + 16 * i, nb = wn + 16 * i;
                load_matrices<A_DOWN>(fa[i], a + (A_DOWN
                    ? place<1>(ma + u, k + v + w) : place<0>(ma + u + w, k + v)));
                load_matrices<B_DOWN>(fb[i], b + (B_DOWN
                    ? place<1>(nb + v, k + u + w) : place<0>(nb + v + w, k + u)));
            }
            #pragma unroll
            for (int i = 0; i < 4; i++)
                #pragma unroll
                for (int n = 0; n < 8; n++)
                    mma(c[i][n], fa[i], fb[n / 2][n % 2 * 2], fb[n / 2][n % 2 * 2 + 1]);
            if (sums) {
                const uint32_t one[4] = { 0x3f803f80, 0x3f803f80, 0x3f803f80,
                                          0x3f803f80 };
                #pragma unroll
                for (int n = 0; n < 8; n++)
                    mma(ones[SUMS ? n : 0], one, fb[n / 2][n % 2 * 2],
                        fb[n / 2][n % 2 * 2 + 1]);
            }
        }
    }
    /* write the sums of b's columns (18c.2) */
    if (sums && lane < 4)
        for (int i = 0; i < 16; i++) {
            const int n = n0 + wn + i / 2 * 8 + lane * 2 + i % 2;
            if (n < j.p.N)
                j.sums[(size_t)blockIdx.y * j.p.N + n]
                    = ones[SUMS ? i / 2 : 0][i % 2];
        }
    /* lay the sums out in shared memory (18c.2) */
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < 4; i++)
        #pragma unroll
        for (int n = 0; n < 8; n++)
            #pragma unroll
            for (int h = 0; h < 2; h++) {
                const int m = wm + 16 * i + 8 * h + lane / 4;
                float *to = (float *)shared
                          + sum_place(m, wn + 8 * n + lane % 4 * 2);
                *(float2 *)to = make_float2(c[i][n][2 * h],
                                            c[i][n][2 * h + 1]);
            }
    __syncthreads();
    if (j.splits > 1)
        keep_tile((float *)shared, j, m0, n0);
    else
        finish_tile((float *)shared, j, m0, n0, row);
#endif
}

/* the kernel without tensor cores (18c.2) */
__device__ static __forceinline__ float
element(const struct Operand &m, bool down, int x, int k)
{
    return bf16_to_float(down ? m.at[k * m.ld + x] : m.at[x * m.ld + k]);
}

/* The same, an element for a thread at a time: for GPUs before sm_80, and
 * as a second opinion. */
__global__ void product_kernel_plain(struct Job j)
{
    extern __shared__ __align__(128) unsigned char shared[];
    float *tile = (float *)shared;
    int row, col;
    tile_of_block(j, &row, &col);
    const int m0 = row * TILE, n0 = col * TILE, n = n0 + threadIdx.x;
    const bool ta = j.p.flags & GEMM_TA, tb = j.p.flags & GEMM_TB;
    for (int m = m0; m < m0 + TILE && m < j.p.M; m++) {
        float x = 0;
        for (int k = 0; k < j.p.K && n < j.p.N; k++)
            x = fmaf(element(j.a, ta, m, k), element(j.b, !tb, n, k), x);
        tile[sum_place(m - m0, n - n0)] = x;
    }
    if (j.p.out_float && j.p.bias_grad && row == 0 && n < j.p.N) {
        /* add up column n of b (18c.2) */
        float x = 0;
        for (int k = 0; k < j.p.K; k++)
            x += element(j.b, !tb, n, k);
        j.sums[n] = x;
    }
    __syncthreads();
    finish_tile(tile, j, m0, n0, row);
}

/* launch a product (18c.2) */
static bool wide(const void *p, size_t ld)
{
    return (uintptr_t)p % 16 == 0 && ld % 8 == 0;
}

static struct Job job_of(const struct Product *p, bool may_split)
{
    struct Job j = {};
    j.p = *p;
    j.a = { p->a, p->lda, p->M, p->K, wide(p->a, p->lda) };
    j.b = { p->b, p->ldb, p->N, p->K, wide(p->b, p->ldb) };
    j.rows = (p->M + TILE - 1) / TILE;
    j.cols = (p->N + TILE - 1) / TILE;
    j.wide = wide(p->out, p->ldo) && wide(p->pre, 0) && wide(p->add, 0)
             && wide(p->bias, 0);
    /* split K, if that is worth it (18c.2) */
    const int steps = (p->K + DEPTH - 1) / DEPTH;
    int least = 0x7fffffff;
    for (int s = 1; s <= (may_split ? 16 : 1); s++) {
        const int waves = (j.rows * j.cols * s + WAVE - 1) / WAVE;
        const int each = (steps + s - 1) / s, time = waves * (each + 16);
        if (time < least && (s == 1 || each >= 8))
            least = time, j.splits = s, j.steps = each;
    }
    j.splits = j.steps ? (steps + j.steps - 1) / j.steps : 1;
    /* find memory for the parts and the sums (18c.2) */
    const size_t parts = j.splits > 1 ? (size_t)j.splits * p->M * p->N : 0;
    const size_t sums = !p->bias_grad ? 0
                      : (size_t)p->N * (p->out_float ? j.splits : j.rows);
    float *memory = (float *)machine_scratch((parts + sums) * sizeof(float));
    j.part = memory;
    j.sums = sums ? memory + parts : NULL;
    return j;
}

/* launch a product, continued (18c.2) */
typedef void (*Kernel)(struct Job);

static bool run(const struct Product *p, Kernel kernel, bool may_split,
                int shared)
{
    const struct Job j = job_of(p, may_split);
    const dim3 grid(blocks_for((size_t)j.rows * j.cols, 1), j.splits);
    CUDA_OK(cudaFuncSetAttribute(kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    kernel<<<grid, TEAM, shared, machine_stream>>>(j);
    LAUNCHED();
    if (j.splits > 1) {
        const size_t chunks = (p->N + 7) / 8;
        finish_kernel<<<blocks_for(p->M * chunks, TEAM), TEAM, 0,
                        machine_stream>>>(j);
        LAUNCHED();
    }
    if (j.sums) {
        const struct Parts all = { { p->bias_grad }, j.sums, 1,
                                   p->out_float ? j.splits : j.rows };
        sum_parts(&all, p->N, p->accumulate_bias);
    }
    return true;
}

/* launch a product, continued (18c.2) */
bool product_plain(const struct Product *p)
{
    return run(p, product_kernel_plain, false,
               TILE * TILE * (int)sizeof(float));
}

bool product_mma(const struct Product *p)
{
    static const Kernel kernels[2][2][2] = {
        { { product_kernel_mma<0, 0, 0>, product_kernel_mma<0, 0, 1> },
          { product_kernel_mma<0, 1, 0>, product_kernel_mma<0, 1, 1> } },
        { { product_kernel_mma<1, 0, 0>, product_kernel_mma<1, 0, 1> },
          { product_kernel_mma<1, 1, 0>, product_kernel_mma<1, 1, 1> } },
    };
    static int major;
    if (!major)
        CUDA_OK(cudaDeviceGetAttribute(
            &major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major < 8)
        return product_plain(p);
    const int a_down = (p->flags & GEMM_TA) != 0;
    const int b_down = (p->flags & GEMM_TB) == 0;
    const int sums = p->out_float && p->bias_grad;
    return run(p, kernels[a_down][b_down][sums],
               p->epilogue != EPI_DGELU, STAGES * STAGE_BYTES);
}
