/* The backward pass of attention in plain float loops, from the y and lse
 * that the forward pass has left.  Whatever enters a product is first
 * rounded by `part`, as the tensor cores that ours uses would do it. */
#ifndef TESTS_PLAIN_FLASH_H
#define TESTS_PLAIN_FLASH_H

#include <math.h>

typedef float Part(float x);

static inline float plain_dot(const float *a, const float *b, int n,
                              Part *part)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += part(a[i]) * part(b[i]);
    return sum;
}

static inline void plain_flash_bwd(float *dqkv, const float *dy,
                                   const float *qkv, const float *y,
                                   const float *lse, int B, int T, int C,
                                   int NH, Part *part)
{
    int HS = C / NH, W = 3 * C;
    float scale = 1 / sqrtf((float)HS);
    for (int i = 0; i < B * NH * T; i++) {
        int b = i / T / NH, h = i / T % NH, t = i % T;
        int first = b * T * W + h * HS, at_y = (b * T + t) * C + h * HS;
        const float *q = qkv + first + t * W, *g = dy + at_y;
        float *dq = dqkv + first + t * W, D = 0;
        for (int d = 0; d < HS; d++)
            D += g[d] * y[at_y + d];
        for (int u = 0; u <= t; u++) {
            const float *k = qkv + first + u * W + C, *v = k + C;
            float *dk = dqkv + first + u * W + C, *dv = dk + C;
            float p = expf(plain_dot(q, k, HS, part) * scale - lse[i]);
            float ds = p * (plain_dot(g, v, HS, part) - D) * scale;
            for (int d = 0; d < HS; d++) {
                dv[d] += part(p) * part(g[d]);
                dk[d] += part(ds) * part(q[d]);
                dq[d] += part(ds) * part(k[d]);
            }
        }
    }
}

#endif
