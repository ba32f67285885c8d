// Half and bfloat16: what a kernel computes is what the host computes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>
#include <stdio.h>

enum { N = 32, RESULTS = 14 };

__global__ void narrow(float *y, const float *x)
{
    int i = threadIdx.x, j = (i + 1) % N;
    __nv_bfloat16 a = x[i], b = x[j];
    half c = x[i], d = x[j];
    __nv_bfloat162 p = __floats2bfloat162_rn(x[i], x[j]);
    half2 q = __hadd2(__floats2half2_rn(x[i], x[j]), __half2half2(c));
    p = __hfma2(p, p, p);
    float r[RESULTS] = { a, c, a + b, a * b, a - b, __hfma(a, b, a), c + d,
                         c * d, c - d, __hfma(c, d, c), __low2float(p),
                         __high2float(p), __low2float(q), __high2float(q) };
    #pragma unroll
    for (int k = 0; k < RESULTS; k++)
        y[k * N + i] = r[k];
}

int main(void)
{
    static const float special[] = { INFINITY, -INFINITY, NAN, 65504, 65519,
                                     65520, 1e-7f, 3e-8f, -0.0f, 0.0f };
    float x[N], y[RESULTS * N], *dx, *dy;
    int bad = 0;
    for (int i = 0; i < N; i++)
        x[i] = i < 10 ? special[i] : sinf(i * 1.7f) * powf(10, i % 5 - 2);
    cudaMalloc(&dx, sizeof x);
    cudaMalloc(&dy, sizeof y);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    narrow<<<1, N>>>(dy, dx);
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        __nv_bfloat16 a = x[i], b = x[(i + 1) % N];
        half c = x[i], d = x[(i + 1) % N];
        float r[RESULTS] = { a, c, a + b, a * b, a - b, __hfma(a, b, a),
                             c + d, c * d, c - d, __hfma(c, d, c),
                             __hfma(a, a, a), __hfma(b, b, b), c + c, d + c };
        for (int k = 0; k < RESULTS; k++)
            if (!(y[k * N + i] == r[k] ||
                  (isnan(y[k * N + i]) && isnan(r[k])))) {
                printf("result %d of %g: %a, on the host %a\n", k, x[i],
                       y[k * N + i], r[k]);
                bad++;
            }
    }
    cudaFree(dx);
    cudaFree(dy);
    printf("%d wrong, %s\n", bad, cudaGetErrorString(cudaGetLastError()));
    return bad != 0;
}
