/* What published programs do: operators of vectors, managed and pinned
 * memory, managed variables, old shuffles, a clock. */
#include <builtin_types.h>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cstdio>
#include <cuda_profiler_api.h>
#include <driver_types.h>
#include <math_constants.h>
#include <vector_functions.h>

static inline __host__ __device__ float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

struct Pair { float4 a; int2 b; };
__constant__ float4 table[2] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };
__managed__ int total = 5;
__device__ __managed__ float list[4];

__global__ void vectors(float4 *out, float4 v, Pair p)
{
    float4 z = { CUDART_PI_F };
    if (threadIdx.x < 3)
        z = table[threadIdx.x & 1] + v;
    out[threadIdx.x] = threadIdx.x == 2 ? p.a : z;
    if (threadIdx.x == 4)
        *(&out[4].x + 1) = p.b.y;
}

__global__ void both_sides(int *p, int n)
{
    int i = threadIdx.x;
    if (i < n)
        p[i] += i;
    if (i == 0) {
        total++;
        list[2] = 7;
    }
}

__global__ void old(int *sum, long long *ticks)
{
    long long begin = clock64();
    int v = threadIdx.x;
    for (int by = 16; by; by /= 2)
        v += __shfl_xor(v, by);
    if (threadIdx.x == 0)
        *sum = v;
    *ticks = clock64() - begin;
}

static int wrong;
static void expect(const char *what, double is, double want)
{
    if (!(is == want)) {
        printf("%s: %g, not %g\n", what, is, want);
        wrong++;
    }
}

static void test_vectors()
{
    float4 *d, h[8];
    Pair p = { { 9, 8, 7, 6 }, { 3, 4 } };
    cudaMalloc(&d, sizeof h);
    vectors<<<1, 8>>>(d, make_float4(10, 20, 30, 40), p);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    expect("constant 1 + argument", h[1].y, 26);
    expect("vector in a structure", h[2].x + h[2].w, 15);
    expect("one number in braces", h[3].x, CUDART_PI_F);
    expect("and zeros", h[3].y, 0);
    expect("address of an element", h[4].y, 4);
    expect("alignment of a pair of floats", alignof(float2), 8);
    expect("size of three doubles", sizeof(double3), 24);
    expect("alignment of four longs", alignof(longlong4), 16);
    cudaFree(d);
}

static void test_memory()
{
    int *m, *h, *d, *r = (int *)malloc(100 * sizeof *r);
    cudaPointerAttributes a;
    cudaMallocManaged(&m, 100 * sizeof *m);
    for (int i = 0; i < 100; i++)
        m[i] = r[i] = 1;
    both_sides<<<1, 128>>>(m, 100);
    expect("managed", m[99], 100);
    expect("a managed variable", total, 6);
    expect("an element of one", list[2], 7);
    cudaHostAlloc(&h, 100 * sizeof *h, cudaHostAllocMapped);
    h[99] = 2;
    cudaHostGetDevicePointer(&d, h, 0);
    both_sides<<<1, 128>>>(d, 100);
    expect("pinned", h[99], 101);
    cudaHostRegister(r, 100 * sizeof *r, cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&d, r, 0);
    both_sides<<<1, 128>>>(d, 100);
    expect("registered", r[99], 100);
    cudaPointerGetAttributes(&a, r);
    expect("kind of registered memory", a.type, cudaMemoryTypeHost);
    cudaPointerGetAttributes(&a, m);
    expect("kind of managed memory", a.type, cudaMemoryTypeManaged);
    cudaMemcpy(h, r, 100 * sizeof *h, cudaMemcpyHostToDevice);
    expect("copied between them", h[99], 100);
    cudaHostUnregister(r);
    expect("it stays where it was", r[99], 100);
    free(r);
    expect("free managed memory", cudaFree(m), cudaSuccess);
    expect("free pinned memory", cudaFreeHost(h), cudaSuccess);
}

/* c = 2 a b' + 3 c, with a of 2 rows and 3 columns, b of 2 and 3, by columns */
static void test_product()
{
    float *a, *b, *c, two = 2, three = 3;
    cublasHandle_t h;
    cudaMallocManaged(&a, 6 * sizeof *a);
    cudaMallocManaged(&b, 6 * sizeof *b);
    cudaMallocManaged(&c, 4 * sizeof *c);
    for (int i = 0; i < 6; i++) {
        a[i] = i;
        b[i] = i * i;
        c[i % 4] = 1;
    }
    cublasCreate(&h);
    expect("status", cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 3, &two,
                                 a, 2, b, 2, &three, c, 2), 0);
    expect("c[0][0]", c[0], 2 * (0 * 0 + 2 * 4 + 4 * 16) + 3);
    expect("c[1][0]", c[1], 2 * (1 * 0 + 3 * 4 + 5 * 16) + 3);
    expect("c[0][1]", c[2], 2 * (0 * 1 + 2 * 9 + 4 * 25) + 3);
    expect("fp8 is refused",
           cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &two, a,
                        CUDA_R_8F_E4M3, 1, b, CUDA_R_8F_E4M3, 1, &two, c,
                        CUDA_R_16BF, 1, CUBLAS_COMPUTE_32F,
                        CUBLAS_GEMM_DEFAULT), CUBLAS_STATUS_NOT_SUPPORTED);
    cublasDestroy(h);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

int main()
{
    test_vectors();
    test_memory();
    test_product();
    int *sum, can = 1, value;
    long long *ticks;
    cudaMallocManaged(&sum, sizeof *sum);
    cudaMallocManaged(&ticks, sizeof *ticks);
    old<<<1, 32>>>(sum, ticks);
    expect("a sum by old shuffles", *sum, 496);
    expect("time passes", *ticks > 0, 1);
    cudaDeviceCanAccessPeer(&can, 0, 0);
    expect("a device is not its own peer", can, 0);
    cudaDeviceGetAttribute(&value, cudaDevAttrTextureAlignment, 0);
    expect("an attribute", value, 512);
    cudaFree(sum);
    cudaFree(ticks);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
