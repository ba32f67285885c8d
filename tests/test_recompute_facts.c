/* The numbers of the chapter on recomputation that need no GPU: what plans
 * keep and cost, and what fits.  Compared with figures/data/recompute-plan.csv;
 * UPDATE_FACTS=DATE writes it. */
#include "gpt2/memory.h"
#include "lessons/keep.h"
#include "rows.h"

#define FACTS "recompute"
#define PROGRAM "test_recompute_facts"
#include "facts.h"

#define CSV "figures/data/recompute-plan.csv"
#define FITS 149000000000u              /* bytes of an H200 */

static const char *const mode_name[] = { "none", "gelu", "norm", "block" };
static struct KeepGraph g;
static struct KeepPlan plan;

static void named(const char *unit, double value, const char *format, ...)
{
    char name[60];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    fact(name, value, unit);
}

/* ---- the smallest model, 64 x 1024 ---- */

static void uniform(unsigned set)
{
    for (int l = 0; l < g.L; l++)
        plan.set[l] = set;
    keep_sum(&plan, &g);
}

/* Microseconds for a megabyte of what operator s makes. */
static void price(const char *name, double seconds, size_t bytes)
{
    named("us/MB", 1e6 * seconds / ((double)bytes / 1e6), "price.%s", name);
}

static void prices(void)
{
    const size_t *b = g.bytes;
    price("ln", g.seconds[LN_1], b[KEEP_ln_1]);
    price("gelu", g.seconds[GELU], b[KEEP_gelu]);
    price("fc", g.seconds[FC] + g.epilogue - g.seconds[GELU], b[KEEP_fc]);
    price("qkv", g.seconds[QKV], b[KEEP_qkv]);
    price("mid", g.seconds[PROJ], b[KEEP_mid]);
    price("att", g.seconds[ATTENTION], b[KEEP_att] + b[KEEP_lse]);
}

static void one_set(const char *name, unsigned set)
{
    const struct KeepCost cost = keep_cost(&g, set);
    uniform(set);
    named("MB", (double)cost.kept / 1e6, "%s.layer", name);
    named("us", 1e6 * cost.seconds, "%s.us", name);
    named("GB", (double)plan.peak / 1e9, "%s.peak", name);
    named("ms", 1e3 * plan.seconds, "%s.ms", name);
}

static void sets(void)
{
    char name[40];
    for (int m = KEEP_ALL; m <= REDO_BLOCK; m++) {
        snprintf(name, sizeof name, "mode.%s", mode_name[m]);
        one_set(name, keep_mode((enum Recompute)m));
    }
    one_set("keep-att", 1u << KEEP_x | 1u << KEEP_att | 1u << KEEP_lse);
    named("MB", (double)keep_cost(&g, keep_mode(KEEP_ALL)).kept / 1e6,
          "layer.all");
}

/* The cheapest mode and the cheapest plan under a limit. */
static void limits(void)
{
    static const int gb[] = { 24, 20, 16, 12, 10, 9 };
    for (size_t i = 0; i < sizeof gb / sizeof *gb; i++) {
        const size_t limit = (size_t)gb[i] * 1000000000;
        struct Error e;
        int m = KEEP_ALL;
        for (uniform(keep_mode(KEEP_ALL)); plan.peak > limit;
             uniform(keep_mode((enum Recompute)m)))
            assert_in_range(++m, KEEP_ALL, REDO_BLOCK);
        named("GB", gb[i], "limit.%d.gb", gb[i]);
        named("ms", 1e3 * plan.seconds, "limit.%d.mode", gb[i]);
        if (!keep_best(&plan, &g, limit, &e))
            fail_msg("%s", e.text);
        named("ms", 1e3 * plan.seconds, "limit.%d.best", gb[i]);
    }
}

/* ---- chains ---- */

/* Forward steps of 48 layers in groups of seven: to the last group, within
 * it, and once more within each of the others. */
static int groups(int steps, int each)
{
    const int last = (steps - 1) / each * each;
    return last + (steps - last - 1) + last / each * (each - 1);
}

static void chains(void)
{
    static const int slots[] = { 2, 3, 4, 6, 8, 14, 24, 48 };
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        named("", keep_chain(48, slots[i]), "chain48.%d", slots[i]);
    named("", groups(48, 7), "chain48.groups");
}

/* ---- what fits ---- */

static size_t bytes_of(const struct Config *c, int B, int T, int mode)
{
    const struct ModelOptions o = { .precision = BF16,
                                    .recompute = (enum Recompute)mode };
    return model_bytes(c, B, T, true, true, &o);
}

/* The largest batch, or context for a batch, that fits, up to `most`. */
static int largest_batch(const struct Config *c, int mode)
{
    int low = 0, high = 4096;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (bytes_of(c, middle, 1024, mode) <= FITS)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int longest(struct Config c, int B, int mode)
{
    int low = 0, high = 65536;
    c.T = high;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (bytes_of(&c, B, middle, mode) <= FITS)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Parameters of the largest model of GPT-2 XL's proportions. */
static double largest_model(int B, int mode)
{
    struct Config best = { 0 };
    int low = 48, high = 100;
    while (low < high) {
        const int L = (low + high + 1) / 2;
        struct Config c = { .V = 50257, .T = 1024, .L = L,
                            .NH = (25 * L + 24) / 48 };
        c.C = 64 * c.NH;
        if (bytes_of(&c, B, 1024, mode) <= FITS)
            low = L, best = c;
        else
            high = L - 1;
    }
    return (double)config_params(&best) / 1e9;
}

static void fits(void)
{
    struct Config small, xl;
    struct Error e;
    assert_true(config_preset(&small, "gpt2", &e));
    assert_true(config_preset(&xl, "gpt2-xl", &e));
    for (int m = KEEP_ALL; m <= REDO_BLOCK; m++) {
        const char *name = mode_name[m];
        named("GB", (double)bytes_of(&xl, 64, 1024, m) / 1e9, "xl.%s.gb",
              name);
        named("", largest_batch(&small, m), "batch.%s", name);
        named("", largest_batch(&xl, m), "xl-batch.%s", name);
        named("", longest(xl, 1, m), "xl-context.%s", name);
        named("", longest(xl, 4, m), "xl-context4.%s", name);
        named("B", largest_model(16, m), "largest.%s", name);
    }
}

static const char *as_printed(const struct Fact *f)
{
    static char text[40];
    snprintf(text, sizeof text, *f->unit ? "%.4g" : "%.6g", f->value);
    return text;
}

static void chapter_is_not_stale(void **state)
{
    (void)state;
    static const struct KeepRates rates = { 4.2e12, 700e12, 334e12 };
    struct Config c;
    struct Error e;
    assert_true(config_preset(&c, "gpt2", &e));
    assert_true(keep_graph(&g, &c, 64, 1024, &rates, &e));
    prices();
    sets();
    limits();
    chains();
    fits();
    facts_are_in(CSV, as_printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chapter_is_not_stale),
    };
    return cmocka_run_group_tests_name("facts of recomputation", tests,
                                       NULL, NULL);
}
