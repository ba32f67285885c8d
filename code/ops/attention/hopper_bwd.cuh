/* Tangled from chapters/workshop/backward-plumbing.nw, "The header".  Edit it there. */

/* hopper_bwd.cuh: what the backward kernels for Hopper do with tiles of
 * 64 x 64 numbers in the registers of a warpgroup. */
#ifndef OPS_ATTENTION_HOPPER_BWD_CUH
#define OPS_ATTENTION_HOPPER_BWD_CUH

#include "ops/kernels/common.cuh"
#include "ops/kernels/hopper.cuh"

/* start dp from -D */
/* dsum: of this thread's first column; the others are 8 j and 8 j + 1
 * further. */
DEVICE_INLINE void start_from(float (&dp)[32], const float *dsum)
{
    #pragma unroll
    for (int j = 0; j < 8; j++) {
        const float2 d = *(const float2 *)(dsum + 8 * j);
        dp[4 * j] = dp[4 * j + 2] = d.x;
        dp[4 * j + 1] = dp[4 * j + 3] = d.y;
    }
}

/* compute probabilities from scores */
/* s = 2^(scale s - lse) */
DEVICE_INLINE void
probabilities(float (&s)[32], const float *lse, float scale)
{
    #pragma unroll
    for (int j = 0; j < 8; j++) {
        const float2 l = *(const float2 *)(lse + 8 * j);
        #pragma unroll
        for (int i = 4 * j; i < 4 * j + 4; i += 2) {
            s[i] = fast_exp2(fmaf(s[i], scale, -l.x));
            s[i + 1] = fast_exp2(fmaf(s[i + 1], scale, -l.y));
        }
    }
}

/* hide the keys after a query */
/* On the diagonal: keys after the query count nothing.  Rows are keys;
 * row, column: of this thread's first number. */
DEVICE_INLINE void hide_later_keys(float (&s)[32], int row, int column)
{
    #pragma unroll
    for (int i = 0; i < 32; i++)
        if (row + i / 2 % 2 * 8 > column + i / 4 * 8 + i % 2)
            s[i] = 0;
}

/* clear the sums of a thread */
template <int n> DEVICE_INLINE void clear(float (&x)[n])
{
    #pragma unroll
    for (int i = 0; i < n; i++)
        x[i] = 0;
}

/* compute ds = p (dp - D) as an operand */
/* ds = p dp, rounded to bf16; dp is the difference with D. */
DEVICE_INLINE void
pack_ds(uint32_t (&ds)[16], const float (&p)[32], const float (&dp)[32])
{
    #pragma unroll
    for (int e = 0; e < 16; e++)
        ds[e] = pack_two(p[2 * e] * dp[2 * e],
                         p[2 * e + 1] * dp[2 * e + 1]);
    wgmma_hold(ds);
}

/* synchronise a warpgroup */
DEVICE_INLINE void group_sync(int group)
{
    named_barrier_sync(1 + group, GROUP);
}

/* sum the columns of a warp */
/* Of the 2 n numbers s of each lane, n go to the lane 2 n higher or lower,
 * which keeps them: s[i] = the sum over the two lanes. */
template <int n> DEVICE_INLINE void halve(float (&s)[16])
{
    const bool upper = threadIdx.x & (2 * n);
    #pragma unroll
    for (int i = 0; i < n; i++) {
        const float mine = upper ? s[i + n] : s[i];
        const float other = upper ? s[i] : s[i + n];
        s[i] = mine + __shfl_xor_sync(WHOLE_WARP, other, 2 * n);
    }
}

/* sum += the sums of x over the 16 rows of a warp, of columns 2 lane and
 * 2 lane + 1 */
DEVICE_INLINE void add_columns(float (&sum)[2], const float *x)
{
    float s[16];
    #pragma unroll
    for (int i = 0; i < 16; i++)
        s[i] = x[i / 2 * 4 + i % 2] + x[i / 2 * 4 + i % 2 + 2];
    halve<8>(s);
    halve<4>(s);
    halve<2>(s);
    sum[0] += s[0];
    sum[1] += s[1];
}

#endif
