/* Tangled from chapters/workshop/first-programs.nw, "lower-bound: reading a list of GPUs".  Edit it there. */

/* lower-bound: the least time of some work on each GPU of a list. */
#include <stdio.h>
#include "base/args.h"
#include "lessons/gpu_list.h"

static double flop, bytes;
static bool fp32;
static const char *list = "figures/data/gpus.csv";

/* the options of lower-bound */
static const struct Option options[] = {
    { "flop", OPT_DOUBLE, &flop, 0, 1e30, "F",
      "operations; a multiply-add is two", NULL },
    { "bytes", OPT_DOUBLE, &bytes, 0, 1e30, "M",
      "bytes that must pass between memory and chip", NULL },
    { "fp32", OPT_FLAG, &fp32, 0, 0, NULL,
      "float32 arithmetic; without it, matrix units", NULL },
    { "gpus", OPT_STRING, &list, 0, 0, "FILE",
      "the list (default: figures/data/gpus.csv)", NULL },
    { .type = OPT_END },
};

static const struct Usage usage = {
    "[--flop F] [--bytes M] [options]",
    "Print the least time that work can take, and what sets it.", NULL
};

/* read the list and print the bounds */
int main(int argc, char **argv)
{
    struct PaperGpu gpu[64];
    struct Error e;
    args_options(argc, argv, options, &usage);
    if (flop + bytes <= 0)
        misuse("needs --flop F, --bytes M or both");
    int n = paper_gpus_read(gpu, 64, list, &e);
    if (n < 0)
        fail("%s", e.text);
    printf("%-16s%14s%14s%14s  set by\n", "GPU", "arithmetic",
           "memory", "at least");
    /* print a line for each GPU */
    for (int i = 0; i < n; i++) {
        bool by_memory;
        double least = lower_bound_s(&gpu[i], flop, bytes, !fp32, &by_memory);
        printf("%-16s%11.2f us%11.2f us%11.2f us  %s\n", gpu[i].name,
               1e6 * lower_bound_s(&gpu[i], flop, 0, !fp32, NULL),
               1e6 * lower_bound_s(&gpu[i], 0, bytes, !fp32, NULL),
               1e6 * least, by_memory ? "memory" : "arithmetic");
    }
    return 0;
}
