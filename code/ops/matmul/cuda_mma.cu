/* Tangled from chapters/workshop/matmul-plumbing.nw, "The portable kernel's file".  Edit it there. */

#include <stdint.h>
#include "ops/kernels/common.cuh"
#include "ops/kernels/swizzle.cuh"
#include "ops/matmul/matmul_impls.h"

/* set the sizes of a tile */
enum {
    ROWS = 128, COLS = 256,     /* of out, for a block                   */
    DEPTH = 64,                 /* of a and b, for a stage               */
    TEAM = 256,                 /* threads: 2 x 4 warps, each 64 x 64    */
    STAGE_BYTES = (ROWS + COLS) * DEPTH * 2,
    PART = 128,                 /* columns that are finished at a time   */
    GROUP = 16,                 /* rows of tiles walked together         */
    WAVE = 132,                 /* tiles that an H200 makes at a time    */
};
static_assert(DEPTH == SWIZZLE_COLS && COLS % SWIZZLE_COLS == 0
              && ROWS % SWIZZLE_COLS == 0, "tiles have rows of 64");

/* describe an operand */
/* op(a) as [X][K], whose neighbours along k touch; or, TRANSPOSED, those
 * along x do.  wide: rows begin at multiples of 16 bytes. */
struct Operand {
    const bf16 *at;
    size_t ld;
    int X, K;
    bool wide;
};

/* copy a stage of an operand to shared memory */
/* eight elements from global to shared memory, n of them, the rest 0 */
__device__ static __forceinline__ void
copy8(unsigned to, const bf16 *from, int n, bool wide)
{
    if (wide) {
        cp_async(to, from, 2 * n);
        return;
    }
    /* load the elements one by one, store them together */
    unsigned x[4] = { 0 };
    for (int j = 0; j < 8; j++)
        if (j < n)
            x[j / 2] |= (unsigned)((const uint16_t *)from)[j]
                        << (j % 2 * 16);
    store_shared(to, make_uint4(x[0], x[1], x[2], x[3]));
}

/* SIZE x DEPTH elements of m, from (x0, k0), to shared memory at `to` */
template <int TRANSPOSED, int SIZE>
__device__ static __forceinline__ void
fetch(unsigned to, const struct Operand &m, int x0, int k0)
{
    enum { PASSES = SIZE * DEPTH / 8 / TEAM };
    /* find this thread's first chunk and its place */
    const int chunks = TRANSPOSED ? SIZE / 8 : DEPTH / 8, step = TEAM / chunks;
    const int row = threadIdx.x / chunks, chunk = threadIdx.x % chunks;
    const int r0 = (TRANSPOSED ? k0 : x0) + row;
    const int c0 = (TRANSPOSED ? x0 : k0) + chunk * 8;
    const int rows = (TRANSPOSED ? m.K : m.X) - r0;
    const int cols = max(min((TRANSPOSED ? m.X : m.K) - c0, 8), 0);
    const bf16 *from = m.at + r0 * m.ld + c0;
    to += chunk / 8 * (DEPTH * SWIZZLE_ROW) + swizzled(row, chunk);
    if (m.wide && x0 + SIZE <= m.X && k0 + DEPTH <= m.K) {
        #pragma unroll
        for (int i = 0; i < PASSES; i++, from += step * m.ld)
            copy8(to + i * step * SWIZZLE_ROW, from, 8, true);
    } else {
        /* copy what there is, and zeros for the rest */
        for (int i = 0; i < PASSES; i++, from += step * m.ld)
            copy8(to + i * step * SWIZZLE_ROW, from,
                  i * step < rows ? cols : 0, m.wide);
    }
}

/* load fragments by ldmatrix */
/* Where this lane points for the matrices at x0, k = 0: its row of 8 x 8,
 * half_x and half_k which of the four matrices. */
template <int TRANSPOSED>
__device__ static __forceinline__ unsigned
lane_at(int x0, int half_x, int half_k)
{
    const int row = threadIdx.x % 8;
    return TRANSPOSED ? x0 / SWIZZLE_COLS * (DEPTH * SWIZZLE_ROW)
                  + (8 * half_k + row) * SWIZZLE_ROW
                  + swizzled_chunk(row, half_x)
                : (x0 + 8 * half_x + row) * SWIZZLE_ROW
                  + swizzled_chunk(row, half_k);
}

/* the i-th 16 x 16 from there, at depth k: four matrices of 8 x 8 */
template <int TRANSPOSED>
__device__ static __forceinline__ void
load_matrices(uint32_t r[4], unsigned at, int i, int k)
{
    if (TRANSPOSED)
        ldmatrix_t(r, swizzled_along(at + k * SWIZZLE_ROW, 2 * i));
    else
        ldmatrix(r, swizzled_along(at + 16 * i * SWIZZLE_ROW, k / 8));
}

/* the job of a launch */
struct Job {
    struct MatmulBf16 p;
    struct Operand a, b;
    int rows, cols;             /* of tiles                              */
    bool wide;                  /* out, pre, add, bias in chunks of 16 B */
    int splits, steps;          /* parts of K, and stages in each        */
    float *part;                /* [splits][M][N] if splits > 1, or NULL */
};

/* find the tile of a block */
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

/* load and store eight neighbours */
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

__device__ static __forceinline__ void
store_floats(float *to, const float x[8], int n, bool wide)
{
    if (wide && n == 8) {
        ((float4 *)to)[0] = make_float4(x[0], x[1], x[2], x[3]);
        ((float4 *)to)[1] = make_float4(x[4], x[5], x[6], x[7]);
    } else {
        for (int i = 0; i < 8; i++)
            if (i < n)
                to[i] = x[i];
    }
}

/* apply the epilogue to eight neighbours */
/* sigmoid(2u) of gelu, and the derivative of 2u */
__device__ static __forceinline__ float gelu_gate(float x, float *slope)
{
    const float xx = x * x;
    const float u2 = x * fmaf(0.0713548163f, xx, 1.5957691216f);
    const float gate = fast_inverse(1 + fast_exp2(-LOG2E * u2));
    *slope = fmaf(0.2140644488f, xx, 1.5957691216f);
    return gate;
}

/* x of row m, from column c, n of them, becomes out */
__device__ static __forceinline__ void
finish8(float x[8], const struct MatmulBf16 &p, int m, int c, int n,
        bool wide)
{
    const size_t at = m * p.ldo + c;
    float y[8], slope;
    /* add the bias and what is to be added */
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
    /* apply gelu or its derivative */
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
    /* store as bf16 or as float */
    if (!p.out_float) {
        store8((bf16 *)p.out + at, x, n, wide);
        return;
    }
    float *to = (float *)p.out + at;
    if (p.flags & GEMM_ADD)
        for (int i = 0; i < 8; i++)
            x[i] += i < n ? to[i] : 0;
    store_floats(to, x, n, wide);
}

/* store a part of a tile */
/* The place of element (m, n) of a part in shared memory. */
__device__ static __forceinline__ int sum_place(int m, int n)
{
    return m * PART + (n ^ m % 4 * 8);
}

/* Take it from there to out, or to a part of K.  A thread has eight
 * columns and every so many rows. */
__device__ static __forceinline__ void
finish_part(const float *part, const struct Job &j, int m0, int n0)
{
    const int chunks = PART / 8, step = TEAM / chunks;
    const int c = threadIdx.x % chunks * 8, n = min(j.p.N - n0 - c, 8);
    for (int m = threadIdx.x / chunks; m < ROWS && m0 + m < j.p.M;
         m += step) {
        if (n <= 0)
            break;
        /* finish eight neighbours, or leave them as a part of K */
        float x[8];
        const float *from = part + sum_place(m, c);
        *(float4 *)x = ((const float4 *)from)[0];
        *(float4 *)(x + 4) = ((const float4 *)from)[1];
        if (j.part)
            store_floats(j.part + ((size_t)blockIdx.y * j.p.M + m0 + m)
                                  * j.p.N + n0 + c, x, n, j.p.N % 4 == 0);
        else
            finish8(x, j.p, m0 + m, n0 + c, n, j.wide);
    }
}

/* multiply tiles by mma.sync */
/* ask for stage s of `steps`, if there is one */
template <int A_T, int B_T, int STAGES>
__device__ static __forceinline__ void
ask(unsigned shared, const struct Job &j, int m0, int n0, int first, int s,
    int steps)
{
    if (s < steps) {
        /* a: [128][64], transposed two of [64][64]; b: [256][64],
         * transposed four */
        const unsigned to = shared + s % STAGES * STAGE_BYTES;
        const int k = (first + s) * DEPTH;
        fetch<A_T, ROWS>(to, j.a, m0, k);
        fetch<B_T, COLS>(to + ROWS * DEPTH * 2, j.b, n0, k);
    }
    cp_async_commit();
}

/* until all but the last STAGES - 2 groups have arrived, for everybody */
template <int STAGES>
__device__ static __forceinline__ void wait_for_stage(void)
{
    cp_async_wait<STAGES - 2>();
    __syncthreads();
}

/* out = epilogue(op(a) op(b) ...), a block per tile of 128 x 256.
 *   launch    (tiles of out, parts of K) blocks of 256
 *   shared    48 KiB for each stage
 *   moves     2 M N K (1/128 + 1/256) bytes from L2, plus out
 *   ceiling   the tensor cores' rate for mma.sync */
template <int A_T, int B_T, int STAGES>
__global__ void __launch_bounds__(TEAM) matmul_mma_kernel(struct Job j)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(128) unsigned char memory[];
    const unsigned shared = shared_address(memory);
    /* find the tile of this block and the place of this warp */
    int row, col;
    tile_of_block(j, &row, &col);
    const int m0 = row * ROWS, n0 = col * COLS, lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int wm = warp / (COLS / 64) * 64, wn = warp % (COLS / 64) * 64;
    const int first = blockIdx.y * j.steps;
    const int steps = min(j.steps, (j.p.K + DEPTH - 1) / DEPTH - first);
    float c[4][8][4] = {};
    /* multiply, stage after stage */
    /* find where this lane points in a stage of a and of b */
    const unsigned at_a = shared + lane_at<A_T>(wm, lane / 8 % 2, lane / 16);
    const unsigned at_b = shared + ROWS * DEPTH * 2
                        + lane_at<B_T>(wn, lane / 16, lane / 8 % 2);
    uint32_t a[2][4][4], b[2][4][4];

    /* fill the pipeline */
    for (int s = 0; s < STAGES - 1; s++)
        ask<A_T, B_T, STAGES>(shared, j, m0, n0, first, s, steps);
    wait_for_stage<STAGES>();
    unsigned stage = 0;
    if (steps > 0) {
        /* load the first fragments of a stage */
        #pragma unroll
        for (int i = 0; i < 4; i++) {
            load_matrices<A_T>(a[0][i], at_a + stage, i, 0);
            load_matrices<B_T>(b[0][i], at_b + stage, i, 0);
        }
    }
    for (int s = 0; s < steps; s++) {
        #pragma unroll
        for (int q = 0; q < DEPTH / 16; q++) {
            /* load the fragments after q */
            if (q == DEPTH / 16 - 1) {
                wait_for_stage<STAGES>();
                stage = (s + 1) % STAGES * STAGE_BYTES;
                if (s + 1 < steps) {
                    /* load the first fragments of a stage */
                    #pragma unroll
                    for (int i = 0; i < 4; i++) {
                        load_matrices<A_T>(a[0][i], at_a + stage, i, 0);
                        load_matrices<B_T>(b[0][i], at_b + stage, i, 0);
                    }
                }
            } else {
                /* load the next fragments of this stage */
                #pragma unroll
                for (int i = 0; i < 4; i++) {
                    load_matrices<A_T>(a[(q + 1) % 2][i], at_a + stage, i,
                                          (q + 1) * 16);
                    load_matrices<B_T>(b[(q + 1) % 2][i], at_b + stage, i,
                                          (q + 1) * 16);
                }
            }
            if (q == 0)
                ask<A_T, B_T, STAGES>(shared, j, m0, n0, first,
                                            s + STAGES - 1, steps);
            /* multiply fragments q */
            #pragma unroll
            for (int i = 0; i < 4; i++)
                #pragma unroll
                for (int n = 0; n < 8; n++)
                    mma_m16n8k16(c[i][n], a[q % 2][i],
                                 b[q % 2][n / 2][n % 2 * 2],
                                 b[q % 2][n / 2][n % 2 * 2 + 1]);
        }
    }
    cp_async_wait_all();
    /* write the sums, part after part */
    for (int part = 0; part < COLS; part += PART) {
        __syncthreads();
        /* lay this part of the sums out in shared memory */
        if (wn / PART * PART == part) {
            #pragma unroll
            for (int i = 0; i < 32; i++) {
                const int m = wm + i / 8 * 16 + lane / 4;
                const int n = wn - part + i % 8 * 8 + lane % 4 * 2;
                const float *x = c[i / 8][i % 8];
                float *to = (float *)memory;
                *(float2 *)(to + sum_place(m, n)) = make_float2(x[0], x[1]);
                *(float2 *)(to + sum_place(m + 8, n)) = make_float2(x[2], x[3]);
            }
        }
        __syncthreads();
        finish_part((float *)memory, j, m0, n0 + part);
    }
#endif
}

/* find the neighbours of a thread */
/* this thread's: row m, columns c to c + n; false: none */
__device__ static __forceinline__ bool
neighbours(const struct Job &j, int *m, int *c, int *n)
{
    const int chunks = (j.p.N + 7) / 8;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    *m = i / chunks;
    *c = i % chunks * 8;
    *n = min(j.p.N - *c, 8);
    return i / chunks < (size_t)j.p.M;
}

/* add up the parts of K */
/* out from the parts of K */
__global__ void finish_kernel(struct Job j)
{
    int m, c, n;
    if (!neighbours(j, &m, &c, &n))
        return;
    const float *from = j.part + (size_t)m * j.p.N + c;
    float x[8] = {};
    for (int s = 0; s < j.splits; s++, from += (size_t)j.p.M * j.p.N)
        for (int k = 0; k < 8; k++)
            x[k] += k < n ? from[k] : 0;
    finish8(x, j.p, m, c, n, j.wide);
}

/* multiply without tensor cores */
__device__ static __forceinline__ float
element(const struct Operand &m, bool down, int x, int k)
{
    return bf16_to_float(down ? m.at[k * m.ld + x] : m.at[x * m.ld + k]);
}

/* A matmul without tensor cores: for GPUs before sm_80, and as a second
 * opinion. */
__global__ void matmul_plain_kernel(struct Job j)
{
    const bool ta = j.p.flags & GEMM_TA, tb = j.p.flags & GEMM_TB;
    int m, c, n;
    if (!neighbours(j, &m, &c, &n))
        return;
    float x[8] = {};
    for (int k = 0; k < j.p.K; k++) {
        const float a = element(j.a, ta, m, k);
        for (int i = 0; i < n; i++)
            x[i] = fmaf(a, element(j.b, !tb, c + i, k), x[i]);
    }
    finish8(x, j.p, m, c, n, j.wide);
}

/* describe the job of a launch */
static bool wide(const void *p, size_t ld)
{
    return (uintptr_t)p % 16 == 0 && ld % 8 == 0;
}

static struct Job job_of(const struct MatmulBf16 *p)
{
    struct Job j = {};
    j.p = *p;
    j.a = { p->a, p->lda, p->M, p->K, wide(p->a, p->lda) };
    j.b = { p->b, p->ldb, p->N, p->K, wide(p->b, p->ldb) };
    j.rows = (p->M + ROWS - 1) / ROWS;
    j.cols = (p->N + COLS - 1) / COLS;
    j.wide = wide(p->out, p->ldo) && wide(p->pre, 0) && wide(p->add, 0)
             && wide(p->bias, 0);
    return j;
}

/* cut K into parts */
/* Cut K where there are few tiles.  By the shape alone, so that the sums
 * are the same on every GPU.  False if there is no memory for the parts. */
static bool split(struct Job *j)
{
    const int all = (j->p.K + DEPTH - 1) / DEPTH;
    /* choose splits and steps that should take the least time */
    int least = 0x7fffffff;
    for (int s = 1; s <= 16; s++) {
        const int waves = (j->rows * j->cols * s + WAVE - 1) / WAVE;
        const int steps = (all + s - 1) / s, time = waves * (steps + 16);
        if (time < least && (s == 1 || steps >= 8))
            least = time, j->splits = s, j->steps = steps;
    }
    if (j->splits > 1) {
        j->splits = (all + j->steps - 1) / j->steps;
        j->part = (float *)backend_scratch((size_t)j->splits * j->p.M
                                           * j->p.N * sizeof(float));
    }
    return j->splits == 1 || j->part;
}

/* launch the matmul without tensor cores */
static unsigned chunks_of(const struct MatmulBf16 *p)
{
    return blocks_for((size_t)p->M * ((p->N + 7) / 8), TEAM);
}

bool matmul_bf16_plain(const struct MatmulBf16 *p)
{
    matmul_plain_kernel<<<chunks_of(p), TEAM, 0, backend_stream()>>>(
        job_of(p));
    LAUNCHED();
    return true;
}

/* how many stages fit on this GPU */
typedef void (*Kernel)(struct Job);

/* by the form of a, that of b, and the stages for which there is room */
static const Kernel kernels[2][2][2] = {
    { { matmul_mma_kernel<0, 0, 2>, matmul_mma_kernel<0, 0, 4> },
      { matmul_mma_kernel<0, 1, 2>, matmul_mma_kernel<0, 1, 4> } },
    { { matmul_mma_kernel<1, 0, 2>, matmul_mma_kernel<1, 0, 4> },
      { matmul_mma_kernel<1, 1, 2>, matmul_mma_kernel<1, 1, 4> } },
};

/* 0: this GPU is too old for it */
static int stages_here(void)
{
    static int known[MOST_DEVICES];     /* stages + 1, of each device */
    int stages = known[backend_device()] - 1;
    if (stages < 0) {
        const int room =
            gpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
        const bool old =
            gpu_attribute(cudaDevAttrComputeCapabilityMajor) < 8;
        stages = old ? 0 : room < 4 * STAGE_BYTES ? 2 : 4;
        for (int i = 0; i < 8 && stages; i++)
            if (i % 2 == stages / 4)
                allow_shared_memory(kernels[i / 4][i / 2 % 2][i % 2],
                                    stages * STAGE_BYTES);
        if (backend_ok(NULL))
            known[backend_device()] = stages + 1;
    }
    return stages;
}

/* launch the matmul on tensor cores */
bool matmul_bf16_mma(const struct MatmulBf16 *p)
{
    const int stages = stages_here();
    if (!stages)
        return matmul_bf16_plain(p);
    struct Job j = job_of(p);
    if (!split(&j))
        return true;                    /* the failure is kept */
    /* launch the kernel for these operands and stages */
    const bool a_down = p->flags & GEMM_TA, b_down = !(p->flags & GEMM_TB);
    const dim3 grid(blocks_for((size_t)j.rows * j.cols, 1), j.splits);
    const Kernel k = kernels[a_down][b_down][stages / 4];
    k<<<grid, TEAM, stages * STAGE_BYTES, backend_stream()>>>(j);
    LAUNCHED();
    if (j.part) {
        finish_kernel<<<chunks_of(p), TEAM, 0, backend_stream()>>>(j);
        LAUNCHED();
    }
    return true;
}
