/* Tangled from chapters/workshop/count-kernels.nw, "The program".  Edit it there. */

/* Small kernels, each with an access pattern of its own, whose results are
 * checked on the host.  Run under ncu on a GPU and on the software GPU, it
 * compares the counting rules with the chip.
 *
 *     count_kernels [NAME...]     all kernels, or those named
 *
 * Each kernel is launched once.  Exit status 1 if a result is wrong. */
#include "backend/cuda.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* buffers, and a list of kernels */
enum { BYTES = 1 << 18, POISON = 0xee };
static char *d_in, *d_out;              /* on the device                */
static char *h_in, *h_out, *want;       /* on the host; want = expected */

static struct Listed { const char *name; void (*run)(void); } listed[400];
static int n_listed;
static int enlist(const char *name, void (*run)(void))
{
    if (n_listed == 400)
        abort();                        /* make listed larger */
    listed[n_listed].name = name;
    listed[n_listed].run = run;
    return n_listed++;
}
#define RUN(name)                                                       \
    static void run_##name(void);                                       \
    static int listed_##name = enlist(#name, run_##name);               \
    static void run_##name(void)

/* launch and compare */
static int wrong;

/* Both outputs full of `fill` before the launch. */
static void before(int fill)
{
    memset(want, fill, BYTES);
    CUDA_OK(cudaMemset(d_out, fill, BYTES));
}

static void after(const char *name)
{
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());
    CUDA_OK(cudaMemcpy(h_out, d_out, BYTES, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BYTES; i++)
        if (h_out[i] != want[i]) {
            printf("%s: byte %d is %d, should be %d\n", name, i, h_out[i],
                   want[i]);
            wrong++;
            return;
        }
    printf("%s: right\n", name);
}

/* a kernel of one statement */
/* `statement` runs on the device and, for the expected result, here: in and
 * out are arrays of T, i the thread, l its lane, t its place in the block,
 * b the block. */
#define UNUSED __attribute__((unused))
#define PATTERN_FROM(fill, name, T, grid, block, statement)             \
    __global__ void name(T *out, UNUSED const T *in)                    \
    {                                                                   \
        int t = threadIdx.x, b = blockIdx.x;                            \
        UNUSED int l = t % 32;                                          \
        UNUSED int i = b * block + t;                                   \
        statement;                                                      \
    }                                                                   \
    RUN(name)                                                           \
    {                                                                   \
        T *out = (T *)want;                                             \
        UNUSED const T *in = (const T *)h_in;                           \
        before(fill);                                                   \
        name<<<grid, block>>>((T *)d_out, (const T *)d_in);             \
        for (int b = 0; b < grid; b++)                                  \
            for (int t = 0; t < block; t++) {                           \
                UNUSED int l = t % 32;                                  \
                UNUSED int i = b * block + t;                           \
                statement;                                              \
            }                                                           \
        after(#name);                                                   \
    }

#define PATTERN(name, T, grid, block, statement)                        \
    PATTERN_FROM(POISON, name, T, grid, block, statement)
typedef uint8_t u8;
typedef uint16_t u16;

/* accesses to global memory */
/* loads from global memory */
PATTERN(ld_u8,            u8,     2, 64, out[i] = in[i])
PATTERN(ld_u16,           u16,    2, 64, out[i] = in[i])
PATTERN(ld_f32,           float,  2, 64, out[i] = in[i])
PATTERN(ld_f64,           double, 2, 64, out[i] = in[i])
PATTERN(ld_f32x2,         float2, 2, 64, out[i] = in[i])
PATTERN(ld_f32x4,         float4, 2, 64, out[i] = in[i])

/* the same, shifted and with strides */
PATTERN(ld_u8_from_5,     u8,     2, 64, out[i] = in[i + 5])
PATTERN(ld_f32_from_3,    float,  2, 64, out[i] = in[i + 3])
PATTERN(ld_f32x2_from_1,  float2, 2, 64, out[i] = in[i + 1])
PATTERN(ld_f32x4_from_1,  float4, 2, 64, out[i] = in[i + 1])
PATTERN(ld_u8_by_5,       u8,     2, 64, out[i] = in[5 * i])
PATTERN(ld_u8_by_48,      u8,     2, 64, out[i] = in[48 * i])
PATTERN(ld_u16_by_9,      u16,    2, 64, out[i] = in[9 * i])
PATTERN(ld_f32_by_3,      float,  2, 64, out[i] = in[3 * i])
PATTERN(ld_f32_by_5,      float,  2, 64, out[i] = in[5 * i])
PATTERN(ld_f32_by_33,     float,  2, 64, out[i] = in[33 * i])
PATTERN(ld_f32x2_by_3,    float2, 2, 64, out[i] = in[3 * i])
PATTERN(ld_f32x4_by_5,    float4, 2, 64, out[i] = in[5 * i])

/* the same, in disorder */
PATTERN(ld_f32_backwards, float,  2, 64, out[i] = in[i ^ 31])
PATTERN(ld_f32_twisted,   float,  2, 64, out[i] = in[i ^ (l >> 2)])
PATTERN(ld_f32_thirds,    float,  2, 64, out[i] = in[i / 3])
PATTERN(ld_f32_mod_3,     float,  2, 64, out[i] = in[40 * (l % 3) + b])
PATTERN(ld_f32_squares,   float,  2, 64, out[i] = in[l * l + b])
PATTERN(ld_f32_scattered, float,  2, 64, out[i] = in[37 * i * i % 1009])
PATTERN(ld_f32x4_quarter, float4, 2, 64, out[i] = in[9 * (i / 4)])

/* stores to global memory */
PATTERN(st_f32_from_7,    float,  2, 64, out[i + 7] = in[i])
PATTERN(st_f32_by_3,      float,  2, 64, out[3 * i] = in[i])
PATTERN(st_f32_by_20,     float,  2, 64, out[20 * i] = in[i])
PATTERN(st_u8_by_7,       u8,     2, 64, out[7 * i] = in[i])
PATTERN(st_u16_by_3,      u16,    2, 64, out[3 * i] = in[i])
PATTERN(st_f32x2_swapped, float2, 2, 64, out[i ^ 17] = in[i])
PATTERN(st_f32x2_by_5,    float2, 2, 64, out[5 * i] = in[i])
PATTERN(st_f32x4_by_3,    float4, 2, 64, out[3 * i] = in[i])
PATTERN(st_f32x4_row,     float4, 2, 64, out[9 * (i / 8) + i % 8] = in[i])

/* structs in global memory */
struct Three { float x, y, z; };
struct Five { float a, b, c, d, e; };
PATTERN(struct_3_floats, struct Three, 2, 64, out[i] = in[i])
PATTERN(struct_5_floats, struct Five,  2, 64, out[i] = in[i])
PATTERN(struct_one_of_5, float, 2, 64,
        out[i] = ((const struct Five *)in)[i].c)

/* part of a warp */
PATTERN(part_lane_17,   float,  2, 64, if (l == 17) out[i] = in[2 * i])
PATTERN(part_first_11,  float,  2, 64, if (l < 11) out[i] = in[i])
PATTERN(part_odd,       float,  2, 64, if (l & 1) out[i] = in[i])
PATTERN(part_every_9th, float4, 2, 64, if (l % 9 == 4) out[i] = in[i])
PATTERN(part_2nd_warp,  float,  2, 64, if (t >= 32) out[i] = in[3 * i])
PATTERN(part_block_20,  float,  3, 20, out[i] = in[i])
PATTERN(part_block_33,  float,  3, 33, out[i] = in[i])
PATTERN(part_block_1,   float4, 3, 1,  out[i] = in[i])

/* a kernel that reads shared memory */
/* Fill `count` elements of shared memory; then each thread reads one.  It
 * fills its neighbour's place, lest a compiler keep in a register what a
 * thread has written and reads again. */
#define FROM_SHARED(name, T, count, statement)                          \
    __global__ void name(T *out, const T *in)                           \
    {                                                                   \
        __shared__ T s[count];                                          \
        int l = threadIdx.x, i = blockIdx.x * 32 + l;                   \
        for (int j = 0; j < count; j += 32)                             \
            s[j + (l ^ 1)] = in[j + (l ^ 1)];                           \
        __syncthreads();                                                \
        statement;                                                      \
    }                                                                   \
    RUN(name)                                                           \
    {                                                                   \
        T *out = (T *)want;                                             \
        UNUSED const T *s = (const T *)h_in, *in = s;                   \
        before(POISON);                                                 \
        name<<<2, 32>>>((T *)d_out, (const T *)d_in);                   \
        for (int i = 0; i < 64; i++) {                                  \
            UNUSED int l = i % 32;                                      \
            statement;                                                  \
        }                                                               \
        after(#name);                                                   \
    }

/* loads from shared memory */
FROM_SHARED(sh_u8,           u8,     32,   out[i] = s[l])
FROM_SHARED(sh_u8_by_4,      u8,     128,  out[i] = s[4 * l])
FROM_SHARED(sh_u8_by_68,     u8,     2112, out[i] = s[68 * l])
FROM_SHARED(sh_u8_by_64,     u8,     2048, out[i] = s[64 * l])
FROM_SHARED(sh_u16_by_3,     u16,    96,   out[i] = s[3 * l])
FROM_SHARED(sh_u16_by_32,    u16,    1024, out[i] = s[32 * l])
FROM_SHARED(sh_f32,          float,  32,   out[i] = s[l])
FROM_SHARED(sh_f32_by_2,     float,  64,   out[i] = s[2 * l])
FROM_SHARED(sh_f32_by_3,     float,  96,   out[i] = s[3 * l])
FROM_SHARED(sh_f32_by_4,     float,  128,  out[i] = s[4 * l])
FROM_SHARED(sh_f32_by_6,     float,  192,  out[i] = s[6 * l])
FROM_SHARED(sh_f32_by_8,     float,  256,  out[i] = s[8 * l])
FROM_SHARED(sh_f32_by_16,    float,  512,  out[i] = s[16 * l])
FROM_SHARED(sh_f32_by_32,    float,  1024, out[i] = s[32 * l])
FROM_SHARED(sh_f32_by_33,    float,  1056, out[i] = s[33 * l])
FROM_SHARED(sh_f32_one,      float,  32,   out[i] = s[7])
FROM_SHARED(sh_f32_two,      float,  64,   out[i] = s[l % 2 * 32])
FROM_SHARED(sh_f32_squares,  float,  1024, out[i] = s[l * l])
FROM_SHARED(sh_f32_part,     float,  1024, if (l % 3) out[i] = s[32 * l])
FROM_SHARED(sh_f32_xor,      float,  1024, out[i] = s[32 * l + (l ^ 5)])

FROM_SHARED(sh_f32x2,         float2, 32,  out[i] = s[l])
FROM_SHARED(sh_f32x2_by_2,    float2, 64,  out[i] = s[2 * l])
FROM_SHARED(sh_f32x2_by_3,    float2, 96,  out[i] = s[3 * l])
FROM_SHARED(sh_f32x2_by_16,   float2, 512, out[i] = s[16 * l])
FROM_SHARED(sh_f32x2_one,     float2, 32,  out[i] = s[3])
FROM_SHARED(sh_f32x2_pairs,   float2, 32,  out[i] = s[l / 2])
FROM_SHARED(sh_f32x2_mod_2,   float2, 64,  out[i] = s[l % 2 * 16])
FROM_SHARED(sh_f32x2_mod_16,  float2, 32,  out[i] = s[l % 16])
FROM_SHARED(sh_f32x2_quads,   float2, 128, out[i] = s[l / 4 * 16])
FROM_SHARED(sh_f32x2_2_apart, float2, 64,  out[i] = s[l % 2 + l / 4 * 2])
FROM_SHARED(sh_f32x2_mixed,   float2, 64,
            out[i] = s[l < 16 ? l / 2 : l])
FROM_SHARED(sh_f32x2_evens,   float2, 64, if (l % 2 == 0) out[i] = s[l])
FROM_SHARED(sh_f32x2_few,     float2, 64, if (l < 11) out[i] = s[2 * l])
FROM_SHARED(sh_f32x2_squares, float2, 256, out[i] = s[l * l % 256])

FROM_SHARED(sh_f32x4,         float4, 32,  out[i] = s[l])
FROM_SHARED(sh_f32x4_by_2,    float4, 64,  out[i] = s[2 * l])
FROM_SHARED(sh_f32x4_by_3,    float4, 96,  out[i] = s[3 * l])
FROM_SHARED(sh_f32x4_by_4,    float4, 128, out[i] = s[4 * l])
FROM_SHARED(sh_f32x4_by_8,    float4, 256, out[i] = s[8 * l])
FROM_SHARED(sh_f32x4_by_9,    float4, 288, out[i] = s[9 * l])
FROM_SHARED(sh_f32x4_one,     float4, 32,  out[i] = s[5])
FROM_SHARED(sh_f32x4_pairs,   float4, 32,  out[i] = s[l / 2])
FROM_SHARED(sh_f32x4_quads,   float4, 32,  out[i] = s[l / 4])
FROM_SHARED(sh_f32x4_mod_4,   float4, 32,  out[i] = s[l % 4])
FROM_SHARED(sh_f32x4_mod_2,   float4, 32,  out[i] = s[l % 2 * 8])
FROM_SHARED(sh_f32x4_mod_8,   float4, 32,  out[i] = s[l % 8])
FROM_SHARED(sh_f32x4_2_apart, float4, 32,  out[i] = s[l % 2 + l / 4 * 2])
FROM_SHARED(sh_f32x4_thirds,  float4, 32,  out[i] = s[l / 3])
FROM_SHARED(sh_f32x4_odd,     float4, 32,  if (l % 2) out[i] = s[l])
FROM_SHARED(sh_f32x4_rows,    float4, 288, if (l < 20) out[i] = s[9 * l])
FROM_SHARED(sh_f32x4_squares, float4, 128, out[i] = s[l * l % 128])

/* a kernel that writes shared memory */
/* Fill shared memory, write one element a thread, read all of it back. */
#define TO_SHARED(name, T, count, index)                                \
    __global__ void name(T *out, const T *in)                           \
    {                                                                   \
        __shared__ T s[count];                                          \
        int l = threadIdx.x;                                            \
        for (int j = 0; j < count; j += 32)                             \
            s[j + (l ^ 1)] = in[j + (l ^ 1)];                           \
        __syncthreads();                                                \
        s[index] = in[count + (index)];                                 \
        __syncthreads();                                                \
        for (int j = 0; j < count; j += 32)                             \
            out[j + (l ^ 2)] = s[j + (l ^ 2)];                          \
    }                                                                   \
    RUN(name)                                                           \
    {                                                                   \
        T *s = (T *)want;                                               \
        before(POISON);                                                 \
        name<<<1, 32>>>((T *)d_out, (const T *)d_in);                   \
        memcpy(s, h_in, count * sizeof *s);                             \
        for (int l = 0; l < 32; l++)                                    \
            s[index] = ((const T *)h_in)[count + (index)];              \
        after(#name);                                                   \
    }

/* stores to shared memory */
TO_SHARED(sw_u8,            u8,     32,   l)
TO_SHARED(sw_u16_by_6,      u16,    192,  6 * l)
TO_SHARED(sw_f32_by_2,      float,  64,   2 * l)
TO_SHARED(sw_f32_by_12,     float,  384,  12 * l)
TO_SHARED(sw_f32_by_32,     float,  1024, 32 * l)
TO_SHARED(sw_f32_by_33,     float,  1056, 33 * l)
TO_SHARED(sw_f32_one,       float,  32,   5)
TO_SHARED(sw_f32_sevenths,  float,  32,   l / 7)
TO_SHARED(sw_f32x2,         float2, 64,   l ^ 9)
TO_SHARED(sw_f32x2_pairs,   float2, 32,   l / 2)
TO_SHARED(sw_f32x2_one,     float2, 32,   6)
TO_SHARED(sw_f32x2_by_2,    float2, 64,   2 * l)
TO_SHARED(sw_f32x2_by_16,   float2, 512,  16 * l)
TO_SHARED(sw_f32x4,         float4, 32,   l)
TO_SHARED(sw_f32x4_quads,   float4, 32,   l / 4)
TO_SHARED(sw_f32x4_one,     float4, 32,   9)
TO_SHARED(sw_f32x4_by_2,    float4, 64,   2 * l)
TO_SHARED(sw_f32x4_by_8,    float4, 256,  8 * l)
TO_SHARED(sw_f32x4_by_9,    float4, 288,  9 * l)
TO_SHARED(sw_f32x4_xor,     float4, 256,  8 * l + (l & 7))

/* ldmatrix and stmatrix */
static __device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
#define LDMATRIX_x1(r, a) asm volatile(                                 \
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"              \
    : "=r"(r[0]) : "r"(a) : "memory")
#define LDMATRIX_x2(r, a) asm volatile(                                 \
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"          \
    : "=r"(r[0]), "=r"(r[1]) : "r"(a) : "memory")
#define LDMATRIX_x4(r, a) asm volatile(                                 \
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"  \
    : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                    \
    : "r"(a) : "memory")
#define LDMATRIX_x4t(r, a) asm volatile(                                \
    "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "                   \
    "{%0, %1, %2, %3}, [%4];"                                           \
    : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                    \
    : "r"(a) : "memory")

/* A tile has 16 rows of `pitch` 16-bit numbers.  Matrix m begins in row
 * 8 (m & 1), column 8 (m >> 1); in row r, chunks of eight columns change
 * places: chunk c is found at c ^ (r & mask). */
static int at(int m, int row, int col, int pitch, int mask)
{
    row += 8 * (m & 1);
    return row * pitch + 8 * (m >> 1 ^ (row & mask)) + col;
}

static void want_loaded(int matrices, bool trans, int pitch, int mask)
{
    for (int e = 0; e < 64 * matrices; e++) {
        int i = e / 8 % 8, j = e % 8;
        int from = at(e / 64, trans ? j : i, trans ? i : j, pitch, mask);
        ((u16 *)want)[e] = ((u16 *)h_in)[from];
    }
}

#define FROM_MATRIX(name, kind, matrices, trans, pitch, mask)           \
    __global__ void name(u16 *out, const u16 *in)                       \
    {                                                                   \
        __shared__ __align__(128) u16 s[16 * pitch];                    \
        int l = threadIdx.x, row = l % 16;                              \
        for (int j = 0; j < 16 * pitch; j += 32)                        \
            s[j + l] = in[j + l];                                       \
        __syncthreads();                                                \
        unsigned r[4];                                                  \
        LDMATRIX_##kind(r, shared_address(                              \
            &s[row * pitch + 8 * (l / 16 ^ (row & mask))]));            \
        _Pragma("unroll")                                               \
        for (int m = 0; m < matrices; m++)                              \
            ((unsigned *)out)[32 * m + l] = r[m];                       \
    }                                                                   \
    RUN(name)                                                           \
    {                                                                   \
        before(POISON);                                                 \
        name<<<1, 32>>>((u16 *)d_out, (const u16 *)d_in);               \
        want_loaded(matrices, trans, pitch, mask);                      \
        after(#name);                                                   \
    }

FROM_MATRIX(lm_x1_pitch_8,   x1,  1, false, 8,   0)
FROM_MATRIX(lm_x1_pitch_24,  x1,  1, false, 24,  0)
FROM_MATRIX(lm_x1_pitch_32,  x1,  1, false, 32,  0)
FROM_MATRIX(lm_x2_pitch_16,  x2,  2, false, 16,  0)
FROM_MATRIX(lm_x2_pitch_40,  x2,  2, false, 40,  0)
FROM_MATRIX(lm_x2_pitch_64,  x2,  2, false, 64,  0)
FROM_MATRIX(lm_x4_pitch_16,  x4,  4, false, 16,  0)
FROM_MATRIX(lm_x4_pitch_24,  x4,  4, false, 24,  0)
FROM_MATRIX(lm_x4_pitch_48,  x4,  4, false, 48,  0)
FROM_MATRIX(lm_x4_pitch_56,  x4,  4, false, 56,  0)
FROM_MATRIX(lm_x4_pitch_64,  x4,  4, false, 64,  0)
FROM_MATRIX(lm_x4_pitch_72,  x4,  4, false, 72,  0)
FROM_MATRIX(lm_x4_pitch_96,  x4,  4, false, 96,  0)
FROM_MATRIX(lm_x4_swizzled,  x4,  4, false, 64,  7)
FROM_MATRIX(lm_x4_swizzle_3, x4,  4, false, 64,  3)
FROM_MATRIX(lm_x4t_pitch_32, x4t, 4, true,  32,  0)
FROM_MATRIX(lm_x4t_pitch_72, x4t, 4, true,  72,  0)
FROM_MATRIX(lm_x4t_swizzled, x4t, 4, true,  64,  7)

#if !defined(__NVCC__) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define STMATRIX_x4(r, a) asm volatile(                                 \
    "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};"  \
    :: "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(a) : "memory")
#define STMATRIX_x2(r, a) asm volatile(                                 \
    "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%2], {%0, %1};"          \
    :: "r"(r[0]), "r"(r[1]), "r"(a) : "memory")
#else                                   /* before sm_90 there is none   */
#define STMATRIX_x4(r, a) ((void)(a), (void)(r))
#define STMATRIX_x2(r, a) ((void)(a), (void)(r))
#endif

static bool has_stmatrix(void)
{
    int major;
    CUDA_OK(cudaDeviceGetAttribute(&major,
                                   cudaDevAttrComputeCapabilityMajor, 0));
    return major >= 9;
}

static void want_stored(int matrices, int pitch, int mask)
{
    memcpy(want, h_in, (size_t)(32 * pitch));
    for (int e = 0; e < 64 * matrices; e++)
        ((u16 *)want)[at(e / 64, e / 8 % 8, e % 8, pitch, mask)] =
            ((u16 *)h_in)[e];
}

#define TO_MATRIX(name, kind, matrices, pitch, mask)                    \
    __global__ void name(u16 *out, const u16 *in)                       \
    {                                                                   \
        __shared__ __align__(128) u16 s[16 * pitch];                    \
        int l = threadIdx.x, row = l % 16;                              \
        unsigned r[4] = { 0, 0, 0, 0 };                                 \
        for (int j = 0; j < 16 * pitch; j += 32)                        \
            s[j + l] = in[j + l];                                       \
        __syncthreads();                                                \
        _Pragma("unroll")                                               \
        for (int m = 0; m < matrices; m++)                              \
            r[m] = ((const unsigned *)in)[32 * m + l];                  \
        STMATRIX_##kind(r, shared_address(                              \
            &s[row * pitch + 8 * (l / 16 ^ (row & mask))]));            \
        __syncthreads();                                                \
        for (int j = 0; j < 16 * pitch; j += 32)                        \
            out[j + l] = s[j + l];                                      \
    }                                                                   \
    RUN(name)                                                           \
    {                                                                   \
        if (!has_stmatrix())                                            \
            return;                                                     \
        before(POISON);                                                 \
        name<<<1, 32>>>((u16 *)d_out, (const u16 *)d_in);               \
        want_stored(matrices, pitch, mask);                             \
        after(#name);                                                   \
    }
TO_MATRIX(sm_x2_pitch_40, x2, 2, 40, 0)
TO_MATRIX(sm_x4_pitch_48, x4, 4, 48, 0)
TO_MATRIX(sm_x4_pitch_72, x4, 4, 72, 0)
TO_MATRIX(sm_x4_swizzled, x4, 4, 64, 7)

/* atomic operations */
/* On the host, where nothing happens at the same time, they are simple. */
#ifdef __CUDA_ARCH__
#define EITHER(device, host) device
#else
#define EITHER(device, host) host
#endif
#define ATOMIC(name, T, device, host)                                   \
    static __host__ __device__ inline T name(T *p, T v)                 \
    {                                                                   \
        EITHER(return device, T old = *p; *p = (host); return old);     \
    }
typedef unsigned long long u64;
ATOMIC(add_int,   int,      atomicAdd(p, v),    old + v)
ATOMIC(add_float, float,    atomicAdd(p, v),    old + v)
ATOMIC(add_u64,   u64,      atomicAdd(p, v),    old + v)
ATOMIC(max_int,   int,      atomicMax(p, v),    old > v ? old : v)
ATOMIC(or_uint,   unsigned, atomicOr(p, v),     old | v)
ATOMIC(exch_int,  int,      atomicExch(p, v),   v)
ATOMIC(cas_int,   int,      atomicCAS(p, 0, v), old ? old : v)
#define ATOMICALLY(name, T, statement)                                  \
    PATTERN_FROM(0, name, T, 2, 64, statement)

/* Nobody reads the result. */
ATOMICALLY(red_int,        int,   add_int(&out[i], i + 5))
ATOMICALLY(red_int_by_5,   int,   add_int(&out[5 * i], i + 5))
ATOMICALLY(red_int_pairs,  int,   add_int(&out[i / 2], i + 5))
ATOMICALLY(red_int_mod_5,  int,   add_int(&out[l % 5], i + 5))
ATOMICALLY(red_int_uneven, int,   add_int(&out[l % 8 / 7], i + 5))
ATOMICALLY(red_int_part,   int,   if (l % 3) add_int(&out[i / 4], l))
ATOMICALLY(red_max,        int,   max_int(&out[i / 8], l))
ATOMICALLY(red_or,         unsigned, or_uint(&out[i / 3], 1u << l))
ATOMICALLY(red_u64,        u64,   add_u64(&out[i / 2], i + 5))
ATOMICALLY(red_f32,        float, add_float(&out[i], l))
ATOMICALLY(red_f32_one,    float, add_float(&out[b], l))
ATOMICALLY(red_f32_eights, float, add_float(&out[i / 8], l))
ATOMICALLY(red_f32_by_7,   float, add_float(&out[7 * i], l))
ATOMICALLY(red_f32_far,    float, add_float(&out[i % 4 * 40], l))

/* The result is used: written, shifted to what it must be in any order. */
ATOMICALLY(atom_int,       int, out[256 + i] = add_int(&out[i], i + 5))
ATOMICALLY(atom_int_by_3,  int, out[1024 + i] = add_int(&out[3 * i], i + 5))
ATOMICALLY(atom_int_quads, int,
           out[1024 + i] = add_int(&out[i / 4], i + 5) >> 20)
ATOMICALLY(atom_f32_by_2,  float,
           out[1024 + i] = add_float(&out[2 * i], l))
ATOMICALLY(atom_exch,      int,
           out[4096 + i] = exch_int(&out[9 * i], i + 5))
ATOMICALLY(atom_cas,       int, out[1024 + i] = cas_int(&out[2 * i], i + 5))

/* In shared memory: clear it, one atomic operation a thread, read it. */
#define IN_SHARED(name, T, count, statement)                            \
    __global__ void name(T *out, UNUSED const T *in)                    \
    {                                                                   \
        __shared__ T s[count];                                          \
        int l = threadIdx.x;                                            \
        for (int j = 0; j < count; j += 32)                             \
            s[j + l] = 0;                                               \
        __syncthreads();                                                \
        statement;                                                      \
        __syncthreads();                                                \
        for (int j = 0; j < count; j += 32)                             \
            out[j + l] = s[j + l];                                      \
    }                                                                   \
    RUN(name)                                                           \
    {                                                                   \
        T *out = (T *)want, *s = out;                                   \
        before(POISON);                                                 \
        memset(s, 0, count * sizeof *s);                                \
        name<<<1, 32>>>((T *)d_out, (const T *)d_in);                   \
        for (int l = 0; l < 32; l++) {                                  \
            statement;                                                  \
        }                                                               \
        after(#name);                                                   \
    }

IN_SHARED(sa_int,        int,      32,   add_int(&s[l], l + 5))
IN_SHARED(sa_int_by_4,   int,      128,  add_int(&s[4 * l], l + 5))
IN_SHARED(sa_int_by_32,  int,      1024, add_int(&s[32 * l], l + 5))
IN_SHARED(sa_int_pairs,  int,      32,   add_int(&s[l / 2], l + 5))
IN_SHARED(sa_int_mod_3,  int,      32,   add_int(&s[l % 3], l + 5))
IN_SHARED(sa_int_part,   int,      32,   if (l < 13) add_int(&s[l / 5], l))
IN_SHARED(sa_int_used,   int,      64,
          out[1024 + l] = add_int(&s[l / 8 + l % 2 * 32], l + 5) >> 20)
IN_SHARED(sa_one_eights, int,      32,   add_int(&s[l / 8], 1))
IN_SHARED(sa_one_by_32,  int,      256,  add_int(&s[l / 4 * 32], 1))
IN_SHARED(sa_one_used,   int,      32,
          out[1024 + l] = add_int(&s[l / 8], 1) >> 20)
IN_SHARED(sa_max_thirds, int,      32,   max_int(&s[l / 3], l))
IN_SHARED(sa_or_by_8,    unsigned, 256,  or_uint(&s[8 * l], l + 5))
IN_SHARED(sa_exch_by_2,  int,      64,   exch_int(&s[2 * l], l + 5))
IN_SHARED(sa_cas,        int,      32,   cas_int(&s[l], l + 5))
IN_SHARED(sa_cas_by_4,   int,      128,  cas_int(&s[4 * l], l + 5))
IN_SHARED(sa_f32,        float,    32,   add_float(&s[l], l))
IN_SHARED(sa_f32_by_4,   float,    128,  add_float(&s[4 * l], l))
IN_SHARED(sa_f32_quads,  float,    32,   add_float(&s[l / 4], l))
IN_SHARED(sa_f32_mod_3,  float,    32,   add_float(&s[l % 3], l))
IN_SHARED(sa_f32_part,   float,    32,   if (l % 3) add_float(&s[l / 5], l))
IN_SHARED(sa_f32_mixed,  float,    128,  add_float(&s[l * l % 128], l))
IN_SHARED(sa_f32_used,   float,    64,
          out[1024 + l] = add_float(&s[l / 3 * 2], l) * 0.0f)
IN_SHARED(sa_u64_few,    u64,      32,   if (l < 7) add_u64(&s[l / 2], l))
IN_SHARED(sa_u64_mixed,  u64,      64,   add_u64(&s[l * l % 64], l))
IN_SHARED(sa_u64,        u64,      32,   add_u64(&s[l], l + 5))
IN_SHARED(sa_u64_by_2,   u64,      64,   add_u64(&s[2 * l], l + 5))
IN_SHARED(sa_u64_pairs,  u64,      32,   add_u64(&s[l / 2], l + 5))
IN_SHARED(sa_u64_halves, u64,      32,   add_u64(&s[l % 16], l + 5))
IN_SHARED(sa_u64_cross,  u64,      32,
          add_u64(&s[(3 * l + l / 16) % 20], l + 5))

/* asynchronous copies */
#define COPY_ASYNC(how, size, to, from, bytes)                          \
    asm volatile("cp.async." how ".shared.global [%0], [%1], " size     \
                 ", %2;" :: "r"(shared_address(to)), "l"(from),         \
                 "r"(bytes) : "memory")
#define COPY_WAIT() asm volatile("cp.async.wait_all;" ::: "memory")
#define SIZE_float  "4"
#define SIZE_float2 "8"
#define SIZE_float4 "16"

/* What it leaves in shared memory, element `to`. */
static void want_copied(void *to, const void *from, size_t size,
                        size_t bytes)
{
    memset(to, 0, size);
    memcpy(to, from, bytes);
}

/* Each lane that is on copies `bytes` of a T from in[from] to s[to]. */
#define ASYNC(name, how, T, count, on, to, from, bytes)                 \
    __global__ void name(T *out, const T *in)                           \
    {                                                                   \
        __shared__ __align__(128) T s[count];                           \
        int l = threadIdx.x;                                            \
        for (int j = 0; j < count; j += 32)                             \
            s[j + l] = in[count + j + l];                               \
        __syncthreads();                                                \
        if (on)                                                         \
            COPY_ASYNC(how, SIZE_##T, &s[to], &in[from], bytes);        \
        COPY_WAIT();                                                    \
        __syncthreads();                                                \
        for (int j = 0; j < count; j += 32)                             \
            out[j + l] = s[j + l];                                      \
    }                                                                   \
    RUN(name)                                                           \
    {                                                                   \
        T *s = (T *)want;                                               \
        const T *in = (const T *)h_in;                                  \
        before(POISON);                                                 \
        name<<<1, 32>>>((T *)d_out, (const T *)d_in);                   \
        memcpy(s, in + count, count * sizeof *s);                       \
        for (int l = 0; l < 32; l++)                                    \
            if (on)                                                     \
                want_copied(&s[to], &in[from], sizeof *s, bytes);       \
        after(#name);                                                   \
    }

ASYNC(ca_4,         "ca", float,  32,  true, l, l, 4)
ASYNC(ca_4_by_3,    "ca", float,  32,  true, l, 3 * l, 4)
ASYNC(ca_4_odd,     "ca", float,  64,  l & 1, 2 * l, 9 * l, 4)
ASYNC(ca_8,         "ca", float2, 32,  true, l, l, 8)
ASYNC(ca_8_by_5,    "ca", float2, 32,  true, l ^ 3, 5 * l, 8)
ASYNC(ca_16,        "ca", float4, 32,  true, l, l, 16)
ASYNC(ca_16_to_9,   "ca", float4, 288, true, 9 * l, l, 16)
ASYNC(ca_16_by_3,   "ca", float4, 32,  true, l, 3 * l, 16)
ASYNC(cg_16,        "cg", float4, 32,  true, l, l, 16)
ASYNC(cg_16_from_1, "cg", float4, 32,  true, l, l + 1, 16)
ASYNC(cg_16_to_1,   "cg", float4, 64,  true, l + 1, l, 16)
ASYNC(cg_16_by_3,   "cg", float4, 32,  true, l, 3 * l, 16)
ASYNC(cg_16_part,   "cg", float4, 32,  l > 8, l, l, 16)
ASYNC(cg_16_short,  "cg", float4, 32,  true, l, l, l % 3 * 4)
ASYNC(cg_16_none,   "cg", float4, 32,  true, l, l, l >> 5)

/* Rows of 64 bytes, four lanes each, to rows of other pitches. */
#define ROWS(name, count, to)                                           \
    ASYNC(name, "cg", float4, count, true, to, l / 4 * 8 + l % 4, 16)
ROWS(cg_rows_64,    32, l)
ROWS(cg_rows_80,    64, l / 4 * 5 + l % 4)
ROWS(cg_rows_96,    64, l / 4 * 6 + l % 4)
ROWS(cg_rows_128,   64, l / 4 * 8 + l % 4)
ROWS(cg_rows_144,   96, l / 4 * 9 + l % 4)
ROWS(cg_rows_xor,   64, l / 4 * 8 + (l % 4 ^ l / 4))
ASYNC(cg_lines_xor, "cg", float4, 32, true, l / 8 * 8 + (l % 8 ^ l / 8), l,
      16)

/* local and constant memory */
/* a lives in local memory, since its index is known only at run time; zero
 * is 0, but no compiler knows. */
#define LOCAL(name, T, index)                                           \
    __global__ void name(T *out, const T *in)                           \
    {                                                                   \
        int l = threadIdx.x, i = blockIdx.x * 32 + l;                   \
        int zero = gridDim.y - 1;                                       \
        T a[16];                                                        \
        _Pragma("unroll 1")                                             \
        for (int j = 0; j < 16; j++)                                    \
            a[(j + zero) & 15] = in[16 * i + j];                        \
        out[i] = a[(index) + zero];                                     \
    }                                                                   \
    RUN(name)                                                           \
    {                                                                   \
        before(POISON);                                                 \
        name<<<2, 32>>>((T *)d_out, (const T *)d_in);                   \
        for (int i = 0; i < 64; i++) {                                  \
            UNUSED int l = i % 32;                                      \
            ((T *)want)[i] = ((T *)h_in)[16 * i + (index)];             \
        }                                                               \
        after(#name);                                                   \
    }
LOCAL(lo_f32_one,    float,  3)
LOCAL(lo_f32_lane,   float,  l % 16)
LOCAL(lo_f32_quads,  float,  l / 4)
LOCAL(lo_f32x2_one,  float2, 3)
LOCAL(lo_f32x2_lane, float2, l % 16)
LOCAL(lo_f32x4_one,  float4, 3)
LOCAL(lo_u8_one,     u8,     3)
LOCAL(lo_u8_lane,    u8,     l % 16)

#define TWO(i)   i, 3 * i
#define FOUR(i)  TWO(i), TWO(i + 5)
#define EIGHT(i) FOUR(i), FOUR(i + 9)
#define TABLE    EIGHT(1), EIGHT(40), EIGHT(700), EIGHT(11), EIGHT(2),  \
                 EIGHT(89), EIGHT(6), EIGHT(1000)
__constant__ int c_table[64] = { TABLE };
UNUSED static const int h_table[64] = { TABLE };

#define CONSTANT(name, index)                                           \
    PATTERN(name, int, 2, 64, out[i] = EITHER(c_table, h_table)[index])
CONSTANT(co_block,  7 * b)
CONSTANT(co_halves, l / 16 + 5)
CONSTANT(co_mod_5,  9 * (l % 5))
CONSTANT(co_lane,   l)
CONSTANT(co_far,    (l * 7 + 3) % 64)
PATTERN(co_part, int, 2, 64,
        if (l < 9) out[i] = EITHER(c_table, h_table)[2 * l])

/* pointers that do not say where */
/* The pointer is chosen at run time, so the load is a generic one. */
static __host__ __device__ inline bool unknown(void)
{
    return EITHER(gridDim.y > 1, false);        /* false, but who knows */
}
FROM_SHARED(ge_shared, float, 64, out[i] = (unknown() ? in : s)[2 * l])
FROM_SHARED(ge_global, float, 64, out[i] = (unknown() ? s : in)[2 * l])
FROM_SHARED(ge_mixed,  float, 64, out[i] = (l % 3 ? in : s)[2 * l])

/* paths that part */
/* The two sides differ in width, so that no compiler makes them one. */
PATTERN(di_two_sides, float, 2, 64,
        if (l % 5 < 2) out[i] = in[i];
        else ((u8 *)out)[4 * i] = ((const u8 *)in)[i])
PATTERN(di_nested, float, 2, 64,
        if (l < 20) {
            if (l & 1) ((u8 *)out)[4 * i] = ((const u8 *)in)[i];
            else ((u16 *)out)[2 * i] = ((const u16 *)in)[i];
        } else
            out[i] = in[3 * i])
PATTERN(di_switch, float, 2, 64,
        switch (l % 3) {
        case 0: ((u8 *)out)[8 * i] = ((const u8 *)in)[i]; break;
        case 1: ((u16 *)out)[4 * i] = ((const u16 *)in)[i]; break;
        default: ((double *)out)[i] = ((const double *)in)[i];
        })
__global__ void di_return(float *out, const float *in)
{
    int l = threadIdx.x;
    if (l % 4 == 1)
        return;
    out[l] = in[2 * l];
}
RUN(di_return)
{
    before(POISON);
    di_return<<<1, 32>>>((float *)d_out, (const float *)d_in);
    for (int l = 0; l < 32; l++)
        if (l % 4 != 1)
            memcpy((float *)want + l, (float *)h_in + 2 * l, 4);
    after("di_return");
}

/* A loop that each lane leaves when it likes; unroll 1 keeps it a loop. */
static __host__ __device__ inline void count_up(int *out, int i, int trips)
{
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int j = 0; j < trips; j++)
        out[64 * j + i] = i + j;
}
static __host__ __device__ inline void collatz(int *out, const int *in,
                                               int i, int n)
{
    int steps = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        ((u8 *)out)[4096 + 64 * steps + i] = ((const u8 *)in)[n];
        steps++;
    }
    out[i] = steps;
}
PATTERN(di_trips,   int, 1, 64, count_up(out, i, 1 + l % 7))
PATTERN(di_collatz, int, 1, 64, collatz(out, in, i, 1 + l))

/* A block of 9 x 7 threads: lanes run along x first. */
__global__ void di_block_9_7(float *out, const float *in)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[9 * y + x] = in[64 * y + x];
}
RUN(di_block_9_7)
{
    before(POISON);
    di_block_9_7<<<1, dim3(9, 7)>>>((float *)d_out, (const float *)d_in);
    for (int y = 0; y < 7; y++)
        memcpy((float *)want + 9 * y, (float *)h_in + 64 * y, 36);
    after("di_block_9_7");
}

/* shuffles and reductions */
#define ALL 0xffffffffu
__global__ void sf_sum(int *out, const int *in)
{
    int l = threadIdx.x % 32, x = in[threadIdx.x] >> 8;
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_down_sync(ALL, x, d);
    if (l == 0)
        out[threadIdx.x / 32] = x;
}
__global__ void sf_scan(int *out, const int *in)
{
    int l = threadIdx.x % 32, x = in[threadIdx.x] >> 8;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(ALL, x, d);
        x += l >= d ? left : 0;
    }
    out[threadIdx.x] = x;
}
__global__ void sf_pack(int *out, const int *in)
{
    int l = threadIdx.x % 32, x = in[threadIdx.x];
    unsigned odd = __ballot_sync(ALL, x & 1);
    if (x & 1)
        out[32 * (threadIdx.x / 32) + __popc(odd & ((1u << l) - 1))] = x;
}

RUN(sf_sum)
{
    before(POISON);
    sf_sum<<<1, 64>>>((int *)d_out, (const int *)d_in);
    memset(want, 0, 8);
    for (int i = 0; i < 64; i++)
        ((int *)want)[i / 32] += ((int *)h_in)[i] >> 8;
    after("sf_sum");
}
RUN(sf_scan)
{
    before(POISON);
    sf_scan<<<1, 64>>>((int *)d_out, (const int *)d_in);
    for (int i = 0; i < 64; i++)
        ((int *)want)[i] = (((int *)h_in)[i] >> 8)
                           + (i % 32 ? ((int *)want)[i - 1] : 0);
    after("sf_scan");
}
RUN(sf_pack)
{
    before(POISON);
    sf_pack<<<1, 64>>>((int *)d_out, (const int *)d_in);
    for (int i = 0, n = 0; i < 64; i++) {
        n = i % 32 ? n : i;
        if (((int *)h_in)[i] & 1)
            ((int *)want)[n++] = ((int *)h_in)[i];
    }
    after("sf_pack");
}

/* 256 numbers in shared memory become one. */
#define REDUCTION(name, from, condition, until, step)                   \
    __global__ void name(int *out, const int *in)                       \
    {                                                                   \
        __shared__ int s[256];                                          \
        int t = threadIdx.x;                                            \
        s[t] = in[t] >> 8;                                              \
        __syncthreads();                                                \
        for (int d = from; until; step) {                               \
            if (condition)                                              \
                ADD_UP_##name;                                          \
            __syncthreads();                                            \
        }                                                               \
        if (t == 0)                                                     \
            out[0] = s[0];                                              \
    }                                                                   \
    RUN(name)                                                           \
    {                                                                   \
        before(POISON);                                                 \
        name<<<1, 256>>>((int *)d_out, (const int *)d_in);              \
        *(int *)want = 0;                                               \
        for (int i = 0; i < 256; i++)                                   \
            *(int *)want += ((int *)h_in)[i] >> 8;                      \
        after(#name);                                                   \
    }
#define ADD_UP_re_modulo s[t] += s[t + d]
#define ADD_UP_re_spread s[2 * d * t] += s[2 * d * t + d]
#define ADD_UP_re_halves s[t] += s[t + d]
REDUCTION(re_modulo, 1,   t % (2 * d) == 0, d < 256, d *= 2)
REDUCTION(re_spread, 1,   t < 128 / d,      d < 256, d *= 2)
REDUCTION(re_halves, 128, t < d,            d > 0,   d /= 2)

/* three transposes */
/* 64 x 64 floats, four blocks of 32 x 8 threads. */
static void want_transposed(void)
{
    for (int i = 0; i < 4096; i++)
        memcpy((float *)want + i, (float *)h_in + i % 64 * 64 + i / 64, 4);
}
__global__ void tr_naive(float *out, const float *in)
{
    int x = 32 * blockIdx.x + threadIdx.x;
    int y = 32 * blockIdx.y + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[64 * x + y + j] = in[64 * (y + j) + x];
}
RUN(tr_naive)
{
    before(POISON);
    tr_naive<<<dim3(2, 2), dim3(32, 8)>>>((float *)d_out, (float *)d_in);
    want_transposed();
    after("tr_naive");
}

/* Element (y, x) of the tile is at s[y][x ^ xor], row pitch given. */
#define TRANSPOSE(name, pitch, mask)                                    \
    __global__ void name(float *out, const float *in)                   \
    {                                                                   \
        __shared__ float s[32 * pitch];                                 \
        int x = threadIdx.x, y = threadIdx.y;                           \
        const float *from = in + 32 * (64 * blockIdx.y + blockIdx.x);   \
        float *to = out + 32 * (64 * blockIdx.x + blockIdx.y);          \
        for (int j = y; j < 32; j += 8)                                 \
            s[pitch * j + (x ^ (j & mask))] = from[64 * j + x];         \
        __syncthreads();                                                \
        for (int j = y; j < 32; j += 8)                                 \
            to[64 * j + x] = s[pitch * x + (j ^ (x & mask))];           \
    }                                                                   \
    RUN(name)                                                           \
    {                                                                   \
        before(POISON);                                                 \
        name<<<dim3(2, 2), dim3(32, 8)>>>((float *)d_out,               \
                                          (float *)d_in);               \
        want_transposed();                                              \
        after(#name);                                                   \
    }
TRANSPOSE(tr_tile,     32, 0)
TRANSPOSE(tr_padded,   33, 0)
TRANSPOSE(tr_pad_2,    34, 0)
TRANSPOSE(tr_swizzled, 32, 31)

/* matrix products */
/* c[32][48] = a[32][64] b[64][48], of whole numbers from 0 to 7. */
enum { SMALL = BYTES / 2 };         /* where in h_in such floats begin */
static void want_product(int M, int N, int K)
{
    const float *a = (float *)(h_in + SMALL), *b = a + M * K;
    for (int i = 0; i < M * N; i++) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += a[i / N * K + k] * b[k * N + i % N];
        ((float *)want)[i] = sum;
    }
}
__global__ void mm_naive(float *c, const float *a)
{
    const float *b = a + 32 * 64;
    int n = 16 * blockIdx.x + threadIdx.x;
    int m = 16 * blockIdx.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum = fmaf(a[64 * m + k], b[48 * k + n], sum);
    c[48 * m + n] = sum;
}

/* Tiles of 16 x 16 in rows of 17, so that no two neighbours are aligned
 * and no compiler reads them at once. */
__global__ void mm_tiled(float *c, const float *a)
{
    const float *b = a + 32 * 64;
    __shared__ float as[16 * 17], bs[16 * 17];
    int x = threadIdx.x, y = threadIdx.y;
    int n = 16 * blockIdx.x + x, m = 16 * blockIdx.y + y;
    float sum = 0;
    for (int k0 = 0; k0 < 64; k0 += 16) {
        as[17 * y + x] = a[64 * m + k0 + x];
        bs[17 * y + x] = b[48 * (k0 + y) + n];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum = fmaf(as[17 * y + k], bs[17 * k + x], sum);
        __syncthreads();
    }
    c[48 * m + n] = sum;
}
#define RUN_PRODUCT(name)                                               \
    RUN(name)                                                           \
    {                                                                   \
        before(POISON);                                                 \
        name<<<dim3(3, 2), dim3(16, 16)>>>(                             \
            (float *)d_out, (const float *)(d_in + SMALL));             \
        want_product(32, 48, 64);                                       \
        after(#name);                                                   \
    }
RUN_PRODUCT(mm_naive)
RUN_PRODUCT(mm_tiled)

/* d = a b + d by one instruction of a tensor core. */
#define MMA(types, shape, d, a, b0, b1) asm volatile(                   \
    "mma.sync.aligned." shape ".row.col.f32." types ".f32 "             \
    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"   \
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                    \
    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))

/* Two matrices full of ones: every element of the product is K. */
#define TENSOR_ONES(name, types, shape, one, K)                         \
    __global__ void name(float *out, UNUSED const float *in)            \
    {                                                                   \
        unsigned a[4] = { one, one, one, one };                         \
        float d[4] = { 0, 0, 0, 0 };                                    \
        MMA(types, shape, d, a, one, one);                              \
        _Pragma("unroll")                                               \
        for (int j = 0; j < 4; j++)                                     \
            out[32 * j + threadIdx.x] = d[j];                           \
    }                                                                   \
    RUN(name)                                                           \
    {                                                                   \
        before(POISON);                                                 \
        name<<<1, 32>>>((float *)d_out, (const float *)d_in);           \
        for (int i = 0; i < 128; i++)                                   \
            ((float *)want)[i] = K;                                     \
        after(#name);                                                   \
    }
TENSOR_ONES(mm_one_bf16, "bf16.bf16", "m16n8k16", 0x3f803f80, 16)
TENSOR_ONES(mm_one_f16,  "f16.f16",   "m16n8k16", 0x3c003c00, 16)
TENSOR_ONES(mm_one_tf32, "tf32.tf32", "m16n8k8",  0x3f800000, 8)

/* c[64][64] = a[64][64] b[64][64], bfloat16, four warps of 16 rows each.
 * A tile's rows are PITCH numbers apart; of the chunks of 8 in a row, c is
 * at c ^ (row & MASK). */
template <int PITCH, int MASK>
static __device__ unsigned chunk(const u16 *tile, int row, int c)
{
    return shared_address(&tile[PITCH * row + 8 * (c ^ (row & MASK))]);
}

template <int PITCH, int MASK>
static __device__ void copy_tile(u16 *tile, const u16 *from)
{
    for (int j = threadIdx.x; j < 512; j += 128)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::
                     "r"(chunk<PITCH, MASK>(tile, j / 8, j % 8)),
                     "l"(from + 8 * j) : "memory");
}

template <int PITCH, int MASK>
static __device__ void multiply_tiles(float *c, const u16 *as,
                                      const u16 *bs)
{
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    float acc[8][4] = { { 0 } };
#pragma unroll
    for (int k = 0; k < 64; k += 16) {
        unsigned a[4], b[4];
        LDMATRIX_x4(a, (chunk<PITCH, MASK>(as, 16 * w + l % 16,
                                           k / 8 + l / 16)));
#pragma unroll
        for (int n = 0; n < 8; n += 2) {
            LDMATRIX_x4t(b, (chunk<PITCH, MASK>(bs, k + l % 16,
                                                n + l / 16)));
            MMA("bf16.bf16", "m16n8k16", acc[n], a, b[0], b[1]);
            MMA("bf16.bf16", "m16n8k16", acc[n + 1], a, b[2], b[3]);
        }
    }
    /* write the product's fragments */
    float2 *row = (float2 *)(c + 64 * (16 * w + l / 4));
    #pragma unroll
    for (int n = 0; n < 8; n++) {
        row[4 * n + l % 4] = make_float2(acc[n][0], acc[n][1]);
        row[4 * n + l % 4 + 256] = make_float2(acc[n][2], acc[n][3]);
    }
}

#define TENSOR_PRODUCT(name, PITCH, MASK)                               \
    __global__ void name(float *c, const u16 *a)                        \
    {                                                                   \
        __shared__ __align__(128) u16 as[64 * PITCH], bs[64 * PITCH];   \
        copy_tile<PITCH, MASK>(as, a);                                  \
        copy_tile<PITCH, MASK>(bs, a + 4096);                           \
        COPY_WAIT();                                                    \
        __syncthreads();                                                \
        multiply_tiles<PITCH, MASK>(c, as, bs);                         \
    }                                                                   \
    RUN(name)                                                           \
    {                                                                   \
        before(POISON);                                                 \
        name<<<1, 128>>>((float *)d_out,                                \
                         (const u16 *)(d_in + SMALL + SMALL / 2));      \
        want_product(64, 64, 64);                                       \
        after(#name);                                                   \
    }
TENSOR_PRODUCT(mm_tensor_plain,  64, 0)
TENSOR_PRODUCT(mm_tensor_padded, 72, 0)
TENSOR_PRODUCT(mm_tensor_xor,    64, 7)

/* arithmetic alone */
/* x, y, z are whole numbers from 0 to 7.  No product goes into a sum, so
 * there is nothing to contract. */
#define ARITHMETIC(name, statement)                                     \
    PATTERN(name, float, 2, 64,                                         \
            float x = in[SMALL / 4 + i]; float y = in[SMALL / 4 + i + 1]; \
            float z = in[SMALL / 4 + i + 2]; statement)
ARITHMETIC(ar_fma,  out[i] = fmaf(fmaf(fmaf(x, y, z), x, y), z, x))
ARITHMETIC(ar_add,  out[i] = x + y + z + x - y - x + z)
ARITHMETIC(ar_mul,  out[i] = x * y * z * x)
ARITHMETIC(ar_both, out[i] = x + y - z; out[i + 128] = x * y * z)
ARITHMETIC(ar_part, if (l < 21) out[i] = fmaf(fmaf(x, y, z), z, y))
ARITHMETIC(ar_max,  out[i] = fmaxf(fmaxf(x, y), fminf(z, y)))

/* where compilers differ */
/* These are here because compilers count differently, not the machine. */
FROM_SHARED(dc_declared_floats, float, 128,
            ((float4 *)out)[i] = *(const float4 *)&s[4 * l])
FROM_SHARED(dc_neighbours, unsigned, 64,
            out[i] = s[2 * l] + s[2 * l + 1])
static __host__ __device__ inline void count_on(int *out, int i, int trips)
{
    for (int j = 0; j < trips; j++)
        out[64 * j + i] = i + j;
}
PATTERN(dc_unrolled, int, 1, 64, count_on(out, i, 1 + l % 7))
ATOMICALLY(dc_red_int_one, int, add_int(&out[b], i + 5))
struct __align__(16) Sixteen { float x, y, z, w; };
PATTERN(dc_struct_16, struct Sixteen, 2, 64, out[i] = in[i])
PATTERN(dc_guard_or, float, 2, 64, if (l < 10 || i > 100) out[i] = in[i])
ARITHMETIC(dc_product_twice, float p = x * y; out[i] = p;
           out[i + 128] = p + z)

/* The last addition is needed in lane 0 only. */
__global__ void dc_sum_f32(float *out, const float *in)
{
    float x = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_down_sync(ALL, x, d);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = x;
}
RUN(dc_sum_f32)
{
    before(POISON);
    dc_sum_f32<<<1, 64>>>((float *)d_out, (const float *)(d_in + SMALL));
    memset(want, 0, 8);
    for (int i = 0; i < 64; i++)
        ((float *)want)[i / 32] += ((float *)(h_in + SMALL))[i];
    after("dc_sum_f32");
}

/* run them all */
/* Noise for copies; from SMALL on, whole numbers from 0 to 7: floats, and
 * in the last quarter the same as bfloat16, which is half a float. */
static void fill_input(void)
{
    uint32_t x = 1;
    for (int i = 0; i < BYTES; i++) {
        x = 1664525 * x + 1013904223;
        h_in[i] = (char)(x >> 24);
    }
    for (int i = 0; i < SMALL / 8; i++) {
        float small = (float)((h_in[i] ^ i) & 7);
        uint32_t bits;
        memcpy(&bits, &small, 4);
        memcpy(h_in + SMALL + 4 * i, &bits, 4);
        u16 high = (u16)(bits >> 16);
        memcpy(h_in + SMALL + SMALL / 2 + 2 * i, &high, 2);
    }
}

static int run_named(const char *name)
{
    for (int i = 0; i < n_listed; i++)
        if (strcmp(listed[i].name, name) == 0) {
            listed[i].run();
            return 1;
        }
    fprintf(stderr, "count_kernels: no kernel '%s'; --list prints them\n",
            name);
    return 0;
}

static void allocate(void)
{
    h_in = (char *)malloc(3 * BYTES);
    h_out = h_in + BYTES;
    want = h_out + BYTES;
    fill_input();
    CUDA_OK(cudaMalloc((void **)&d_in, BYTES));
    CUDA_OK(cudaMalloc((void **)&d_out, BYTES));
    CUDA_OK(cudaMemcpy(d_in, h_in, BYTES, cudaMemcpyHostToDevice));
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int i = 0; i < n_listed; i++)
            puts(listed[i].name);
        return 0;
    }
    allocate();
    for (int i = 0; i < n_listed && argc == 1; i++)
        listed[i].run();
    for (int i = 1; i < argc; i++)
        if (!run_named(argv[i]))
            return 2;
    CUDA_OK(cudaFree(d_in));
    CUDA_OK(cudaFree(d_out));
    free(h_in);
    return wrong > 0;
}
