/* The table of operators, the roof over them, the staircase of square
 * products; and that figures/data/roofline-operators.csv is what the table
 * says (UPDATE_FACTS=DATE writes it). */
#include "rows.h"

#include "bench/operator_costs.h"
#include "lessons/staircase.h"

/* ---- the roof ------------------------------------------------------------ */

static const struct Roof roof = { .flops = 600e12, .bytes = 4e12 };

static void one_roof(const struct Row *row)
{
    const struct Work w = { "a kernel", 1, row_number(row, "bytes", 0),
                            row_number(row, "flop", 0), false };
    double want = row_number(row, "rate", 0);
    double at = roof_at(roof, work_intensity(&w));
    assert_true(fabs(roof_ridge(roof) - 150) < 1e-9);
    assert_true(fabs(at / 1e12 - want) <= 1e-9 * want);
    assert_true(fabs(roof_seconds(roof, &w) * at - w.flop)
                <= 1e-9 * w.flop);
}

static void copy_takes_time(const struct Row *row)
{
    const struct Work w = { "a copy", 1, 4e9, 0, false };
    (void)row;
    assert_true(fabs(roof_seconds(roof, &w) - 1e-3) < 1e-12);
}

/* ---- the table against the software GPU ------------------------------------ */

/* tests/gpu_counts.sh proves that gpu-counts.csv is what the software GPU
 * counts for every kernel at these sizes. */
static const struct Sizes small = { 2, 64, 1, 128, 2, 512, 128 * 128 };

static double row_of(const char *path, const char *name)
{
    char line[400];
    size_t length = strlen(name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    double value = NAN;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, name, length) == 0 && line[length] == ',')
            value = strtod(line + length + 1, NULL);
    fclose(f);
    return value;
}

static double counted(const char *kernels, const char *what)
{
    char list[200], name[100];
    double sum = 0;
    snprintf(list, sizeof list, "%s", kernels);
    for (char *k = strtok(list, "+"); k; k = strtok(NULL, "+")) {
        snprintf(name, sizeof name, "gpu.count.%s.%s", k, what);
        double x = row_of("figures/data/gpu-counts.csv", name);
        sum += isnan(x) && strcmp(what, "flop") == 0 ? 0 : x;
    }
    return sum;
}

/* kernels: those that the operator launches; least, most: bytes that they
 * touch over the bytes of the table; then the same of FLOP. */
static const struct Compared {
    const char *name, *kernels;
    double least, most, flop_least, flop_most;
} compared[] = {
    { "embedding-fwd", "embedding-fwd", 0.85, 1, 1, 1 },
    { "embedding-bwd", "embedding-link+embedding-wte+embedding-wpe",
      1.05, 1.2, 1, 1 },
    { "layernorm-fwd", "layernorm-fwd", 1, 1, 1, 1.4 },
    { "layernorm-bwd", "layernorm-dx+layernorm-pieces+layernorm-sum",
      1.5, 1.6, 1.3, 1.6 },
    { "residual", "residual", 1, 1, 1, 1 },
    { "gelu-fwd", "gelu-fwd", 1, 1, 1, 1 },
    { "gelu-bwd", "gelu-bwd", 1, 1, 1, 1 },
    { "bias-bwd", "bias-pieces+bias-sum", 1, 1.15, 1, 1.1 },
    { "attention-fwd", "attention-fwd", 1, 1, 1, 2 },
    { "attention-bwd", "attention-delta+attention-dq+attention-dkv",
      1.6, 1.7, 1.7, 2.3 },
    { "crossentropy-fwd", "crossentropy-fwd", 1, 1, 0.95, 1.05 },
    { "crossentropy-bwd", "crossentropy-bwd", 1, 1, 0.95, 1.05 },
    { "adamw", "adamw", 1, 1, 1, 1 },
    { "fc.y", "gemm", 1, 1, 1, 1 },
    { "fc.dx", "gemm-tb", 1, 1, 1, 1 },
    { "fc.dw", "gemm-ta", 1, 1, 1, 1 },
};

static void against_counts(const struct Row *row)
{
    struct Work w[WORKS_MAX];
    int n = works_float(w, &small), at = row_int(row, "row");
    const struct Compared *c = &compared[at];
    const struct Work *op = work_find(w, n, c->name);
    assert_non_null(op);
    double bytes = counted(c->kernels, "distinct") / op->bytes;
    double flop = counted(c->kernels, "flop") / op->flop;
    if (!(bytes >= c->least && bytes <= c->most))
        fail_msg("%s: the kernels touch %.4f of the table's bytes",
                 c->name, bytes);
    if (!(flop >= c->flop_least && flop <= c->flop_most))
        fail_msg("%s: the kernels do %.4f of the table's FLOP", c->name,
                 flop);
}

/* The products of a step, and attention, as the chapter on the model counts
 * them: 6 FLOP a parameter of a matrix, 7 L C T for attention. */
static void a_whole_step(const struct Row *row)
{
    const struct Sizes s = { 4, 64, 12, 768, 12, 50257, 124439808 };
    struct Work w[WORKS_MAX];
    double flop[2] = { 0, 0 };
    (void)row;
    for (int half = 0; half < 2; half++) {
        int n = half ? works_bf16(w, &s) : works_float(w, &s);
        for (int i = 0; i < n; i++)
            if (w[i].matrix)
                flop[half] += w[i].calls * w[i].flop;
    }
    double C = s.C, N = 256, matmul = s.L * 12 * C * C + s.V * C;
    double want = N * (6 * matmul + 7 * s.L * C * (s.T + 1));
    assert_true(fabs(flop[0] - want) < 1e-12 * want);
    assert_true(flop[0] == flop[1]);
}

/* The calls, as they were counted while a step ran on an H200. */
static const struct Called { bool half; const char *works, *range; }
called[] = {
    { false, "layernorm-fwd", "layernorm" },
    { false, "layernorm-bwd", "layernorm-bwd" },
    { false, "residual", "residual" }, { false, "gelu-bwd", "gelu-bwd" },
    { false, "bias-bwd+bias-bwd-qkv+bias-bwd-c", "bias-bwd" },
    { true, "layernorm-fwd", "layernorm" },
    { true, "layernorm-bwd+layernorm-bwd-positions", "layernorm-bwd" },
    { true, "flash-fwd", "attention" }, { true, "proj.dx", "mlp-dx" },
    { true, "classifier", "classifier" },
};

static void as_a_step_calls(const struct Row *row)
{
    const struct Sizes s = { 64, 1024, 12, 768, 12, 50257, 124439808 };
    struct Work w[WORKS_MAX];
    (void)row;
    for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
        const struct Called *c = &called[i];
        char list[100], name[80];
        int calls = 0;
        int n = c->half ? works_bf16(w, &s) : works_float(w, &s);
        snprintf(list, sizeof list, "%s", c->works);
        for (char *k = strtok(list, "+"); k; k = strtok(NULL, "+")) {
            const struct Work *op = work_find(w, n, k);
            if (!op)
                fail_msg("no row %s", k);
            calls += op->calls;
        }
        snprintf(name, sizeof name, "step.gpt2.b64.%s.calls.%s",
                 c->half ? "bf16" : "tf32", c->range);
        double counted = row_of("figures/data/gpu-step.csv", name);
        if (calls != counted)
            fail_msg("%s: %d calls, a step has %g", c->works, calls,
                     counted);
    }
}

static void names_are_different(const struct Row *row)
{
    struct Work w[WORKS_MAX];
    (void)row;
    for (int half = 0; half < 2; half++) {
        int n = half ? works_bf16(w, &small) : works_float(w, &small);
        assert_true(n <= WORKS_MAX);
        for (int i = 0; i < n; i++) {
            assert_ptr_equal(work_find(w, n, w[i].name), &w[i]);
            assert_true(w[i].bytes > 0 && w[i].flop >= 0);
        }
        assert_null(work_find(w, n, "no such operator"));
    }
}

/* ---- the staircase --------------------------------------------------------- */

static const struct Chip chip = { 132, 660e12, 20e12, 4e12, 0 };

static void tiles_and_waves(const struct Row *row)
{
    int n = row_int(row, "n");
    struct Stair s = stair(&chip, row_int(row, "tm"), row_int(row, "tn"), n,
                           n, n);
    assert_true(s.tiles == row_number(row, "tiles", -1));
    assert_true(s.waves == row_number(row, "waves", -1));
}

/* A product that fills every wave runs at the rate of the chip. */
static void full_waves(const struct Row *row)
{
    (void)row;
    int M = 12 * 128, N = 11 * 256, K = 4096;       /* 132 tiles */
    struct Stair s = stair(&chip, 128, 256, M, N, K);
    double rate = 2.0 * M * N * K / s.seconds;
    assert_true(fabs(rate - chip.flops) < 1e-9 * chip.flops);
    s = stair(&chip, 128, 256, M + 1, N, K);        /* 143: a second wave */
    assert_true(s.waves == 2);
    rate = 2.0 * (M + 1) * N * K / s.seconds;
    assert_true(rate < 0.51 * chip.flops);
}

/* A chip with a slow cache: a small tile is limited by it. */
static void small_tiles_starve(const struct Row *row)
{
    struct Chip slow = chip;
    (void)row;
    slow.l2 = 5e12;
    int n = 64 * 132;
    double big = stair(&slow, 256, 256, n, n, n).seconds;
    double little = stair(&slow, 64, 64, n, n, n).seconds;
    assert_true(fabs(little * 5e12 * 32 / (2.0 * n * n * n) - 1) < 1e-9);
    assert_true(big < 0.3 * little);
}

static void best_of_all(const struct Row *row)
{
    (void)row;
    for (int n = 64; n <= 4096; n += 61) {
        struct Stair best = staircase(&chip, n, n, n);
        assert_true(best.seconds <= stair(&chip, 128, 256, n, n, n).seconds);
        assert_true(best.seconds <= stair(&chip, 64, 64, n, n, n).seconds);
        assert_true(best.seconds == stair(&chip, best.m, best.n, n, n,
                                          n).seconds);
        assert_true(best.seconds >= 6.0 * n * n / chip.hbm);
    }
}

/* ---- the files that the figures and the text read --------------------------- */

static void fact(FILE *f, double value, const char *unit,
                 const char *name_format, ...)
{
    const char *date = getenv("UPDATE_FACTS");
    va_list args;
    va_start(args, name_format);
    vfprintf(f, name_format, args);
    va_end(args);
    fprintf(f, ",%.6g,%s,none,build/tests-opt/test_roofline,,%s\n", value,
            unit, date ? date : "");
}

static void put_works(FILE *f, const char *prefix, const struct Work *w,
                      int n)
{
    for (int i = 0; i < n; i++) {
        const char *name = w[i].name;
        fact(f, w[i].bytes / 1e6, "MB", "op.%s%s.bytes", prefix, name);
        fact(f, w[i].flop / 1e9, "GFLOP", "op.%s%s.flop", prefix, name);
        fact(f, work_intensity(&w[i]), "FLOP/B", "op.%s%s.intensity",
             prefix, name);
        fact(f, w[i].calls, "", "op.%s%s.calls", prefix, name);
    }
}

static void operators(FILE *f)
{
    struct Sizes s = { 64, 1024, 12, 768, 12, 50257, 124439808 };
    struct Work w[WORKS_MAX];
    put_works(f, "", w, works_float(w, &s));
    put_works(f, "bf16.", w, works_bf16(w, &s));
    s.B = 4;
    s.T = 64;
    put_works(f, "cpu.", w, works_float(w, &s));
    put_works(f, "small.", w, works_float(w, &small));
}

/* A step at the roof: every operator as often as it runs. */
static double at_the_roof(const struct Work *w, int n, struct Roof matrix,
                          struct Roof rest, bool only_matrix)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        if (w[i].matrix || !only_matrix)
            s += w[i].calls * roof_seconds(w[i].matrix ? matrix : rest,
                                           &w[i]);
    return s;
}

static void steps(FILE *f)
{
    struct Sizes s = { 64, 1024, 12, 768, 12, 50257, 124439808 };
    struct Work w[WORKS_MAX];
    double copy = 1e12 * row_of("figures/data/hierarchy.csv",
                                "h200.bw.hbm.memcpy");
    struct Roof fma = { 1e12 * row_of("figures/data/ceilings.csv",
                                      "roof.fma.fp32"), copy };
    struct Roof tensor = { 1e12 * row_of("figures/data/ceilings.csv",
                                         "power.normal"), copy };
    int n = works_float(w, &s);
    fact(f, 1e3 * at_the_roof(w, n, fma, fma, false), "ms", "step.float");
    n = works_bf16(w, &s);
    fact(f, 1e3 * at_the_roof(w, n, tensor, fma, false), "ms", "step.bf16");
    fact(f, 1e3 * at_the_roof(w, n, tensor, fma, true), "ms",
         "step.bf16.matrix");
    tensor.flops = 1e12 * row_of("figures/data/ceilings.csv",
                                 "roof.wgmma.bf16");
    fact(f, 1e3 * at_the_roof(w, n, tensor, fma, false), "ms",
         "step.bf16.burst");
}

static int different(const int *x, int n)
{
    int count = 0;
    for (int i = 0, j; i < n; i++) {
        for (j = 0; x[j] != x[i]; j++) {
        }
        count += j == i;
    }
    return count;
}

/* A size that was measured, and the tile that the library took for it. */
struct Measured { int n, m, k; double rate; };

static struct Measured measured_at(const char *series, int n)
{
    static const char sweep[] = "figures/data/matmul-sweep.csv";
    struct Measured s = { .n = n };
    char name[60];
    snprintf(name, sizeof name, "sweep.%s.%d", series, n);
    s.rate = 1e12 * row_of(sweep, name);
    snprintf(name, sizeof name, "sweep.%s.%d.tile-m", series, n);
    s.m = (int)row_of(sweep, name);
    snprintf(name, sizeof name, "sweep.%s.%d.tile-n", series, n);
    s.k = (int)row_of(sweep, name);
    return s;
}

/* By how much the model is too fast, negative if too slow. */
static double too_fast(const struct Chip *c, const struct Measured *s)
{
    double flop = 2.0 * s->n * s->n * s->n;
    return flop / stair(c, s->m, s->k, s->n, s->n, s->n).seconds / s->rate
         - 1;
}

struct Errors { double mean, worst, bias; };

static struct Errors errors(const struct Chip *c, const struct Measured *s,
                            int count)
{
    struct Errors e = { 0, 0, 0 };
    for (int i = 0; i < count; i++) {
        double off = too_fast(c, &s[i]);
        e.mean += fabs(off) / count;
        e.worst = fmax(e.worst, fabs(off));
        e.bias += off / count;
    }
    return e;
}

/* The three numbers that fit best, on a grid of steps of 5 TFLOP/s, half a
 * TB/s and a quarter of a microsecond. */
static struct Chip fitted(const struct Measured *s, int count)
{
    struct Chip best = chip_h200, c = chip_h200;
    double least = INFINITY;
    for (int flops = 780; flops <= 880; flops += 5)
        for (int l2 = 28; l2 <= 56; l2++)
            for (int start = 4; start <= 20; start++) {
                c.flops = 1e12 * flops;
                c.l2 = 0.5e12 * l2;
                c.start = 0.25e-6 * start;
                double mean = errors(&c, s, count).mean;
                if (mean < least) {
                    least = mean;
                    best = c;
                }
            }
    return best;
}

static void put_errors(FILE *f, const char *name, struct Errors e, int count)
{
    fact(f, count, "", "stair.%s.sizes", name);
    fact(f, 100 * e.mean, "%", "stair.%s.error", name);
    fact(f, 100 * e.worst, "%", "stair.%s.worst", name);
    fact(f, 100 * e.bias, "%", "stair.%s.bias", name);
}

/* Fitted to every other size; then the sizes between them, and sizes whose
 * rows begin at multiples of 64, 32 and 16 bytes only. */
static void held_out(FILE *f)
{
    struct Measured fit[64], held[64], rows[128];
    int fits = 0, helds = 0;
    for (int n = 512; n <= 8192; n += 64)
        if (n % 128 == 0)
            fit[fits++] = measured_at("64", n);
        else
            held[helds++] = measured_at("64", n);
    struct Chip c = fitted(fit, fits);
    fact(f, c.flops / 1e12, "TFLOP/s", "stair.fit.flops");
    fact(f, c.l2 / 1e12, "TB/s", "stair.fit.l2");
    fact(f, c.start * 1e6, "us", "stair.fit.start");
    put_errors(f, "fit", errors(&c, fit, fits), fits);
    put_errors(f, "held", errors(&c, held, helds), helds);
    double off_2496 = 0, off_2560 = 0;
    for (int i = 0; i < helds; i++)
        if (held[i].n == 2496)
            off_2496 = too_fast(&c, &held[i]);
    for (int i = 0; i < fits; i++)
        if (fit[i].n == 2560)
            off_2560 = too_fast(&c, &fit[i]);
    fact(f, 100 * off_2496, "%", "stair.held.2496");
    fact(f, 100 * off_2560, "%", "stair.fit.2560");
    for (int bytes = 64; bytes >= 16; bytes /= 2) {
        char name[16];
        int count = 0;
        for (int n = 1536; n <= 2560; n += 8)
            if (n % (bytes / 2) == 0 && n % bytes != 0)
                rows[count++] = measured_at("8", n);
        snprintf(name, sizeof name, "rows.%d", bytes);
        put_errors(f, name, errors(&c, rows, count), count);
    }
}

/* The model of an H200 for each size that was measured: with one tile for
 * all, with the best of all tiles, with the tile that the library took; and
 * how far the last is from what was measured, from 512 on.  Then by how much
 * a size may be slower than the one before it, and how many tiles were
 * taken. */
static void staircases(FILE *f)
{
    static const char sweep[] = "figures/data/matmul-sweep.csv";
    double error = 0, worst = 0, drop = 0, one_drop = 0;
    double rate_before = 1e-3, one_before = 1e-3;   /* TFLOP/s */
    int count = 0, sizes = 0, tile[128];
    for (int n = 64; n <= 8192; n += 64) {
        char name[60];
        double flop = 2.0 * n * n * n / 1e12;
        double one = flop / stair(&chip_h200, 256, 128, n, n, n).seconds;
        fact(f, one, "TFLOP/s", "stair.one.%d", n);
        struct Stair best = staircase(&chip_h200, n, n, n);
        fact(f, flop / best.seconds, "TFLOP/s", "stair.best.%d", n);
        snprintf(name, sizeof name, "sweep.64.%d.tile-m", n);
        int tm = (int)row_of(sweep, name);
        snprintf(name, sizeof name, "sweep.64.%d.tile-n", n);
        int tn = (int)row_of(sweep, name);
        snprintf(name, sizeof name, "sweep.64.%d", n);
        double rate = row_of(sweep, name);
        struct Stair given = stair(&chip_h200, tm, tn, n, n, n);
        fact(f, flop / given.seconds, "TFLOP/s", "stair.given.%d", n);
        fact(f, given.waves, "", "stair.given.%d.waves", n);
        double off = fabs(flop / given.seconds / rate - 1);
        one_drop = fmax(one_drop, 1 - one / one_before);
        drop = fmax(drop, 1 - rate / rate_before);
        one_before = one;
        rate_before = rate;
        tile[sizes++] = 1000 * tm + tn;
        if (n >= 512) {
            error += off;
            worst = fmax(worst, off);
            count++;
        }
    }
    fact(f, 100 * error / count, "%", "stair.error");
    fact(f, 100 * worst, "%", "stair.error.worst");
    fact(f, 100 * one_drop, "%", "stair.one.drop");
    fact(f, 100 * drop, "%", "stair.sweep.drop");
    fact(f, sizes, "", "stair.sizes");
    fact(f, different(tile, sizes), "", "stair.tiles");
    held_out(f);
}

/* Compared without the date, which is the last field. */
static void not_stale(const char *path, void (*write)(FILE *f))
{
    char *text, line[300];
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fputs("name,value,unit,machine,command,commit,date\n", f);
    write(f);
    fclose(f);
    if (getenv("UPDATE_FACTS")) {
        f = fopen(path, "w");
        assert_non_null(f);
        fputs(text, f);
        fclose(f);
    }
    const char *at = text;
    f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        size_t length = (size_t)(strrchr(line, ',') - line);
        if (strncmp(at, line, length) != 0)
            fail_msg("%s: stale at %srun with UPDATE_FACTS=DATE", path,
                     line);
        at += strcspn(at, "\n") + 1;
    }
    fclose(f);
    assert_int_equal(*at, 0);
    free(text);
}

static void operators_not_stale(const struct Row *row)
{
    (void)row;
    not_stale("figures/data/roofline-operators.csv", operators);
}

static void steps_not_stale(const struct Row *row)
{
    (void)row;
    not_stale("figures/data/roofline-step.csv", steps);
}

static void staircases_not_stale(const struct Row *row)
{
    (void)row;
    not_stale("figures/data/staircase.csv", staircases);
}

#define COMPARED(i, name) { "bytes and FLOP " name " row=" #i,              \
                            against_counts, "a factor in the formula" }

static const struct Row rows[] = {
    { "roof bytes=4e9 flop=4e9 rate=4", one_roof, "the larger of the two" },
    { "roof bytes=1e9 flop=1e12 rate=600", one_roof, "no flat part" },
    { "roof bytes=4e9 flop=600e9 rate=600", one_roof, "the ridge elsewhere" },
    { "roof copy", copy_takes_time, "no FLOP, no time" },
    COMPARED(0, "embedding-fwd"), COMPARED(1, "embedding-bwd"),
    COMPARED(2, "layernorm-fwd"), COMPARED(3, "layernorm-bwd"),
    COMPARED(4, "residual"), COMPARED(5, "gelu-fwd"),
    COMPARED(6, "gelu-bwd"), COMPARED(7, "bias-bwd"),
    COMPARED(8, "attention-fwd"), COMPARED(9, "attention-bwd"),
    COMPARED(10, "crossentropy-fwd"), COMPARED(11, "crossentropy-bwd"),
    COMPARED(12, "adamw"), COMPARED(13, "fc.y"), COMPARED(14, "fc.dx"),
    COMPARED(15, "fc.dw"),
    { "works of a step", a_whole_step, "a call too many; the whole square" },
    { "works as often as a step calls them", as_a_step_calls,
      "a bias of four; an addition that a product has done" },
    { "works by name", names_are_different, "a name twice" },
    { "staircase n=2048 tm=128 tn=256 tiles=128 waves=1", tiles_and_waves,
      "rounds up what is whole" },
    { "staircase n=2049 tm=128 tn=256 tiles=153 waves=2", tiles_and_waves,
      "rounds down" },
    { "staircase n=64 tm=128 tn=128 tiles=1 waves=1", tiles_and_waves,
      "no tile for what is smaller than one" },
    { "staircase n=4096 tm=128 tn=256 tiles=512 waves=4", tiles_and_waves,
      "waves = tiles / SMs" },
    { "staircase full waves", full_waves, "a last wave for nothing" },
    { "staircase small tiles", small_tiles_starve, "no cache in the model" },
    { "staircase best tile", best_of_all, "the first tile is taken" },
    { "roofline-operators.csv", operators_not_stale, "a stale figure" },
    { "roofline-step.csv", steps_not_stale, "a stale sum" },
    { "staircase.csv", staircases_not_stale, "a stale figure" },
};

int main(void)
{
    return rows_run("roofline", rows, sizeof rows / sizeof *rows);
}
