/* Number formats, schemes of scales, and what the chapter on low precision
 * prints of them (UPDATE_FACTS=DATE writes it). */
#include "base/formats.h"
#include "base/rng.h"
#include "base/schemes.h"
#include "ops/kernels/bf16.h"
#include "rows.h"

#define FACTS "format"
#define PROGRAM "test_formats"
#include "facts.h"

static int bits_of(const struct Format *f)
{
    return 1 + f->exponent + f->fraction;
}

/* Numbers of f in ascending order, from 0: of a float, its codes are. */
static uint32_t positive_codes(const struct Format *f)
{
    uint32_t n = 0;
    const uint32_t sign = 1u << (f->exponent + f->fraction);
    while (n < sign && isfinite(format_value(f, n)))
        n++;
    return n;
}

/* Every code is the code of its own number; next to it is a larger one. */
static void codes_row(const struct Row *row)
{
    (void)row;
    for (const struct Format *f = formats; f->name; f++) {
        if (bits_of(f) > 19)
            continue;
        const uint32_t n = positive_codes(f), sign = 1u << (bits_of(f) - 1);
        for (uint32_t c = 0; c < n; c++) {
            const double x = format_value(f, c);
            const uint32_t minus = f->exponent ? c + sign : (0 - c)
                                 & (2 * sign - 1);
            assert_int_equal(format_code(f, x), c);
            assert_int_equal(format_code(f, f->exponent || c ? -x : x),
                             minus);
            assert_true(format_value(f, minus) == -x);
            assert_true(c == 0 || x > format_value(f, c - 1));
        }
        assert_true(format_value(f, n - 1) == format_largest(f));
        assert_true(format_value(f, 1) == format_smallest(f));
    }
}

/* A number rounds to itself, a middle to the even code, what is just beside
 * the middle to the nearer. */
static void middles_row(const struct Row *row)
{
    (void)row;
    for (const struct Format *f = formats; f->name; f++) {
        if (bits_of(f) > 19)
            continue;
        const uint32_t n = positive_codes(f);
        for (uint32_t c = 0; c + 1 < n; c++) {
            const double x = format_value(f, c), y = format_value(f, c + 1);
            const double m = (x + y) / 2, even = c % 2 ? y : x;
            assert_true(format_round(f, x, false) == x);
            assert_true(format_round(f, m, false) == even);
            assert_true(format_round(f, -m, false) == -even);
            assert_true(format_round(f, nextafter(m, y), false) == y);
            assert_true(format_round(f, nextafter(m, x), false) == x);
        }
    }
}

static double rounded(const char *format, double x, bool saturate)
{
    const struct Format *f = format_named(format);
    assert_non_null(f);
    return format_round(f, x, saturate);
}

static void same(double x, double want)
{
    if (!(x == want || (isnan(x) && isnan(want))))
        fail_msg("%g, not %g", x, want);
}

/* The numbers that the OCP's specifications and IEEE 754 name. */
static void known_row(const struct Row *row)
{
    (void)row;
    static const struct { const char *name; double most, least; } known[] =
        { { "fp32", 0x1.fffffep127, 0x1p-149 },
          { "bf16", 0x1.fep127, 0x1p-133 }, { "fp16", 65504, 0x1p-24 },
          { "e5m2", 57344, 0x1p-16 }, { "e4m3", 448, 0x1p-9 },
          { "e3m2", 28, 0.0625 }, { "e2m3", 7.5, 0.125 },
          { "e2m1", 6, 0.5 }, { "int8", 127, 1 }, { "int4", 7, 1 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct Format *f = format_named(known[i].name);
        same(format_largest(f), known[i].most);
        same(format_smallest(f), known[i].least);
    }
    const struct Format *e4m3 = format_named("e4m3");
    assert_true(isnan(format_value(e4m3, 0x7f)));
    assert_true(isnan(format_value(e4m3, 0xff)));
    same(format_value(e4m3, 0x7e), 448);
    same(format_value(format_named("e5m2"), 0x7c), INFINITY);
    assert_true(isnan(format_value(format_named("e5m2"), 0x7d)));
    same(format_value(format_named("int8"), 0x80), -128);
    assert_null(format_named("e4m4"));
}

static void too_large_row(const struct Row *row)
{
    (void)row;
    same(rounded("e4m3", 464, false), 448);
    same(rounded("e4m3", 464.01, false), NAN);
    same(rounded("e4m3", -464.01, true), -448);
    same(rounded("e4m3", INFINITY, true), 448);
    same(rounded("e4m3", INFINITY, false), NAN);
    same(rounded("e4m3", NAN, true), NAN);
    same(rounded("e5m2", 61439, false), 57344);
    same(rounded("e5m2", 61440, false), INFINITY);
    same(rounded("e5m2", -61440, true), -57344);
    same(rounded("fp16", 65519.99, false), 65504);
    same(rounded("fp16", -65520, false), -INFINITY);
    same(rounded("bf16", 3.4e38, false), INFINITY);
    same(rounded("e2m1", 1e9, false), 6);
    same(rounded("e2m1", NAN, false), 6);
    same(rounded("int8", -1000, false), -127);
    same(rounded("int4", NAN, true), 7);
}

static double any_double(struct Rng *r)
{
    return ldexp((double)rng_u64(r) - 0x1p63, (int)rng_below(r, 300) - 210);
}

/* The compiler's conversion to float, and float_to_bf16. */
static void compiler_row(const struct Row *row)
{
    struct Rng r = rng_new(1, 2);
    for (int i = 0; i < row_int(row, "n"); i++) {
        const double x = any_double(&r);
        const float f = (float)x;
        same(rounded("fp32", x, false), (double)f);
        same(rounded("bf16", (double)f, false),
             (double)bf16_to_float(float_to_bf16(f)));
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        assert_true(format_code(format_named("fp32"), (double)f) == bits);
        same(format_value(format_named("fp32"), bits), (double)f);
#ifdef __FLT16_MANT_DIG__
        const double small = ldexp(x, -40);
        same(rounded("fp16", small, false), (double)(_Float16)small);
#endif
    }
}

/* Of 4,000 roundings as many go up as should, within five deviations, and
 * none goes further than to a neighbour. */
static void chance_row(const struct Row *row)
{
    (void)row;
    enum { TIMES = 4000 };
    static const double x[] = { 0.02, -0.02001, 1.0625, -3.3, 0.0007, 300 };
    static const char *const name[] = { "bf16", "e4m3", "e5m2", "fp16" };
    struct Rng r = rng_new(4, 0);
    for (int f = 0; f < 4; f++)
        for (int i = 0; i < 6; i++) {
            const struct Format *format = format_named(name[f]);
            double sum = 0, low = INFINITY, high = -INFINITY;
            for (int k = 0; k < TIMES; k++) {
                const double u = (double)rng_uniform(&r);
                const double y = format_round_by_chance(format, x[i], u,
                                                        true);
                same(format_round(format, y, true), y);
                low = fmin(low, y), high = fmax(high, y);
                sum += y / TIMES;
            }
            const double gap = high - low, p = (x[i] - low) / gap;
            assert_true(low <= x[i] && x[i] <= high);
            if (gap == 0)
                continue;
            assert_int_equal(format_code(format, fabs(low))
                             + (x[i] > 0 ? 1 : -1),
                             format_code(format, fabs(high)));
            if (!(fabs(sum - x[i]) <= 5 * gap * sqrt(p * (1 - p) / TIMES)))
                fail_msg("%s of %g: mean %g", name[f], x[i], sum);
        }
    same(format_round_by_chance(format_named("e4m3"), 470, 0.9, true), 448);
    same(format_round_by_chance(format_named("bf16"), INFINITY, 0, false),
         INFINITY);
    same(format_round_by_chance(format_named("bf16"), NAN, 0, false), NAN);
}

/* ---- schemes ---- */

/* Two rows of 5, in blocks of 1 x 3 and 1 x 2. */
static void scheme_row(const struct Row *row)
{
    const struct Format *f = format_named("e2m1");
    const double x[12] = { 12, 1, -5, 0.5, 3,  50, 0, 0, -100, 0.1 };
    double y[12];
    struct Scheme s = { "", f, SCALE_FP32, 1, 3 };
    scheme_apply(y, x, 2, 5, &s);
    static const double want[10] = { 12, 1, -4, 0.5, 3,
                                      50, 0, 0, -100, 0 };
    for (int i = 0; i < 10; i++)
        if (!(fabs(y[i] - want[i]) <= 1e-6 * fabs(want[i])))
            fail_msg("%s: number %d is %g, not %g", row->name, i, y[i],
                     want[i]);
    s.scale = SCALE_POWER;              /* 12: 2, not enough for no clip */
    scheme_apply(y, x, 2, 5, &s);
    same(y[0], 12);
    same(y[2], -4);
    same(y[8], -96);                    /* 16, and 6 of them */
    s.scale = SCALE_POWER_UP;
    scheme_apply(y, x, 2, 5, &s);
    same(y[8], -96);                    /* 32, and 3 of them */
    same(scheme_scale(&s, 100, 0), 32);
    same(scheme_scale(&s, 96, 0), 16);
    s.scale = SCALE_POWER;
    same(scheme_scale(&s, 100, 0), 16);
    same(scheme_scale(&s, 0, 0), 1);
}

/* NVFP4: the block with the largest number has e4m3's largest scale. */
static void nvfp4_row(const struct Row *row)
{
    (void)row;
    const struct Scheme s = { "", format_named("e2m1"), SCALE_E4M3, 1, 16 };
    double x[48], y[48];
    for (int i = 0; i < 48; i++)
        x[i] = (i % 16 - 8) * (i < 16 ? 100 : i < 32 ? 1 : 1e-5);
    scheme_apply(y, x, 1, 48, &s);
    assert_true(fabs(scheme_scale(&s, 800, 800) * 6 - 800) < 1e-9);
    assert_true(fabs(y[0] + 800) < 1e-9);
    assert_true(fabs(y[16] + 8) <= 8 * 0.07);
    assert_true(y[32] == 0 || fabs(y[32]) < 1e-2);
    assert_true(scheme_scale(&s, 1e-9, 800) > 0);
}

/* A NaN or an infinity is not lost, in no format. */
static void scheme_nan_row(const struct Row *row)
{
    (void)row;
    for (int kind = SCALE_FP32; kind <= SCALE_E4M3; kind++)
        for (int k = 0; k < 2; k++) {
            const struct Scheme s = { "", format_named("int8"),
                                      (enum ScaleKind)kind, 1, 4 };
            const double x[4] = { 1, k ? NAN : INFINITY, 2, 3 };
            double y[4];
            scheme_apply(y, x, 1, 4, &s);
            assert_true(isnan(y[0]) && isnan(y[1]) && isnan(y[3]));
        }
}

/* ---- what the chapter prints ---- */

static const char *as_printed(const struct Fact *f)
{
    static char text[40];
    snprintf(text, sizeof text, "%.6g", f->value);
    return text;
}

static void format_facts(void)
{
    char name[60];
    for (const struct Format *f = formats; f->name; f++) {
        const double tenth = format_round(f, 0.1, false);
        snprintf(name, sizeof name, "%s.largest", f->name);
        fact(name, format_largest(f), "");
        snprintf(name, sizeof name, "%s.smallest", f->name);
        fact(name, format_smallest(f), "");
        snprintf(name, sizeof name, "%s.normal", f->name);
        fact(name, ldexp(1, 1 - f->bias), "");
        snprintf(name, sizeof name, "%s.tenth", f->name);
        fact(name, tenth, "");
        snprintf(name, sizeof name, "%s.numbers", f->name);
        if (bits_of(f) <= 19)
            fact(name, positive_codes(f) * 2 - 1, "");
    }
}

/* A weight of 0.02 that should move by 1e-5 in each step, in bf16: to the
 * nearest, and WEIGHTS of them by chance. */
static void walk(char *csv)
{
    enum { MOVES = 1000, WEIGHTS = 1000 };
    const struct Format *f = format_named("bf16");
    const double start = format_round(f, 0.02, false), step = 1e-5;
    static double w[WEIGHTS];
    double nearest = start, mean = 0, spread = 0;
    struct Rng r = rng_new(2, 0);
    for (int i = 0; i < WEIGHTS; i++)
        w[i] = start;
    csv += sprintf(csv, "step,exact,nearest,one,mean\n");
    for (int n = 0; n <= MOVES; n++) {
        mean = 0;
        for (int i = 0; i < WEIGHTS; i++)
            mean += w[i] / WEIGHTS;
        if (n % 10 == 0)
            csv += sprintf(csv, "%d,%.6g,%.6g,%.6g,%.6g\n", n,
                           start + n * step, nearest, w[0], mean);
        if (n == MOVES)
            break;
        nearest = format_round(f, nearest + step, false);
        for (int i = 0; i < WEIGHTS; i++)
            w[i] = format_round_by_chance(f, w[i] + step,
                                          (double)rng_uniform(&r), false);
    }
    for (int i = 0; i < WEIGHTS; i++)
        spread += (w[i] - mean) * (w[i] - mean) / WEIGHTS;
    fact("walk.start", start, "");
    fact("walk.exact", start + MOVES * step, "");
    fact("walk.nearest", nearest, "");
    fact("walk.mean", mean, "");
    fact("walk.spread", sqrt(spread), "");
}

static void not_stale(const struct Row *row)
{
    (void)row;
    static char csv[8000];
    n_facts = 0;
    format_facts();
    walk(csv);
    facts_are_in("figures/data/formats.csv", as_printed);
    rows_are_in("figures/data/low-precision-walk.csv", csv);
}

static const struct Row rows[] = {
{ "formats every code", codes_row,
  "subnormals with the exponent of zero; -128 taken for a largest" },
{ "formats every middle", middles_row, "half away from zero" },
{ "formats known numbers", known_row,
  "e4m3 without its largest exponent, as in IEEE 754" },
{ "formats too large", too_large_row, "infinity from half of the last step" },
{ "formats like the compiler n=100000", compiler_row,
  "rounded twice; subnormals lost" },
{ "formats by chance", chance_row, "rounds up with probability 1/2" },
{ "scheme blocks", scheme_row, "the last block is not cut off" },
{ "scheme nvfp4", nvfp4_row, "a block's scale without the matrix's" },
{ "scheme nan", scheme_nan_row, "fmax loses a NaN" },
{ "formats the chapter's numbers", not_stale, "stale numbers" },
};

int main(void)
{
    return rows_run("formats", rows, sizeof rows / sizeof *rows);
}
