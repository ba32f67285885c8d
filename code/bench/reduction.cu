/* Tangled from chapters/workshop/measuring-reductions.nw, "Measuring reductions".  Edit it there. */

/* reduction: sums, scans, compactions and histograms, checked, then timed
 * beside a read or a copy, and beside CUB. */
#include "bench/cuda_bench.cuh"
#include "bench/read_once.cuh"
#include "ladder/blocks.cuh"
#include "ladder/histogram.h"
#include "ladder/reduce.h"
#include "ladder/scan.h"
#include "ops/kernels/sort.cuh"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

enum { RUNS = 31 };

/* reduction: memory for all of them */
static const size_t N = (size_t)1 << 28;        /* numbers of 4 bytes */
static void *x, *y, *scratch;                   /* on the GPU         */
static uint32_t *h_x, *h_y;                     /* on the host        */
static uint32_t *found;                         /* a few results      */

static void memory_new(void)
{
    x = random_memory(4 * N);
    y = random_memory(4 * N);
    scratch = random_memory((size_t)64 << 20);
    found = (uint32_t *)random_memory(4096);
    h_x = (uint32_t *)malloc(4 * N);
    h_y = (uint32_t *)malloc(4 * N);
    if (!h_x || !h_y)
        fail("no memory for two times %zu bytes", 4 * N);
}

static void to_gpu(void)
{
    CUDA_OK(cudaMemcpy(x, h_x, 4 * N, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemset(y, 0xff, 4 * N));
}

/* reduction: print a row */
static void put(const char *unit, double value, const char *group,
                const char *name, const char *what)
{
    number_put(&numbers, unit, value, "reduction.%s.%s.%s", group, name,
               what);
}

/* `bytes` in `seconds`; 100 % is `ceiling` bytes a second. */
static double ceiling;

static void row(const char *group, const char *name, double bytes,
                Work *work, void *job, int runs)
{
    struct Sample t = gpu_time(work, job, runs, false);
    const double rate = bytes / median(&t);
    if (ceiling == 0)
        ceiling = rate;
    printf("%-10s %-10s", group, name);
    timed_row(&t, bytes, GBS, 100 * rate / ceiling, "reduction.%s.%s",
              group, name);
}

/* reduction: the ceilings */
static void read_work(void *)
{
    read_once<<<8 * multiprocessors(), 1024>>>((uint4 *)y, (const uint4 *)x,
                                              N / 4);
    CUDA_OK(cudaGetLastError());
}

static void copy_work(void *)
{
    CUDA_OK(cudaMemcpyAsync(y, x, 4 * N, cudaMemcpyDeviceToDevice, 0));
}

/* reduction: a branch and a warp */
enum { BRANCH_BLOCKS = 132 * 8, ROUNDS = 4000 };

static void branch_work(void *job)
{
    branch_by((float *)y, BRANCH_BLOCKS, *(int *)job, ROUNDS);
}

static void warp_work(void *job)
{
    warp_sums((uint32_t *)y, BRANCH_BLOCKS, ROUNDS, *(int *)job);
}

static void branches(void)
{
    double whole = 0;
    const int bits[] = { 8, 0, 1, 2, 3, 4, 5, 6, 7 };
    for (int i = 0; i < 9; i++) {
        int bit = bits[i];
        struct Sample t = gpu_time(branch_work, &bit, RUNS, false);
        whole = i == 0 ? median(&t) : whole;
        printf("branch by bit %d: %8.1f us, %.3f times the first\n", bit,
               1e6 * median(&t), median(&t) / whole);
        char name[8];
        snprintf(name, sizeof name, "%d", bit);
        put("us", 1e6 * median(&t), "branch", name, "us");
        put("", median(&t) / whole, "branch", name, "times");
    }
    for (int redux = 0; redux < 2; redux++) {
        struct Sample t = gpu_time(warp_work, &redux, RUNS, false);
        const double each = 1e9 * median(&t) / ROUNDS / (BRANCH_BLOCKS * 8)
                          * 132;
        printf("sums of warps by %s: %8.1f us, one in %.3f ns on a "
               "multiprocessor\n", redux ? "redux" : "shuffles",
               1e6 * median(&t), each);
        put("ns", each, "warp-sum", redux ? "redux" : "shuffles", "ns");
    }
}

/* reduction: sums */
static double exact;

static float sum_of(const struct Sum *v)
{
    float sum;
    CUDA_OK(cudaMemset(found, 0xff, 4));
    v->run((float *)found, (const float *)x, N, (float *)scratch);
    CUDA_OK(cudaMemcpy(&sum, found, 4, cudaMemcpyDeviceToHost));
    return sum;
}

static void sum_check(const struct Sum *v)
{
    const float sum = sum_of(v);
    const double error = fabs(sum - exact) / exact;
    const double allowed = strcmp(v->name, "atomic") == 0 ? 1 : 1e-6;
    if (!(error <= allowed))
        fail("%s: the sum is %.9g, not %.9g; no time is given", v->name,
             (double)sum, exact);
    put("", error, "sum", v->name, "error");
    printf("sum %s: %.9g, relative error %.2g\n", v->name, (double)sum,
           error);
}

/* How many different sums come out of 100 runs? */
static void sum_varies(const struct Sum *v)
{
    float seen[100];
    int different = 0;
    for (int r = 0; r < 100; r++) {
        const float sum = sum_of(v);
        int k = 0;
        while (k < different && seen[k] != sum)
            k++;
        if (k == different)
            seen[different++] = sum;
    }
    put("", different, "sum", v->name, "different");
    printf("sum %s: %d different results in 100 runs\n", v->name,
           different);
    if (different > 1 && !v->varies)
        fail("%s should always give the same bits", v->name);
}

static void sum_work(void *job)
{
    const struct Sum *v = *(const struct Sum **)job;
    v->run((float *)found, (const float *)x, N, (float *)scratch);
}

static void cub_sum(void *)
{
    size_t bytes = (size_t)64 << 20;
    CUDA_OK(cub::DeviceReduce::Sum(scratch, bytes, (const float *)x,
                                   (float *)found, N));
}

/* The two last versions once more, where a launch counts. */
static void short_work(void *job)
{
    const struct Sum *v = *(const struct Sum **)job;
    v->run((float *)found, (const float *)x, 1 << 16, (float *)scratch);
}

static void short_sums(void)
{
    for (const struct Sum *v = sums(); v->name; v++)
        if (strcmp(v->name, "v9") == 0 || strcmp(v->name, "v10") == 0)
            row("sum-64k", v->name, 4 << 16, short_work, &v, RUNS);
}

static void all_sums(void)
{
    float serial = 0;
    exact = 0;
    for (size_t i = 0; i < N; i++) {
        const float v = (float)(hash((uint32_t)i) >> 8) * 0x1p-24f;
        memcpy(h_x + i, &v, 4);
        exact += v;
        serial += v;
    }
    put("", fabs(serial - exact) / exact, "sum", "serial", "error");
    printf("\nsum of %zu numbers: %.9g; one after the other in float "
           "%.9g\n", N, exact, (double)serial);
    to_gpu();
    ceiling = 0;
    row("sum", "read", 4.0 * (double)N, read_work, NULL, RUNS);
    for (const struct Sum *v = sums(); v->name; v++) {
        const bool slow = strcmp(v->name, "atomic") == 0;
        sum_check(v);
        if (!slow)
            sum_varies(v);
        row("sum", v->name, 4.0 * (double)N, sum_work, &v, slow ? 5 : RUNS);
    }
    row("sum", "cub", 4.0 * (double)N, cub_sum, NULL, RUNS);
    short_sums();
}

/* reduction: scans */
static void scan_work(void *job)
{
    const struct Scan *v = *(const struct Scan **)job;
    v->run((uint32_t *)y, (const uint32_t *)x, N, scratch);
}

static void cub_scan(void *)
{
    size_t bytes = (size_t)64 << 20;
    CUDA_OK(cub::DeviceScan::InclusiveSum(scratch, bytes,
        (const uint32_t *)x, (uint32_t *)y, N));
}

static void scan_check(const char *name)
{
    uint32_t sum = 0;
    CUDA_OK(cudaMemcpy(h_y, y, 4 * N, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < N; i++)
        if (h_y[i] != (sum += h_x[i]))
            fail("scan %s: number %zu is wrong; no time is given", name, i);
}

static void all_scans(void)
{
    printf("\nscans of %zu numbers\n", N);
    for (size_t i = 0; i < N; i++)
        h_x[i] = hash((uint32_t)i);
    to_gpu();
    ceiling = 0;
    row("scan", "copy", 8.0 * (double)N, copy_work, NULL, RUNS);
    for (const struct Scan *v = scans(); v->name; v++) {
        CUDA_OK(cudaMemset(y, 0xff, 4 * N));
        scan_work(&v);
        scan_check(v->name);
        row("scan", v->name, 8.0 * (double)N, scan_work, &v, RUNS);
    }
    CUDA_OK(cudaMemset(y, 0xff, 4 * N));
    cub_scan(NULL);
    scan_check("cub");
    row("scan", "cub", 8.0 * (double)N, cub_scan, NULL, RUNS);
}

/* reduction: compactions */
struct Positive {
    __device__ bool operator()(float v) const { return v > 0; }
};

static void compact_work(void *job)
{
    const struct Compact *v = *(const struct Compact **)job;
    v->run((float *)y, found, (const float *)x, N, scratch);
}

static void cub_compact(void *)
{
    size_t bytes = (size_t)64 << 20;
    CUDA_OK(cub::DeviceSelect::If(scratch, bytes, (const float *)x,
                                  (float *)y, found, N, Positive()));
}

/* Stable: the numbers themselves; otherwise how many they are, and their
 * sum as bits. */
static double compact_check(const char *name, bool stable)
{
    uint32_t count, want = 0, sum = 0;
    CUDA_OK(cudaMemcpy(h_y, y, 4 * N, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(&count, found, 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < N; i++) {
        float v;
        memcpy(&v, h_x + i, 4);
        if (!(v > 0))
            continue;
        if (stable && h_y[want] != h_x[i])
            fail("compact %s: number %u is wrong", name, want);
        sum += h_x[i] - h_y[want++];
    }
    if (count != want || sum != 0)
        fail("compact %s: %u numbers, not %u, or others", name, count,
             want);
    return count;
}

static void all_compacts(void)
{
    printf("\ncompactions of %zu numbers\n", N);
    for (size_t i = 0; i < N; i++) {
        const float v = (float)(int32_t)hash((uint32_t)i) * 0x1p-31f;
        memcpy(h_x + i, &v, 4);
    }
    to_gpu();
    ceiling = 0;
    row("compact", "copy", 8.0 * (double)N, copy_work, NULL, RUNS);
    for (const struct Compact *v = compacts(); v->name; v++) {
        compact_work(&v);
        const double kept = compact_check(v->name, v->stable);
        row("compact", v->name, 4.0 * ((double)N + kept), compact_work, &v,
            strcmp(v->name, "each") == 0 ? 5 : RUNS);
    }
    cub_compact(NULL);
    const double kept = compact_check("cub", true);
    row("compact", "cub", 4.0 * ((double)N + kept), cub_compact, NULL,
        RUNS);
}

/* reduction: histograms */
static void histogram_work(void *job)
{
    const struct Histogram *v = *(const struct Histogram **)job;
    v->run(found, (const uint8_t *)x, 4 * N);
}

static void cub_histogram(void *)
{
    size_t bytes = (size_t)64 << 20;
    CUDA_OK(cub::DeviceHistogram::HistogramEven(scratch, bytes,
        (const uint8_t *)x, (int *)found, 257, 0.0f, 256.0f,
        (long long)(4 * N)));
}

static void histogram_check(const char *name, const uint32_t *want)
{
    uint32_t count[256];
    CUDA_OK(cudaMemcpy(count, found, sizeof count, cudaMemcpyDeviceToHost));
    for (int v = 0; v < 256; v++)
        if (count[v] != want[v])
            fail("histogram %s: %u bytes are %d, not %u", name, count[v], v,
                 want[v]);
}

static void some_histograms(const char *kind, unsigned equal)
{
    uint32_t want[256] = {};
    uint8_t *bytes = (uint8_t *)h_x;
    for (size_t i = 0; i < 4 * N; i++) {
        const uint32_t r = hash((uint32_t)i);
        bytes[i] = (uint8_t)(r % 10 < equal ? 65 : r >> 8);
        want[bytes[i]]++;
    }
    printf("\nhistograms of %zu bytes, %u of 10 equal\n", 4 * N, equal);
    to_gpu();
    ceiling = 0;
    row(kind, "read", 4.0 * (double)N, read_work, NULL, RUNS);
    for (const struct Histogram *v = histograms(); v->name; v++) {
        histogram_work(&v);
        histogram_check(v->name, want);
        row(kind, v->name, 4.0 * (double)N, histogram_work, &v,
            strcmp(v->name, "v1") == 0 ? 3 : RUNS);
    }
    cub_histogram(NULL);
    histogram_check("cub", want);
    row(kind, "cub", 4.0 * (double)N, cub_histogram, NULL, RUNS);
}

static void all_histograms(void)
{
    some_histograms("hist-even", 0);
    some_histograms("hist-skewed", 9);
    some_histograms("hist-equal", 10);
}

/* reduction: sorts */
static int sorted_keys;                     /* how many */

/* What a sort needs: [0] keys, [1] and [2] buffers for keys, [3] and [4]
 * for places, [5] the table. */
static int *part(int i) { return (int *)y + (size_t)i * (N / 8); }

static const int *our_sort(void)
{
    int *const buffer[2] = { part(1), part(2) };
    return radix_sort(part(3), part(4), buffer, part(5), part(0),
                      sorted_keys, 2, 0);
}

static void our_sort_work(void *)
{
    our_sort();
}

static void cub_sort_work(void *)
{
    size_t bytes = (size_t)1 << 30;
    CUDA_OK(cub::DeviceRadixSort::SortPairs(x, bytes, part(0), part(1),
                                            part(4), part(3), sorted_keys,
                                            0, 16));
}

static void sort_check(const char *name, const int *keys)
{
    const size_t bytes = (size_t)sorted_keys * 4;
    int *h = (int *)h_x, *place = (int *)h_y;
    int *in = place + sorted_keys;
    CUDA_OK(cudaMemcpy(h, keys, bytes, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(place, part(3), bytes, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(in, part(0), bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < sorted_keys; i++)
        if (h[i] != in[place[i]] || (i > 0 && (h[i - 1] > h[i]
            || (h[i - 1] == h[i] && place[i - 1] >= place[i]))))
            fail("sort %s: key %d is wrong; no time is given", name, i);
}

static void some_sorts(const char *group, int keys)
{
    sorted_keys = keys;
    for (int i = 0; i < keys; i++) {
        h_x[i] = hash((uint32_t)i) % 50257;
        h_y[i] = (uint32_t)i;
    }
    CUDA_OK(cudaMemcpy(part(0), h_x, 4 * (size_t)keys,
                       cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(part(4), h_y, 4 * (size_t)keys,
                       cudaMemcpyHostToDevice));
    ceiling = 0;
    cub_sort_work(NULL);
    sort_check("cub", part(1));
    row(group, "cub", 8.0 * keys, cub_sort_work, NULL, RUNS);
    sort_check("ours", our_sort());
    row(group, "ours", 8.0 * keys, our_sort_work, NULL, RUNS);
}

static void all_sorts(void)
{
    printf("\nsorts of keys with their places\n");
    some_sorts("sort-64k", 1 << 16);
    some_sorts("sort-16m", 1 << 24);
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time sums, scans, compactions and histograms.");
    memory_new();
    branches();
    all_sums();
    all_scans();
    all_compacts();
    all_histograms();
    all_sorts();
    lab_close();
    return 0;
}
