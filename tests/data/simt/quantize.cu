/* Casts to 8-bit floats, for tests/quantize.sh.
 *   quantize check [NAME]  every version against base/formats.h, as TAP rows;
 *                          with NAME those whose second word it is
 *   quantize counts        one launch of each; prints their names */
#include "ladder_test.h"
#include "ladder/quantize.h"
extern "C" {
#include "base/formats.h"
#include "base/rng.h"
}

enum { EDGE = 256 };                /* bytes before and behind a result */
static int hurt;                    /* guards that are not what they were */

/* Device memory for n bytes between two guards; all is 0xa5. */
struct Out { uint8_t *device, *at; size_t n; };

static struct Out out_new(size_t n)
{
    struct Out o = { NULL, NULL, n };
    uint8_t *h = (uint8_t *)room(n + 2 * EDGE);
    memset(h, 0xa5, n + 2 * EDGE);
    o.device = (uint8_t *)device_copy(h, n + 2 * EDGE);
    o.at = o.device + EDGE;
    free(h);
    return o;
}

static uint8_t *out_get(struct Out *o)
{
    uint8_t *h = (uint8_t *)room(o->n + 2 * EDGE);
    CUDA_OK(cudaMemcpy(h, o->device, o->n + 2 * EDGE,
                       cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < EDGE; i++)
        hurt += (h[i] != 0xa5) + (h[EDGE + o->n + i] != 0xa5);
    memmove(h, h + EDGE, o->n);
    CUDA_OK(cudaFree(o->device));
    return h;
}

static void row(bool ok, const char *what, const char *name, int R, int C,
                const char *more)
{
    printf("%s - %s %s R=%d C=%d%s\n", ok && !hurt ? "ok" : "not ok", what,
           name, R, C, more);
    fflush(stdout);
    hurt = 0;
}

/* ---- what should come out ------------------------------------------------- */

/* Its code: the number times 1 / scale in fp32, rounded. */
static uint8_t code_for(float x, float scale)
{
    static const struct Format *e4m3;
    const float inverse = 1 / scale, scaled = x * inverse;
    if (!e4m3)
        e4m3 = format_named("e4m3");
    if (isnan(scaled))
        return 0x7f;
    return (uint8_t)format_code(e4m3, format_round(e4m3, (double)scaled,
                                                   true));
}

static float largest(const float *x, size_t n)
{
    float most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmaxf(most, fabsf(x[i]));
    return most;
}

static float scale_for(float most)
{
    return fmaxf(most / 448, 0x1p-126f);
}

/* e8m0: the smallest power of two that is not too small; NaN is 255 */
static int power_for(float most)
{
    if (most == 0)
        return 127;
    if (isinf(most))
        return 255;
    int e = -127;
    while (ldexp(448, e) < (double)most)
        e++;
    return e + 127;
}

static bool same_code(uint8_t a, uint8_t b)
{
    return a == b || ((a & 0x7f) == 0x7f && (b & 0x7f) == 0x7f);
}

/* ---- casts ---------------------------------------------------------------- */

enum Kind { NORMAL, WIDE, NOT_NUMBERS, ZERO, TINY };
static const char *const kind_name[] = { "", " wide", " nan", " zero",
                                         " tiny" };

static float number(enum Kind kind, size_t i)
{
    const float x = (float)(int32_t)hash((uint32_t)i + 1) * 0x1p-31f;
    const uint32_t r = hash((uint32_t)i + 77);
    switch (kind) {
    case WIDE:        return ldexpf(x, (int)(r % 60) - 40);
    case NOT_NUMBERS: return r % 97 == 0 ? NAN : r % 89 == 0 ? INFINITY : x;
    case ZERO:        return 0;
    case TINY:        return ldexpf(x, -120 - (int)(r % 8));
    default:          return x;
    }
}

struct Input { bf16 *device; float *x; };

static struct Input input_new(enum Kind kind, size_t n)
{
    uint16_t *bits = (uint16_t *)room(2 * n);
    struct Input in = { NULL, (float *)room(4 * n) };
    for (size_t i = 0; i < n; i++) {
        const bf16 b = float_to_bf16(number(kind, i));
        memcpy(&bits[i], &b, 2);
        in.x[i] = bf16_to_float(b);
    }
    in.device = (bf16 *)device_copy(bits, 2 * n);
    free(bits);
    return in;
}

static void input_free(struct Input *in)
{
    CUDA_OK(cudaFree(in->device));
    free(in->x);
}

/* How many codes of row r are wrong, by the scales that came out. */
static int wrong_codes(const struct Cast *v, const struct Input *in, int r,
                       int C, const uint8_t *q, const float *scale,
                       const uint8_t *power)
{
    int wrong = 0;
    for (int c = 0; c < C; c++) {
        const size_t i = (size_t)r * (size_t)C + (size_t)c;
        const uint8_t p = power[(size_t)r * ((size_t)(C + 31) / 32)
                                + (size_t)c / 32];
        const float s = v->scale == BY_BLOCK
                      ? p == 255 ? NAN : (float)ldexp(1, p - 127)
                      : scale[v->scale == BY_ROW ? r : 0];
        wrong += !same_code(q[i], code_for(in->x[i], s));
    }
    return wrong;
}

static int wrong_scales(const struct Cast *v, const struct Input *in, int R,
                        int C, const float *scale, const uint8_t *power)
{
    const size_t columns = (size_t)C, blocks = (columns + 31) / 32;
    int wrong = 0;
    if (v->scale == WHOLE)
        wrong += !(scale[0] == scale_for(largest(in->x, (size_t)R
                                                 * columns)));
    for (size_t r = 0; v->scale == BY_ROW && r < (size_t)R; r++)
        wrong += !(scale[r] == scale_for(largest(in->x + r * columns,
                                                 columns)));
    for (size_t b = 0; v->scale == BY_BLOCK && b < (size_t)R * blocks; b++) {
        const size_t c = b % blocks * 32, left = columns - c;
        wrong += power[b] != power_for(largest(
            in->x + b / blocks * columns + c, left < 32 ? left : 32));
    }
    return wrong;
}

static void check_cast(const struct Cast *v, int R, int C, enum Kind kind)
{
    const size_t n = (size_t)R * (size_t)C;
    const size_t blocks = (size_t)R * (size_t)((C + 31) / 32);
    struct Input in = input_new(kind, n);
    struct Out q = out_new(n), transposed = out_new(n), power = out_new(blocks);
    struct Out scale = out_new(4 * (size_t)R), amax = out_new(4);
    const float given = kind == WIDE ? 0.3f : 0.0017f;
    CUDA_OK(cudaMemcpy(scale.at, &given, 4, cudaMemcpyHostToDevice));
    const struct Fp8 y = { q.at, transposed.at, (float *)scale.at, power.at,
                           (float *)amax.at };
    v->run(y, in.device, R, C);
    uint8_t *h_q = out_get(&q), *h_transposed = out_get(&transposed);
    uint8_t *h_power = out_get(&power);
    float *h_scale = (float *)out_get(&scale);
    float *h_amax = (float *)out_get(&amax);
    int wrong = wrong_scales(v, &in, R, C, h_scale, h_power);
    for (int r = 0; r < R; r++)
        wrong += wrong_codes(v, &in, r, C, h_q, h_scale, h_power);
    for (size_t i = 0; i < n; i++)
        wrong += h_transposed[i] != (v->transposes ? h_q[i % (size_t)R * (size_t)C
                                                + i / (size_t)R] : 0xa5);
    if (v->finds)
        wrong += !(*h_amax == largest(in.x, n));
    row(!wrong, "cast", v->name, R, C, kind_name[kind]);
    free(h_q), free(h_transposed), free(h_power), free(h_scale), free(h_amax);
    input_free(&in);
}

/* ---- every number --------------------------------------------------------- */

/* All 65,536 numbers of bf16, with a scale of 1. */
static void check_all_bf16(const struct Cast *v)
{
    enum { ALL = 65536 };
    uint16_t bits[ALL];
    const float one = 1;
    int wrong = 0;
    for (int i = 0; i < ALL; i++)
        bits[i] = (uint16_t)i;
    bf16 *d = (bf16 *)device_copy(bits, sizeof bits);
    struct Out q = out_new(ALL);
    float *scale = (float *)device_copy(&one, 4);
    v->run(Fp8{ q.at, NULL, scale, NULL, NULL }, d, 1, ALL);
    uint8_t *h = out_get(&q);
    for (uint32_t i = 0; i < ALL; i++) {
        const uint32_t wide = i << 16;
        float x;
        memcpy(&x, &wide, 4);
        wrong += !same_code(h[i], code_for(x, 1));
    }
    row(!wrong, "cast", v->name, 1, ALL, " every bf16");
    CUDA_OK(cudaFree(d));
    CUDA_OK(cudaFree(scale));
    free(h);
}

static void check_compare(void)
{
    unsigned different = 0;
    unsigned *d = (unsigned *)device_copy(&different, 4);
    e4m3_compare(d, 0x3bffff00, 70001);
    e4m3_compare(d, 0x43e00000 - 100, 1001);
    e4m3_compare(d, 0x7f7fff00, 1000);
    CUDA_OK(cudaMemcpy(&different, d, 4, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaFree(d));
    printf("%s - compare e4m3\n", different ? "not ok" : "ok");
}

static void check_uncast(size_t n, float scale)
{
    uint8_t *codes = (uint8_t *)room(n);
    const struct Format *e4m3 = format_named("e4m3");
    int wrong = 0;
    for (size_t i = 0; i < n; i++)
        codes[i] = (uint8_t)(i * 7);
    uint8_t *d = (uint8_t *)device_copy(codes, n);
    float *s = (float *)device_copy(&scale, 4);
    struct Out x = out_new(2 * n);
    uncast((bf16 *)x.at, d, s, n);
    uint16_t *h = (uint16_t *)out_get(&x);
    for (size_t i = 0; i < n; i++) {
        const float v = (float)format_value(e4m3, codes[i]) * scale;
        const bf16 b = float_to_bf16(v);
        uint16_t bits;
        memcpy(&bits, &b, 2);
        wrong += isnan(v) ? (h[i] & 0x7fff) <= 0x7f80 : h[i] != bits;
    }
    printf("%s - uncast e4m3 n=%zu scale=%g\n", wrong || hurt ? "not ok"
           : "ok", n, (double)scale);
    hurt = 0;
    CUDA_OK(cudaFree(d));
    CUDA_OK(cudaFree(s));
    free(codes), free(h);
}

/* ---- rounding by chance --------------------------------------------------- */

/* Each number goes to the neighbour that the random bits say: sixteen of
 * Philox's block for eight numbers. */
static void check_chance(size_t n)
{
    float *x = (float *)room(4 * n);
    const uint64_t seed = 0x123456789abcull, step = 0x100000003ull;
    int wrong = 0;
    for (size_t i = 0; i < n; i++)
        x[i] = i % 50 == 7 ? NAN : i % 50 == 8 ? -INFINITY
             : number(WIDE, i);
    float *d = (float *)device_copy(x, 4 * n);
    struct Out y = out_new(2 * n);
    round_all_by_chance((bf16 *)y.at, d, n, seed, step);
    uint16_t *h = (uint16_t *)out_get(&y);
    for (size_t i = 0; i < n; i++) {
        const uint32_t counter[4] = { (uint32_t)(i / 8), 0, (uint32_t)step,
                                      (uint32_t)(step >> 32) };
        const uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
        uint32_t random[4], bits;
        philox(random, counter, key);
        const uint32_t u = random[i % 8 / 2] >> 16 * (i % 2) & 0xffff;
        memcpy(&bits, &x[i], 4);
        if (isnan(x[i]))
            wrong += (h[i] & 0x7fff) <= 0x7f80;
        else if (isinf(x[i]))
            wrong += h[i] != bits >> 16;
        else
            wrong += h[i] != (bits >> 16) + ((bits & 0xffff) + u > 0xffff);
    }
    printf("%s - chance bf16 n=%zu\n", wrong || hurt ? "not ok" : "ok", n);
    hurt = 0;
    CUDA_OK(cudaFree(d));
    free(x), free(h);
}

/* ---- counts --------------------------------------------------------------- */

enum { COUNT_R = 256, COUNT_C = 768 };

static void counts(void)
{
    const size_t n = (size_t)COUNT_R * COUNT_C;
    struct Input in = input_new(NORMAL, n);
    struct Out q = out_new(n), transposed = out_new(n), power = out_new(n / 32);
    struct Out scale = out_new(4 * COUNT_R), amax = out_new(4);
    const float one = 1;
    CUDA_OK(cudaMemcpy(scale.at, &one, 4, cudaMemcpyHostToDevice));
    for (const struct Cast *v = casts(); v->name; v++) {
        v->run(Fp8{ q.at, transposed.at, (float *)scale.at, power.at,
                    (float *)amax.at }, in.device, COUNT_R, COUNT_C);
        if (v->scale == WHOLE)
            printf("%s.amax\n%s.scale\n", v->name, v->name);
        printf("%s\n", v->name);
    }
    uncast(in.device, q.at, (const float *)scale.at, n);
    printf("uncast\n");
    round_all_by_chance((bf16 *)transposed.at, (const float *)in.device, n / 2,
                        1, 2);
    printf("chance\n");
}

/* of how many rows and columns, and of what */
static const struct { int R, C; enum Kind kind; } sizes[] = {
    { 1, 1, NORMAL }, { 3, 33, NORMAL }, { 257, 7, NORMAL },
    { 130, 264, NORMAL }, { 129, 131, WIDE }, { 5, 136, WIDE },
    { 64, 136, NOT_NUMBERS }, { 33, 33, NOT_NUMBERS }, { 4, 40, ZERO },
    { 3, 136, TINY },
};

static void check_all(void)
{
    for (const struct Cast *v = casts(); v->name; v++) {
        if (!wanted(v->name))
            continue;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check_cast(v, sizes[i].R, sizes[i].C, sizes[i].kind);
        if (v->scale == GIVEN && !v->transposes && !v->finds)
            check_all_bf16(v);
    }
    if (wanted("e4m3")) {
        check_compare();
        check_uncast(256, 1);
        check_uncast(1003, 0.037f);
    }
    if (wanted("bf16")) {
        check_chance(8);
        check_chance(1027);
    }
}

int main(int argc, char **argv)
{
    return ladder_main(argc, argv, check_all, counts);
}
