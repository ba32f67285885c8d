/* Tangled from chapters/workshop/measuring-ceilings.nw, "ceilings: the arithmetic of a GPU".  Edit it there. */

/* ceilings: how much arithmetic this GPU does in a second, kind by kind,
 * and what its limit of power leaves of it. */
#include "bench/cublaslt.cuh"

#include <dlfcn.h>

enum { RUNS = 11, WARPS = 16, TURNS = 512, CHAINS = 8 };
static int sms;

/* ceilings: note the time */
/* What one kernel leaves: cycles and nanoseconds of its first block, and a
 * number from every thread, which is checked. */
struct Noted { uint64_t cycles, ns; };

#define BEGIN_NOTE                                                     \
    __syncthreads();                                                   \
    uint64_t ns_ = global_ns();                                        \
    int64_t cycles_ = clock64();
#define END_NOTE                                                       \
    __syncthreads();                                                   \
    if (blockIdx.x == 0 && threadIdx.x == 0) {                         \
        noted->cycles = clock64() - cycles_;                           \
        noted->ns = global_ns() - ns_;                                 \
    }

typedef void Kernel(struct Noted *noted, float *out, const uint32_t *in,
                    int turns);

/* What an older GPU does not have is an empty kernel, and is not run. */
#ifdef __CUDA_ARCH__
#define AT_LEAST(arch) (__CUDA_ARCH__ >= arch)
#else
#define AT_LEAST(arch) 1
#endif
#define NOT_HERE(name)                                                 \
    __global__ void name(struct Noted *, float *, const uint32_t *,    \
                         int) { }

/* ceilings: plain instructions */
#define CHAIN(name, type, code, text)                                  \
    __global__ void __launch_bounds__(32 * WARPS, 1)                   \
    name(struct Noted *noted, float *out, const uint32_t *in,          \
         int turns)                                                    \
    {                                                                  \
        type x[CHAINS], c = *(const type *)in;                         \
        for (int k = 0; k < CHAINS; k++)                               \
            x[k] = ((const type *)in)[1];                              \
        BEGIN_NOTE                                                     \
        _Pragma("unroll 16")                                           \
        for (int t = 0; t < turns; t++)                                \
            _Pragma("unroll")                                          \
            for (int k = 0; k < CHAINS; k++)                           \
                asm volatile(text : "+" code(x[k]) : code(c));         \
        END_NOTE                                                       \
        type last = x[0];                                              \
        for (int k = 1; k < CHAINS; k++)                               \
            if (x[k] != x[0])                                          \
                last = (type)0x7fffffff;                               \
        memcpy(out + (blockIdx.x * blockDim.x + threadIdx.x)           \
                     * (sizeof(type) / 4), &last, sizeof last);        \
    }
CHAIN(fma_fp32, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
CHAIN(fma_fp64, double, "d", "fma.rn.f64 %0, %0, %1, %1;")
CHAIN(fma_half2, uint32_t, "r", "fma.rn.f16x2 %0, %0, %1, %1;")
CHAIN(mad_int32, uint32_t, "r", "mad.lo.u32 %0, %0, %1, %1;")
CHAIN(ex2_fp32, float, "f", "{.reg .f32 t; neg.f32 t, %0; "
      "ex2.approx.ftz.f32 %0, t;}")
CHAIN(ex2_half2, uint32_t, "r", "{.reg .b32 t; neg.f16x2 t, %0; "
      "ex2.approx.f16x2 %0, t;}")
CHAIN(tanh_fp32, float, "f", "tanh.approx.f32 %0, %0;")
#if AT_LEAST(800)
CHAIN(cvt_bf16, uint32_t, "r", "{.reg .f32 t; mov.b32 t, %0; "
      "cvt.rn.bf16x2.f32 %0, t, t;}")
#else
NOT_HERE(cvt_bf16)
#endif

/* ceilings: tensor cores by mma.sync */
#define MMA(name, acc, type, na, nb, ...)                              \
    __global__ void __launch_bounds__(32 * WARPS, 1)                   \
    name(struct Noted *noted, float *out, const uint32_t *in,          \
         int turns)                                                    \
    {                                                                  \
        type a[2][na], b[4][nb];                                       \
        acc c[2][4][4] = {};                                           \
        const type *from = (const type *)in                            \
            + threadIdx.x % 32 * (2 * na + 4 * nb);                    \
        for (int i = 0; i < 2 * na; i++)                               \
            a[i / na][i % na] = from[i];                               \
        for (int i = 0; i < 4 * nb; i++)                               \
            b[i / nb][i % nb] = from[2 * na + i];                      \
        BEGIN_NOTE                                                     \
        for (int t = 0; t < turns; t++)                                \
            _Pragma("unroll")                                          \
            for (int k = 0; k < CHAINS; k++) {                         \
                acc *d = c[k / 4][k % 4];                              \
                type *p = a[k / 4], *q = b[k % 4];                     \
                asm volatile(__VA_ARGS__);                             \
            }                                                          \
        END_NOTE                                                       \
        float sum = 0;                                                 \
        for (int k = 0; k < 4 * CHAINS; k++)                           \
            sum += (float)c[k / 16][k / 4 % 4][k % 4];                 \
        out[blockIdx.x * blockDim.x + threadIdx.x] = sum;              \
    }
#define FOUR(code, x) code(x[0]), code(x[1]), code(x[2]), code(x[3])
#if AT_LEAST(800)

/* ceilings: four registers times two */
#define MMA_4_2(name, acc, code, shape)                                \
    MMA(name, acc, uint32_t, 4, 2, "mma.sync.aligned." shape           \
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "              \
        "{%0, %1, %2, %3};" : FOUR("+" code, d)                        \
        : FOUR("r", p), "r"(q[0]), "r"(q[1]))
MMA_4_2(mma_bf16, float, "f", "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_4_2(mma_fp16, float, "f", "m16n8k16.row.col.f32.f16.f16.f32")
MMA_4_2(mma_tf32, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA_4_2(mma_int8, int, "r", "m16n8k32.row.col.s32.s8.s8.s32")
#else
NOT_HERE(mma_bf16) NOT_HERE(mma_fp16) NOT_HERE(mma_tf32) NOT_HERE(mma_int8)
#endif
#if AT_LEAST(890)
MMA_4_2(mma_e4m3, float, "f", "m16n8k32.row.col.f32.e4m3.e4m3.f32")
#else
NOT_HERE(mma_e4m3)
#endif
#if AT_LEAST(900)
MMA(mma_fp64, double, double, 4, 2, "mma.sync.aligned.m16n8k8.row.col"
    ".f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
    "{%0, %1, %2, %3};" : FOUR("+d", d)
    : FOUR("d", p), "d"(q[0]), "d"(q[1]))
#else
NOT_HERE(mma_fp64)
#endif
#if AT_LEAST(800)
MMA(mma_half_sum, uint32_t, uint32_t, 4, 2, "mma.sync.aligned.m16n8k16"
    ".row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
    "{%0, %1};" : "+r"(d[0]), "+r"(d[1])
    : FOUR("r", p), "r"(q[0]), "r"(q[1]))
MMA(mma_short, float, uint32_t, 2, 1, "mma.sync.aligned.m16n8k8"
    ".row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
    "{%0, %1, %2, %3};" : FOUR("+f", d) : "r"(p[0]), "r"(p[1]), "r"(q[0]))
MMA(mma_short_half, uint32_t, uint32_t, 2, 1, "mma.sync.aligned.m16n8k8"
    ".row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
    : "+r"(d[0]), "+r"(d[1]) : "r"(p[0]), "r"(p[1]), "r"(q[0]))
MMA(mma_sparse, float, uint32_t, 4, 4, "mma.sp::ordered_metadata.sync"
    ".aligned.m16n8k32.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
    "{%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0;"
    : FOUR("+f", d) : FOUR("r", p), FOUR("r", q), "r"(0x44444444))
#else
NOT_HERE(mma_half_sum) NOT_HERE(mma_short) NOT_HERE(mma_short_half)
NOT_HERE(mma_sparse)
#endif

/* ceilings: tensor cores by wgmma */
enum { TILE_M = 64, TILE_N = 128, TILE = TILE_M * TILE_N, STEPS = 4,
       STEP_BYTES = 32 };

#if defined __CUDA_ARCH_FEAT_SM90_ALL || !defined __CUDA_ARCH__
/* A tile without swizzle whose pieces are 128 bytes apart along k, 256
 * across; in units of 16 bytes. */
__device__ static inline uint64_t tile_at(const void *shared)
{
    uint32_t at = (uint32_t)__cvta_generic_to_shared(shared);
    return (at >> 4 & 0x3fff) | (uint64_t)(128 >> 4) << 16
           | (uint64_t)(256 >> 4) << 32;
}

/* in: a tile of a, then one of b, as they lie in shared memory; each
 * warpgroup has a of its own, all have one b. */
__device__ static inline void load_tiles(const uint32_t *in, uint64_t *a,
                                         uint64_t *b)
{
    enum { A = TILE_M * STEPS * STEP_BYTES,
           B = TILE_N * STEPS * STEP_BYTES };
    __shared__ __align__(128) char tile[WARPS / 4 * A + B];
    uint32_t *words = (uint32_t *)tile;
    for (int i = threadIdx.x; i < WARPS / 4 * A / 4; i += blockDim.x)
        words[i] = in[i % (A / 4)];
    for (int i = threadIdx.x; i < B / 4; i += blockDim.x)
        words[WARPS / 4 * A / 4 + i] = in[A / 4 + i];
    asm volatile("fence.proxy.async;" ::: "memory");
    *a = tile_at(tile + threadIdx.x / 128 * A);
    *b = tile_at(tile + WARPS / 4 * A);
}

/* out[64][128], from the first warpgroup; the others only must not be
 * left out. */
template <class Acc>
__device__ static inline void write_tile(float *out, const Acc *d)
{
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    for (int i = 0; i < 64; i++) {
        int r = 16 * w + l / 4 + i / 2 % 2 * 8;
        int c = i / 4 * 8 + l % 4 * 2 + i % 2;
        if (blockIdx.x == 0 && threadIdx.x < 128)
            out[r * TILE_N + c] = (float)d[i];
        else if (d[i] == (Acc)123456789)
            out[0] = 1;
    }
}

#define EIGHT(code, x, i) code(x[i]), code(x[i + 1]), code(x[i + 2]),    \
    code(x[i + 3]), code(x[i + 4]), code(x[i + 5]), code(x[i + 6]),      \
    code(x[i + 7])
#define SIXTY_FOUR(code, x) EIGHT(code, x, 0), EIGHT(code, x, 8),      \
    EIGHT(code, x, 16), EIGHT(code, x, 24), EIGHT(code, x, 32),        \
    EIGHT(code, x, 40), EIGHT(code, x, 48), EIGHT(code, x, 56)
#define ALL_64                                                         \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "    \
    "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "     \
    "%26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "     \
    "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "     \
    "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "     \
    "%62, %63}"

#define WGMMA(name, acc, code, shape, flags)                           \
    __global__ void __launch_bounds__(32 * WARPS, 1)                   \
    name(struct Noted *noted, float *out, const uint32_t *in,          \
         int turns)                                                    \
    {                                                                  \
        acc d[64] = {};                                                \
        uint64_t a, b;                                                 \
        load_tiles(in, &a, &b);                                        \
        BEGIN_NOTE                                                     \
        for (int t = 0; t < turns; t++) {                              \
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");    \
            _Pragma("unroll")                                          \
            for (int s = 0; s < STEPS; s++)                            \
                asm volatile("wgmma.mma_async.sync.aligned." shape     \
                    " " ALL_64 ", %64, %65, 1" flags ";"               \
                    : SIXTY_FOUR("+" code, d)                          \
                    : "l"(a + s * (TILE_M * STEP_BYTES >> 4)),         \
                      "l"(b + s * (TILE_N * STEP_BYTES >> 4)));        \
            asm volatile("wgmma.commit_group.sync.aligned;\n"          \
                         "wgmma.wait_group.sync.aligned 0;"            \
                         ::: "memory");                                \
        }                                                              \
        END_NOTE                                                       \
        write_tile(out, d);                                            \
    }
#else
#define WGMMA(name, acc, code, shape, flags) NOT_HERE(name)
#endif
WGMMA(wgmma_bf16, float, "f", "m64n128k16.f32.bf16.bf16", ", 1, 1, 0, 0")
WGMMA(wgmma_fp16, float, "f", "m64n128k16.f32.f16.f16", ", 1, 1, 0, 0")
WGMMA(wgmma_tf32, float, "f", "m64n128k8.f32.tf32.tf32", ", 1, 1")
WGMMA(wgmma_e4m3, float, "f", "m64n128k32.f32.e4m3.e4m3", ", 1, 1")
WGMMA(wgmma_int8, int, "r", "m64n128k32.s32.s8.s8", "")

/* ceilings: time a kernel */
struct Ceiling {
    const char *name;
    Kernel *run;
    double each;                /* FLOP or operations of a chain and turn */
    int per;                    /* threads that do it together:
                                 * 1, 32 or 128                 */
    cudaDataType_t type;        /* of the numbers it works on   */
    const char *unit;
    int needs;                  /* compute capability, times ten */
};

static int capability;
static struct Noted *noted;
static float *result;
static uint32_t *operands;

struct Run { const struct Ceiling *c; int turns; };

static void run_kernel(void *job)
{
    const struct Run *r = (const struct Run *)job;
    r->c->run<<<sms, 32 * WARPS>>>(noted, result, operands, r->turns);
    CUDA_OK(cudaGetLastError());
}

static struct Noted last_noted(void)
{
    struct Noted n;
    CUDA_OK(cudaMemcpy(&n, noted, sizeof n, cudaMemcpyDeviceToHost));
    return n;
}

static void time_ceiling(const struct Ceiling *c)
{
    struct Run r = { c, TURNS };
    int chains = c->per == 128 ? (int)STEPS : (int)CHAINS;
    run_kernel(&r);
    struct Noted n = last_noted();
    if (n.ns < 500000)
        r.turns = (int)(TURNS / 16 * (500000.0 / (double)(n.ns + 1))) * 16;
    struct Sample t = gpu_time(run_kernel, &r, RUNS, false);
    n = last_noted();
    double work = c->each * chains * r.turns * sms * 32 * WARPS / c->per;
    double rate = work / median(&t) / 1e12;
    double ghz = (double)n.cycles / (double)n.ns;
    double cycle = work / sms / (double)n.cycles;
    printf("%-12s %8.1f us %8.1f - %8.1f  %8.2f T%s/s  %5.2f GHz  %7.1f a "
           "cycle and SM\n", c->name, 1e6 * median(&t), 1e6 * fastest(&t),
           1e6 * slowest(&t), rate, c->unit, ghz, cycle);
    char unit[24];
    snprintf(unit, sizeof unit, "T%s/s", c->unit);
    number_put(&numbers, unit, rate, "roof.%s", c->name);
    number_put(&numbers, "GHz", ghz, "roof.%s.clock", c->name);
    number_put(&numbers, c->unit, cycle, "roof.%s.cycle", c->name);
    if (c->per == 32)           /* four schedulers, each with its cores */
        number_put(&numbers, "cycles", 4 * c->each / cycle, "roof.%s.issue",
                   c->name);
}

/* ceilings: the kernels */
struct Plain {
    struct Ceiling c;
    double constant, start, end;
};
static const struct Plain plain[] = {
    { { "fma.fp64", fma_fp64, 2, 1, CUDA_R_64F, "FLOP", 75 }, 0.5, 0, 1 },
    { { "fma.fp32", fma_fp32, 2, 1, CUDA_R_32F, "FLOP", 75 }, 0.5, 0, 1 },
    { { "fma.half2", fma_half2, 4, 1, CUDA_R_16F, "FLOP", 75 }, 0.5, 0, 1 },
    { { "mad.int32", mad_int32, 2, 1, CUDA_R_32U, "op", 75 }, 1, 0, TURNS },
    { { "ex2.fp32", ex2_fp32, 1, 1, CUDA_R_32F, "op", 75 }, 0, 0, 0.6412 },
    { { "ex2.half2", ex2_half2, 2, 1, CUDA_R_16F, "op", 75 },
      0, 0, 0.6411 },
    { { "tanh.fp32", tanh_fp32, 1, 1, CUDA_R_32F, "op", 75 },
      0, 1, 0.0541 },
    { { "cvt.bf16", cvt_bf16, 2, 1, CUDA_R_16BF, "op", 80 }, 0, 1, 1 },
};
static const struct Ceiling matrix[] = {
    { "mma.fp64", mma_fp64, 2048, 32, CUDA_R_64F, "FLOP", 90 },
    { "mma.tf32", mma_tf32, 2048, 32, CUDA_R_32F, "FLOP", 80 },
    { "mma.bf16", mma_bf16, 4096, 32, CUDA_R_16BF, "FLOP", 80 },
    { "mma.fp16", mma_fp16, 4096, 32, CUDA_R_16F, "FLOP", 80 },
    { "mma.e4m3", mma_e4m3, 8192, 32, CUDA_R_8F_E4M3, "FLOP", 89 },
    { "mma.int8", mma_int8, 8192, 32, CUDA_R_8I, "op", 80 },
    { "mma.half-sum", mma_half_sum, 4096, 32, CUDA_R_16F, "FLOP", 80 },
    { "mma.short", mma_short, 2048, 32, CUDA_R_16BF, "FLOP", 80 },
    { "mma.short-half", mma_short_half, 2048, 32, CUDA_R_16F, "FLOP", 80 },
    { "mma.sparse", mma_sparse, 8192, 32, CUDA_R_16BF, "FLOP", 80 },
    { "wgmma.tf32", wgmma_tf32, TILE * 16, 128, CUDA_R_32F, "FLOP", 90 },
    { "wgmma.bf16", wgmma_bf16, TILE * 32, 128, CUDA_R_16BF, "FLOP", 90 },
    { "wgmma.fp16", wgmma_fp16, TILE * 32, 128, CUDA_R_16F, "FLOP", 90 },
    { "wgmma.e4m3", wgmma_e4m3, TILE * 64, 128, CUDA_R_8F_E4M3,
      "FLOP", 90 },
    { "wgmma.int8", wgmma_int8, TILE * 64, 128, CUDA_R_8I, "op", 90 },
};
enum { OPERAND_BYTES = (TILE_M + TILE_N) * STEPS * STEP_BYTES };

static int bytes_of(cudaDataType_t type)
{
    return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4
         : type == CUDA_R_8I || type == CUDA_R_8F_E4M3 ? 1 : 2;
}

static void put_plain(int i, cudaDataType_t type, double x)
{
    float f = (float)x;
    uint32_t word = (uint32_t)x;
    __half2 h = __floats2half2_rn(f, f);
    __nv_bfloat162 b = __floats2bfloat162_rn(f, f);
    const void *from = type == CUDA_R_64F ? (void *)&x
        : type == CUDA_R_32F ? (void *)&f : type == CUDA_R_16F ? (void *)&h
        : type == CUDA_R_16BF ? (void *)&b : (void *)&word;
    size_t size = type == CUDA_R_64F ? 8 : 4;
    CUDA_OK(cudaMemcpy((char *)operands + i * size, from, size,
                       cudaMemcpyHostToDevice));
}

static double get_plain(const void *from, cudaDataType_t type)
{
    switch ((int)type) {
    case CUDA_R_64F:  return *(const double *)from;
    case CUDA_R_32F:  return *(const float *)from;
    case CUDA_R_16F:  return (double)(float)*(const __half *)from;
    case CUDA_R_16BF: return (double)(float)*(const __nv_bfloat16 *)from;
    default:          return *(const uint32_t *)from;
    }
}

static void check_plain(const struct Plain *p)
{
    double found, h[32 * WARPS];
    put_plain(0, p->c.type, p->constant);
    put_plain(1, p->c.type, p->start);
    CUDA_OK(cudaMemset(result, 0xff, sizeof h));
    p->c.run<<<1, 32 * WARPS>>>(noted, result, operands, TURNS);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(h, result, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32 * WARPS; i++) {
        found = get_plain((char *)h + i * (p->c.type == CUDA_R_64F ? 8 : 4),
                          p->c.type);
        if (!(fabs(found - p->end) <= 1e-2 * fabs(p->end)))
            fail("%s: thread %d has %g, not %g; no time is given",
                 p->c.name, i, found, p->end);
    }
}

static void check_mma(const struct Ceiling *c)
{
    float h[32 * WARPS];
    double want = c->each / 64 * 8 * CHAINS;
    if (strcmp(c->name, "mma.sparse") == 0)
        want /= 2;              /* half of the products are of zeros */
    if (strcmp(c->name, "mma.half-sum") == 0)
        want = 2.0 * CHAINS * 0x58005800;   /* words of two times 128 */
    if (strcmp(c->name, "mma.short-half") == 0)
        want = 2.0 * CHAINS * 0x54005400;   /* and of two times 64    */
    fill_kind(operands, OPERAND_BYTES / bytes_of(c->type), c->type, 1,
              DATA_ONE);
    CUDA_OK(cudaMemset(result, 0xff, sizeof h));
    c->run<<<1, 32 * WARPS>>>(noted, result, operands, 8);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(h, result, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32 * WARPS; i++)
        if (!(fabs(h[i] / want - 1) <= 1e-6))
            fail("%s: thread %d has %g, not %g; no time is given", c->name,
                 i, (double)h[i], want);
}

/* Where element k of row r of a tile lies, in numbers of `size` bytes. */
static int tile_index(int rows, int r, int k, int size)
{
    int byte = k * size, step = byte / STEP_BYTES, rest = byte % STEP_BYTES;
    return (step * rows * STEP_BYTES + r / 8 * 256 + rest / 16 * 128
            + r % 8 * 16 + rest % 16) / size;
}

static void check_wgmma(const struct Ceiling *c)
{
    int size = bytes_of(c->type), depth = STEPS * STEP_BYTES / size;
    int all = OPERAND_BYTES / size;
    float *d_in, *in = (float *)malloc(all * sizeof *in);
    float *h = (float *)malloc(TILE_M * TILE_N * sizeof *h);
    if (!in || !h)
        fail("no memory to check %s", c->name);
    CUDA_OK(cudaMalloc(&d_in, all * sizeof *in));
    fill_kind(d_in, all, CUDA_R_32F, 7, DATA_SMALL);
    fill_kind(operands, all, c->type, 7, DATA_SMALL);
    CUDA_OK(cudaMemcpy(in, d_in, all * sizeof *in, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemset(result, 0xff, TILE_M * TILE_N * sizeof *h));
    c->run<<<1, 32 * WARPS>>>(noted, result, operands, 3);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(h, result, TILE_M * TILE_N * sizeof *h,
                       cudaMemcpyDeviceToHost));
    const float *b = in + TILE_M * depth;
    for (int i = 0; i < TILE_M * TILE_N; i++) {
        double sum = 0;
        for (int k = 0; k < depth; k++)
            sum += (double)in[tile_index(TILE_M, i / TILE_N, k, size)]
                   * (double)b[tile_index(TILE_N, i % TILE_N, k, size)];
        if (!(h[i] == 3 * sum))
            fail("%s: row %d, column %d is %g, not %g; no time is given",
                 c->name, i / TILE_N, i % TILE_N, (double)h[i], 3 * sum);
    }
    CUDA_OK(cudaFree(d_in));
    free(in);
    free(h);
}

static void instructions(void)
{
    printf("\n%d SMs, a block of %d warps on each, median of %d runs\n",
           sms, WARPS, RUNS);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (capability < plain[i].c.needs)
            continue;
        check_plain(&plain[i]);
        time_ceiling(&plain[i].c);
    }
    for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++) {
        const struct Ceiling *c = &matrix[i];
        if (capability < c->needs || (c->per == 128 && capability != 90))
            continue;                           /* wgmma is Hopper's */
        c->per == 128 ? check_wgmma(c) : check_mma(c);
        fill_kind(operands, OPERAND_BYTES / bytes_of(c->type), c->type, 1,
                  DATA_UNIFORM);
        time_ceiling(c);
    }
}

/* ceilings: the library */
static void library(int n)
{
    printf("\ncuBLASLt, %d x %d x %d, uniform random numbers\n", n, n, n);
    for (size_t i = 0; i < sizeof lt_kinds / sizeof *lt_kinds; i++) {
        struct LtJob j = lt_job(&lt_kinds[i], n, true);
        lt_operands(&j, DATA_UNIFORM);
        if (!lt_plan(&j, 0)) {
            printf("%-6s has no algorithm\n", j.kind->name);
            continue;
        }
        lt_run(&j);
        if (!lt_right(&j))
            fail("%s: the product is wrong; no time is given",
                 j.kind->name);
        struct Sample t = gpu_time(lt_run, &j, RUNS, false);
        double rate = 2.0 * n * n * n / median(&t) / 1e12;
        struct LtKernel k = lt_kernel(&j);
        printf("%-6s %9.1f us %9.1f - %9.1f  %8.1f T/s  %s\n",
               j.kind->name, 1e6 * median(&t), 1e6 * fastest(&t),
               1e6 * slowest(&t), rate, k.name);
        number_put(&numbers, j.kind->eps > 0 ? "TFLOP/s" : "Top/s", rate,
                   "roof.cublas.%s", j.kind->name);
        lt_forget(&j);
        lt_release(&j);
    }
}

/* ceilings: power */
typedef struct nvml_device *Nvml;
static int (*nvml_power)(Nvml, unsigned *);
static int (*nvml_clock)(Nvml, int, unsigned *);
static int (*nvml_reasons)(Nvml, unsigned long long *);
static Nvml nvml;

static bool nvml_open(void)
{
    void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!lib)
        return false;
    int (*init)(void);
    int (*find)(const char *, Nvml *);
    char bus[64];
    *(void **)&init = dlsym(lib, "nvmlInit_v2");
    *(void **)&find = dlsym(lib, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&nvml_power = dlsym(lib, "nvmlDeviceGetPowerUsage");
    *(void **)&nvml_clock = dlsym(lib, "nvmlDeviceGetClockInfo");
    *(void **)&nvml_reasons = dlsym(lib,
                              "nvmlDeviceGetCurrentClocksThrottleReasons");
    CUDA_OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    return init && find && nvml_power && nvml_clock && nvml_reasons
           && init() == 0
           && find(bus, &nvml) == 0;
}

enum { SLICE = 12, SLICES = 100 };

/* The product again and again, in slices of 12 calls, about 2 s: the rate
 * of the first slice, and of the last quarter, its clock and power. */
static void power_of(struct LtJob *j, int data, double flop)
{
    cudaEvent_t at[SLICES + 1];
    struct Sample last = {};
    unsigned mw = 0, mhz = 0;
    unsigned long long why = 0;
    float ms, from;
    fill_kind(j->a, (size_t)j->m * j->k, j->kind->in, 1, data);
    fill_kind(j->b, (size_t)j->k * j->n, j->kind->in, 2, data);
    for (int i = 0; i <= SLICES; i++)
        CUDA_OK(cudaEventCreate(&at[i]));
    CUDA_OK(cudaDeviceSynchronize());
    pause_ms(400);
    CUDA_OK(cudaEventRecord(at[0], 0));
    for (int i = 1; i <= SLICES; i++) {
        for (int k = 0; k < SLICE; k++)
            lt_run(j);
        CUDA_OK(cudaEventRecord(at[i], 0));
        if (i > 2)              /* stay two slices ahead of the GPU */
            CUDA_OK(cudaEventSynchronize(at[i - 2]));
    }
    nvml_clock(nvml, 1, &mhz);
    nvml_power(nvml, &mw);
    nvml_reasons(nvml, &why);
    CUDA_OK(cudaEventSynchronize(at[SLICES]));
    for (int i = 1; i <= SLICES; i++) {
        CUDA_OK(cudaEventElapsedTime(&ms, at[i - 1], at[i]));
        CUDA_OK(cudaEventElapsedTime(&from, at[0], at[i]));
        double rate = flop * SLICE / ms / 1e9;
        if (i == 1 || i % 4 == 0) {
            number_put(&numbers, "ms", from, "power.%s.%d.at",
                       data_names[data], i);
            number_put(&numbers, "TFLOP/s", rate, "power.%s.%d.rate",
                       data_names[data], i);
        }
        if (i > SLICES * 3 / 4)
            sample_add(&last, rate);
        if (i == 1)
            number_put(&numbers, "TFLOP/s", rate, "power.%s.first",
                       data_names[data]);
        if (i == 1)
            printf("%-8s %7.1f at first", data_names[data], rate);
    }
    printf("  %7.1f TFLOP/s at last  %4u MHz  %5.0f W  reasons "
           "%llx\n", median(&last), mhz, mw / 1e3, why);
    number_put(&numbers, "TFLOP/s", median(&last), "power.%s",
               data_names[data]);
    number_put(&numbers, "MHz", mhz, "power.%s.clock", data_names[data]);
    number_put(&numbers, "W", mw / 1e3, "power.%s.watts", data_names[data]);
    for (int i = 0; i <= SLICES; i++)
        CUDA_OK(cudaEventDestroy(at[i]));
}

static void power(int n)
{
    struct LtJob j = lt_job(&lt_kinds[LT_BF16], n, true);
    if (!nvml_open()) {
        printf("\nno NVML: no power is given\n");
        return;
    }
    printf("\nbf16 %d x %d x %d, again and again, by what is multiplied\n",
           n, n, n);
    lt_operands(&j, DATA_UNIFORM);
    if (!lt_plan(&j, 0))
        fail("no algorithm for bf16");
    for (int data = 0; data < DATA_KINDS; data++)
        power_of(&j, data, 2.0 * n * n * n);
    lt_forget(&j);
    lt_release(&j);
}

/* ceilings: main */
int main(int argc, char **argv)
{
    struct cudaDeviceProp p;
    lab_open(argc, argv, "Measure the arithmetic of this GPU by kind.");
    CUDA_OK(cudaGetDeviceProperties(&p, 0));
    sms = p.multiProcessorCount;
    capability = 10 * p.major + p.minor;
    CUDA_OK(cudaMalloc(&noted, sizeof *noted));
    CUDA_OK(cudaMalloc(&result, (size_t)sms * 32 * WARPS * 8));
    CUDA_OK(cudaMalloc(&operands, 2 * OPERAND_BYTES));
    lt_open();
    instructions();
    library(8192);
    power(8192);
    lab_close();
    return 0;
}
