/* Tangled from chapters/workshop/timing-operators.nw, "Launchers and details of the first kernels".  Edit it there. */

#include "ops/fp32/fp32.h"
#include "ops/kernels/common.cuh"
#include "ops/kernels/pieces.h"
#include "ops/linear/linear.h"
#include "ops/matmul/matmul.h"
#include "ops/operators.h"

/* bias gradient: pieces, then their sum */
/* part[i,:] = the sum of the rows of piece i of dy, a thread per column.
 *   launch    ceil(OC / 256) x pieces blocks of 256
 *   moves     4 N OC bytes, and 4 OC a piece     ceiling   memory */
__global__ void bias_bwd_pieces(float *part, const float *dy, int N,
                                int OC, int rows)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= OC)
        return;
    const int first = blockIdx.y * rows, end = min(first + rows, N);
    float sum = 0;
    for (int n = first; n < end; n++)
        sum += dy[(size_t)n * OC + c];
    part[(size_t)blockIdx.y * OC + c] = sum;
}

/* db (+)= the sum of the pieces, in order, one thread per column. */
__global__ void bias_bwd_sum(float *db, const float *part, int pieces,
                             int OC, bool accumulate)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= OC)
        return;
    float sum = accumulate ? db[c] : 0;
    for (int i = 0; i < pieces; i++)
        sum += part[(size_t)i * OC + c];
    db[c] = sum;
}

/* launch the bias gradient */
enum { MAX_PIECES = 128 };

void cuda_bias_grad(real *db, const real *dy, int N, int OC,
                    bool accumulate)
{
    profile_range("bias bwd");
    if (fp32_bias_bwd(db, dy, N, OC, accumulate))
        return;
    const int rows = rows_of_piece(N, MAX_PIECES);
    const int pieces = (N + rows - 1) / rows;
    float *part = (float *)backend_scratch(
        (size_t)pieces * OC * sizeof(float));
    if (!part)
        return;
    const dim3 grid(blocks_for(OC, THREADS), pieces);
    /* launch the pieces of a bias and their sum */
    bias_bwd_pieces<<<grid, THREADS, 0, backend_stream()>>>(part, dy, N, OC,
                                                          rows);
    LAUNCHED();
    bias_bwd_sum<<<grid.x, THREADS, 0, backend_stream()>>>(
        db, part, pieces, OC, accumulate);
    LAUNCHED();
}
