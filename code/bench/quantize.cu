/* Tangled from chapters/workshop/measuring-low-precision.nw, "quantize: casts beside a copy".  Edit it there. */

/* quantize: casts to 8 bits and back, checked, then timed beside a copy. */
#include "bench/cuda_bench.cuh"
#include "ladder/quantize.h"

extern "C" {
#include "base/formats.h"
}

enum { R = 65536, C = 3072, RUNS = 31 };        /* 403 MB in bf16 */

static const size_t N = (size_t)R * C;
static bf16 *x;
static struct Fp8 y;
static void *from, *to;                         /* of copies */

/* quantize: print a row */
static double ceiling;                          /* bytes a second */

static void row(const char *name, double moves, Work *work, void *job)
{
    struct Sample t = gpu_time(work, job, RUNS, false);
    const double bytes = moves * (double)N, rate = bytes / median(&t);
    if (!ceiling)
        ceiling = rate;
    printf("%-10s %6.3f bytes", name, moves);
    timed_row(&t, bytes, GBS, 100 * rate / ceiling, "quantize.%s", name);
}

/* quantize: do instruction and integers agree? */
static bf16 *input_new(void)
{
    uint16_t *h = (uint16_t *)malloc(2 * N);
    bf16 *d;
    if (!h)
        fail("no memory for %zu bytes", 2 * N);
    for (size_t i = 0; i < N; i++) {
        const float v = (float)(int32_t)hash((uint32_t)i) * 0x1p-31f;
        const bf16 b = float_to_bf16(ldexpf(v, (int)(i / C % 16)));
        memcpy(h + i, &b, 2);
    }
    CUDA_OK(cudaMalloc(&d, 2 * N));
    CUDA_OK(cudaMemcpy(d, h, 2 * N, cudaMemcpyHostToDevice));
    free(h);
    return d;
}

static void memory_new(void)
{
    x = input_new();
    y.q = (uint8_t *)random_memory(N);
    y.transposed = (uint8_t *)random_memory(N);
    y.scale = (float *)random_memory(4 * R);
    y.power = (uint8_t *)random_memory(N / 32);
    y.amax = (float *)random_memory(4);
    from = random_memory(4 * N);
    to = random_memory(4 * N);
}

static void ways_agree(void)
{
    unsigned different = 0, *d = (unsigned *)y.amax;
    CUDA_OK(cudaMemset(d, 0, 4));
    for (uint32_t part = 0; part < 16; part++)
        e4m3_compare(d, part << 28, 1u << 28);
    CUDA_OK(cudaMemcpy(&different, d, 4, cudaMemcpyDeviceToHost));
    if (different)
        fail("%u floats are rounded otherwise by cvt than by integers",
             different);
    printf("cvt and integers agree on all floats\n");
    number_put(&numbers, "", different, "quantize.compare.different");
}

/* quantize: check a cast */
static float to_float(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float f;
    memcpy(&f, &wide, 4);
    return f;
}

static uint8_t code_for(float v, float scale)
{
    const struct Format *e4m3 = format_named("e4m3");
    const float inverse = 1 / scale;
    return (uint8_t)format_code(e4m3, format_round(e4m3,
        (double)(v * inverse), true));
}

static float scale_of(const struct Cast *v, int r, int c)
{
    float scale;
    uint8_t power;
    if (v->scale == BY_BLOCK) {
        CUDA_OK(cudaMemcpy(&power, y.power + ((size_t)r * C + c) / 32, 1,
                           cudaMemcpyDeviceToHost));
        return (float)ldexp(1, power - 127);
    }
    CUDA_OK(cudaMemcpy(&scale, y.scale + (v->scale == BY_ROW ? r : 0), 4,
                       cudaMemcpyDeviceToHost));
    return scale;
}

static void check_row(const struct Cast *v, int r)
{
    static uint16_t bits[C];
    static uint8_t q[C];
    const size_t at = (size_t)r * C;
    float scale = 0;
    CUDA_OK(cudaMemcpy(bits, x + at, sizeof bits, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(q, y.q + at, C, cudaMemcpyDeviceToHost));
    for (int c = 0; c < C; c++) {
        uint8_t other = q[c];
        if (c % 32 == 0)
            scale = scale_of(v, r, c);
        if (v->transposes && c % 100 == 0)
            CUDA_OK(cudaMemcpy(&other, y.transposed + (size_t)c * R + r, 1,
                               cudaMemcpyDeviceToHost));
        const uint8_t want = code_for(to_float(bits[c]), scale);
        if (q[c] != want || other != want)
            fail("cast %s: number %d of row %d is %#x and %#x, not %#x",
                 v->name, c, r, q[c], other, want);
    }
}

/* quantize: the casts */
static void cast_work(void *job)
{
    const struct Cast *v = *(const struct Cast **)job;
    v->run(y, x, R, C);
}

static double copied;                           /* bytes of a copy */

static void copy_work(void *)
{
    CUDA_OK(cudaMemcpyAsync(to, from, (size_t)(copied / 2),
                            cudaMemcpyDeviceToDevice, 0));
}

static void all_casts(void)
{
    copied = 4.0 * (double)N;
    row("copy", 4, copy_work, NULL);
    for (const struct Cast *v = casts(); v->name; v++) {
        const float given = 0x1p15f / 448;
        CUDA_OK(cudaMemcpy(y.scale, &given, 4, cudaMemcpyHostToDevice));
        CUDA_OK(cudaMemset(y.q, 0xff, N));
        CUDA_OK(cudaMemset(y.transposed, 0xff, N));
        cast_work(&v);
        for (int r = 0; r < R; r += 4099)
            check_row(v, r);
        row(v->name, v->moves, cast_work, &v);
    }
}

/* quantize: time the way back and stochastic rounding */
static void uncast_work(void *)
{
    uncast(x, y.q, y.scale, N);
}

static void chance_work(void *)
{
    round_all_by_chance((bf16 *)to, (const float *)from, N, 1, 2);
}

static void others(void)
{
    static uint32_t wide[C];
    static uint16_t narrow[C];
    int up = 0;
    row("uncast", 3, uncast_work, NULL);
    chance_work(NULL);
    CUDA_OK(cudaMemcpy(wide, from, sizeof wide, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(narrow, to, sizeof narrow, cudaMemcpyDeviceToHost));
    for (int i = 0; i < C; i++) {
        const uint32_t more = narrow[i] - (wide[i] >> 16);
        if (more > 1)
            fail("number %d is rounded to %#x", i, narrow[i]);
        up += (int)more;
    }
    if (up < C / 3 || up > C * 2 / 3)
        fail("%d of %d random numbers are rounded up", up, C);
    row("chance", 6, chance_work, NULL);
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time casts to 8 bits and back.");
    memory_new();
    ways_agree();
    all_casts();
    others();
    lab_close();
    return 0;
}
