/* Tangled from chapters/workshop/measuring-ceilings.nw, "roofline: the table, printed".  Edit it there. */

/* roofline: what each operator of GPT-2 must move and compute, and how long
 * that takes at the least. */
#include "base/args.h"
#include "base/error.h"
#include "bench/operator_costs.h"
#include "gpt2/config.h"

#include <stdio.h>
#include <string.h>

static const char *model = "gpt2", *precision = "bf16";
static int B = 64, T = 1024;
static double matrix = 628, plain = 64, memory = 4.29;  /* an H200 */

/* roofline: print the table */
static void print_table(const struct Config *c)
{
    const struct Sizes s = { B, T, c->L, c->C, c->NH, c->V,
                             (double)config_params(c) };
    const struct Roof tensor = { matrix * 1e12, memory * 1e12 };
    const struct Roof other = { plain * 1e12, memory * 1e12 };
    struct Work w[WORKS_MAX];
    bool half = strcmp(precision, "bf16") == 0;
    int n = half ? works_bf16(w, &s) : works_float(w, &s);
    double step = 0;
    printf("%s, B=%d T=%d, %s\n%g TFLOP/s of products, %g of the rest, "
           "%g TB/s\n\n%-24s %5s %8s %8s %7s  %-7s %8s\n", model, B, T,
           precision, half ? matrix : plain, plain, memory, "operator",
           "calls", "MB", "GFLOP", "FLOP/B", "roof", "least us");
    for (int i = 0; i < n; i++) {
        struct Roof r = w[i].matrix && half ? tensor : other;
        double t = roof_seconds(r, &w[i]);
        if (w[i].calls == 0)
            continue;                       /* fused into others */
        step += w[i].calls * t;
        printf("%-25s %4d %8.1f %8.2f %7.2f  %-7s %8.1f\n", w[i].name,
               w[i].calls, w[i].bytes / 1e6, w[i].flop / 1e9,
               work_intensity(&w[i]),
               work_intensity(&w[i]) < roof_ridge(r) ? "memory" : "compute",
               1e6 * t);
    }
    printf("a step: %.2f ms, %.0f tokens/s\n", 1e3 * step,
           (double)B * T / step);
}

int main(int argc, char **argv)
{
    const struct Option options[] = {
        { "model", OPT_STRING, &model, 0, 0, "NAME",
          "gpt2, gpt2-medium, gpt2-large, gpt2-xl, d12, ...", NULL },
        { "precision", OPT_CHOICE, &precision, 0, 0, "bf16|fp32",
          "which operators", NULL },
        { "batch", OPT_INT, &B, 1, 65536, "B", "sequences", NULL },
        { "seq", OPT_INT, &T, 1, 65536, "T", "tokens of each", NULL },
        { "matrix", OPT_DOUBLE, &matrix, 1e-6, 1e6, "X",
          "TFLOP/s of matrix products", NULL },
        { "plain", OPT_DOUBLE, &plain, 1e-6, 1e6, "X",
          "TFLOP/s of other arithmetic", NULL },
        { "memory", OPT_DOUBLE, &memory, 1e-6, 1e6, "X",
          "TB/s of memory", NULL },
        { .type = OPT_END },
    };
    const struct Usage usage = { "[options]",
        "Print the least time of every operator of a training step.",
        NULL };
    args_options(argc, argv, options, &usage);
    struct Config c;
    struct Error e;
    if (!config_preset(&c, model, &e))
        misuse("%s", e.text);
    print_table(&c);
    return 0;
}
