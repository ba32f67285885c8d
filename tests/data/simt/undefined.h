/* Programs with variables that hold no value in some lanes.  Two warps run
 * each kernel; the expected result is computed here, on the CPU.  It is that of
 * the software GPU, which always runs warp 0 first and keeps together what
 * __activemask finds; on a GPU some tickets go to the other warp. */
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>

enum { N = 64, IN = 40, WARP = 32, ALL = -1 };
typedef long long Number;

struct Case {
    const char *name;
    void (*kernel)(Number *out, int *count, const float *in, int n);
    void (*expect)(Number *out, int *count, const float *in, int n);
};

static bool run(const Case &c)
{
    Number *out, got[N], want[N] = {};
    int *count, got_count[4], want_count[4] = {};
    float *in, values[IN];
    for (int i = 0; i < IN; i++)
        values[i] = (float)(i % 7 - 2);
    cudaMalloc(&out, sizeof got);
    cudaMalloc(&count, sizeof got_count);
    cudaMalloc(&in, sizeof values);             /* not one number more */
    cudaMemset(out, 0, sizeof got);
    cudaMemset(count, 0, sizeof got_count);
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    c.kernel<<<1, N>>>(out, count, in, IN);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    cudaMemcpy(got_count, count, sizeof got_count, cudaMemcpyDeviceToHost);
    cudaError_t error = cudaGetLastError();
    c.expect(want, want_count, values, IN);
    cudaFree(out);
    cudaFree(count);
    cudaFree(in);
    for (int i = 0; i < N; i++)
        if (got[i] != want[i]) {
            printf("%s wrong: thread %d has %lld, not %lld\n", c.name, i,
                   got[i], want[i]);
            return false;
        }
    for (int i = 0; i < 4; i++)
        if (got_count[i] != want_count[i]) {
            printf("%s wrong: counter %d is %d, not %d\n", c.name, i,
                   got_count[i], want_count[i]);
            return false;
        }
    printf("%s %s\n", c.name, error ? cudaGetErrorString(error) : "ok");
    return !error;
}

/* All cases, or the one that is named; the last line counts. */
template <int n> int run_all(const Case (&cases)[n], int argc, char **argv)
{
    int right = 0, all = 0;
    for (const Case &c : cases)
        if (argc < 2 || strcmp(argv[1], c.name) == 0) {
            all++;
            right += run(c);
        }
    printf("%d of %d right\n", right, all);
    return right != all;
}

#define KERNEL(name) __global__ void name(                              \
    [[maybe_unused]] Number *out, [[maybe_unused]] int *count,          \
    [[maybe_unused]] const float *in, [[maybe_unused]] int n)
#define EXPECT(name) static void name##_expect(                         \
    [[maybe_unused]] Number *out, [[maybe_unused]] int *count,          \
    [[maybe_unused]] const float *in, [[maybe_unused]] int n)
#define CASE(name) { #name, name, name##_expect }
#define LANE ((int)(threadIdx.x % 32))

/* What a function returns, in one lane only, is read in all. */
#define RETURNED(name, call)                                            \
    KERNEL(name)                                                        \
    {                                                                   \
        int v = call;                                                   \
        out[threadIdx.x] = __shfl_sync(~0u, v, 0) + LANE;               \
    }                                                                   \
    EXPECT(name)                                                        \
    {                                                                   \
        for (int i = 0; i < N; i++)                                     \
            out[i] = i;                                                 \
        count[0] = 64;                                                  \
    }
