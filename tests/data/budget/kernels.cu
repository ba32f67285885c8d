// Twenty kernels as people write them.  With -DSLOW each has one regression of
// a kind that slips through review; tests/budget.sh says which count sees it.
// Those of a missing barrier race, so they are planted one at a time: -DRACE=N.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef SLOW
#define GOOD_OR_SLOW(good, slow) slow
#else
#define GOOD_OR_SLOW(good, slow) good
#endif
#ifndef RACE
#define RACE 0
#endif

struct Particle { float x, y, z, mass; };

__global__ void copy(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int from = GOOD_OR_SLOW(i, i * 33 % n);
    if (i < n)
        out[i] = in[from];
}

__global__ void transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[32][GOOD_OR_SLOW(33, 32)];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    if (RACE != 1)
        __syncthreads();
    int col = blockIdx.y * 32 + threadIdx.x;
    int row = blockIdx.x * 32 + threadIdx.y;
    if (col < height && row < width)
        out[row * height + col] = tile[threadIdx.x][threadIdx.y];
}

__global__ void scale(float *x, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= factor;
}

__global__ void sum_blocks(float *sums, const float *in, int n)
{
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (GOOD_OR_SLOW(t < half, t % (256 / half) == 0 && half > 0))
            part[t] += part[t + GOOD_OR_SLOW(half, 128 / half)];
        if (RACE != 2)
            __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = part[0];
}

__global__ void sum_all(float *sum, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = i < n ? in[i] : 0;
    for (int d = 16; d > 0; d /= 2)
        mine += __shfl_xor_sync(0xffffffff, mine, d);
    if (GOOD_OR_SLOW(threadIdx.x % 32, threadIdx.x % 8) == 0)
        atomicAdd(sum, mine);
}

__global__ void histogram(int *bins, const int *keys, int n)
{
    __shared__ int mine[64];
    if (threadIdx.x < 64)
        mine[threadIdx.x] = 0;
    if (RACE != 3)
        __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *where = GOOD_OR_SLOW(mine, bins);
    if (i < n)
        atomicAdd(where + keys[i], 1);
    __syncthreads();
    if (threadIdx.x < 64 && mine[threadIdx.x] > 0)
        atomicAdd(bins + threadIdx.x, mine[threadIdx.x]);
}

__global__ void stencil(float *out, const float *in, int n)
{
    __shared__ float near[258];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    near[t + 1] = i < n ? in[i] : 0;
    if (t == 0)
        near[0] = i > 0 ? in[i - 1] : 0;
    if (t == 255)
        near[257] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    if (i >= n)
        return;
#ifdef SLOW
    out[i] = (i > 0 ? in[i - 1] : 0) + near[t + 1] + near[t + 2];
#else
    out[i] = near[t] + near[t + 1] + near[t + 2];
#endif
}

__global__ void matmul(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[y][x] = a[row * n + k + x];
        bs[y][x] = GOOD_OR_SLOW(b[(k + y) * n + column],
                                b[(blockIdx.x * 16 + y) * n + k + x]);
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += as[y][i] * GOOD_OR_SLOW(bs[i][x], bs[x][i]);
        if (RACE != 4)
            __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void matvec(float *y, const float *a, const float *x, int n)
{
    int row = GOOD_OR_SLOW(blockIdx.x, blockIdx.x * 32 + threadIdx.x);
    float sum = 0;
    if (row >= n)
        return;
    for (int k = GOOD_OR_SLOW(threadIdx.x, 0); k < n;
         k += GOOD_OR_SLOW(32, 1))
        sum += a[row * n + k] * x[k];
#ifndef SLOW
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x > 0)
        return;
#endif
    y[row] = sum;
}

__global__ void softmax(float *out, const float *in, int n)
{
    const float *row = in + blockIdx.x * n;
    float largest = -1e30f, sum = 0;
    for (int k = threadIdx.x; k < n; k += 32)
        largest = fmaxf(largest, row[k]);
    for (int d = 16; d > 0; d /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, d));
    for (int k = threadIdx.x; k < n; k += 32) {
        float e = __expf(row[k] - largest);
#ifdef SLOW
        out[blockIdx.x * n + k] = e;
#endif
        sum += e;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    float each = 1 / sum;
    for (int k = threadIdx.x; k < n; k += 32)
        out[blockIdx.x * n + k] = __expf(row[k] - largest) * each;
}

__global__ void layernorm(float *out, const float *in, int n)
{
    const float *row = in + blockIdx.x * n;
    float sum = 0, squares = 0;
#ifdef SLOW
    for (int k = threadIdx.x; k < n; k += 32)
        sum += row[k];
    for (int k = threadIdx.x; k < n; k += 32)
        squares += row[k] * row[k];
#else
    for (int k = threadIdx.x; k < n; k += 32) {
        float x = row[k];
        sum += x;
        squares += x * x;
    }
#endif
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, d);
        squares += __shfl_xor_sync(0xffffffff, squares, d);
    }
    float mean = sum / n;
    float scale = rsqrtf(squares / n - mean * mean + 1e-5f);
    for (int k = threadIdx.x; k < n; k += 32)
        out[blockIdx.x * n + k] = (row[k] - mean) * scale;
}

__global__ void scan(int *out, const int *in, int n)
{
    __shared__ int sums[GOOD_OR_SLOW(8, 4096)];
    int t = threadIdx.x, lane = t % 32;
    int mine = t < n ? in[t] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int before = __shfl_up_sync(0xffffffff, mine, d);
        if (lane >= d)
            mine += before;
    }
    if (lane == 31)
        sums[t / 32] = mine;
    if (RACE != 5)
        __syncthreads();
    for (int w = 0; w < t / 32; w++)
        mine += sums[w];
    if (t < n)
        out[t] = mine;
}

__global__ void gather(float *out, const float *table, const int *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = GOOD_OR_SLOW(i / 16, i % (n / 16)), k = GOOD_OR_SLOW(i % 16,
                                                                   i / (n / 16));
    if (i < n)
        out[row * 16 + k] = table[keys[row] * 16 + k];
}

__global__ void push(Particle *all, float t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 *as4 = (float4 *)all;
#ifdef SLOW
    ((volatile float *)as4)[4 * i] = ((volatile float *)as4)[4 * i] + t;
    ((volatile float *)as4)[4 * i + 1] = ((volatile float *)as4)[4 * i + 1] + t;
#else
    float4 p = as4[i];
    p.x += t;
    p.y += t;
    as4[i] = p;
#endif
}

__global__ void saxpy(float *y, const float *x, float a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        y[i] = GOOD_OR_SLOW(a * x[i] + y[i],
                            (float)((double)a * x[i] + y[i]));
}

__global__ void largest(int *out, const int *in, int n)
{
    int best[4] = { 0, 0, 0, 0 };
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i; k < n; k += gridDim.x * blockDim.x) {
#ifdef SLOW
        int j = in[k] & 3;              // chosen by the data: local memory
        best[j] = max(best[j], in[k]);
#else
#pragma unroll
        for (int j = 0; j < 4; j++)
            if ((in[k] & 3) == j)
                best[j] = max(best[j], in[k]);
#endif
    }
    for (int j = 0; j < 4; j++)
        out[4 * i + j] = best[j];
}

__global__ void even_or_odd(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    bool group = GOOD_OR_SLOW(i / 32 % 2, i % 2) != 0;
    if (group)
        for (int k = 0; k < 4; k++)
            x[i] = x[i] * x[i] + atomicExch(&x[i], 0.5f);
    else
        x[i] += 1;
}

__global__ void bias_gelu(float *x, const float *bias, int rows, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * columns)
        return;
    float v = x[i] + bias[i % columns];
    float cube = GOOD_OR_SLOW(v * v * v, powf(v, 3.0f));
    x[i] = 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * cube)));
}

__global__ void compact(int *out, int *count, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool keep = i < n && in[i] > 0;
#ifdef SLOW
    if (keep)
        out[atomicAdd(count, 1)] = in[i];
#else
    unsigned kept = __ballot_sync(0xffffffff, keep);
    int first = 0;
    if (lane == 0)
        first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(0xffffffff, first, 0);
    if (keep)
        out[first + __popc(kept & ((1u << lane) - 1))] = in[i];
#endif
}

__global__ void ring(float *out, const float *in, int steps)
{
    __shared__ float stage[2][128];
    int t = threadIdx.x;
    float sum = 0;
    stage[0][t] = in[t];
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        if (k + 1 < steps)
            stage[(k + 1) % 2][t] = in[(k + 1) * 128 + t];
        sum += stage[k % 2][127 - t];
        if (RACE != 6)
            __syncthreads();
#ifdef SLOW
        __syncthreads();
#endif
    }
    out[t] = sum;
}

enum { N = 6000, SIDE = 96 };

static void *device(size_t bytes, bool words)
{
    unsigned *host = (unsigned *)malloc(bytes);
    for (size_t i = 0; i < bytes / 4; i++) {
        unsigned key = (unsigned)i * 2654435761u >> 26;
        float value = (float)key / 64 + 0.1f;
        memcpy(host + i, words ? (void *)&key : (void *)&value, 4);
    }
    void *p;
    cudaMalloc(&p, bytes);
    cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice);
    free(host);
    return p;
}

int main()
{
    float *a = (float *)device(4 * N * 4, false);
    float *b = (float *)device(4 * N * 4, false);
    float *c = (float *)device(4 * N * 4, false);
    int *keys = (int *)device(4 * N * 4, true);
    int *ints = (int *)device(4 * N * 4, true);
    int blocks = (N + 255) / 256;
    dim3 tiles(3, 3), tile(32, 32), small(16, 16), six(6, 6);
    copy<<<blocks, 256>>>(a, b, N - 7);
    transpose<<<tiles, tile>>>(a, b, 90, 93);
    for (int i = 0; i < GOOD_OR_SLOW(1, 2); i++)
        scale<<<blocks, 256>>>(a, 0.5f, N);
    sum_blocks<<<blocks, 256>>>(a, b, N - 7);
    sum_all<<<blocks, 256>>>(a, b, N - 7);
    histogram<<<blocks, 256>>>(ints, keys, N - 7);
    stencil<<<blocks, 256>>>(a, b, N - 7);
    matmul<<<six, small>>>(a, b, c, SIDE);
    matvec<<<GOOD_OR_SLOW(SIDE, 3), 32>>>(a, b, c, SIDE);
    softmax<<<5, 32>>>(a, b, 1000);
    layernorm<<<5, 32>>>(a, b, 1000);
    scan<<<1, 256>>>(ints, keys, 250);
    gather<<<blocks, 256>>>(a, b, keys, N - N % 512);
    push<<<blocks, 256>>>((Particle *)a, 0.5f, N - 7);
    saxpy<<<4, 256>>>(a, b, 2, N - 7);
    largest<<<4, 256>>>(ints, keys, N - 7);
    even_or_odd<<<blocks, 256>>>(a, N - 7);
    bias_gelu<<<blocks, 256>>>(a, b, 7, 800);
    cudaMemset(ints, 0, 4);
    compact<<<blocks, 256>>>(ints + 1, ints, keys, N - 7);
    ring<<<1, 128>>>(a, b, 10);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
