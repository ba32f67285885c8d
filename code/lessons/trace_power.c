/* Tangled from chapters/workshop/first-programs.nw, "trace-power: a warp, instruction by instruction".  Edit it there. */

/* trace-power: run code/lessons/power.ptx on one warp of the software GPU,
 * lane l computing x to the power of l, and print each step. */
#include "base/args.h"
#include "base/file.h"
#include "simt/counters/trace.h"
#include "simt/simt.h"

#include <string.h>

/* the options of trace-power */
static int lanes = 8, base = 3, modulus = 65521;
static bool blocks;
static const char *file = "code/lessons/power.ptx";

static const struct Option options[] = {
    { "lanes", OPT_INT, &lanes, 1, LANES, "N", "threads (default: 8)",
      NULL },
    { "blocks", OPT_FLAG, &blocks, 0, 0, NULL,
      "a line for each basic block, not for each instruction", NULL },
    { "x", OPT_INT, &base, 0, 65535, "X", "the base (default: 3)", NULL },
    { "m", OPT_INT, &modulus, 1, 65536, "M",
      "the modulus (default: 65521)", NULL },
    { "ptx", OPT_STRING, &file, 0, 0, "FILE",
      "the kernel (default: code/lessons/power.ptx)", NULL },
    { .type = OPT_END },
};

static const struct Usage usage = {
    "[options]", "Print what the lanes of a warp do.", NULL
};

/* read the PTX */
static void read_ptx(struct Module *m)
{
    struct Mapped text;
    struct Error e;
    if (!map_file(&text, file, &e) ||
        !module_read(m, (const char *)text.data, text.size, &e))
        fail("%s", e.text);
    unmap_file(&text);
    if (!module_kernel(m, "power"))
        fail("%s: has no kernel named power", file);
}

/* check the powers */
static void check_powers(const uint32_t *y)
{
    uint64_t want = 1 % (uint64_t)modulus;
    if (lanes > 0 && y[0] != 1)
        fail("lane 0 computed %u, not 1", y[0]);
    for (int l = 1; l < lanes; l++) {
        want = want * (uint64_t)base % (uint64_t)modulus;
        if (y[l] != want)
            fail("lane %d computed %u, not %llu", l, y[l],
                 (unsigned long long)want);
    }
    printf("%d powers, all right\n", lanes);
}

/* run it with one exponent for each lane */
int main(int argc, char **argv)
{
    struct Module m;
    struct Error e;
    uint64_t y, exponent;
    args_options(argc, argv, options, &usage);
    read_ptx(&m);
    /* allocate both arrays; exponent l is l */
    size_t bytes = (size_t)lanes * sizeof(uint32_t);
    if (!memory_alloc(&y, bytes, NULL, &e) ||
        !memory_alloc(&exponent, bytes, NULL, &e))
        fail("%s", e.text);
    memset(memory_bytes(y), 0xff, bytes);
    for (int l = 0; l < lanes; l++)
        ((uint32_t *)(void *)memory_bytes(exponent))[l] = (uint32_t)l;
    check_host_wrote(exponent, bytes);
    struct Trace t = { .kernel = "power", .blocks = blocks, .to = stdout };
    trace_begin(t);
    if (!simt_launch(module_kernel(&m, "power"), (struct Dim3){ 1, 1, 1 },
                     (struct Dim3){ (uint32_t)lanes, 1, 1 }, 0,
                     (void *[]){ &y, &exponent, &base, &modulus }, NULL,
                     &e))
        fail("%s", e.text);
    check_powers((const uint32_t *)(void *)memory_bytes(y));
    module_free(&m);
    return 0;
}
