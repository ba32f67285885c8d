/* Sums, scans, compactions and histograms, for tests/reduction.sh.
 *   reduction check [NAME]  every version against its definition, as TAP
 *                           rows; with NAME those whose second word it is
 *   reduction counts        one launch of each; prints their names */
#include "ladder_test.h"
#include "ladder/histogram.h"
#include "ladder/reduce.h"
#include "ladder/scan.h"
#include "ops/kernels/sort.cuh"

static void row(bool ok, const char *what, const char *name, size_t n)
{
    printf("%s - %s %s n=%zu\n", ok ? "ok" : "not ok", what, name, n);
    fflush(stdout);
}

/* ---- sums ----------------------------------------------------------------- */

/* Multiples of 1/8 below 16: every order of the sums is exact, also in
 * multiples of 2^-32. */
static void check_sum(const struct Sum *v, size_t n)
{
    float *x = (float *)room(n * 4), sum;
    double want = 0;
    int hurt = 0;
    for (size_t i = 0; i < n; i++)
        want += x[i] = (float)(hash((uint32_t)i) % 255) / 8 - 15;
    float *d_x = (float *)device_copy(x, n * 4);
    struct Guarded o = guarded_new(NULL, 1);
    for (int again = 0; again < 2; again++) {
        struct Guarded part = guarded_new(NULL, sum_workspace(n));
        v->run(o.x, d_x, n, part.x);
        guarded_free(&part, &hurt);
    }
    uint32_t *h = guarded_words(&o, &hurt);
    memcpy(&sum, h, 4);
    row(sum == (float)want && !hurt, "sum", v->name, n);
    CUDA_OK(cudaFree(d_x));
    free(x);
    free(h);
}

/* A NaN anywhere is the sum; an infinity, too. */
static void check_special(const struct Sum *v, float special)
{
    const size_t n = 1000;
    float x[n], sum;
    int hurt = 0;
    for (size_t i = 0; i < n; i++)
        x[i] = i == 777 ? special : 1;
    float *d_x = (float *)device_copy(x, sizeof x);
    struct Guarded o = guarded_new(NULL, 1);
    struct Guarded part = guarded_new(NULL, sum_workspace(n));
    v->run(o.x, d_x, n, part.x);
    uint32_t *h = guarded_words(&o, &hurt);
    guarded_free(&part, &hurt);
    memcpy(&sum, h, 4);
    printf("%s - sum %s of %g\n", (isnan(special) ? isnan(sum) && *h !=
           UNTOUCHED : sum == special) && !hurt ? "ok" : "not ok", v->name,
           special);
    CUDA_OK(cudaFree(d_x));
    free(h);
}

/* ---- scans ---------------------------------------------------------------- */

/* x and out begin `shift` words after a multiple of 16 bytes. */
static void check_scan_at(const struct Scan *v, size_t n, size_t shift)
{
    const size_t all = n + shift;
    uint32_t *x = (uint32_t *)room(all * 4), sum = 0;
    int wrong = 0, hurt = 0;
    struct Guarded o = guarded_new(NULL, all);
    struct Guarded scratch = guarded_new(NULL, scan_bytes(n) / 4);
    for (size_t i = 0; i < all; i++)
        x[i] = hash((uint32_t)i + 1);
    uint32_t *d_x = (uint32_t *)device_copy(x, all * 4);
    for (int again = 0; again < 2; again++)
        v->run(o.words + shift, d_x + shift, n, scratch.words);
    uint32_t *h = guarded_words(&o, &hurt);
    guarded_free(&scratch, &hurt);
    for (size_t i = 0; i < all; i++)
        wrong += h[i] != (i < shift ? UNTOUCHED : (sum += x[i]));
    row(!wrong && !hurt, shift ? "scan-shifted" : "scan", v->name, n);
    CUDA_OK(cudaFree(d_x));
    free(x);
    free(h);
}

static void check_scan(const struct Scan *v, size_t n)
{
    check_scan_at(v, n, 0);
}

/* ---- compactions ---------------------------------------------------------- */

static int by_bits(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* kept of a hundred are larger than 0; a NaN is not, nor is -0. */
static void check_compact(const struct Compact *v, size_t n, unsigned kept)
{
    float *x = (float *)room(n * 4);
    uint32_t *want = (uint32_t *)room(n * 4), count = 0;
    int hurt = 0, wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t r = hash((uint32_t)i + 7);
        x[i] = r % 100 < kept ? (float)(r % 1000 + 1) / 7
             : r % 3 == 0 ? NAN : r % 3 == 1 ? -0.0f : -(float)(r % 50);
        if (x[i] > 0)
            memcpy(&want[count++], &x[i], 4);
    }
    float *d_x = (float *)device_copy(x, n * 4);
    struct Guarded o = guarded_new(NULL, n), c = guarded_new(NULL, 1);
    struct Guarded scratch = guarded_new(NULL, scan_bytes(n) / 4);
    v->run(o.x, c.words, d_x, n, scratch.words);
    uint32_t *h = guarded_words(&o, &hurt);
    uint32_t *h_count = guarded_words(&c, &hurt);
    guarded_free(&scratch, &hurt);
    wrong = *h_count != count;
    if (!v->stable && !wrong) {
        qsort(want, count, 4, by_bits);
        qsort(h, count, 4, by_bits);
    }
    for (size_t i = 0; i < n; i++)
        wrong += h[i] != (i < count ? want[i] : UNTOUCHED);
    printf("%s - compact %s n=%zu %u of 100\n",
           !wrong && !hurt ? "ok" : "not ok", v->name, n, kept);
    fflush(stdout);
    CUDA_OK(cudaFree(d_x));
    free(x);
    free(want);
    free(h);
    free(h_count);
}

/* ---- histograms ----------------------------------------------------------- */

/* skewed: nine of ten bytes are 65. */
static void check_histogram(const struct Histogram *v, size_t n, bool skewed)
{
    uint8_t *x = (uint8_t *)room(n);
    uint32_t want[256] = {};
    int hurt = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t r = hash((uint32_t)i + 3);
        x[i] = (uint8_t)(skewed && r % 10 ? 65 : r >> 8);
        want[x[i]]++;
    }
    uint8_t *d_x = (uint8_t *)device_copy(x, n);
    struct Guarded o = guarded_new(NULL, 256);
    v->run(o.words, d_x, n);
    uint32_t *h = guarded_words(&o, &hurt);
    row(!memcmp(h, want, sizeof want) && !hurt,
        skewed ? "histogram-skewed" : "histogram", v->name, n);
    CUDA_OK(cudaFree(d_x));
    free(x);
    free(h);
}

/* ---- sort ----------------------------------------------------------------- */

/* Words of `bits` bits, some of them often. */
static void check_sort(size_t n, int bits)
{
    int *key = (int *)room(n * 4);
    int hurt = 0, wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t r = hash((uint32_t)i + 11);
        key[i] = (int)((r & 7 ? r >> 3 : 5) & ((1u << bits) - 1));
    }
    int *d_key = (int *)device_copy(key, n * 4);
    struct Guarded place = guarded_new(NULL, n), other = guarded_new(NULL, n);
    struct Guarded a = guarded_new(NULL, n), b = guarded_new(NULL, n);
    struct Guarded table = guarded_new(NULL, MAX_TILES * RADIX);
    int *const buffer[2] = { (int *)a.words, (int *)b.words };
    const int *sorted = radix_sort((int *)place.words, (int *)other.words,
                                   buffer, (int *)table.words, d_key, (int)n,
                                   (bits + 7) / 8, 0);
    const bool in_a = sorted == buffer[0];
    uint32_t *h_a = guarded_words(&a, &hurt), *h_b = guarded_words(&b, &hurt);
    const int *h = (const int *)(in_a ? h_a : h_b);
    int *at = (int *)guarded_words(&place, &hurt);
    guarded_free(&other, &hurt);
    guarded_free(&table, &hurt);
    for (size_t i = 0; i < n; i++)
        wrong += (size_t)at[i] >= n || h[i] != key[at[i]]
              || (i > 0 && (h[i - 1] > h[i]
                            || (h[i - 1] == h[i] && at[i - 1] >= at[i])));
    printf("%s - sort n=%zu bits=%d\n", !wrong && !hurt ? "ok" : "not ok", n,
           bits);
    fflush(stdout);
    CUDA_OK(cudaFree(d_key));
    free(key);
    free(at);
    free(h_a);
    free(h_b);
}

/* ---- what else the chapter times ------------------------------------------ */

static void check_warp_sums(bool redux)
{
    struct Guarded o = guarded_new(NULL, 2 * 256);
    int hurt = 0, wrong = 0;
    warp_sums(o.words, 2, 3, redux);
    uint32_t *h = guarded_words(&o, &hurt);
    for (unsigned warp = 0; warp < 8; warp++) {
        uint32_t x[32], sum;
        for (unsigned l = 0; l < 32; l++)
            x[l] = warp * 32 + l;
        for (int i = 0; i < 3; i++) {
            sum = 0;
            for (unsigned l = 0; l < 32; l++)
                sum += x[l];
            for (unsigned l = 0; l < 32; l++)
                x[l] = sum + warp * 32 + l;
        }
        for (unsigned b = 0; b < 2; b++)
            wrong += memcmp(h + b * 256 + warp * 32, x, sizeof x) != 0;
    }
    printf("%s - warp-sums %s\n", !wrong && !hurt ? "ok" : "not ok",
           redux ? "redux" : "shuffles");
    free(h);
}

static void check_branch(int bit)
{
    struct Guarded o = guarded_new(NULL, 256);
    int hurt = 0, wrong = 0;
    branch_by(o.x, 1, bit, 2);
    uint32_t *h = guarded_words(&o, &hurt);
    for (unsigned t = 0; t < 256; t++) {
        float x = 1 + t * 1e-6f, y;
        for (int i = 0; i < 32; i++)
            x = t >> bit & 1 ? fmaf(x, 0.999f, 1e-3f) : fmaf(-0.5f, x, x);
        memcpy(&y, h + t, 4);
        wrong += !(y == x);
    }
    printf("%s - branch bit=%d\n", !wrong && !hurt ? "ok" : "not ok", bit);
    free(h);
}

static void check_all(void)
{
    const size_t sizes[] = { 1, 33, 257, 1030, 4096, 12345, 70001 };
    const size_t most = sizeof sizes / sizeof *sizes;
    for (const struct Sum *v = sums(); v->name; v++) {
        for (size_t i = 0; wanted(v->name) && i < most; i++)
            check_sum(v, sizes[i]);
        if (wanted(v->name) && strcmp(v->name, "fixed") != 0) {
            check_special(v, NAN);
            check_special(v, -INFINITY);
        }
    }
    for (const struct Scan *v = scans(); v->name; v++) {
        for (size_t i = 0; wanted(v->name) && i < most; i++)
            check_scan(v, sizes[i]);
        if (wanted(v->name))
            check_scan(v, 300000);
        if (wanted(v->name) && strcmp(v->name, "v7") == 0) {
            check_scan(v, 0);
            check_scan(v, 8192);
            check_scan(v, 8193);
            check_scan(v, 24 * 8192 - 1);
            check_scan_at(v, 12345, 1);
        }
    }
    for (const struct Compact *v = compacts(); v->name; v++)
        for (size_t i = 0; wanted(v->name) && i < most; i++)
            check_compact(v, sizes[i], (unsigned)i % 3 * 50);
    for (const struct Histogram *v = histograms(); v->name; v++)
        for (size_t i = 0; wanted(v->name) && i < most + 1; i++)
            check_histogram(v, i < most ? sizes[i] : 600007, i % 2);
    for (size_t i = 0; !only && i < most; i++)
        check_sort(sizes[i], 4 + 5 * ((int)i % 6));
    for (int redux = 0; !only && redux < 2; redux++)
        check_warp_sums(redux);
    for (int bit = 0; !only && bit <= 8; bit += 4)
        check_branch(bit);
}

/* The name of what has run, for each of its launches. */
static void names(const char *what, const char *name, int launches)
{
    printf("%s.%s\n", what, name);
    for (int i = 2; i <= launches; i++)
        printf("%s.%s.%d\n", what, name, i);
}

static void count_sums(const float *x, size_t n)
{
    struct Guarded o = guarded_new(NULL, 1);
    struct Guarded part = guarded_new(NULL, sum_workspace(n));
    int hurt = 0;
    for (const struct Sum *v = sums(); v->name; v++) {
        const bool one = strcmp(v->name, "atomic") == 0
                      || strcmp(v->name, "v10") == 0
                      || strcmp(v->name, "blocks") == 0;
        v->run(o.x, x, n, part.x);
        names("sum", v->name, one ? 1 : 2);
    }
    guarded_free(&o, &hurt);
    guarded_free(&part, &hurt);
}

static void count_scans(const uint32_t *x, size_t n)
{
    const int launches[] = { 3, 3, 3, 3, 1, 1, 1 };
    struct Guarded o = guarded_new(NULL, n);
    struct Guarded scratch = guarded_new(NULL, scan_bytes(n) / 4);
    int hurt = 0, i = 0;
    for (const struct Scan *v = scans(); v->name; v++) {
        v->run(o.words, x, n, scratch.words);
        if (strcmp(v->name, "v7") == 0)     /* for the software GPU alone */
            names("scan", "v7-sums", 1);
        names("scan", v->name, launches[i++]);
    }
    guarded_free(&o, &hurt);
    guarded_free(&scratch, &hurt);
}

static void count_histograms(const char *what, const uint8_t *x, size_t n)
{
    struct Guarded o = guarded_new(NULL, 256);
    int hurt = 0;
    for (const struct Histogram *v = histograms(); v->name; v++) {
        v->run(o.words, x, n);
        names(what, v->name, 1);
    }
    guarded_free(&o, &hurt);
}

static void counts(void)
{
    const size_t n = 1 << 16;
    uint32_t *x = (uint32_t *)room(n * 4);
    struct Guarded y = guarded_new(NULL, 256);
    int hurt = 0;
    for (int bit = 0; bit <= 8; bit++) {
        branch_by(y.x, 1, bit, 16);
        printf("branch.%d\n", bit);
    }
    warp_sums(y.words, 1, 16, false);
    warp_sums(y.words, 1, 16, true);
    printf("warp.shuffles\nwarp.redux\n");
    for (size_t i = 0; i < n; i++)
        x[i] = hash((uint32_t)i);
    uint32_t *d_x = (uint32_t *)device_copy(x, n * 4);
    count_scans(d_x, n);
    count_histograms("histogram", (const uint8_t *)d_x, 4 * n);
    memset(x, 65, n * 4);
    CUDA_OK(cudaMemcpy(d_x, x, n * 4, cudaMemcpyHostToDevice));
    count_histograms("equal", (const uint8_t *)d_x, 4 * n);
    count_sums((const float *)d_x, n);
    guarded_free(&y, &hurt);
    CUDA_OK(cudaFree(d_x));
    free(x);
}

int main(int argc, char **argv)
{
    return ladder_main(argc, argv, check_all, counts);
}
