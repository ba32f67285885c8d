/* Tangled from chapters/course/project-solutions.nw, "An example: a running maximum".  Edit it there. */

// y[r][i] is the largest of x[r][0] to x[r][i], and NaN from the first NaN
// of the row on.  fp32, rows x n, without gaps.
// Usage: running_max [ROWS N], 64 and 512 if not said.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__host__ __device__ static float larger(float a, float b)
{
    return a > b || a != a ? a : b;
}

#ifdef FIRST

/* the first running maximum */
enum { ROWS_OF_BLOCK = 64, THREADS = 64 };
__global__ void running_max(float *y, const float *x, int rows, int n)
{
    int row = blockIdx.x * ROWS_OF_BLOCK + threadIdx.x;
    if (row >= rows)
        return;
    float most = -INFINITY;
    for (size_t i = (size_t)row * n; i < (size_t)(row + 1) * n; i++)
        y[i] = most = larger(most, x[i]);
}
#else

/* the running maximum within its budget */
enum { ROWS_OF_BLOCK = 4, THREADS = 128 };
__device__ float4 load(const float *x, int i, int n)
{
    if (n % 4 == 0 && i < n)
        return *(const float4 *)(x + i);
    return { i < n ? x[i] : -INFINITY, i + 1 < n ? x[i + 1] : -INFINITY,
             i + 2 < n ? x[i + 2] : -INFINITY,
             i + 3 < n ? x[i + 3] : -INFINITY };
}

__device__ void store(float *y, int i, int n, float4 a)
{
    if (n % 4 == 0 && i < n) {
        *(float4 *)(y + i) = a;
        return;
    }
    float value[4] = { a.x, a.y, a.z, a.w };
    for (int k = 0; k < 4; k++)
        if (i + k < n)
            y[i + k] = value[k];
}

/* the kernel of the running maximum */
__global__ void running_max(float *y, const float *x, int rows, int n)
{
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * ROWS_OF_BLOCK + threadIdx.x / 32;
    if (row >= rows)
        return;
    x += (size_t)row * n, y += (size_t)row * n;
    float before = -INFINITY;
    for (int first = 0; first < n; first += 128) {
        float4 a = load(x, first + 4 * lane, n);
        a.y = larger(a.x, a.y), a.z = larger(a.y, a.z);
        a.w = larger(a.z, a.w);
        float most = a.w;
        for (int d = 1; d < 32; d *= 2) {
            float other = __shfl_up_sync(~0u, most, d);
            most = lane >= d ? larger(other, most) : most;
        }
        float left = __shfl_up_sync(~0u, most, 1);
        left = lane > 0 ? larger(before, left) : before;
        a = { larger(left, a.x), larger(left, a.y), larger(left, a.z),
              larger(left, a.w) };
        store(y, first + 4 * lane, n, a);
        before = larger(before, __shfl_sync(~0u, most, 31));
    }
}
#endif

/* check a running maximum against plain C */
static bool right(const float *y, const float *x, int rows, int n)
{
    for (int r = 0; r < rows; r++, x += n, y += n) {
        float most = -INFINITY;
        bool broken = false;
        for (int i = 0; i < n; i++) {
            broken = broken || std::isnan(x[i]);
            most = broken ? NAN : fmaxf(most, x[i]);
            if (y[i] == most || (broken && std::isnan(y[i])))
                continue;
            printf("row %d, number %d: %g, expected %g\n", r, i,
                   (double)y[i], (double)most);
            return false;
        }
    }
    return true;
}

/* run a running maximum */
int main(int words, char **word)
{
    int rows = words == 3 ? atoi(word[1]) : 64;
    int n = words == 3 ? atoi(word[2]) : 512;
    if (rows < 1 || n < 1 || (words != 1 && words != 3)) {
        fprintf(stderr, "usage: running_max [ROWS N], both at least 1\n");
        return 2;
    }
    size_t count = (size_t)rows * n, bytes = count * sizeof(float);
    std::vector<float> x(count), y(count);
    for (size_t i = 0; i < count; i++)
        x[i] = (float)(i * 2654435761u % 1000) - 1100;
    for (int r = 1; r < rows; r++)
        x[(size_t)r * n + r * 37 % n] = NAN;
    float *on_x, *on_y;
    cudaMalloc(&on_x, bytes);
    cudaMalloc(&on_y, bytes);
    cudaMemcpy(on_x, x.data(), bytes, cudaMemcpyHostToDevice);
    int blocks = (rows + ROWS_OF_BLOCK - 1) / ROWS_OF_BLOCK;
    running_max<<<blocks, THREADS>>>(on_y, on_x, rows, n);
    cudaError_t error = cudaMemcpy(y.data(), on_y, bytes,
                                   cudaMemcpyDeviceToHost);
    if (error != cudaSuccess)
        fprintf(stderr, "running_max: %s\n", cudaGetErrorString(error));
    cudaFree(on_x);
    cudaFree(on_y);
    return error != cudaSuccess || !right(y.data(), x.data(), rows, n);
}
