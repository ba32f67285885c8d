/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "A warp for each row: LayerNorm".  Edit it there. */

#include "ops/fp32/fp32.h"
#include "ops/kernels/common.cuh"
#include "ops/kernels/pieces.h"
#include "ops/layernorm/layernorm.h"
#include "ops/operators.h"

/* layernorm forward: a warp per row */
/* y[n,:] = (x[n,:] - mean[n]) rstd[n] w + b, one warp per row.
 *   launch    ceil(N / 8) blocks of 8 warps
 *   moves     8 NC + 8 N + 8 C bytes if the second and third walk over
 *             the row find it in L1
 *   ceiling   memory
 *   numerics  as on the CPU: the mean, then the mean square of x - mean */
__global__ void layernorm_fwd_kernel(float *y, float *mean, float *rstd,
                                     const float *x, const float *w,
                                     const float *b, int N, int C)
{
    /* n, x, y = this warp's row */
    const int lane = threadIdx.x % 32;
    const int n = blockIdx.x * WARPS + threadIdx.x / 32;
    if (n >= N)
        return;                         /* a warp leaves whole */
    x += (size_t)n * C;
    y += (size_t)n * C;
    /* m = the mean of the row, r = 1 / its deviation */
    float sum = 0, squares = 0;
    for (int c = lane; c < C; c += 32)
        sum += x[c];
    const float m = warp_sum(sum) / C;
    for (int c = lane; c < C; c += 32)
        squares = fmaf(x[c] - m, x[c] - m, squares);
    const float r = 1 / sqrtf(warp_sum(squares) / C + LAYERNORM_EPS);
    /* y = the row normalised; keep m and r */
    for (int c = lane; c < C; c += 32)
        y[c] = fmaf((x[c] - m) * r, w[c], b[c]);
    if (lane == 0) {
        mean[n] = m;
        rstd[n] = r;
    }
}

/* layernorm backward, dx: a warp per row */
/* dx[n,:] += rstd (g - a - h p), one warp per row.
 *   launch    ceil(N / 8) blocks of 8 warps
 *   moves     16 NC + 8 N + 4 C bytes      ceiling   memory */
__global__ void layernorm_bwd_dx(float *dx, const float *dy,
                                 const float *x, const float *mean,
                                 const float *rstd, const float *w,
                                 int N, int C)
{
    /* n, m, r, dx, dy, x = this warp's row */
    const int lane = threadIdx.x % 32;
    const int n = blockIdx.x * WARPS + threadIdx.x / 32;
    if (n >= N)
        return;
    const float m = mean[n], r = rstd[n];
    dx += (size_t)n * C;
    dy += (size_t)n * C;
    x += (size_t)n * C;
    /* a, p = the means of g and of g h over the warp's row */
    float a = 0, p = 0;
    for (int c = lane; c < C; c += 32) {
        const float g = dy[c] * w[c];
        a += g;
        p = fmaf(g, x[c] - m, p);
    }
    a = warp_sum(a) / C;
    p = warp_sum(p) * r / C;
    for (int c = lane; c < C; c += 32) {
        const float h = (x[c] - m) * r;
        dx[c] = fmaf(r, fmaf(-h, p, fmaf(dy[c], w[c], -a)), dx[c]);
    }
}

/* layernorm backward, dw and db: pieces, then their sum */
/* part[2i,:] and part[2i+1,:] = the gradients of w and b that the rows of
 * piece i contribute, one thread per column.
 *   launch    ceil(C / 256) x pieces blocks of 256
 *   moves     8 NC bytes, and 8 C a piece  ceiling   memory */
__global__ void layernorm_bwd_pieces(float *part, const float *dy,
                                     const float *x, const float *mean,
                                     const float *rstd, int N, int C,
                                     int rows)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= C)
        return;
    const int first = blockIdx.y * rows, end = min(first + rows, N);
    float dw = 0, db = 0;
    /* add up dw and db over the rows of the piece */
    for (int n = first; n < end; n++) {
        const size_t i = (size_t)n * C + c;
        dw = fmaf(dy[i], (x[i] - mean[n]) * rstd[n], dw);
        db += dy[i];
    }
    part[2 * (size_t)blockIdx.y * C + c] = dw;
    part[(2 * (size_t)blockIdx.y + 1) * C + c] = db;
}

/* dw, db += the sum of the pieces, in order, one thread per column. */
__global__ void layernorm_bwd_sum(float *dw, float *db, const float *part,
                                  int pieces, int C)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= C)
        return;
    float w = dw[c], b = db[c];
    for (int i = 0; i < pieces; i++) {
        w += part[2 * (size_t)i * C + c];
        b += part[(2 * (size_t)i + 1) * C + c];
    }
    dw[c] = w;
    db[c] = b;
}

/* launch layernorm */
void cuda_layernorm_fwd(real *y, real *mean, real *rstd, const real *x,
                        const real *w, const real *b, int N, int C)
{
    profile_range("layernorm");
    layernorm_fwd_kernel<<<blocks_for(N, WARPS), THREADS, 0,
                           backend_stream()>>>(y, mean, rstd, x, w, b, N,
                                          C);
    LAUNCHED();
}

enum { MAX_PIECES = 128 };

void cuda_layernorm_bwd(real *dx, real *dw, real *db, const real *dy,
                        const real *x, const real *mean, const real *rstd,
                        const real *w, int N, int C)
{
    profile_range("layernorm bwd");
    if (fp32_layernorm_bwd(dx, dw, db, dy, x, mean, rstd, w, N, C))
        return;
    const int rows = rows_of_piece(N, MAX_PIECES);
    const int pieces = (N + rows - 1) / rows;
    float *part = (float *)backend_scratch(
        2 * (size_t)pieces * C * sizeof(float));
    if (!part)
        return;
    const dim3 grid(blocks_for(C, THREADS), pieces);
    /* launch dx, the pieces and their sum */
    layernorm_bwd_dx<<<blocks_for(N, WARPS), THREADS, 0,
                       backend_stream()>>>(dx, dy, x, mean, rstd, w, N, C);
    LAUNCHED();
    layernorm_bwd_pieces<<<grid, THREADS, 0, backend_stream()>>>(
        part, dy, x, mean, rstd, N, C, rows);
    LAUNCHED();
    layernorm_bwd_sum<<<grid.x, THREADS, 0, backend_stream()>>>(
        dw, db, part, pieces, C);
    LAUNCHED();
}
