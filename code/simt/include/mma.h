/* Tangled from chapters/workshop/foreign-features.nw, "Fragments of matrices".  Edit it there. */

/* Fragments of matrices: nvcuda::wmma. */
#ifndef SIMT_MMA_H
#define SIMT_MMA_H
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace nvcuda {
namespace wmma {
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32; }

#define SIMT_DEVICE_MEMBER __device__ inline \
    __attribute__((always_inline, nodebug))
SIMT_DEVICE int simt_lane_of_warp()
{
    int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
template <class F>
SIMT_DEVICE void simt_place(int e, int lane, int *row, int *column);

/* what a fragment is made of */
template <class T> struct simt_element {
    typedef T type; enum { a = 8, b = 4, k = 16, bytes = sizeof(T) };
};
template <> struct simt_element<precision::tf32> {
    typedef float type; enum { a = 4, b = 2, k = 8, bytes = 4 };
};
enum { SIMT_A, SIMT_B, SIMT_C };
template <class Use, bool flip> struct simt_role {};
template <> struct simt_role<matrix_a, false> { enum { is = SIMT_A }; };
template <> struct simt_role<matrix_b, true> { enum { is = SIMT_A }; };
template <> struct simt_role<matrix_b, false> { enum { is = SIMT_B }; };
template <> struct simt_role<matrix_a, true> { enum { is = SIMT_B }; };
template <bool flip> struct simt_role<accumulator, flip> {
    enum { is = SIMT_C };
};

template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
    typedef simt_element<T> E;
    enum {
        flip = m == 8 && n == 32, tall = m == 32 || flip,
        role = simt_role<Use, m == 8 && n == 32>::is,
        per = role == SIMT_A ? E::a : role == SIMT_B ? E::b : 4,
        tiles = role == SIMT_C ? 2 : (role == SIMT_A) == tall ? 2 : 1,
        num_elements = per * tiles,
    };
    static_assert((m == 16 && n == 16) || (m == 32 && n == 8) || flip,
                  "simtcc: fragments are 16 x 16, 32 x 8 or 8 x 32");
    static_assert(role == SIMT_C || k == E::k,
                  "simtcc: the depth is 16, or 8 for tf32");
    typename E::type x[num_elements];
    /* The place in the matrix of a lane's element e. */
    SIMT_DEVICE_MEMBER static void place(int e, int lane, int *i, int *j)
    {
        simt_place<fragment>(e, lane, i, j);
    }
};

/* which element a lane has */
template <class F>
SIMT_DEVICE void simt_place(int e, int lane, int *row, int *column)
{
    const int g = lane / 4, t = lane % 4;
    const int tile = e / F::per, i = e % F::per;
    const int bytes = F::E::bytes;
    int r, c;
    if (F::role == SIMT_C) {
        r = g + 8 * (i >> 1), c = 2 * t + (i & 1);
    } else if (F::role == SIMT_A) {
        r = g + 8 * (bytes == 1 ? i >> 2 : bytes == 2 ? i >> 1 & 1 : i & 1);
        c = bytes == 1 ? 4 * t + (i & 3)
          : bytes == 2 ? 2 * t + (i & 1) + 8 * (i >> 2) : t + 4 * (i >> 1);
    } else {
        r = bytes == 1 ? 4 * t + i
          : bytes == 2 ? 2 * t + (i & 1) + 8 * (i >> 1) : t + 4 * i;
        c = g;
    }
    if (F::tall)
        r += 16 * tile;
    else
        c += 8 * tile;
    *row = F::flip ? c : r;
    *column = F::flip ? r : c;
}

/* load and store fragments */
template <class F, class T>
SIMT_DEVICE void simt_load(F &f, const T *p, unsigned ld, bool by_rows)
{
    _Pragma("unroll") for (int e = 0; e < F::num_elements; e++) {
        int i, j;
        F::place(e, simt_lane_of_warp(), &i, &j);
        f.x[e] = p[by_rows ? i * ld + j : i + j * ld];
    }
}
template <class Use, int m, int n, int k, class T, class U>
SIMT_DEVICE void load_matrix_sync(
    fragment<Use, m, n, k, T, row_major> &f, const U *p, unsigned ld)
{
    simt_load(f, p, ld, true);
}
template <class Use, int m, int n, int k, class T, class U>
SIMT_DEVICE void load_matrix_sync(
    fragment<Use, m, n, k, T, col_major> &f, const U *p, unsigned ld)
{
    simt_load(f, p, ld, false);
}
template <int m, int n, int k, class T, class U>
SIMT_DEVICE void load_matrix_sync(
    fragment<accumulator, m, n, k, T> &f, const U *p, unsigned ld,
    layout_t layout)
{
    simt_load(f, p, ld, layout == mem_row_major);
}

template <int m, int n, int k, class T, class U>
SIMT_DEVICE void store_matrix_sync(
    U *p, const fragment<accumulator, m, n, k, T> &f, unsigned ld,
    layout_t layout)
{
    typedef fragment<accumulator, m, n, k, T> F;
    _Pragma("unroll") for (int e = 0; e < F::num_elements; e++) {
        int i, j;
        F::place(e, simt_lane_of_warp(), &i, &j);
        p[layout == mem_row_major ? i * ld + j : i + j * ld] = f.x[e];
    }
}
template <class Use, int m, int n, int k, class T, class L, class U>
SIMT_DEVICE void fill_fragment(fragment<Use, m, n, k, T, L> &f, U value)
{
    _Pragma("unroll") for (auto &x : f.x)
        x = value;
}
SIMT_DEVICE float __float_to_tf32(float x)
{
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return __builtin_bit_cast(float, r);
}

/* one mma.sync for each type */
#define SIMT_MMA(name, types, A, D, letter)                              \
    SIMT_DEVICE void simt_mma(D *d, const unsigned *a,                   \
                              const unsigned *b, const D *c, A)          \
    {                                                                    \
        asm volatile("mma.sync.aligned." name ".row.col." types          \
            " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "            \
            "{%10, %11, %12, %13};"                                      \
            : "=" letter(d[0]), "=" letter(d[1]), "=" letter(d[2]),      \
              "=" letter(d[3])                                           \
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),     \
              "r"(b[1]), letter(c[0]), letter(c[1]), letter(c[2]),       \
              letter(c[3]));                                             \
    }
SIMT_MMA("m16n8k16", "f32.f16.f16.f32", const __half *, float, "f")
SIMT_MMA("m16n8k16", "f32.bf16.bf16.f32", const __nv_bfloat16 *, float, "f")
SIMT_MMA("m16n8k8", "f32.tf32.tf32.f32", const float *, float, "f")

#define SIMT_MMA_BYTES(types, A)                                         \
    SIMT_DEVICE void simt_mma(int *d, const unsigned *a,                 \
                              const unsigned *b, const int *c, A)        \
    {                                                                    \
        asm volatile("mma.sync.aligned.m16n8k16.row.col." types          \
            " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"      \
            : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])             \
            : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]),     \
              "r"(c[2]), "r"(c[3]));                                     \
    }
SIMT_MMA_BYTES("s32.s8.s8.s32", const signed char *)
SIMT_MMA_BYTES("s32.u8.u8.s32", const unsigned char *)

SIMT_DEVICE void simt_mma(__half *d, const unsigned *a, const unsigned *b,
                          const __half *c, const __half *)
{
    unsigned from[2], to[2];
    __builtin_memcpy(from, c, sizeof from);
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"
        " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
        : "=r"(to[0]), "=r"(to[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),
          "r"(from[0]), "r"(from[1]));
    __builtin_memcpy(d, to, sizeof to);
}

/* multiply fragments */
/* The registers of a tile of a fragment. */
template <class F> struct simt_registers {
    unsigned r[4];
    SIMT_DEVICE_MEMBER simt_registers(const F &f, int tile) : r{}
    {
        __builtin_memcpy(r, f.x + tile * F::per, F::per * sizeof f.x[0]);
    }
};
template <bool> struct simt_flipped {};
template <class D, class A, class B>
SIMT_DEVICE void simt_multiply(D &d, const A &a, const B &b, const D &c,
                               simt_flipped<false>)
{
    _Pragma("unroll") for (int tile = 0; tile < 2; tile++) {
        simt_registers<A> x(a, A::tiles == 2 ? tile : 0);
        simt_registers<B> y(b, B::tiles == 2 ? tile : 0);
        simt_mma(d.x + 4 * tile, x.r, y.r, c.x + 4 * tile, a.x);
    }
}
template <class D, class A, class B>
SIMT_DEVICE void simt_multiply(D &d, const A &a, const B &b, const D &c,
                               simt_flipped<true>)
{
    simt_multiply(d, b, a, c, simt_flipped<false>());
}
template <int m, int n, int k, class T, class U, class La, class Lb>
SIMT_DEVICE void mma_sync(fragment<accumulator, m, n, k, T> &d,
                          const fragment<matrix_a, m, n, k, U, La> &a,
                          const fragment<matrix_b, m, n, k, U, Lb> &b,
                          const fragment<accumulator, m, n, k, T> &c)
{
    simt_multiply(d, a, b, c, simt_flipped<m == 8 && n == 32>());
}

/* fragments of doubles */
template <class L> struct fragment<matrix_a, 8, 8, 4, double, L> {
    enum { num_elements = 1 };
    double x[1];
    SIMT_DEVICE_MEMBER static void place(int, int lane, int *i, int *j)
    {
        *i = lane / 4, *j = lane % 4;
    }
};
template <class L> struct fragment<matrix_b, 8, 8, 4, double, L> {
    enum { num_elements = 1 };
    double x[1];
    SIMT_DEVICE_MEMBER static void place(int, int lane, int *i, int *j)
    {
        *i = lane % 4, *j = lane / 4;
    }
};
template <> struct fragment<accumulator, 8, 8, 4, double> {
    enum { num_elements = 2 };
    double x[2];
    SIMT_DEVICE_MEMBER static void place(int e, int lane, int *i, int *j)
    {
        *i = lane / 4, *j = 2 * (lane % 4) + e;
    }
};

template <class La, class Lb>
SIMT_DEVICE void mma_sync(fragment<accumulator, 8, 8, 4, double> &d,
                          const fragment<matrix_a, 8, 8, 4, double, La> &a,
                          const fragment<matrix_b, 8, 8, 4, double, Lb> &b,
                          const fragment<accumulator, 8, 8, 4, double> &c)
{
    const int lane = simt_lane_of_warp(), row = lane / 4 * 4;
    double sum[2] = { c.x[0], c.x[1] };
    for (int k = 0; k < 4; k++) {
        double p = __shfl_sync(0xffffffffu, a.x[0], row + k);
        for (int e = 0; e < 2; e++)
            sum[e] = fma(p, __shfl_sync(0xffffffffu, b.x[0],
                         (2 * (lane % 4) + e) * 4 + k), sum[e]);
    }
    d.x[0] = sum[0], d.x[1] = sum[1];
}
}
}

#endif
