/* The small cuBLAS, against plain loops in double precision. */
#include "foreign_rows.h"
#include <cublas_v2.h>
#include <cublasXt.h>
#include <math.h>
#include <string.h>

enum { M = 7, N = 5, K = 6, LD = 9, ALL = LD * LD };
static cublasHandle_t h;
static double a[ALL], b[ALL], c[ALL];

static double number(unsigned i) { return (double)((i * 2654435761u >> 9) & 255) / 64 - 2; }
static void fill()
{
    for (int i = 0; i < ALL; i++)
        a[i] = number(i), b[i] = number(i + 1000), c[i] = number(i + 2000);
}
template <class T> struct On {      /* an array of the device with these numbers */
    T *p, host[ALL];
    On(const double *x)
    {
        for (int i = 0; i < ALL; i++)
            host[i] = (T)x[i];
        cudaMalloc(&p, sizeof host);
        cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
    }
    ~On() { cudaFree(p); }
    const T *back()
    {
        cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
        return host;
    }
};
static int is(double got, double want) { return fabs(got - want) <= 1e-5 * (1 + fabs(want)); }
static double at(const double *x, int i, int j, int ld, int t) { return t ? x[j + i * ld] : x[i + j * ld]; }

static cublasStatus_t gemm(cublasOperation_t s, cublasOperation_t t, float al, float *x, float *y, float be, float *z)
{ return cublasSgemm(h, s, t, M, N, K, &al, x, LD, y, LD, &be, z, LD); }
static cublasStatus_t gemm(cublasOperation_t s, cublasOperation_t t, double al, double *x, double *y, double be, double *z)
{ return cublasDgemm(h, s, t, M, N, K, &al, x, LD, y, LD, &be, z, LD); }

template <class T> static int products()
{
    int right = 1;
    for (int t = 0; t < 4; t++)
        for (int beta = 0; beta < 2; beta++) {
            On<T> x(a), y(b), z(c);
            right &= gemm(t & 1 ? CUBLAS_OP_T : CUBLAS_OP_N, t & 2 ? CUBLAS_OP_T : CUBLAS_OP_N,
                          (T)1.5, x.p, y.p, (T)(beta * 0.5), z.p) == CUBLAS_STATUS_SUCCESS;
            const T *got = z.back();
            for (int j = 0; j < LD; j++)
                for (int i = 0; i < LD; i++) {
                    double sum = 0;
                    for (int k = 0; k < K; k++)
                        sum += at(a, i, k, LD, t & 1) * at(b, k, j, LD, t & 2);
                    right &= is(got[i + j * LD], i < M && j < N ? 1.5 * sum + beta * 0.5 * c[i + j * LD] : c[i + j * LD]);
                }
        }
    return right;
}
static int batches()
{
    On<float> x(a), y(b), z(c);
    float one = 1, zero = 0, *list[3][2], **lists;
    int right = cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, x.p, 2, 6, y.p, 3, 6, &zero, z.p, 2, 4, 5) == 0;
    const float *got = z.back();
    for (int e = 0; e < 5; e++)
        for (int i = 0; i < 4; i++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += a[6 * e + i % 2 + 2 * k] * b[6 * e + k + 3 * (i / 2)];
            right &= is(got[4 * e + i], sum);
        }
    for (int e = 0; e < 2; e++)
        list[0][e] = x.p + 9 * e, list[1][e] = y.p + 9 * (1 - e), list[2][e] = z.p + 9 * e;
    cudaMalloc(&lists, sizeof list);
    cudaMemcpy(lists, list, sizeof list, cudaMemcpyHostToDevice);
    right &= cublasSgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 3, 3, 3, &one, lists, 3, lists + 2, 3, &zero, lists + 4, 3, 2) == 0;
    got = z.back();
    for (int e = 0; e < 2; e++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            sum += a[9 * e + 1 + 3 * k] * b[9 * (1 - e) + k + 3 * 2];
        right &= is(got[9 * e + 1 + 3 * 2], sum);
    }
    cudaFree(lists);
    return right;
}
static int narrow()
{
    __half x[4], *px;
    __nv_bfloat16 y[4], *py;
    float one = 1, zero = 0, *z, got[4];
    for (int i = 0; i < 4; i++)
        x[i] = __float2half((float)a[i]), y[i] = __float2bfloat16((float)b[i]);
    cudaMalloc(&px, sizeof x), cudaMalloc(&py, sizeof y), cudaMalloc(&z, sizeof got);
    cudaMemcpy(px, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(py, y, sizeof y, cudaMemcpyHostToDevice);
    int right = cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, px, CUDA_R_16F, 2, py, CUDA_R_16BF, 2, &zero, z,
                             CUDA_R_32F, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == 0;
    cudaMemcpy(got, z, sizeof got, cudaMemcpyDeviceToHost);
    right &= got[2] == __half2float(x[0]) * __bfloat162float(y[2]) + __half2float(x[2]) * __bfloat162float(y[3]);
    cudaFree(px), cudaFree(py), cudaFree(z);
    return right;
}
static int vectors()
{
    On<float> x(a), y(b), z(c);
    float al = 2, result = 0, be = -1, *on;
    int index = 0, right = 1;
    cublasSdot(h, 4, x.p, 2, y.p, -3, &result);
    double sum = 0, size = 0, squares = 0;
    for (int i = 0; i < 4; i++)
        sum += a[2 * i] * b[3 * (3 - i)], size += fabs(a[2 * i]), squares += a[2 * i] * a[2 * i];
    right &= is(result, sum);
    cublasSasum(h, 4, x.p, 2, &result);
    right &= is(result, size);
    cudaMalloc(&on, sizeof *on);
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
    cublasSnrm2(h, 4, x.p, 2, on);
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);
    cudaMemcpy(&result, on, sizeof *on, cudaMemcpyDeviceToHost);
    cudaFree(on);
    right &= is(result, sqrt(squares));
    int most = 0;
    for (int i = 0; i < ALL; i++)
        most = fabs(a[i]) > fabs(a[most]) ? i : most;
    cublasIsamax(h, ALL, x.p, 1, &index);
    right &= index == most + 1;
    cublasSaxpy(h, 5, &al, x.p, 1, y.p, 2);
    const float *got = y.back();
    for (int i = 0; i < 10; i++)
        right &= is(got[i], i % 2 ? b[i] : b[i] + 2 * a[i / 2]);
    cublasSscal(h, 3, &be, y.p, 1);
    cublasSswap(h, 4, x.p, 1, z.p, 1);
    right &= is(z.back()[3], a[3]) && is(x.back()[3], c[3]) && is(x.host[4], a[4]) && is(y.back()[2], -(b[2] + 2 * a[1]));
    return right;
}
static int with_vectors()
{
    int right = 1;
    for (int t = 0; t < 2; t++) {
        On<double> x(a), y(b), z(c);
        double al = 0.5, be = 2;
        right &= cublasDgemv(h, t ? CUBLAS_OP_T : CUBLAS_OP_N, M, N, &al, x.p, LD, y.p, 2, &be, z.p, 1) == 0;
        const double *got = z.back();
        for (int i = 0; i < (t ? N : M); i++) {
            double sum = 0;
            for (int j = 0; j < (t ? M : N); j++)
                sum += at(a, i, j, LD, t) * b[2 * j];
            right &= is(got[i], al * sum + be * c[i]);
        }
        right &= cublasDger(h, M, N, &al, y.p, 1, x.p, 3, z.p, LD) == 0;
        right &= is(z.back()[2 + 3 * LD], c[2 + 3 * LD] + al * b[2] * a[9]);
        right &= cublasDgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, M, N, &al, x.p, LD, &be, y.p, LD, z.p, LD) == 0;
        right &= is(z.back()[4 + 2 * LD], al * a[2 + 4 * LD] + be * b[4 + 2 * LD]);
    }
    return right;
}
static int triangles()
{
    int right = 1;
    for (int i = 0; i < LD; i++)
        a[i + i * LD] = 3 + i;
    for (int v = 0; v < 16; v++) {
        On<double> x(a), y(b);
        double al = 2;
        int side = v & 1, upper = v >> 1 & 1, t = v >> 2 & 1, unit = v >> 3, order = side ? N : M;
        right &= cublasDtrsm(h, side ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER,
                             t ? CUBLAS_OP_T : CUBLAS_OP_N, unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, M, N, &al, x.p, LD, y.p, LD) == 0;
        const double *got = y.back();
        double tri[ALL] = {};
        for (int j = 0; j < order; j++)
            for (int i = 0; i < order; i++)
                if (i == j ? 1 : upper ? i < j : i > j)
                    tri[t ? j + i * LD : i + j * LD] = i == j && unit ? 1 : a[i + j * LD];
        for (int j = 0; j < N; j++)
            for (int i = 0; i < M; i++) {
                double sum = 0;
                for (int k = 0; k < order; k++)
                    sum += side ? got[i + k * LD] * tri[k + j * LD] : tri[i + k * LD] * got[k + j * LD];
                right &= fabs(sum - al * b[i + j * LD]) < 1e-6;
            }
    }
    return right;
}
static int factors(int pivoted)
{
    On<double> x(a);
    double **list, lu[ALL], sum;
    int *pivots, *info, host[N], said = -1, right, at_row[N];
    cudaMalloc(&list, sizeof *list), cudaMalloc(&pivots, sizeof host), cudaMalloc(&info, sizeof *info);
    cudaMemcpy(list, &x.p, sizeof x.p, cudaMemcpyHostToDevice);
    right = cublasDgetrfBatched(h, N, list, LD, pivoted ? pivots : NULL, info, 1) == 0;
    memcpy(lu, x.back(), sizeof lu);
    cudaMemcpy(&said, info, sizeof said, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        at_row[i] = i, host[i] = i + 1;
    if (pivoted)
        cudaMemcpy(host, pivots, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        int other = at_row[host[i] - 1];
        at_row[host[i] - 1] = at_row[i], at_row[i] = other;
    }
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            sum = 0;
            for (int k = 0; k <= i && k <= j; k++)
                sum += (k == i ? 1 : lu[i + k * LD]) * lu[k + j * LD];
            right &= fabs(sum - a[at_row[i] + j * LD]) < 1e-9 && (!pivoted || i <= j || fabs(lu[i + j * LD]) <= 1);
        }
    cudaFree(list), cudaFree(pivots), cudaFree(info);
    return right && said == 0;
}
static int copies()
{
    float from[6] = { 1, 2, 3, 4, 5, 6 }, to[6] = {}, *p;
    cudaMalloc(&p, 8 * sizeof *p);
    cudaMemset(p, 0, 8 * sizeof *p);
    int right = cublasSetMatrix(2, 2, 4, from, 3, p, 4) == 0 && cublasGetMatrix(2, 2, 4, p, 4, to, 2) == 0;
    right &= to[0] == 1 && to[1] == 2 && to[2] == 4 && to[3] == 5;
    right &= cublasSetVector(3, 4, from, 2, p, 1) == 0 && cublasGetVector(3, 4, p, 1, to, 2) == 0;
    cudaFree(p);
    return right && to[0] == 1 && to[2] == 3 && to[4] == 5 && to[1] == 2;
}
int main()
{
    float one = 1, zero = 0, x[4] = { 1, 2, 3, 4 }, y[4] = {};
    fill();
    cublasCreate(&h);
    row("products of floats, transposed or not", products<float>());
    row("products of doubles", products<double>());
    row("batches of products", batches());
    row("narrow types", narrow());
    row("vectors with strides", vectors());
    row("matrices and vectors", with_vectors());
    row("triangular systems", triangles());
    fill();
    row("factors with pivots", factors(1));
    for (int i = 0; i < LD; i++)
        a[i + i * LD] = 3 + i;
    row("factors without", factors(0));
    row("matrices and vectors are copied", copies());
    row("a pointer of the host is refused",
        cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x, 2, x, 2, &zero, y, 2) == CUBLAS_STATUS_INVALID_VALUE);
    cudaGetLastError();
    cublasXtHandle_t xt;
    int device = 0;
    cublasXtCreate(&xt);
    cublasXtDeviceSelect(xt, 1, &device);
    cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x, 2, x, 2, &zero, y, 2);
    cublasXtDestroy(xt);
    row("but not by cuBLASXt", y[0] == 7 && y[1] == 10 && y[2] == 15 && y[3] == 22);
    cublasDestroy(h);
    return rows_end();
}
