/* Which activations to keep: the planner of checkpoints against the trainer's
 * own plan, against all plans of a small model, and against a formula. */
#include "gpt2/model_calls.h"
#include "lessons/keep.h"
#include "rows.h"

static const struct KeepRates rates = { 4.2e12, 700e12, 334e12 };

static struct KeepGraph graph(const struct Row *row, struct Config *c)
{
    struct KeepGraph g;
    struct Error e;
    char name[8];
    snprintf(name, sizeof name, "d%d", row_int(row, "D"));
    assert_true(config_preset(c, name, &e));
    c->V = row_int(row, "V");
    if (!keep_graph(&g, c, row_int(row, "B"), row_int(row, "T"), &rates, &e))
        fail_msg("%s", e.text);
    return g;
}

/* ---- the trainer's modes ---- */

static void modes(const struct Row *row)
{
    struct Config c;
    struct KeepGraph g = graph(row, &c);
    static struct KeepPlan p;
    for (int mode = KEEP_ALL; mode <= REDO_BLOCK; mode++) {
        const struct ModelOptions o = { .precision = BF16,
                                        .recompute = (enum Recompute)mode };
        struct Model m;
        struct Error e;
        assert_true(model_describe(&m, &c, row_int(row, "B"),
                                   row_int(row, "T"), true, &o, &e));
        for (int l = 0; l < g.L; l++)
            p.set[l] = keep_mode((enum Recompute)mode);
        keep_sum(&p, &g);
        if (p.peak != m.plan.live_bytes)
            fail_msg("mode %d: %zu bytes, the trainer says %zu", mode,
                     p.peak, m.plan.live_bytes);
        if (m.plan.total_bytes != m.plan.live_bytes)
            fail_msg("mode %d: the layout wastes %zu bytes", mode,
                     m.plan.total_bytes - m.plan.live_bytes);
        model_forget(&m);
    }
}

static void prices(const struct Row *row)
{
    struct Config c;
    struct KeepGraph g = graph(row, &c);
    const double N = (double)row_int(row, "B") * row_int(row, "T");
    const double tensor = N * c.C * 2 / rates.bytes;
    const double square = 2 * N * c.C * c.C / rates.matmul_flop;
    const double attention = 2 * N * c.C * row_int(row, "T")
                           / rates.attention_flop;
    const double want[] = { 0, 8 * tensor, 12 * tensor,
                            8 * tensor + 8 * square + attention };
    for (int mode = KEEP_ALL; mode <= REDO_BLOCK; mode++) {
        double is = keep_cost(&g, keep_mode((enum Recompute)mode)).seconds;
        if (!(fabs(is - want[mode]) <= 1e-12))
            fail_msg("mode %d: %g s, not %g", mode, is, want[mode]);
    }
}

/* ---- all plans ---- */

static bool beats(struct KeepCost a, struct KeepCost b)
{
    return a.kept <= b.kept && a.peak <= b.peak && a.seconds <= b.seconds;
}

static void front(const struct Row *row)
{
    struct Config c;
    struct KeepGraph g = graph(row, &c);
    static unsigned set[512];
    const int n = keep_front(set, 512, &g);
    assert_in_range(n, 2, 511);
    for (unsigned any = 1; any < 1u << KEEP_ACTS; any += 2) {
        bool beaten = false;
        for (int i = 0; i < n && !beaten; i++)
            beaten = beats(keep_cost(&g, set[i]), keep_cost(&g, any));
        if (!beaten)
            fail_msg("nothing beats %x", any);
    }
}

/* The least seconds of three layers, by trying all. */
static double least(const struct KeepGraph *g, const struct KeepCost *cost,
                    int n, size_t limit)
{
    double best = INFINITY;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                const size_t two = cost[i].kept + cost[j].kept;
                const double s = cost[i].seconds + cost[j].seconds
                               + cost[k].seconds;
                if (s < best && cost[i].peak <= limit
                    && cost[i].kept + cost[j].peak <= limit
                    && two + cost[k].peak <= limit
                    && two + cost[k].kept + g->ends <= limit)
                    best = s;
            }
    return best;
}

static void best(const struct Row *row)
{
    struct Config c;
    struct KeepGraph g = graph(row, &c);
    static struct KeepPlan p;
    static unsigned set[512];
    static struct KeepCost cost[512];
    const int n = keep_front(set, 512, &g);
    size_t low, high;
    for (int i = 0; i < n; i++)
        cost[i] = keep_cost(&g, set[i]);
    for (int l = 0; l < 3; l++)
        p.set[l] = keep_mode(REDO_BLOCK);
    keep_sum(&p, &g);
    low = p.peak;
    for (int l = 0; l < 3; l++)
        p.set[l] = keep_mode(KEEP_ALL);
    keep_sum(&p, &g);
    high = p.peak;
    for (int i = 0; i <= 20; i++) {
        const size_t limit = low + (high - low) * (size_t)i / 20;
        const double want = least(&g, cost, n, limit);
        struct Error e;
        if (!keep_best(&p, &g, limit, &e))
            fail_msg("%s", e.text);
        if (!(fabs(p.seconds - want) <= 1e-12) || p.peak > limit)
            fail_msg("limit %zu: %g s in %zu bytes, not %g s", limit,
                     p.seconds, p.peak, want);
    }
}

static void no_plan(const struct Row *row)
{
    struct Config c;
    struct KeepGraph g = graph(row, &c);
    static struct KeepPlan p;
    struct Error e;
    assert_false(keep_best(&p, &g, g.ends - 1, &e));
    assert_non_null(strstr(e.text, "no plan fits"));
}

/* ---- a chain: Griewank and Walther's formula ---- */

static double choose(int n, int k)
{
    double c = 1;
    for (int i = 0; i < k; i++)
        c = c * (n - i) / (i + 1);
    return k < 0 ? 0 : floor(c + 0.5);
}

static void chain(const struct Row *row)
{
    const int N = row_int(row, "N"), S = row_int(row, "S");
    for (int n = 1; n <= N; n++)
        for (int s = 1; s <= S; s++) {
            int r = 0;
            while (choose(s + r, s) < n)
                r++;
            const double want = r * n - choose(s + r, r - 1);
            if (keep_chain(n, s) != want)
                fail_msg("%d steps, %d slots: %d, not %g", n, s,
                         keep_chain(n, s), want);
        }
}

int main(void)
{
    static const struct Row rows[] = {
        { "modes D=12 B=64 T=1024 V=50257", modes, "logits that do not count" },
        { "modes D=12 B=64 T=1024 V=257", modes, "a live range that is not the trainer's" },
        { "modes D=24 B=7 T=333 V=257", modes, "sizes that are no whole lines" },
        { "prices D=12 B=64 T=1024 V=257", prices, "GELU read and written behind its product" },
        { "front D=3 B=2 T=100 V=257", front, "plans thrown out that nothing beats" },
        { "best D=3 B=2 T=100 V=257", best, "a limit that not every step keeps" },
        { "best D=3 B=2 T=100 V=5000", best, "the plan that keeps least, for the cheapest" },
        { "no plan D=3 B=2 T=100 V=5000", no_plan, "a plan that does not fit" },
        { "chain N=100 S=10", chain, "slots that are not used again" },
    };
    return rows_run("keep", rows, sizeof rows / sizeof *rows);
}
