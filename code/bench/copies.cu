/* Tangled from chapters/workshop/measuring-a-gpu.nw, "copies: between host and device".  Edit it there. */

/* copies: what it costs to bring bytes to the card and back. */
#include "bench/cuda_bench.cuh"

enum { RUNS = 15 };

/* copies: by size */
/* Seconds of one cudaMemcpy as the host sees it, which waits for it. */
static struct Sample time_copy(void *to, const void *from, size_t bytes,
                               enum cudaMemcpyKind kind)
{
    struct Sample t = {};
    for (int r = -2; r < RUNS; r++) {
        double start = now_s();
        CUDA_OK(cudaMemcpy(to, from, bytes, kind));
        CUDA_OK(cudaDeviceSynchronize());
        if (r >= 0)
            sample_add(&t, now_s() - start);
    }
    return t;
}

static void one_size(char *pageable, char *pinned, char *device, size_t kib)
{
    const char *name[] = { "in.pageable", "in.pinned", "out.pageable",
                           "out.pinned" };
    printf("%8zu KiB", kib);
    for (int i = 0; i < 4; i++) {
        char *host = i % 2 ? pinned : pageable;
        struct Sample t = i < 2
            ? time_copy(device, host, kib << 10, cudaMemcpyHostToDevice)
            : time_copy(host, device, kib << 10, cudaMemcpyDeviceToHost);
        double gbs = (double)(kib << 10) / median(&t) / 1e9;
        printf("  %s %8.1f us %6.2f GB/s", name[i], 1e6 * median(&t), gbs);
        number_put(&numbers, "GB/s", gbs, "h200.%s.%zu", name[i], kib);
        number_put(&numbers, "us", 1e6 * median(&t), "h200.%s.us.%zu",
                   name[i], kib);
    }
    printf("\n");
}

static void host_random(float *x, size_t n)
{
    uint32_t z = 1;
    for (size_t i = 0; i < n; i++) {
        z = z * 1664525u + 1013904223u;
        x[i] = (float)(z >> 8) / 16777216.0f;
    }
}

static void by_size(void)
{
    const size_t most = (size_t)256 << 20;
    char *pageable = (char *)malloc(most), *pinned;
    char *device = (char *)random_memory(most);
    if (!pageable)
        fail("no memory for %zu bytes", most);
    CUDA_OK(cudaMallocHost(&pinned, most));
    host_random((float *)pageable, most / 4);
    memcpy(pinned, pageable, most);
    for (size_t kib = 4; kib << 10 <= most; kib *= 4)   /* to 256 MiB */
        one_size(pageable, pinned, device, kib);
    CUDA_OK(cudaFreeHost(pinned));
    CUDA_OK(cudaFree(device));
    free(pageable);
}

/* copies: what memory costs to get */
static void allocations(void)
{
    const size_t bytes = (size_t)256 << 20;
    struct Sample t[3] = {};
    for (int r = 0; r < 5; r++) {
        void *p;
        double start = now_s();
        p = malloc(bytes);
        if (!p)
            fail("no memory for %zu bytes", bytes);
        memset(p, 1, bytes);
        sample_add(&t[0], now_s() - start);
        free(p);
        start = now_s();
        CUDA_OK(cudaMallocHost(&p, bytes));
        sample_add(&t[1], now_s() - start);
        CUDA_OK(cudaFreeHost(p));
        start = now_s();
        CUDA_OK(cudaMalloc(&p, bytes));
        sample_add(&t[2], now_s() - start);
        CUDA_OK(cudaFree(p));
    }
    const char *name[] = { "pageable", "pinned", "device" };
    for (int i = 0; i < 3; i++) {
        printf("get 256 MiB, %-9s %8.2f ms\n", name[i],
               1e3 * median(&t[i]));
        number_put(&numbers, "ms", 1e3 * median(&t[i]), "h200.get.%s",
                   name[i]);
    }
}

/* copies: both ways at once */
enum { STREAMS = 4, PIECES = 32, FLOATS = 64 << 20 };
static cudaStream_t stream[STREAMS];
static float *h_in, *h_out, *d_in, *d_out;

static void both_ways(void)
{
    const size_t bytes = (size_t)FLOATS * 4;
    CUDA_OK(cudaMallocHost(&h_in, bytes));
    CUDA_OK(cudaMallocHost(&h_out, bytes));
    host_random(h_in, FLOATS);
    d_in = (float *)random_memory(bytes);
    d_out = (float *)random_memory(bytes);
    for (int i = 0; i < STREAMS; i++)
        CUDA_OK(cudaStreamCreateWithFlags(&stream[i],
                                          cudaStreamNonBlocking));
    struct Sample t = {};
    for (int r = -2; r < RUNS; r++) {
        double start = now_s();
        CUDA_OK(cudaMemcpyAsync(d_in, h_in, bytes, cudaMemcpyHostToDevice,
                                stream[0]));
        CUDA_OK(cudaMemcpyAsync(h_out, d_out, bytes, cudaMemcpyDeviceToHost,
                                stream[1]));
        CUDA_OK(cudaDeviceSynchronize());
        if (r >= 0)
            sample_add(&t, now_s() - start);
    }
    double gbs = 2 * (double)bytes / median(&t) / 1e9;
    printf("both ways at once %.1f GB/s\n", gbs);
    number_put(&numbers, "GB/s", gbs, "h200.both");
}

/* copies: streams */
static int rounds = 4096;
static cudaEvent_t event[PIECES][4];

static void mark(int piece, int what, cudaStream_t s)
{
    CUDA_OK(cudaEventRecord(event[piece][what], s));
}

/* a kernel that works a little */
__global__ void polish(float *y, const float *x, size_t n, int rounds)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        for (int r = 0; r < rounds; r++)
            v = fmaf(v, 0.9999f, 0.0001f);
        y[i] = v;
    }
}

/* send the work in pieces, over streams */
static void in_pieces(int pieces)
{
    size_t n = FLOATS / pieces;
    for (int i = 0; i < pieces; i++) {
        cudaStream_t s = stream[i % STREAMS];
        size_t at = i * n;
        /* ask for piece i to be brought in, worked on and brought out */
        mark(i, 0, s);
        CUDA_OK(cudaMemcpyAsync(d_in + at, h_in + at, 4 * n,
                                cudaMemcpyHostToDevice, s));
        mark(i, 1, s);
        polish<<<(unsigned)((n + 255) / 256), 256, 0, s>>>(
            d_out + at, d_in + at, n, rounds);
        CUDA_OK(cudaGetLastError());
        mark(i, 2, s);
        CUDA_OK(cudaMemcpyAsync(h_out + at, d_out + at, 4 * n,
                                cudaMemcpyDeviceToHost, s));
        mark(i, 3, s);
    }
}

static void check_pieces(void)
{
    for (size_t i = 0; i < FLOATS; i += 4097) {
        float v = h_in[i];
        for (int r = 0; r < rounds; r++)
            v = fmaf(v, 0.9999f, 0.0001f);
        if (!(v == h_out[i]))
            fail("streams: element %zu is %g, not %g", i, h_out[i], v);
    }
}

static float between(int p, int what, int q, int other)
{
    float ms;
    CUDA_OK(cudaEventElapsedTime(&ms, event[p][what], event[q][other]));
    return ms;
}

static void time_pieces(int pieces)
{
    struct Sample t = {};
    for (int r = -1; r < RUNS; r++) {
        memset(h_out, 0xff, (size_t)FLOATS * 4);
        double start = now_s();
        in_pieces(pieces);
        CUDA_OK(cudaDeviceSynchronize());
        if (r >= 0)
            sample_add(&t, now_s() - start);
    }
    check_pieces();
    printf("%2d pieces %8.2f ms %8.2f - %8.2f\n", pieces,
           1e3 * median(&t), 1e3 * fastest(&t), 1e3 * slowest(&t));
    number_put(&numbers, "ms", 1e3 * median(&t), "h200.pieces.%d", pieces);
    if (pieces != 1 && pieces != 8)
        return;
    for (int p = 0; p < pieces; p++)
        for (int w = 0; w < 4; w++)
            number_put(&numbers, "ms", between(0, 0, p, w),
                       "h200.timeline.%d.%d.%d", pieces, p, w);
}

static void pipeline(void)
{
    for (int p = 0; p < PIECES; p++)
        for (int w = 0; w < 4; w++)
            CUDA_OK(cudaEventCreate(&event[p][w]));
    in_pieces(1);                       /* the first use loads the kernel */
    CUDA_OK(cudaDeviceSynchronize());
    in_pieces(1);
    CUDA_OK(cudaDeviceSynchronize());
    rounds = (int)(rounds * between(0, 0, 0, 1) / between(0, 1, 0, 2));
    printf("%d rounds, so that the kernel takes as long as the copy in\n",
           rounds);
    for (int pieces = 1; pieces <= PIECES; pieces *= 2)
        time_pieces(pieces);
}

/* copies: managed memory */
typedef void Touch(float *x, size_t n);

static void host_writes(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)i;
}

static void host_reads(float *x, size_t n)
{
    volatile float last;
    for (size_t i = 0; i < n; i += 1024)
        last = x[i];
    (void)last;
}

static void touch_on_gpu(float *x, size_t n)
{
    polish<<<(unsigned)((n + 255) / 256), 256>>>(x, x, n, 1);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());
}

static void prefetch(float *x, size_t n)
{
#if CUDART_VERSION >= 13000
    struct cudaMemLocation where = { cudaMemLocationTypeDevice, 0 };
    CUDA_OK(cudaMemPrefetchAsync(x, n * 4, where, 0, 0));
#else
    CUDA_OK(cudaMemPrefetchAsync(x, n * 4, 0, 0));
#endif
    CUDA_OK(cudaDeviceSynchronize());
}

/* touch managed memory from both sides */
static const struct Managed { const char *name; Touch *touch; } steps[] = {
    { "first",      host_writes },      /* the host writes every number   */
    { "faults",     touch_on_gpu },     /* the pages come as they fault   */
    { "resident",   touch_on_gpu },     /* now they are there             */
    { "back",       host_reads },       /* one number of each 4 KiB       */
    { "again",      host_writes },
    { "prefetch",   prefetch },         /* all pages, asked for at once   */
    { "prefetched", touch_on_gpu },
};

static void managed(void)
{
    enum { STEPS = sizeof steps / sizeof(struct Managed) };
    const size_t bytes = (size_t)256 << 20;
    struct Sample t[STEPS] = {};
    for (int r = 0; r < 7; r++) {
        float *x;
        CUDA_OK(cudaMallocManaged(&x, bytes, cudaMemAttachGlobal));
        for (int i = 0; i < STEPS; i++) {
            double start = now_s();
            steps[i].touch(x, bytes / 4);
            sample_add(&t[i], now_s() - start);
        }
        CUDA_OK(cudaFree(x));
    }
    printf("256 MiB of managed memory\n");
    for (int i = 0; i < STEPS; i++) {
        printf("%-12s %9.3f ms %9.3f - %9.3f\n", steps[i].name,
               1e3 * median(&t[i]), 1e3 * fastest(&t[i]),
               1e3 * slowest(&t[i]));
        number_put(&numbers, "ms", 1e3 * median(&t[i]),
                   "h200.managed.%s", steps[i].name);
    }
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time copies, streams and managed memory.");
    by_size();
    allocations();
    both_ways();
    pipeline();
    managed();
    lab_close();
    return 0;
}
