/* The software GPU's special functions and narrow formats, each against the
 * C library in double or against the definition of the format. */
#include "rows.h"
#include "simt/executor/device_math.h"

static uint32_t bits_of(float x)
{
    uint32_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static float float_of(uint32_t b)
{
    float x;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* ---- functions: error in units in the last place ------------------------ */
struct Function {
    const char *name;
    float (*ours)(float);
    double (*theirs)(double);
};

static double reciprocal(double x) { return 1 / x; }
static double rsqrt(double x) { return 1 / sqrt(x); }

static const struct Function functions[] = {
    { "ex2", simt_ex2, exp2 },        { "lg2", simt_lg2, log2 },
    { "rcp", simt_rcp, reciprocal },  { "sqrt", simt_sqrt, sqrt },
    { "rsqrt", simt_rsqrt, rsqrt },   { "sin", simt_sin, sin },
    { "cos", simt_cos, cos },         { "tanh", simt_tanh, tanh },
};

static const struct Function *function_of(const struct Row *row)
{
    size_t length = strcspn(row->name, " ");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == length &&
            strncmp(functions[i].name, row->name, length) == 0)
            return &functions[i];
    fail_msg("no function %s", row->name);
    return NULL;
}

/* How far y lies from the exact value, in units of the last place of a
 * float of that size; the last place of the smallest is 2^-149. */
static double ulps(float y, double exact)
{
    if ((double)y == exact)
        return 0;
    if (fabs(exact) >= 0x1.ffffffp127)          /* rounds to infinity */
        return isinf(y) && (y > 0) == (exact > 0) ? 0 : INFINITY;
    int e;
    frexp(exact, &e);
    return fabs((double)y - exact) / ldexp(1, e < -125 ? -149 : e - 24);
}

/* Every step-th float, both signs: finite, infinite, NaN. */
static void nearest(const struct Row *row)
{
    const struct Function *f = function_of(row);
    uint32_t step = (uint32_t)row_int(row, "step");
    double worst = 0;
    float at = 0;
    for (uint64_t b = 0; b <= UINT32_MAX; b += step) {
        float x = float_of((uint32_t)b);
        double exact = f->theirs(x);
        float y = f->ours(x);
        if (isnan(exact)) {
            if (bits_of(y) != 0x7fffffff)
                fail_msg("%s(%a) is %a, should be NaN", f->name, x, y);
            continue;
        }
        double e = ulps(y, exact);
        if (!(e <= worst)) {
            worst = e;
            at = x;
        }
    }
    print_message("# %s: at most %.6f units in the last place, at %a\n",
                  f->name, worst, at);
    if (!(worst <= 0.51))
        fail_msg("%s(%a) is %a, should be %a: %.3g units off", f->name, at,
                 f->ours(at), f->theirs(at), worst);
}

/* The same bits on every processor: a hash of many results. */
static void same_bits(const struct Row *row)
{
    const struct Function *f = function_of(row);
    uint32_t hash = 2166136261u;
    for (uint64_t b = 0; b <= UINT32_MAX; b += 65521)
        hash = (hash ^ bits_of(f->ours(float_of((uint32_t)b)))) * 16777619u;
    uint32_t expected = (uint32_t)strtoul(row->catches, NULL, 16);
    if (hash != expected)
        fail_msg("%s: the hash of its results is %08x, on other machines "
                 "it was %08x", f->name, hash, expected);
}

static void edges(const struct Row *row)
{
    (void)row;
    assert_true(simt_ex2(-INFINITY) == 0 && simt_ex2(INFINITY) == INFINITY);
    assert_true(simt_ex2(-149) == 0x1p-149f && simt_ex2(127) == 0x1p127f);
    assert_true(simt_lg2(0x1p-149f) == -149 && simt_lg2(0) == -INFINITY);
    assert_true(isnan(simt_lg2(-1)) && simt_lg2(INFINITY) == INFINITY);
    assert_int_equal(bits_of(simt_rcp(-0.0f)), 0xff800000);
    assert_int_equal(bits_of(simt_rsqrt(-0.0f)), 0xff800000);
    assert_int_equal(bits_of(simt_sqrt(-0.0f)), 0x80000000);
    assert_int_equal(bits_of(simt_sin(-0.0f)), 0x80000000);
    assert_int_equal(bits_of(simt_tanh(-0.0f)), 0x80000000);
    assert_true(isnan(simt_sin(INFINITY)) && isnan(simt_sqrt(-1)));
    assert_true(simt_tanh(INFINITY) == 1 && simt_tanh(-INFINITY) == -1);
}

/* Large arguments have a sine like any other; these were computed with 600
 * binary digits of pi.  The last float lies closest to a multiple of pi/2. */
static void far_sines(const struct Row *row)
{
    static const struct { float x; double sine; } known[] = {
        { 0x1.8p21f,       0.847086021184259111 },
        { 0x1p30f,        -0.61732641504604217 },
        { 0x1.0f0cfp+73f, -0.73408153529610152 },
        { 0x1.fffffep127f, -0.52187652333365854 },
    };
    (void)row;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int sign = -1; sign <= 1; sign += 2)
            if (!(ulps(simt_sin((float)sign * known[i].x),
                       sign * known[i].sine) <= 0.51))
                fail_msg("sin(%a) is %.9g, should be %.9g", known[i].x,
                         simt_sin(known[i].x), known[i].sine);
    float hard = 16367173 * 0x1p72f;
    if (!(ulps(simt_cos(hard), -1.6147697982476211876e-9) <= 0.51))
        fail_msg("cos(%a) is %.9g", hard, simt_cos(hard));
}

/* ---- narrow formats ------------------------------------------------------ */
struct Format {
    int bits, exponent;             /* of the significand, of the exponent */
    uint16_t (*from_float)(float);
    uint16_t (*from_double)(double);
    float (*to_float)(uint16_t);
};
static const struct Format half = { 10, 5, half_from_float,
                                    half_from_double, float_from_half };
static const struct Format bf16 = { 7, 8, bf16_from_float,
                                    bf16_from_double, float_from_bf16 };

static const struct Format *format_of(const struct Row *row)
{
    return strstr(row->name, "bf16") ? &bf16 : &half;
}

/* A 16-bit pattern by the definition of its format. */
static double value(const struct Format *f, uint16_t b)
{
    int e = b >> f->bits & ((1 << f->exponent) - 1);
    int m = b & ((1 << f->bits) - 1), bias = (1 << (f->exponent - 1)) - 1;
    double x = e ? ldexp(m + (1 << f->bits), e - bias - f->bits)
                 : ldexp(m, 1 - bias - f->bits);
    if (e == (1 << f->exponent) - 1)
        x = m ? (double)NAN : (double)INFINITY;
    return b >> 15 ? -x : x;
}

static void all_patterns(const struct Row *row)
{
    const struct Format *f = format_of(row);
    for (uint32_t b = 0; b < 65536; b++) {
        double exact = value(f, (uint16_t)b);
        float x = f->to_float((uint16_t)b);
        if (isnan(exact) ? !isnan(x) : (double)x != exact ||
                                       !signbit(x) != !signbit(exact))
            fail_msg("pattern %04x is %g, should be %g", b, x, exact);
        uint16_t back = f->from_float(x);
        if (back != (isnan(exact) ? 0x7fff : b))
            fail_msg("%04x came back as %04x", b, back);
    }
}

/* Between two neighbours: the middle goes to the even one, what is just
 * beside it to the nearer one.  From float and from double. */
static void middles(const struct Row *row)
{
    const struct Format *f = format_of(row);
    uint32_t top = ((1u << f->exponent) - 1) << f->bits;    /* infinity */
    for (uint32_t sign = 0; sign <= 0x8000; sign += 0x8000)
        for (uint32_t b = 0; b < top; b++) {
            double low = value(f, (uint16_t)b);
            double high = b + 1 == top ? ldexp(1, (1 << (f->exponent - 1)))
                                       : value(f, (uint16_t)(b + 1));
            double middle = (low + high) / 2;
            float m = (float)middle;            /* exact */
            uint32_t even = b % 2 ? b + 1 : b;
            double s = sign ? -1 : 1;
            float sf = sign ? -1 : 1;
            if (b + 1 == top && f == &bf16)
                continue;                       /* not a float */
            assert_int_equal(f->from_float(sf * m), sign | even);
            assert_int_equal(f->from_float(sf * nextafterf(m, 0)), sign | b);
            assert_int_equal(f->from_float(sf * nextafterf(m, INFINITY)),
                             sign | (b + 1));
            assert_int_equal(f->from_double(s * middle), sign | even);
            assert_int_equal(f->from_double(s * nextafter(middle, 0)),
                             sign | b);
            assert_int_equal(f->from_double(s * nextafter(middle, 1e300)),
                             sign | (b + 1));
        }
}

static void narrow_nan(const struct Row *row)
{
    const struct Format *f = format_of(row);
    for (uint32_t b = 0x7f800001; b < 0x80000000; b += 8191) {
        assert_int_equal(f->from_float(float_of(b)), 0x7fff);
        assert_int_equal(f->from_float(float_of(b | 0x80000000)), 0x7fff);
    }
    assert_int_equal(f->from_float(float_of(0x7f800001)), 0x7fff);
    assert_int_equal(f->from_double((double)NAN), 0x7fff);
    assert_int_equal(f->from_double(1e300), half.from_float == f->from_float
                     ? 0x7c00 : 0x7f80);
}

static void tf32(const struct Row *row)
{
    (void)row;
    assert_int_equal(bits_of(tf32_round(float_of(0x3f801000))), 0x3f802000);
    assert_int_equal(bits_of(tf32_round(float_of(0x3f803000))), 0x3f804000);
    assert_int_equal(bits_of(tf32_round(float_of(0xbf801000))), 0xbf802000);
    assert_int_equal(bits_of(tf32_round(float_of(0x3f800fff))), 0x3f800000);
    assert_int_equal(bits_of(tf32_round(INFINITY)), 0x7f800000);
    assert_true(isnan(tf32_round(float_of(0x7f800001))));
}

static const struct Row rows[] = {
    { "ex2 step=1021",   nearest, "a polynomial one term short" },
    { "lg2 step=1021",   nearest, "the exponent of subnormal numbers" },
    { "rcp step=4093",   nearest, "a Newton step short" },
    { "sqrt step=4093",  nearest, "subnormal numbers flushed" },
    { "rsqrt step=4093", nearest, "rounded twice" },
    { "sin step=2039",   nearest, "pi in one piece" },
    { "cos step=2039",   nearest, "the quarter turn off by one" },
    { "tanh step=1021",  nearest, "1 - 1 near zero" },
    { "ex2 bits",   same_bits, "7938be7f" },
    { "lg2 bits",   same_bits, "3a39dd3f" },
    { "rcp bits",   same_bits, "7544f069" },
    { "sqrt bits",  same_bits, "b697526b" },
    { "rsqrt bits", same_bits, "3a698989" },
    { "sin bits",   same_bits, "69a622bb" },
    { "cos bits",   same_bits, "28ba0551" },
    { "tanh bits",  same_bits, "c76cb4a7" },
    { "special values", edges, "the sign of zero lost" },
    { "sines of large numbers", far_sines, "a window of digits misplaced" },
    { "half: all patterns", all_patterns, "subnormal halves" },
    { "bf16: all patterns", all_patterns, "the sign lost" },
    { "half: middles", middles, "ties away from zero; rounded twice" },
    { "bf16: middles", middles, "half up; cut instead of rounded" },
    { "half: NaN", narrow_nan, "NaN becomes infinity" },
    { "bf16: NaN", narrow_nan, "the carry turns NaN into zero" },
    { "tf32: ties away from zero", tf32, "ties to even" },
};

int main(void)
{
    return rows_run("simt_math", rows, sizeof rows / sizeof *rows);
}
