/* Tangled from chapters/tricks/attention.nw, "Two products".  Edit it there. */

/* mma_rows.cuh: rows of scores in the registers of mma.sync, 16 M of them
 * in a warp; for the kernels of bf16 and of floats. */
#ifndef OPS_ATTENTION_MMA_ROWS_CUH
#define OPS_ATTENTION_MMA_ROWS_CUH

#include "ops/kernels/common.cuh"
#include "ops/kernels/ptx.cuh"

enum { WARPS4 = 4, THREADS4 = 32 * WARPS4, TILE = 64 };

/* lse and D of 64 queries */
/* lse, for powers of 2, of 64 queries from t on in the first 64 threads,
 * D in the others; 0 behind the last query, whose rows are 0, too */
DEVICE_INLINE float
statistic(const float *lse, const float *dsum, int t, int T)
{
    t += threadIdx.x % TILE;
    if (threadIdx.x < TILE)
        return t < T ? lse[t] * LOG2E : 0;
    return t < T ? dsum[t] : 0;
}

/* online softmax of rows in registers */
/* s = exp(s - most); most, and with it out and sum, are brought up to date
 * when a number is about to exceed 2^8, or twice the sum in this lane */
#define RESCALE_THRESHOLD 8.0f

template <int HS, int M, int N> DEVICE_INLINE void
online_softmax(float s[M][N][4], float out[M][HS / 8][4], float most[M][2],
               float sum[M][2], float scale)
{
    float top[M][2];
    bool grown = false;
    /* top = this lane's maximum in each row; has one grown? */
    #pragma unroll
    for (int i = 0; i < M; i++)
        #pragma unroll
        for (int r = 0; r < 2; r++) {
            top[i][r] = s[i][0][2 * r];
            #pragma unroll
            for (int n = 0; n < N; n++)
                top[i][r] = fmaxf(top[i][r], fmaxf(s[i][n][2 * r],
                                                   s[i][n][2 * r + 1]));
            grown |= (top[i][r] - most[i][r]) * scale
                   > fminf(RESCALE_THRESHOLD, fast_log2(sum[i][r]) + 1);
        }
    if (__any_sync(WHOLE_WARP, grown))
        /* take all new maxima; scale what was summed before */
        #pragma unroll
        for (int i = 0; i < M; i++)
            #pragma unroll
            for (int r = 0; r < 2; r++) {
                top[i][r] = quad_max(fmaxf(most[i][r], top[i][r]));
                const float keep = fast_exp2((most[i][r] - top[i][r]) * scale);
                most[i][r] = top[i][r];
                sum[i][r] *= keep;
                #pragma unroll
                for (int n = 0; n < HS / 8; n++)
                    for (int j = 2 * r; j < 2 * r + 2; j++)
                        out[i][n][j] *= keep;
            }
    /* exponentials, and their sums */
    #pragma unroll
    for (int i = 0; i < M; i++)
        #pragma unroll
        for (int n = 0; n < N; n++)
            for (int j = 0; j < 4; j++) {
                const float base = -most[i][j / 2] * scale;
                s[i][n][j] = fast_exp2(fmaf(s[i][n][j], scale, base));
                sum[i][j / 2] += s[i][n][j];
            }
}

#endif
