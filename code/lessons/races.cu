/* Tangled from chapters/workshop/sanitizer-records.nw, "Three programs".  Edit it there. */

/* races: the kernels of the chapter on races, right and broken.
 *
 *   races NAME [RUNS]      say how often the result of NAME is right
 *   races                  list the names
 *
 * Exit status: 0 right every time, 1 not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef THREADS
#define THREADS 128             /* of a block: a power of 2, 64 or more */
#endif
enum { BLOCKS = 4, TILES = 5, N = TILES * THREADS };

/* races: counts and a reversal */
/* count without atomic operations */
__global__ void histogram(int *count, const int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        count[x[i] % 128]++;
}

__global__ void histogram_atomic(int *count, const int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&count[x[i] % 128], 1);
}

/* reverse a block without a barrier */
__global__ void reverse(int *y, const int *x)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = x[t];
    y[t] = s[blockDim.x - 1 - t];
}

__global__ void reverse_barrier(int *y, const int *x)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    y[t] = s[blockDim.x - 1 - t];
}


/* races: sums of a block */
/* sum v over the threads of a block */
/* The sum of v over the threads of the block, for all of them. */
__device__ int block_sum(int v, int *s)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = THREADS / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    return s[0];
}

/* compute shares of a block's sum */
__global__ void shares(int *y, const int *x)
{
    __shared__ int s[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    y[i] = 1000 * x[i] / block_sum(x[i], s);
}

__global__ void shares_no_barrier(int *y, const int *x)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    s[t] = x[i];
    __syncthreads();
    /* add the halves without a barrier in the loop */
    for (int d = THREADS / 2; d > 0; d /= 2)
        if (t < d)
            s[t] += s[t + d];
    __syncthreads();
    y[i] = 1000 * x[i] / s[0];
}

__global__ void shares_barrier_in_branch(int *y, const int *x)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    s[t] = x[i];
    __syncthreads();
    /* add the halves with a barrier in a branch */
    for (int d = THREADS / 2; d > 0; d /= 2)
        if (t < d) {
            s[t] += s[t + d];
            __syncthreads();
        }
    __syncthreads();
    y[i] = 1000 * x[i] / s[0];
}

/* compute two sums in one array */
__global__ void two_sums(int *y, const int *x)
{
    __shared__ int s[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    int sum = block_sum(x[i], s);
    y[i] = sum - block_sum(2 * x[i], s);
}


/* races: sums of all blocks */
/* sum up all blocks in one launch */
__global__ void total(int *y, int *part, unsigned *done, const int *x)
{
    __shared__ int s[THREADS];
    __shared__ bool last;
    int t = threadIdx.x, v = block_sum(x[blockIdx.x * THREADS + t], s);
    if (t == 0) {
        /* publish the block's sum, and take a ticket */
        part[blockIdx.x] = v;
        __threadfence();
        last = atomicAdd(done, 1) == gridDim.x - 1;
        __threadfence();
    }
    /* let the last block add up the sums */
    __syncthreads();
    if (!last)
        return;
    v = block_sum(t < (int)gridDim.x ? part[t] : 0, s);
    if (t == 0)
        *y = v;
}

__global__ void total_no_fence(int *y, int *part, unsigned *done,
                               const int *x)
{
    __shared__ int s[THREADS];
    __shared__ bool last;
    int t = threadIdx.x, v = block_sum(x[blockIdx.x * THREADS + t], s);
    if (t == 0) {
        /* take a ticket without a fence before it */
        part[blockIdx.x] = v;
        last = atomicAdd(done, 1) == gridDim.x - 1;
        __threadfence();
    }
    /* let the last block add up the sums */
    __syncthreads();
    if (!last)
        return;
    v = block_sum(t < (int)gridDim.x ? part[t] : 0, s);
    if (t == 0)
        *y = v;
}


/* races: tiles in shared memory */
/* sum up mirrored tiles */
__global__ void tiles(int *y, const int *x, int n)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, v = 0;
    for (int k = 0; k < n; k++) {
        s[t] = x[k * THREADS + t];
        __syncthreads();                /* the tile is complete    */
        v += (k + 1) * s[THREADS - 1 - t];
        __syncthreads();                /* and has been used       */
    }
    y[t] = v;
}

__global__ void tiles_one_barrier(int *y, const int *x, int n)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, v = 0;
    for (int k = 0; k < n; k++) {
        /* use tile k in one buffer with one barrier */
        s[t] = x[k * THREADS + t];
        __syncthreads();
        v += (k + 1) * s[THREADS - 1 - t];
    }
    y[t] = v;
}

__global__ void tiles_two_buffers(int *y, const int *x, int n)
{
    __shared__ int s[2][THREADS];
    int t = threadIdx.x, v = 0;
    for (int k = 0; k < n; k++) {
        /* use tile k in two buffers with one barrier */
        s[k % 2][t] = x[k * THREADS + t];
        __syncthreads();
        v += (k + 1) * s[k % 2][THREADS - 1 - t];
    }
    y[t] = v;
}


/* races: tiles that are copied asynchronously */
/* start and await asynchronous copies */
/* Start to copy four bytes to shared memory. */
__device__ void copy_async(int *to, const int *from)
{
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :: "r"(s), "l"(from) : "memory");
}

/* The copies started since the last commit are a group. */
__device__ void commit_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Wait until at most `pending` groups, the latest, are on their way. */
template <int pending> __device__ void wait_group()
{
    asm volatile("cp.async.wait_group %0;" :: "n"(pending) : "memory");
}

/* sum up tiles that are copied ahead */
__global__ void copies(int *y, const int *x, int n)
{
    __shared__ int s[2][THREADS];
    int t = threadIdx.x, v = 0;
    copy_async(&s[0][t], &x[t]);
    commit_group();
    for (int k = 0; k < n; k++) {
        /* start the next copy, and commit */
        if (k + 1 < n)
            copy_async(&s[(k + 1) % 2][t], &x[(k + 1) * THREADS + t]);
        commit_group();                 /* an empty group, the last time */
        wait_group<1>();                /* my part of tile k is here   */
        __syncthreads();                /* and all others              */
        /* use tile k, and wait until all threads have */
        v += (k + 1) * s[k % 2][THREADS - 1 - t];
        __syncthreads();
    }
    y[t] = v;
}

__global__ void copies_wrong_group(int *y, const int *x, int n)
{
    __shared__ int s[2][THREADS];
    int t = threadIdx.x, v = 0;
    copy_async(&s[0][t], &x[t]);
    commit_group();
    for (int k = 0; k < n; k++) {
        /* start the next copy, and commit only if there is one */
        if (k + 1 < n) {
            copy_async(&s[(k + 1) % 2][t], &x[(k + 1) * THREADS + t]);
            commit_group();
        }
        wait_group<1>();
        __syncthreads();
        /* use tile k, and wait until all threads have */
        v += (k + 1) * s[k % 2][THREADS - 1 - t];
        __syncthreads();
    }
    y[t] = v;
}

__global__ void copies_no_barrier(int *y, const int *x, int n)
{
    __shared__ int s[2][THREADS];
    int t = threadIdx.x, v = 0;
    copy_async(&s[0][t], &x[t]);
    commit_group();
    for (int k = 0; k < n; k++) {
        /* start the next copy, and commit */
        if (k + 1 < n)
            copy_async(&s[(k + 1) % 2][t], &x[(k + 1) * THREADS + t]);
        commit_group();                 /* an empty group, the last time */
        /* wait for tile k, but do not synchronise */
        wait_group<1>();
        /* use tile k, and wait until all threads have */
        v += (k + 1) * s[k % 2][THREADS - 1 - t];
        __syncthreads();
    }
    y[t] = v;
}

__global__ void copies_one_barrier(int *y, const int *x, int n)
{
    __shared__ int s[2][THREADS];
    int t = threadIdx.x, v = 0;
    copy_async(&s[0][t], &x[t]);
    commit_group();
    for (int k = 0; k < n; k++) {
        /* start the next copy, and commit */
        if (k + 1 < n)
            copy_async(&s[(k + 1) % 2][t], &x[(k + 1) * THREADS + t]);
        commit_group();                 /* an empty group, the last time */
        wait_group<1>();
        __syncthreads();
        v += (k + 1) * s[k % 2][THREADS - 1 - t];
    }
    y[t] = v;
}


/* races: sums of a warp */
__device__ bool down_to_64(int *s, const int *x)
{
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int d = THREADS / 2; d > 32; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    return t < 32;
}

__global__ void warp_volatile(int *y, const int *x)
{
    __shared__ int shared[THREADS];
    int t = threadIdx.x;
    if (!down_to_64(shared, x))
        return;
    /* add 64 numbers in the way of 2007 */
    volatile int *s = shared;
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
    if (t == 0)
        *y = s[0];
}


__global__ void warp_sync(int *y, const int *x)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    if (!down_to_64(s, x))
        return;
    /* add 64 numbers with a barrier of the warp */
    int v = s[t] + s[t + 32];
    for (int d = 16; d > 0; d /= 2) {
        __syncwarp();
        s[t] = v;
        __syncwarp();
        v += s[(t + d) % 32];
    }
    if (t == 0)
        *y = v;
}

__global__ void warp_shuffle(int *y, const int *x)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    if (!down_to_64(s, x))
        return;
    /* add 64 numbers with shuffles */
    int v = s[t] + s[t + 32];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (t == 0)
        *y = v;
}


/* races: messages and locks */
/* pass a message with fences */
__global__ void message(int *y, int *data, int *flag, const int *x)
{
    volatile int *seen = flag;
    if (blockIdx.x == 0) {
        *data = 2 * x[0];
        __threadfence();
        *seen = 1;
    } else {
        while (*seen == 0)
            ;
        __threadfence();
        *y = *data;
    }
}

/* pass a message with release and acquire */
__device__ void store_release(int *p, int v)
{
    asm volatile("st.release.gpu.global.s32 [%0], %1;"
                 :: "l"(p), "r"(v) : "memory");
}

__device__ int load_acquire(const int *p)
{
    int v;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                 : "=r"(v) : "l"(p) : "memory");
    return v;
}


__global__ void message_release(int *y, int *data, int *flag, const int *x)
{
    if (blockIdx.x == 0) {
        *data = 2 * x[0];
        store_release(flag, 1);
    } else {
        while (load_acquire(flag) == 0)
            ;
        *y = *data;
    }
}

__global__ void message_no_fence(int *y, int *data, int *flag,
                                 const int *x)
{
    volatile int *seen = flag;
    if (blockIdx.x == 0) {
        /* send without a fence */
        *data = 2 * x[0];
        *seen = 1;
    } else {
        while (*seen == 0)
            ;
        __threadfence();
        *y = *data;
    }
}

__global__ void message_fence_first(int *y, int *data, int *flag,
                                    const int *x)
{
    volatile int *seen = flag;
    if (blockIdx.x == 0) {
        /* send with the fence before the data */
        __threadfence();
        *data = 2 * x[0];
        *seen = 1;
    } else {
        while (*seen == 0)
            ;
        __threadfence();
        *y = *data;
    }
}


/* count under a lock */
__global__ void lock_count(int *lock, int *count)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *count += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

__global__ void lock_no_fence(int *lock, int *count)
{
    if (threadIdx.x == 0) {
        /* count under a lock that orders nothing */
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        *count += 1;
        atomicExch(lock, 0);
    }
}


static int *x, *y, *work, numbers[N];   /* x: the numbers, on the device */

/* races: results that are expected */
/* Each fills `want` with the result, and returns how many numbers. */
static int want_histogram(int *want)
{
    for (int k = 0; k < 128; k++)
        want[k] = 0;
    for (int i = 0; i < BLOCKS * THREADS; i++)
        want[numbers[i] % 128]++;
    return 128;
}

static int want_reverse(int *want)
{
    for (int t = 0; t < THREADS; t++)
        want[t] = numbers[THREADS - 1 - t];
    return THREADS;
}

static int sum_of(int first, int n)
{
    int sum = 0;
    for (int i = first; i < first + n; i++)
        sum += numbers[i];
    return sum;
}


static int want_shares(int *want)
{
    for (int i = 0; i < BLOCKS * THREADS; i++)
        want[i] = 1000 * numbers[i]
                  / sum_of(i / THREADS * THREADS, THREADS);
    return BLOCKS * THREADS;
}

static int want_two_sums(int *want)
{
    for (int i = 0; i < BLOCKS * THREADS; i++)
        want[i] = -sum_of(i / THREADS * THREADS, THREADS);
    return BLOCKS * THREADS;
}

static int want_total(int *want)
{
    *want = sum_of(0, BLOCKS * THREADS);
    return 1;
}

static int want_tiles(int *want)
{
    for (int t = 0; t < THREADS; t++) {
        want[t] = 0;
        for (int k = 0; k < TILES; k++)
            want[t] += (k + 1) * numbers[k * THREADS + THREADS - 1 - t];
    }
    return THREADS;
}


static int want_warp(int *want)
{
    *want = sum_of(0, THREADS);
    return 1;
}

static int want_message(int *want)
{
    *want = 2 * numbers[0];
    return 1;
}

static int want_lock(int *want)
{
    *want = BLOCKS;
    return 1;
}


/* races: what can be run */
static const struct Lesson {
    const char *name;
    void (*launch)(void);
    int (*want)(int *);
} lessons[] = {
    { "histogram", [] {
        histogram<<<BLOCKS, THREADS>>>(y, x, BLOCKS * THREADS); },
      want_histogram },
    { "histogram-atomic", [] {
        histogram_atomic<<<BLOCKS, THREADS>>>(y, x, BLOCKS * THREADS);
      }, want_histogram },
    { "reverse", [] {
        reverse<<<1, THREADS, THREADS * sizeof(int)>>>(y, x); },
      want_reverse },
    { "reverse-barrier", [] {
        reverse_barrier<<<1, THREADS, THREADS * sizeof(int)>>>(y, x); },
      want_reverse },
    /* races: rows of sums */
    { "shares", [] { shares<<<BLOCKS, THREADS>>>(y, x); }, want_shares },
    { "shares-no-barrier", [] {
        shares_no_barrier<<<BLOCKS, THREADS>>>(y, x); }, want_shares },
    { "shares-barrier-in-branch", [] {
        shares_barrier_in_branch<<<BLOCKS, THREADS>>>(y, x); }, want_shares },
    { "two-sums", [] { two_sums<<<BLOCKS, THREADS>>>(y, x); },
      want_two_sums },
    { "total", [] {
        total<<<BLOCKS, THREADS>>>(y, work + 1, (unsigned *)work, x); },
      want_total },
    { "total-no-fence", [] {
        total_no_fence<<<BLOCKS, THREADS>>>(y, work + 1, (unsigned *)work,
                                            x); }, want_total },
    { "warp-volatile", [] { warp_volatile<<<1, THREADS>>>(y, x); },
      want_warp },
    { "warp-sync", [] { warp_sync<<<1, THREADS>>>(y, x); }, want_warp },
    { "warp-shuffle", [] { warp_shuffle<<<1, THREADS>>>(y, x); },
      want_warp },
    /* races: rows of tiles */
    { "tiles", [] { tiles<<<1, THREADS>>>(y, x, TILES); }, want_tiles },
    { "tiles-one-barrier", [] {
        tiles_one_barrier<<<1, THREADS>>>(y, x, TILES); }, want_tiles },
    { "tiles-two-buffers", [] {
        tiles_two_buffers<<<1, THREADS>>>(y, x, TILES); }, want_tiles },
    { "copies", [] { copies<<<1, THREADS>>>(y, x, TILES); }, want_tiles },
    { "copies-wrong-group", [] {
        copies_wrong_group<<<1, THREADS>>>(y, x, TILES); }, want_tiles },
    { "copies-no-barrier", [] {
        copies_no_barrier<<<1, THREADS>>>(y, x, TILES); }, want_tiles },
    { "copies-one-barrier", [] {
        copies_one_barrier<<<1, THREADS>>>(y, x, TILES); }, want_tiles },
    /* races: rows of messages and locks */
    { "message", [] { message<<<2, 1>>>(y, work + 1, work, x); },
      want_message },
    { "message-release", [] {
        message_release<<<2, 1>>>(y, work + 1, work, x); }, want_message },
    { "message-no-fence", [] {
        message_no_fence<<<2, 1>>>(y, work + 1, work, x); }, want_message },
    { "message-fence-first", [] {
        message_fence_first<<<2, 1>>>(y, work + 1, work, x); },
      want_message },
    { "lock", [] { lock_count<<<BLOCKS, THREADS>>>(work, y); }, want_lock },
    { "lock-no-fence", [] {
        lock_no_fence<<<BLOCKS, THREADS>>>(work, y); }, want_lock },
};
enum { LESSONS = sizeof lessons / sizeof *lessons };


/* races: run one kernel so many times */
static void cuda_check(cudaError_t e)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "races: %s\n", cudaGetErrorString(e));
    exit(1);
}

static bool run_once(const struct Lesson *l, const int *want, int n)
{
    static int got[N];
    cuda_check(cudaMemset(y, 0, sizeof numbers));
    cuda_check(cudaMemset(work, 0, sizeof numbers));
    l->launch();
    cuda_check(cudaGetLastError());
    cuda_check(cudaMemcpy(got, y, (size_t)n * sizeof *got,
                          cudaMemcpyDeviceToHost));
    return memcmp(got, want, (size_t)n * sizeof *got) == 0;
}


static int run(const struct Lesson *l, int runs)
{
    static int want[N];
    int right = 0;
    for (int i = 0; i < N; i++)
        numbers[i] = i + 1;
    int n = l->want(want);
    cuda_check(cudaMalloc(&x, sizeof numbers));
    cuda_check(cudaMalloc(&y, sizeof numbers));
    cuda_check(cudaMalloc(&work, sizeof numbers));
    cuda_check(cudaMemcpy(x, numbers, sizeof numbers,
                          cudaMemcpyHostToDevice));
    for (int i = 0; i < runs; i++)
        right += run_once(l, want, n);
    printf("%s: right in %d of %d runs\n", l->name, right, runs);
    cuda_check(cudaFree(x));
    cuda_check(cudaFree(y));
    cuda_check(cudaFree(work));
    return right != runs;
}


/* races: main */
int main(int argc, char **argv)
{
    int runs = argc > 2 ? atoi(argv[2]) : 1;
    for (int i = 0; i < LESSONS; i++)
        if (argc > 1 && strcmp(argv[1], lessons[i].name) == 0 && runs > 0)
            return run(&lessons[i], runs);
    FILE *to = argc > 1 ? stderr : stdout;
    fprintf(to, "races NAME [RUNS]; a NAME is\n");
    for (int i = 0; i < LESSONS; i++)
        fprintf(to, "    %s\n", lessons[i].name);
    return argc > 1;
}
