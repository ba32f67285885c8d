// The mathematical functions of our headers, in a kernel, against the C
// library in double: the largest error in units of the last place.
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 1 << 15 };

#define FUNCTIONS(X)                                                       \
    X(expf, exp, -104, 89, 2)           X(exp2f, exp2, -150, 128, 1)       \
    X(expm1f, expm1, -10, 10, 6)        X(logf, log, 1e-40, 1e30, 2)       \
    X(log2f, log2, 1e-40, 1e30, 1)      X(log10f, log10, 1e-40, 1e30, 2)   \
    X(log1pf, log1p, -0.99, 50, 4)      X(sinf, sin, -200, 200, 2)         \
    X(cosf, cos, -200, 200, 2)          X(tanf, tan, -1.5, 1.5, 4)         \
    X(tanhf, tanh, -12, 12, 2)          X(erff, erf, -4, 4, 16)            \
    X(cbrtf, cbrt, 1e-40, 1e30, 2)                                         \
    X(sqrtf, sqrt, 0, 1e30, 0.51)       X(rsqrtf, 1 / sqrt, 1e-30, 1e30, 1) \
    X(roundf, round, -100, 100, 0)      X(rintf, rint, -100, 100, 0)       \
    X(floorf, floor, -100, 100, 0)      X(ceilf, ceil, -100, 100, 0)       \
    X(truncf, trunc, -100, 100, 0)      X(fabsf, fabs, -100, 100, 0)

#define KERNEL(f, exact, low, high, bound)                                 \
    __global__ void k_##f(float *y, const float *x)                        \
    {                                                                      \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                     \
        y[i] = f(x[i]);                                                    \
    }
FUNCTIONS(KERNEL)

__global__ void k_powf(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = powf(x[i], x[(i + N / 3) % N] * 3);
}

__global__ void k_hypotf(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = hypotf(x[i], -x[(i + N / 3) % N]);
}

__global__ void k_fmodf(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = fmodf(-x[i], x[(i + N / 3) % N]);
}

__global__ void edges(float *y)
{
    const float inf = __int_as_float(0x7f800000), nan = 0.0f * inf;
    float r[] = { expf(-inf), expf(inf), expf(nan), logf(0), logf(-1.0f),
                  tanhf(-inf), tanhf(nan), powf(0, 0), powf(-2, 3),
                  powf(-8, 1 / 3.0f), powf(0, -1), powf(2, -1000),
                  powf(inf, -1), powf(nan, 0), powf(1, nan), sinf(inf),
                  powf(-inf, 3), erff(inf), expm1f(-inf), log1pf(-1.0f),
                  cbrtf(-8), cbrtf(-0.0f), cbrtf(inf), hypotf(0, -0.0f),
                  hypotf(nan, -inf), hypotf(3e38f, 3e38f), hypotf(1, nan),
                  fmodf(5, inf), fmodf(inf, 5), fmodf(5, 0), fmodf(nan, 1),
                  (float)__mul24(0x1fffffe, 5), fmodf(7, -3), fmaxf(nan, 1), roundf(-2.5f), roundf(0.49999997f) };
    for (int i = 0; i < (int)(sizeof r / sizeof *r); i++)
        y[i] = r[i];
}

static float x[N], y[N], *dx, *dy;
static int bad;

static double ulps(float got, double want)
{
    int e;
    if (got == want || (isnan(got) && isnan(want)) || (float)want == got)
        return 0;
    frexp(want, &e);
    return fabs(got - want) / ldexp(1, e < -125 ? -149 : e - 24);
}

template <class F> static void compare(const char *name, double bound, F exact)
{
    double worst = 0;
    int at = 0;
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        double e = ulps(y[i], exact(i));
        if (!(e <= worst))
            worst = e, at = i;
    }
    printf("%-7s %6.3f units, at %g\n", name, worst, x[at]);
    if (!(worst <= bound)) {
        printf("%s(%a) is %a, should be %a: %g units off, allowed %g\n", name,
               x[at], y[at], exact(at), worst, bound);
        bad = 1;
    }
}

static void fill(double low, double high)
{
    bool logs = low > 0 && high / low > 1e6;
    for (int i = 0; i < N; i++)
        x[i] = (float)(logs ? low * pow(high / low, (i + 0.37) / N)
                            : low + (high - low) * (i + 0.37) / N);
    x[0] = (float)low;
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
}

int main(void)
{
    cudaMalloc(&dx, sizeof x);
    cudaMalloc(&dy, sizeof y);
#define RUN(f, exact, low, high, bound)                                    \
    fill(low, high);                                                       \
    k_##f<<<N / 256, 256>>>(dy, dx);                                       \
    compare(#f, bound, [](int i) { return (double)exact((double)x[i]); });
    FUNCTIONS(RUN)
    fill(0.01, 12);
    k_powf<<<N / 256, 256>>>(dy, dx);
    compare("powf", 4, [](int i) {
        return pow((double)x[i], (double)(x[(i + N / 3) % N] * 3)); });

    for (double high = 12; high < 1e39; high *= 1e37) {
        fill(high / 1200, high);
        k_hypotf<<<N / 256, 256>>>(dy, dx);
        compare("hypotf", 2, [](int i) {
            return hypot((double)x[i], (double)x[(i + N / 3) % N]); });
    }
    fill(1e-10, 1e10);
    k_fmodf<<<N / 256, 256>>>(dy, dx);
    compare("fmodf", 0, [](int i) {
        return fmod(-(double)x[i], (double)x[(i + N / 3) % N]); });

    static const float want[] = { 0, INFINITY, NAN, -INFINITY, NAN, -1, NAN,
        1, -8, NAN, INFINITY, 0, 0, 1, 1, NAN, -INFINITY, 1, -1, -INFINITY,
        -2, -0.0f, INFINITY, 0, INFINITY, INFINITY, NAN, 5, NAN, NAN, NAN,
        -10, 1, 1, -3, 0 };
    edges<<<1, 1>>>(dy);
    cudaMemcpy(y, dy, sizeof want, cudaMemcpyDeviceToHost);
    for (int i = 0; i < (int)(sizeof want / sizeof *want); i++)
        if (!(y[i] == want[i] || (isnan(y[i]) && isnan(want[i])))) {
            printf("special value %d is %g, should be %g\n", i, y[i], want[i]);
            bad = 1;
        }
    cudaFree(dx);
    cudaFree(dy);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return bad;
}
