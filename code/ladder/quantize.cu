/* Tangled from chapters/workshop/measuring-low-precision.nw, "quantize: casts beside a copy".  Edit it there. */

#include "ladder/quantize.h"

#include "ladder/blocks.cuh"
#include "ops/kernels/common.cuh"
#include "ops/kernels/fp8.cuh"
#include "ops/kernels/stochastic.cuh"

enum { PACKS = 4, SIDE = 128 };

/* cast, version 1: a number for a thread */
DEVICE_INLINE uint8_t code_of(bf16 x, float inverse)
{
    return (uint8_t)e4m3_two(bf16_to_float(x) * inverse, 0);
}

__global__ void cast_v1(uint8_t *q, const bf16 *x, const float *scale,
                        size_t n)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        q[i] = code_of(x[i], 1 / *scale);
}

/* eight numbers at a time */
DEVICE_INLINE uint2 codes_of(const float (&v)[8], float inverse)
{
    uint32_t two[4];
    #pragma unroll
    for (int i = 0; i < 4; i++)
        two[i] = e4m3_two(v[2 * i] * inverse, v[2 * i + 1] * inverse);
    return make_uint2(two[0] | two[1] << 16, two[2] | two[3] << 16);
}

/* The codes of 8 numbers, or of 1. */
DEVICE_INLINE void store_codes(uint8_t *to, const float (&v)[8],
                               float inverse)
{
    *(uint2 *)to = codes_of(v, inverse);
}

DEVICE_INLINE void store_codes(uint8_t *to, const float (&v)[1],
                               float inverse)
{
    *to = (uint8_t)e4m3_two(v[0] * inverse, 0);
}

/* cast, version 2: eight numbers for a thread */
__global__ void cast_v2(uint8_t *q, const bf16 *x, const float *scale,
                        size_t n)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const float inverse = 1 / *scale;
    if (i < n / 8) {
        float v[8];
        pack_get(v, pack_load<8>(x + 8 * i));
        store_codes(q + 8 * i, v, inverse);
    }
    if (i < n % 8)
        q[n - 1 - i] = code_of(x[n - 1 - i], inverse);
}

/* the largest of some numbers */
template <int W> DEVICE_INLINE float largest_of(const float (&v)[W])
{
    float most = 0;
    #pragma unroll
    for (int i = 0; i < W; i++)
        most = fmaxf(most, fabsf(v[i]));
    return most;
}

/* *amax = the largest of all threads, and of what it was */
DEVICE_INLINE void publish_largest(float *amax, float most)
{
    __shared__ float part[WARPS];
    most = block_max(most, part);
    if (threadIdx.x == 0)
        atomicMax((unsigned *)amax, __float_as_uint(most));
}

/* cast, version 3: four packs for a thread, and amax */
__global__ void cast_v3(uint8_t *q, float *amax, const bf16 *x,
                        const float *scale, size_t n)
{
    const size_t first = (size_t)blockIdx.x * PACKS * THREADS + threadIdx.x;
    const float inverse = 1 / *scale;
    float most = 0;
    Pack<8> p[PACKS];
    #pragma unroll
    for (int k = 0; k < PACKS; k++)
        if (first + k * THREADS < n / 8)
            p[k] = pack_load<8>(x + 8 * (first + k * THREADS));
    #pragma unroll
    for (int k = 0; k < PACKS; k++)
        if (first + k * THREADS < n / 8) {
            float v[8];
            pack_get(v, p[k]);
            most = fmaxf(most, largest_of(v));
            store_codes(q + 8 * (first + k * THREADS), v, inverse);
        }
    /* cast the last n % 8 numbers */
    if (first < n % 8) {
        const bf16 last = x[n - 1 - first];
        most = fmaxf(most, fabsf(bf16_to_float(last)));
        q[n - 1 - first] = code_of(last, inverse);
    }
    publish_largest(amax, most);
}

/* cast, version 4: the scale first */
__global__ void find_amax(float *amax, const bf16 *x, size_t n)
{
    const size_t me = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t all = (size_t)gridDim.x * THREADS;
    float most = 0;
    for (size_t i = me; i < n / 8; i += all) {
        float v[8];
        pack_get(v, pack_load<8>(x + 8 * i));
        most = fmaxf(most, largest_of(v));
    }
    if (me < n % 8)
        most = fmaxf(most, fabsf(bf16_to_float(x[n - 1 - me])));
    publish_largest(amax, most);
}

/* Not so small that 1 / scale is infinite. */
DEVICE_INLINE float scale_for(float amax)
{
    return fmaxf(amax / 448, 0x1p-126f);
}

__global__ void scale_from(float *scale, const float *amax)
{
    *scale = scale_for(*amax);
}

/* cast, version 5: a warp has a row */
template <int W>
__global__ void cast_v5(uint8_t *q, float *scale, const bf16 *x, int R,
                        int C)
{
    const int lane = threadIdx.x % 32;
    const int r = blockIdx.x * WARPS + threadIdx.x / 32;
    if (r >= R)
        return;
    const bf16 *row = x + (size_t)r * C;
    uint8_t *to = q + (size_t)r * C;
    float most = 0, v[W];
    for (int c = lane * W; c < C; c += 32 * W) {
        pack_get(v, pack_load<W>(row + c));
        most = fmaxf(most, largest_of(v));
    }
    most = warp_max(most);
    const float s = scale_for(most);
    for (int c = lane * W; c < C; c += 32 * W) {
        pack_get(v, pack_load<W>(row + c));
        store_codes(to + c, v, 1 / s);
    }
    if (lane == 0)
        scale[r] = s;
}

/* eight numbers at the edge of a matrix */
/* v = x[r][c .. c + 7]; 0 outside.  W = 8: C is a multiple of 8. */
template <int W>
DEVICE_INLINE void load_eight(float (&v)[8], const bf16 *x, int r, int c,
                              int R, int C)
{
    const bf16 *at = x + (size_t)r * C + c;
    #pragma unroll
    for (int i = 0; i < 8; i++)
        v[i] = W != 8 && r < R && c + i < C ? bf16_to_float(at[i]) : 0;
    if (W == 8 && r < R && c < C)
        pack_get(v, pack_load<8>(at));
}

template <int W>
DEVICE_INLINE void store_eight(uint8_t *q, const float (&v)[8],
                               float inverse, int r, int c, int R, int C)
{
    uint8_t *to = q + (size_t)r * C + c;
    if (W == 8 && r < R && c < C)
        store_codes(to, v, inverse);
    #pragma unroll
    for (int i = 0; i < 8; i++)
        if (W != 8 && r < R && c + i < C)
            to[i] = (uint8_t)e4m3_two(v[i] * inverse, 0);
}

/* the power of two of a block */
/* The e8m0 code of the smallest power of two p with most <= 448 p. */
DEVICE_INLINE uint32_t power_for(float most)
{
    const uint32_t bits = __float_as_uint(most);
    const uint32_t up = (bits & 0x7fffff) > 0x600000;   /* 448 is 1.75 */
    const uint32_t e = (bits >> 23) + up;               /* times 2^8   */
    if (bits == 0)
        return 127;                                     /* 1           */
    return bits >= 0x7f800000 ? 255 : e > 8 ? e - 8 : 0;
}

DEVICE_INLINE float inverse_of(uint32_t power)          /* 255 is NaN  */
{
    return __uint_as_float(power == 255 ? 0x7fffffff : (254 - power) << 23);
}

/* cast, version 6: 32 numbers share a power of two */
template <int W>
__global__ void cast_v6(uint8_t *q, uint8_t *power, const bf16 *x, int R,
                        int C)
{
    const int blocks = (C + 31) / 32;
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t block = i / 4;
    const int r = (int)(block / blocks);
    const int c = (int)(block % blocks) * 32 + (int)(i % 4) * 8;
    float v[8];
    load_eight<W>(v, x, r, c, R, C);
    const uint32_t p = power_for(quad_max(largest_of(v)));
    store_eight<W>(q, v, inverse_of(p), r, c, R, C);
    if (r < R && i % 4 == 0)
        power[block] = (uint8_t)p;
}

/* cast, version 7: transpose byte by byte */
template <int W>
__global__ void cast_v7(uint8_t *q, uint8_t *transposed, const bf16 *x,
                        const float *scale, int R, int C)
{
    const int eights = (C + 7) / 8;
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const int r = (int)(i / eights), c = (int)(i % eights) * 8;
    const float inverse = 1 / *scale;
    float v[8];
    load_eight<W>(v, x, r, c, R, C);
    store_eight<W>(q, v, inverse, r, c, R, C);
    #pragma unroll
    for (int k = 0; k < 8; k++)
        if (r < R && c + k < C)
            transposed[(size_t)(c + k) * R + r] =
                (uint8_t)e4m3_two(v[k] * inverse, 0);
}

/* four rows of codes to columns */
/* column[i]: byte i of a, b, c and d, that of a lowest */
DEVICE_INLINE void columns_of(uint32_t *column, uint32_t a, uint32_t b,
                              uint32_t c, uint32_t d)
{
    const uint32_t ab = __byte_perm(a, b, 0x5140);
    const uint32_t cd = __byte_perm(c, d, 0x5140);
    const uint32_t ab2 = __byte_perm(a, b, 0x7362);
    const uint32_t cd2 = __byte_perm(c, d, 0x7362);
    column[0] = __byte_perm(ab, cd, 0x5410);
    column[1] = __byte_perm(ab, cd, 0x7632);
    column[2] = __byte_perm(ab2, cd2, 0x5410);
    column[3] = __byte_perm(ab2, cd2, 0x7632);
}

/* store four codes of a column */
/* transposed[c][r .. r + 3], of R */
DEVICE_INLINE void store_four(uint8_t *transposed, uint32_t codes, int c,
                              int r, int R)
{
    uint8_t *to = transposed + (size_t)c * R + r;
    if (R % 4 == 0 && r < R) {
        *(uint32_t *)to = codes;
        return;
    }
    for (int j = 0; j < 4 && r + j < R; j++)
        to[j] = (uint8_t)(codes >> 8 * j);
}

/* cast, version 8: tiles of 128 by 128 */
template <int W>
__global__ void cast_v8(uint8_t *q, uint8_t *transposed,
                        const bf16 *__restrict__ x, const float *scale,
                        int R, int C)
{
    __shared__ uint32_t tile[SIDE][SIDE / 4];   /* column, four rows */
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int r0 = blockIdx.y * SIDE, c0 = blockIdx.x * SIDE;
    const float inverse = 1 / *scale;
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int four = warp + 8 * k + 16 * (lane / 16);
        const int c = lane % 16 * 8;
        /* cast 4 rows of 8 numbers at four, c, into q and the tile */
        uint2 codes[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const int r = r0 + 4 * four + j;
            float v[8];
            load_eight<W>(v, x, r, c0 + c, R, C);
            store_eight<W>(q, v, inverse, r, c0 + c, R, C);
            codes[j] = codes_of(v, inverse);
        }
        uint32_t column[8];
        columns_of(column, codes[0].x, codes[1].x, codes[2].x, codes[3].x);
        columns_of(column + 4, codes[0].y, codes[1].y, codes[2].y, codes[3].y);
        #pragma unroll
        for (int i = 0; i < 8; i++)
            tile[c + i][four ^ c / 8] = column[i];
    }
    __syncthreads();
    for (int c = warp; c < SIDE && c0 + c < C; c += WARPS)
        store_four(transposed, tile[c][lane ^ c / 8], c0 + c,
                   r0 + 4 * lane, R);
}

/* back to bf16 */
__global__ void uncast_kernel(bf16 *x, const uint8_t *q, const float *scale,
                              size_t n)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const float s = *scale;
    if (i < n / 8) {
        const uint2 codes = ((const uint2 *)q)[i];
        float v[8];
        #pragma unroll
        for (int k = 0; k < 8; k++)
            v[k] = s * e4m3_value((k < 4 ? codes.x : codes.y)
                                  >> 8 * (k % 4) & 255);
        Pack<8> p;
        pack_put(&p, v);
        pack_store(x + 8 * i, p);
    }
    if (i < n % 8)
        x[n - 1 - i] = float_to_bf16(s * e4m3_value(q[n - 1 - i]));
}

/* round an array stochastically */
__global__ void chance_kernel(bf16 *y, const float *x, size_t n, uint2 key,
                              unsigned long long step)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (8 * i >= n)
        return;
    const uint4 random = philox4(make_uint4((unsigned)i,
        (unsigned)(i >> 32), (unsigned)step, (unsigned)(step >> 32)), key);
    const uint32_t word[4] = { random.x, random.y, random.z, random.w };
    if (8 * i + 7 < n) {
        float v[8];
        float4_get<8>(v, x + 8 * i);
        /* round all eight, and store them */
        uint32_t two[4];
        #pragma unroll
        for (int k = 0; k < 4; k++)
            two[k] = round_by_chance(v[2 * k], word[k])
                   | (uint32_t)round_by_chance(v[2 * k + 1], word[k] >> 16) << 16;
        *(uint4 *)(y + 8 * i) = make_uint4(two[0], two[1], two[2], two[3]);
    } else {
        for (unsigned k = 0; 8 * i + k < n; k++)
            y[8 * i + k] = __ushort_as_bfloat16(round_by_chance(
                x[8 * i + k], word[k / 2] >> 16 * (k % 2)));
    }
}

/* compare the two ways to e4m3 */
__global__ void compare_kernel(unsigned *different, uint32_t first,
                               uint32_t n)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n)
        return;
    const float x = __uint_as_float(first + i), y = -x;
    const uint32_t one = e4m3_two(x, y);
    const uint32_t other = e4m3_by_integers(x) | e4m3_by_integers(y) << 8;
    if (one != other)
        atomicAdd(different, 1);
}

/* launch the casts */
static unsigned blocks(size_t n) { return blocks_for(n, THREADS); }

static void v1(struct Fp8 y, const bf16 *x, int R, int C)
{
    const size_t n = (size_t)R * C;
    cast_v1<<<blocks(n), THREADS>>>(y.q, x, y.scale, n);
    CUDA_OK(cudaGetLastError());
}

static void v2(struct Fp8 y, const bf16 *x, int R, int C)
{
    const size_t n = (size_t)R * C;
    cast_v2<<<blocks((n + 7) / 8), THREADS>>>(y.q, x, y.scale, n);
    CUDA_OK(cudaGetLastError());
}

static void v3(struct Fp8 y, const bf16 *x, int R, int C)
{
    const size_t n = (size_t)R * C;
    CUDA_OK(cudaMemsetAsync(y.amax, 0, sizeof *y.amax, 0));
    cast_v3<<<blocks((n + 8 * PACKS - 1) / (8 * PACKS)), THREADS>>>(
        y.q, y.amax, x, y.scale, n);
    CUDA_OK(cudaGetLastError());
}

static void v4(struct Fp8 y, const bf16 *x, int R, int C)
{
    const size_t n = (size_t)R * C;
    const unsigned full = 8 * multiprocessors();
    const unsigned needed = blocks((n + 7) / 8);
    CUDA_OK(cudaMemsetAsync(y.amax, 0, sizeof *y.amax, 0));
    find_amax<<<needed < full ? needed : full, THREADS>>>(y.amax, x, n);
    CUDA_OK(cudaGetLastError());
    scale_from<<<1, 1>>>(y.scale, y.amax);
    CUDA_OK(cudaGetLastError());
    cast_v2<<<needed, THREADS>>>(y.q, x, y.scale, n);
    CUDA_OK(cudaGetLastError());
}

#define EITHER(C, kernel, grid, ...)                                   \
    do {                                                               \
        if ((C) % 8 == 0)                                              \
            kernel<8><<<grid, THREADS>>>(__VA_ARGS__);                 \
        else                                                           \
            kernel<1><<<grid, THREADS>>>(__VA_ARGS__);                 \
        CUDA_OK(cudaGetLastError());                                   \
    } while (0)

static void v5(struct Fp8 y, const bf16 *x, int R, int C)
{
    EITHER(C, cast_v5, blocks_for((size_t)R, WARPS), y.q, y.scale, x, R, C);
}

static void v6(struct Fp8 y, const bf16 *x, int R, int C)
{
    const size_t lanes = (size_t)R * ((C + 31) / 32) * 4;
    EITHER(C, cast_v6, blocks(lanes), y.q, y.power, x, R, C);
}

static void v7(struct Fp8 y, const bf16 *x, int R, int C)
{
    const size_t eights = (size_t)R * ((C + 7) / 8);
    EITHER(C, cast_v7, blocks(eights), y.q, y.transposed, x, y.scale, R, C);
}

static void v8(struct Fp8 y, const bf16 *x, int R, int C)
{
    const dim3 grid((unsigned)(C + SIDE - 1) / SIDE,
                    (unsigned)(R + SIDE - 1) / SIDE);
    EITHER(C, cast_v8, grid, y.q, y.transposed, x, y.scale, R, C);
}

const struct Cast *casts(void)
{
    static const struct Cast ladder[] = {
        { "v1", v1, GIVEN, false, false, 3 },
        { "v2", v2, GIVEN, false, false, 3 },
        { "v3", v3, GIVEN, false, true, 3 },
        { "v4", v4, WHOLE, false, true, 5 },
        { "v5", v5, BY_ROW, false, false, 3 },
        { "v6", v6, BY_BLOCK, false, false, 3 + 1.0 / 32 },
        { "v7", v7, GIVEN, true, false, 4 },
        { "v8", v8, GIVEN, true, false, 4 },
        { NULL, NULL, GIVEN, false, false, 0 },
    };
    return ladder;
}

void uncast(bf16 *x, const uint8_t *q, const float *scale, size_t n)
{
    uncast_kernel<<<blocks((n + 7) / 8), THREADS>>>(x, q, scale, n);
    CUDA_OK(cudaGetLastError());
}

void round_all_by_chance(bf16 *y, const float *x, size_t n, uint64_t seed,
                         uint64_t step)
{
    const uint2 key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    chance_kernel<<<blocks((n + 7) / 8), THREADS>>>(y, x, n, key, step);
    CUDA_OK(cudaGetLastError());
}

void e4m3_compare(unsigned *different, uint32_t first, uint32_t n)
{
    compare_kernel<<<blocks(n), THREADS>>>(different, first, n);
    CUDA_OK(cudaGetLastError());
}
