/* The table of peaks: whose row is meant by the name of a GPU. */
#include "backend/stated_peak.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct Row {
    const char *name;           /* of the test: the mistake that it catches */
    const char *gpu, *precision;
    double tflops;              /* 0: not in the table                      */
    const char *row;
};

static struct Row rows[] = {
    { "a name alone", "NVIDIA H200", "bf16", 989.4, "H200" },
    { "tf32 by its letter", "NVIDIA H200", "tf32", 494.7, "H200" },
    { "fp32 by its letter", "NVIDIA A100-SXM4-80GB", "fp32", 19.5, "A100" },
    { "socket and memory", "NVIDIA A100-SXM4-40GB", "bf16", 312, "A100" },
    { "memory", "NVIDIA H100 80GB HBM3", "bf16", 989.4, "H100" },
    { "the longer name first", "NVIDIA H100 PCIe", "bf16", 756, "H100 PCIe" },
    { "begins in a word: an H200", "NVIDIA GH200 480GB", "bf16", 989.4,
      "GH200" },
    { "begins in a word: a B200", "NVIDIA GB200", "bf16", 0, NULL },
    { "ends in a word: an L4", "NVIDIA L40", "bf16", 0, NULL },
    { "a letter that belongs to it", "NVIDIA L40S", "bf16", 362, "L40S" },
    { "ends in a word: an A10", "NVIDIA A10G", "bf16", 0, NULL },
    { "a small A1000 is an A100", "NVIDIA RTX A1000", "bf16", 0, NULL },
    { "another form of the chip", "NVIDIA H200 NVL", "bf16", 0, NULL },
    { "a desk's", "NVIDIA GeForce RTX 4090", "bf16", 165.2, "RTX 4090" },
    { "a laptop's is a desk's", "NVIDIA GeForce RTX 4090 Laptop GPU", "bf16",
      0, NULL },
    { "a faster one", "NVIDIA GeForce RTX 3090 Ti", "bf16", 0, NULL },
    { "a slice is the whole", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "bf16", 0,
      NULL },
    { "not in the table", "NVIDIA GeForce RTX 2080", "bf16", 0, NULL },
};

static void check(void **state)
{
    const struct Row *r = *state;
    const char *row = NULL;
    double peak = stated_peak(r->gpu, r->precision, &row);
    if (peak != 1e12 * r->tflops)
        fail_msg("%s: %g TFLOP/s, not %g", r->gpu, peak / 1e12, r->tflops);
    if (r->row && strcmp(row, r->row) != 0)
        fail_msg("%s: by the row of %s", r->gpu, row);
}

int main(void)
{
    enum { N = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[N];
    for (size_t i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, check, NULL, NULL,
                                        &rows[i] };
    return cmocka_run_group_tests_name("stated_peak", tests, NULL, NULL);
}
