/* Tangled from chapters/workshop/attention-plumbing.nw, "The choice of an implementation".  Edit it there. */

#include <string.h>
#include "ops/attention/attention_bf16_impls.h"
#include "ops/kernels/common.cuh"
#include "ops/operators.h"

/* select an implementation of attention */
enum { BEST, MMA, HOPPER, TWO_PASS };       /* of kernels.attention_bf16 */

static const struct {
    __typeof__(attention_bf16_fwd_hopper) *fwd;
    __typeof__(attention_bf16_bwd_hopper) *bwd;
    __typeof__(attention_bf16_bwd_two_pass) *bwd_two_pass;
} hopper = { attention_bf16_fwd_hopper, attention_bf16_bwd_hopper,
             attention_bf16_bwd_two_pass };

bool cuda_attention_bf16_use(const char *name)
{
    static const char *const names[] = { "best", "mma", "hopper",
                                         "passes" };
    const int known = hopper.fwd ? 4 : 2;
    for (int i = 0; i < known; i++)
        if (strcmp(name, names[i]) == 0) {
            backend_current()->kernels.attention_bf16 = i;
            return true;
        }
    return false;
}

static int chosen(void)
{
    const int i = backend_current()->kernels.attention_bf16;
#ifdef __SIMT__         /* Hopper's kernels only if they are asked for */
    return i == BEST ? MMA : i;
#else
    return i;
#endif
}

/* compute D of each row and head */
/* a . b of 8 numbers each; a and b aligned to 16 bytes */
__device__ static __forceinline__ float dot8(const bf16 *a, const bf16 *b)
{
    float u[8], v[8], sum = 0;
    pack_get(u, pack_load<8>(a));
    pack_get(v, pack_load<8>(b));
    #pragma unroll
    for (int i = 0; i < 8; i++)
        sum = fmaf(u[i], v[i], sum);
    return sum;
}

/* dsum[b,h,t] = dy . y of that row's head; `lanes` lanes a head, a power
 * of two that divides HS / 8.
 *   launch    ceil(B T NH lanes / 256) blocks of 256
 *   moves     4 BTC + 4 B NH T bytes          ceiling   memory */
__global__ void flash_dsum(float *dsum, const bf16 *dy, const bf16 *y,
                           int heads, int T, int NH, int HS, int lanes)
{
    const int i = threadIdx.x % lanes;
    const int head = blockIdx.x * (THREADS / lanes) + threadIdx.x / lanes;
    const size_t at = (size_t)head * HS;        /* of [B][T][NH] */
    /* sum dy . y over the lanes that share the head */
    float sum = 0;
    if (head < heads)
        for (int d = i * 8; d < HS; d += 8 * lanes)
            sum += dot8(dy + at + d, y + at + d);
    for (int d = lanes / 2; d > 0; d /= 2)
        sum += __shfl_xor_sync(WHOLE_WARP, sum, d);
    if (head < heads && i == 0) {
        const int row = head / NH, b = row / T;
        dsum[((size_t)b * NH + head - row * NH) * T + row - b * T] = sum;
    }
}

void attention_bf16_dots(float *dsum, const bf16 *dy, const bf16 *y, int B,
                         int T, int C, int NH)
{
    const int HS = C / NH, lanes = HS == 80 ? 2 : HS / 8;
    const size_t heads = (size_t)B * T * NH;
    flash_dsum<<<blocks_for(heads * lanes, THREADS), THREADS, 0,
                 backend_stream()>>>(dsum, dy, y, heads, T, NH, HS, lanes);
    LAUNCHED();
}

/* run the chosen implementation forward */
static bool check_size(const char *what, int B, int T, int C, int NH)
{
    const int HS = NH > 0 && C % NH == 0 ? C / NH : 0;
    if (HS != 32 && HS != 64 && HS != 80 && HS != 128)
        backend_failed("%s: %d channels in %d heads: the heads may have "
                       "32, 64, 80 or 128 channels; choose another number "
                       "of heads", what, C, NH);
    else if (B < 1 || T < 1 || (size_t)B * NH * T > INT32_MAX)
        backend_failed("%s: B = %d, T = %d, NH = %d: every one must be at "
                       "least 1, and their product below 2^31", what, B,
                       T, NH);
    return backend_ok(NULL);
}

void cuda_attention_bf16_fwd(bf16 *y, float *lse, const bf16 *qkv,
                             int B, int T, int C, int NH)
{
    if (!check_size("attention_bf16_fwd", B, T, C, NH))
        return;
    if (chosen() == MMA || !hopper.fwd
        || !hopper.fwd(y, lse, qkv, B, T, C, NH))
        attention_bf16_fwd_mma(y, lse, qkv, B, T, C, NH);
}

/* add up the gradient of a bias */
/* dbias[c] = the sum of what the blocks have left, 0 for k; or added.
 *   launch     (ceil(C / 32), 3) blocks of 32 x 32 */
__global__ void flash_dbias(float *dbias, struct FlashSums sums, int C,
                            bool add)
{
    __shared__ float part[32][32];
    const int c = 32 * blockIdx.x + threadIdx.x, third = blockIdx.y;
    const float *from = third == 0 ? sums.q : sums.v;
    const int parts = third == 0 ? sums.q_parts
                    : third == 2 ? sums.v_parts : 0;
    float sum = 0;
    /* sum column c with 32 warps */
    #pragma unroll 4
    for (int i = threadIdx.y; i < parts; i += 32)
        sum += c < C ? from[(size_t)i * C + c] : 0;
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y || c >= C)
        return;
    for (int i = 1; i < 32; i++)
        sum += part[i][threadIdx.x];
    float *to = dbias + (size_t)third * C + c;
    *to = add ? *to + sum : sum;
}

static void add_up(float *dbias, const struct FlashSums *sums, int C,
                   bool add)
{
    flash_dbias<<<dim3(blocks_for(C, 32), 3), dim3(32, 32), 0,
                  backend_stream()>>>(dbias, *sums, C, add);
    LAUNCHED();
}

/* decide whether the heads are few */
/* Is a block for each head worse than two passes over all of them: are the
 * rounds of heads empty enough? */
static bool few_heads(int heads, int T)
{
    const int processors = gpu_attribute(cudaDevAttrMultiProcessorCount);
    const int rounds = (heads + processors - 1) / processors;
    return (int64_t)heads * T < (int64_t)rounds * processors * (T - 192);
}

/* run the chosen implementation backward */
/* Heads of 64 that are many by a block each, others in two passes. */
static bool by_hopper(bf16 *dqkv, struct FlashSums *sums, const bf16 *dy,
                      const bf16 *qkv, const bf16 *y, const float *lse,
                      float *dsum, int B, int T, int C, int NH)
{
    if (chosen() == MMA || !hopper.bwd)
        return false;
    if (chosen() == TWO_PASS || (chosen() == BEST && few_heads(B * NH, T)))
        return hopper.bwd_two_pass(dqkv, sums, dy, qkv, y, lse, dsum,
                                   B, T, C, NH);
    return hopper.bwd(dqkv, sums, dy, qkv, y, lse, dsum, B, T, C, NH)
        || hopper.bwd_two_pass(dqkv, sums, dy, qkv, y, lse, dsum,
                               B, T, C, NH);
}

void cuda_attention_bf16_bwd(bf16 *dqkv, float *dbias, const bf16 *dy,
                             const bf16 *qkv, const bf16 *y,
                             const float *lse, int B, int T, int C, int NH,
                             bool accumulate)
{
    if (!check_size("attention_bf16_bwd", B, T, C, NH))
        return;
    /* reserve memory for D and for the sums of a bias */
    const size_t heads = (size_t)B * T * NH, aligned = (heads + 3) / 4 * 4;
    const size_t parts = (size_t)B * (T > 512 ? (T + 63) / 64 : 8);
    float *dsum = (float *)backend_scratch(
        (aligned + (dbias ? 2 * parts * C : 0)) * sizeof *dsum);
    if (!dsum)
        return;
    struct FlashSums sums = {};
    if (dbias) {
        sums.q = dsum + aligned;
        sums.v = sums.q + parts * C;
    }
    if (!by_hopper(dqkv, &sums, dy, qkv, y, lse, dsum, B, T, C, NH)) {
        attention_bf16_dots(dsum, dy, y, B, T, C, NH);
        attention_bf16_bwd_mma(dqkv, &sums, dy, qkv, lse, dsum, B, T, C,
                               NH);
    }
    if (dbias)
        add_up(dbias, &sums, C, accumulate);
}
