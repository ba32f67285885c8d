/* Tangled from chapters/course/project-solutions.nw, "Begin".  Edit it there. */

// project/own: WHAT IT COMPUTES, in a line: shapes, types, NaN.
// Usage: own [N].  Ends with 1 if a number is wrong.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Your kernel.  This one doubles n numbers.
__global__ void own(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i];
}

// The same in plain C, as slow and as plain as you like.
static void plain(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + x[i];
}

/* compare with plain C, and run the reader's kernel */
static const double tolerance = 0;      // relative; say why

static bool right(const float *y, const float *want, int n)
{
    for (int i = 0; i < n; i++) {
        double error = fabs((double)y[i] - (double)want[i]);
        if (y[i] == want[i] || (std::isnan(y[i]) && std::isnan(want[i])) ||
            error <= tolerance * fabs((double)want[i]))
            continue;
        printf("y[%d] is %g, expected %g\n", i, (double)y[i],
               (double)want[i]);
        return false;
    }
    return true;
}

int main(int words, char **word)
{
    int n = words > 1 ? atoi(word[1]) : 4096;
    if (n < 1) {
        fprintf(stderr, "usage: own [N], at least 1\n");
        return 2;
    }
    std::vector<float> x(n), y(n), want(n);
    for (int i = 0; i < n; i++)
        x[i] = (float)(i * 7919ll % 1000) - 500;
    x[n / 2] = NAN;
    plain(want.data(), x.data(), n);
    /* copy there, launch it, and copy back */
    float *on_x, *on_y;
    cudaMalloc(&on_x, n * sizeof(float));
    cudaMalloc(&on_y, n * sizeof(float));
    cudaMemcpy(on_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    own<<<(n + 127) / 128, 128>>>(on_y, on_x, n);
    cudaError_t error = cudaMemcpy(y.data(), on_y, n * sizeof(float),
                                   cudaMemcpyDeviceToHost);
    if (error != cudaSuccess)
        fprintf(stderr, "own: %s\n", cudaGetErrorString(error));
    cudaFree(on_x);
    cudaFree(on_y);
    return error != cudaSuccess || !right(y.data(), want.data(), n);
}
