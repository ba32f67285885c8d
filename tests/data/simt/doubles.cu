/* Functions of doubles in a kernel against the host's: the largest error in
 * units of the last place, and where one is a NaN and the other is not. */
#include <cmath>
#include <cstdio>
#include <vector>

#define EACH(X) \
    X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) \
    X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) \
    X(acosh) X(atanh) X(erf) X(cbrt) X(round) X(sqrt) X(rint)
#define NUMBER(name) NUMBER_##name,
enum { EACH(NUMBER) NUMBER_pow, NUMBER_atan2, NUMBER_fmod, NUMBER_int, ALL };

__global__ void all(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double v = x[i];
#define EVALUATE(name) y[NUMBER_##name * n + i] = std::name(v);
    EACH(EVALUATE)
    y[NUMBER_pow * n + i] = pow(v, 41.7);
    y[NUMBER_atan2 * n + i] = atan2(v, -0.3);
    y[NUMBER_fmod * n + i] = fmod(v, 0.7);
    y[NUMBER_int * n + i] = pow(3, i % 5) + std::abs(-v) + exp(1);
}

template <class F> static int compare(const char *name, const double *y,
                                      const std::vector<double> &x, F f)
{
    double worst = 0;
    int bad = 0;
    for (size_t i = 0; i < x.size(); i++) {
        double t = f(x[i], (int)i), g = y[i];
        if (t != t || g != g) {
            bad += (t != t) != (g != g);
            continue;
        }
        double unit = fabs(t) * 2.22e-16 + 5e-324;
        if (t != g && !(fabs(g - t) / unit <= worst))
            worst = fabs(g - t) / unit;
    }
    if (bad || !(worst < 50))
        printf("%s: %g units, %d not the same NaN\n", name, worst, bad);
    return bad || !(worst < 50);
}

int main()
{
    std::vector<double> x;
    for (int i = 0; i < 1024; i++) {
        x.push_back((i - 512) / 512.0);
        x.push_back((i - 512) / 20.0);
        x.push_back(exp((i - 512) / 50.0));
    }
    int n = (int)x.size(), wrong = 0;
    double *dx, *dy;
    std::vector<double> y((size_t)ALL * n);
    cudaMalloc(&dx, n * sizeof *dx);
    cudaMalloc(&dy, y.size() * sizeof *dy);
    cudaMemcpy(dx, x.data(), n * sizeof *dx, cudaMemcpyHostToDevice);
    all<<<n / 128, 128>>>(dy, dx, n);
    cudaMemcpy(y.data(), dy, y.size() * sizeof *dy, cudaMemcpyDeviceToHost);
#define COMPARE(name) \
    wrong += compare(#name, &y[(size_t)NUMBER_##name * n], x, \
                     [](double v, int) { return std::name(v); });
    EACH(COMPARE)
    wrong += compare("pow", &y[(size_t)NUMBER_pow * n], x,
                     [](double v, int) { return std::pow(v, 41.7); });
    wrong += compare("atan2", &y[(size_t)NUMBER_atan2 * n], x,
                     [](double v, int) { return std::atan2(v, -0.3); });
    wrong += compare("fmod", &y[(size_t)NUMBER_fmod * n], x,
                     [](double v, int) { return std::fmod(v, 0.7); });
    wrong += compare("integers", &y[(size_t)NUMBER_int * n], x,
                     [](double v, int i) {
        return std::pow(3.0, i % 5) + std::fabs(v) + std::exp(1.0); });
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    cudaFree(dx);
    cudaFree(dy);
    return wrong != 0;
}
