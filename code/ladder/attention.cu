/* Tangled from chapters/workshop/attention-plumbing.nw, "Attention with the square in memory".  Edit it there. */

#include "backend/cuda.h"
#include "ladder/attention.h"
#include "ladder/softmax.h"
#include "ops/kernels/common.cuh"

enum { ACROSS = 32, DOWN = 8 };         /* a block's threads */

/* store all scores */
/* square[t][u] = q[t] . k[u] scale, a thread each; -infinity if u > t
 *   launch     B NH planes of blocks of 32 x 8 */
__global__ void scores_kernel(float *square, const float *qkv, int T, int C,
                              int NH, float scale)
{
    /* find query t and key u of head h in sequence b */
    const int u = blockIdx.x * ACROSS + threadIdx.x;
    const int t = blockIdx.y * DOWN + threadIdx.y;
    const int b = blockIdx.z / NH, h = blockIdx.z % NH, HS = C / NH;
    if (t >= T || u >= T)
        return;
    const float *q = qkv + ((size_t)b * T + t) * 3 * C + h * HS;
    const float *k = qkv + ((size_t)b * T + u) * 3 * C + h * HS + C;
    float s = 0;
    for (int d = 0; d < HS; d++)
        s = fmaf(q[d], k[d], s);
    square[((size_t)blockIdx.z * T + t) * T + u]
        = u <= t ? s * scale : -INFINITY;
}

/* multiply all probabilities by all values */
/* y[t][d] = the sum over u of p[t][u] v[u][d], a thread each */
__global__ void values_kernel(float *y, const float *p, const float *qkv,
                              int T, int C, int NH)
{
    const int d = blockIdx.x * ACROSS + threadIdx.x, HS = C / NH;
    const int t = blockIdx.y * DOWN + threadIdx.y;
    const int b = blockIdx.z / NH, h = blockIdx.z % NH;
    if (t >= T || d >= HS)
        return;
    const float *v = qkv + (size_t)b * T * 3 * C + 2 * C + h * HS + d;
    p += ((size_t)blockIdx.z * T + t) * T;
    float sum = 0;
    for (int u = 0; u < T; u++)
        sum = fmaf(p[u], v[(size_t)u * 3 * C], sum);
    y[((size_t)b * T + t) * C + h * HS + d] = sum;
}

/* run attention with the square in memory */
static dim3 planes(int across, int T, int heads)
{
    return dim3(blocks_for(across, ACROSS), blocks_for(T, DOWN), heads);
}

void attention_square(float *y, float *square, const float *qkv,
                      int B, int T, int C, int NH)
{
    const dim3 block(ACROSS, DOWN);
    const int heads = B * NH, HS = C / NH;
    scores_kernel<<<planes(T, T, heads), block>>>(
        square, qkv, T, C, NH, 1 / sqrtf((float)HS));
    CUDA_OK(cudaGetLastError());
    softmaxes()[2].run(square, square, heads * T, T);
    values_kernel<<<planes(HS, T, heads), block>>>(y, square, qkv, T, C,
                                                  NH);
    CUDA_OK(cudaGetLastError());
}
