/* Tangled from chapters/workshop/sanitizer-records.nw, "Three programs".  Edit it there. */

/* bench-check: nanoseconds that the sanitizer takes for one access of a
 * warp, by pattern. */
#include "base/error.h"
#include "simt/sanitizer/check.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { SHARED = 32 * 1024, GLOBAL = 1 << 20, TIMES = 100000, ROUNDS = 9 };

/* bench-check: the patterns */
static const struct Pattern {
    const char *name;
    enum Space space;
    enum AccessKind kind;
    int size, step, lanes;      /* lane l: step (l % lanes)              */
} patterns[] = {
    { "global, load float", SPACE_GLOBAL, ACCESS_LOAD, 4, 4, 32 },
    { "global, store float", SPACE_GLOBAL, ACCESS_STORE, 4, 4, 32 },
    { "global, load float4", SPACE_GLOBAL, ACCESS_LOAD, 16, 16, 32 },
    { "global, load half", SPACE_GLOBAL, ACCESS_LOAD, 2, 2, 32 },
    { "global, load a column", SPACE_GLOBAL, ACCESS_LOAD, 4, 512, 32 },
    { "global, atomics on one word", SPACE_GLOBAL, ACCESS_RED, 4, 0, 32 },
    { "shared, load float", SPACE_SHARED, ACCESS_LOAD, 4, 4, 32 },
    { "shared, store float", SPACE_SHARED, ACCESS_STORE, 4, 4, 32 },
    { "shared, load one word", SPACE_SHARED, ACCESS_LOAD, 4, 0, 32 },
    { "shared, load a row of 16 twice", SPACE_SHARED, ACCESS_LOAD, 4, 4,
      16 },
    { "shared, load a column", SPACE_SHARED, ACCESS_LOAD, 4, 68, 32 },
};

/* bench-check: a block of eight warps */
static struct Instruction code[1];
static const struct Kernel kernel = { .name = "bench", .code = code,
                                      .instructions = 1 };
static struct Launch launch = { .kernel = &kernel, .grid = { 1000, 1, 1 },
                                .block = { 256, 1, 1 } };
static unsigned char shared[SHARED];
static uint32_t registers[1024];
static struct Warp warps[8];
static struct Block block = { .launch = &launch, .shared = shared,
                              .shared_bytes = SHARED, .threads = 256,
                              .warps = 8, .warp = warps };
static uint64_t global;

static void begin(void)
{
    struct Error e;
    if (!memory_alloc(&global, GLOBAL, NULL, &e))
        fail("%s", e.text);
    check_host_wrote(global, GLOBAL);
    for (int i = 0; i < 8; i++)
        warps[i] = (struct Warp){ .block = &block, .index = i,
                                  .active = ALL_LANES, .alive = ALL_LANES,
                                  .file = registers };
}


/* Every byte of shared memory is written, as a tile would be. */
static void fill_shared(void)
{
    struct Access a = { .kind = ACCESS_STORE, .space = SPACE_SHARED,
                        .lanes = ALL_LANES, .size = 16,
                        .contiguous = true };
    for (uint64_t at = 0; at < SHARED; at += 512) {
        for (int l = 0; l < LANES; l++)
            a.address[l] = at + 16 * (uint64_t)l;
        check_access(&warps[0], &a);
    }
    check_barrier(&block);
}

/* bench-check: time one pattern */
static void run_pattern(const struct Pattern *p, int n_warps)
{
    struct Access a = {
        .kind = p->kind, .space = p->space, .lanes = ALL_LANES,
        .size = p->size, .contiguous = p->step == p->size && p->lanes == 32,
        .uniform = p->step == 0, .atomic = ATOMIC_ADD,
    };
    uint64_t offset[LANES];
    for (int l = 0; l < LANES; l++)
        offset[l] = (uint64_t)(p->step * (l % p->lanes));
    for (int i = 0; i < TIMES; i++) {
        int w = i / 64 % n_warps;
        uint64_t base = (p->space == SPACE_GLOBAL ? global : 0)
                        + (uint64_t)(i % 8 + 8 * w) * 512;
        for (int l = 0; l < LANES; l++)
            a.address[l] = base + offset[l];
        check_access(&warps[w], &a);
        if (i % 512 == 511)
            check_barrier(&block);
    }
}


/* Time of this processor alone: other programs may run beside us. */
static double busy_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double best_ns(const struct Pattern *p, int n_warps)
{
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        check_launch_begin(&launch);
        check_block_begin(&block);
        fill_shared();
        double start = busy_s();
        run_pattern(p, n_warps);
        best = fmin(best, (busy_s() - start) / TIMES * 1e9);
        check_block_end(&block);
        check_launch_end(&launch);
    }
    return best;
}

int main(int argc, char **argv)
{
    (void)argc;
    program_set_name(argv[0]);
    begin();
    printf("%-34s %8s %8s\n", "ns for an access of 32 lanes", "1 warp",
           "8 warps");
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; i++)
        printf("%-34s %8.1f %8.1f\n", patterns[i].name,
               best_ns(&patterns[i], 1), best_ns(&patterns[i], 8));
}
