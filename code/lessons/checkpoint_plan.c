/* Tangled from chapters/workshop/measuring-fusion.nw, "The planner of checkpoints".  Edit it there. */

/* checkpoint-plan: which activations to keep under a limit of memory. */
#include <math.h>
#include <stdio.h>

#include "base/args.h"
#include "lessons/keep.h"

static const char *model = "gpt2";
static int batch = 64, seq = 1024;
static double limit, bandwidth = 4.2, products = 700, attention = 334;

static const struct Option options[] = {
    { "model", OPT_STRING, &model, 0, 0, "NAME",
      "gpt2, gpt2-medium, gpt2-large, gpt2-xl, d1 to d48", NULL },
    { "batch", OPT_INT, &batch, 1, 65536, "B", "sequences", NULL },
    { "seq", OPT_INT, &seq, 1, 65536, "T", "tokens of a sequence", NULL },
    { "limit", OPT_DOUBLE, &limit, 0, 1e6, "GB",
      "of activations: print the cheapest plan", NULL },
    { "bandwidth", OPT_DOUBLE, &bandwidth, 0.001, 1e6, "TB/s",
      "of memory", NULL },
    { "products", OPT_DOUBLE, &products, 0.001, 1e6, "TFLOP/s",
      "of matrix products", NULL },
    { "attention", OPT_DOUBLE, &attention, 0.001, 1e6, "TFLOP/s",
      "of attention", NULL },
    { .type = OPT_END },
};

/* checkpoint-plan: print a set */
/* The names of what is not kept; statistics, which weigh nothing, are left
 * out unless they are alone. */
static void print_dropped(unsigned set)
{
    int n = 0;
    for (int a = 0; a < KEEP_ACTS; a++) {
        const bool statistic = a == KEEP_mean_1 || a == KEEP_rstd_1
            || a == KEEP_mean_2 || a == KEEP_rstd_2 || a == KEEP_lse;
        if (!(set >> a & 1) && !statistic)
            printf("%s%s", n++ ? " " : "", keep_name(a));
    }
    printf("%s\n", n ? "" : "nothing");
}

/* checkpoint-plan: one layer */
static void print_front(const struct KeepGraph *g)
{
    unsigned set[512];
    const int n = keep_front(set, 512, g);
    size_t shown = SIZE_MAX;
    printf("%s, %d x %d tokens; a layer, at %g TB/s, %g and %g "
           "TFLOP/s\n%10s %10s %10s   made again\n", model,
           batch, seq, bandwidth, products, attention,
           "keeps MB", "peak MB", "again us");
    for (int i = 0; i < n; i++) {
        const struct KeepCost cost = keep_cost(g, set[i]);
        if ((double)cost.kept > 0.99 * (double)shown)
            continue;                   /* statistics alone */
        shown = cost.kept;
        printf("%10.1f %10.1f %10.1f   ", (double)cost.kept / 1e6,
               (double)cost.peak / 1e6, 1e6 * cost.seconds);
        print_dropped(set[i]);
    }
}

/* checkpoint-plan: all layers */
static void uniform(struct KeepPlan *p, const struct KeepGraph *g, int mode)
{
    for (int l = 0; l < g->L; l++)
        p->set[l] = keep_mode((enum Recompute)mode);
    keep_sum(p, g);
}

static void print_best(const struct KeepGraph *g, double gb)
{
    struct KeepPlan p;
    struct Error e;
    if (!keep_best(&p, g, (size_t)(1e9 * gb), &e))
        fail("%s", e.text);
    printf("%.2f GB alive at most, %.2f ms again\n", (double)p.peak / 1e9,
           1e3 * p.seconds);
    for (int l = 0; l < g->L; l++) {
        printf("layer %3d makes again: ", l);
        print_dropped(p.set[l]);
    }
}

/* From the limit that the most frugal mode needs to that of the least. */
static void print_limits(const struct KeepGraph *g)
{
    struct KeepPlan mode[NEVER], p;
    struct Error e;
    for (int m = KEEP_ALL; m < NEVER; m++)
        uniform(&mode[m], g, m);
    printf("\n%10s %10s %10s   the trainer's cheapest mode\n", "limit GB",
           "peak GB", "again ms");
    const double low = (double)mode[REDO_BLOCK].peak / 1e9;
    const double high = (double)mode[KEEP_ALL].peak / 1e9;
    for (int i = 0; i <= 12; i++) {
        const double gb = low + (high - low) * i / 12 + 1e-9;
        int fits = REDO_BLOCK;
        while (fits > KEEP_ALL
               && (double)mode[fits - 1].peak <= 1e9 * gb)
            fits--;
        if (!keep_best(&p, g, (size_t)(1e9 * gb), &e))
            fail("%s", e.text);
        printf("%10.2f %10.2f %10.2f   %.2f\n", gb, (double)p.peak / 1e9,
               1e3 * p.seconds, 1e3 * mode[fits].seconds);
    }
}

int main(int argc, char **argv)
{
    static const struct Usage usage = { "[options]",
        "Find out which activations of GPT-2 to keep, and what it costs to "
        "make the others again.", NULL };
    struct Config c;
    struct KeepGraph g;
    struct Error e;
    args_options(argc, argv, options, &usage);
    const struct KeepRates rates = { 1e12 * bandwidth, 1e12 * products,
                                     1e12 * attention };
    if (!config_preset(&c, model, &e))
        misuse("--model: %s", e.text);
    c.T = seq > c.T ? seq : c.T;
    if (!keep_graph(&g, &c, batch, seq, &rates, &e))
        fail("%s", e.text);
    if (limit > 0)
        print_best(&g, limit);
    else
        print_front(&g), print_limits(&g);
    return 0;
}
