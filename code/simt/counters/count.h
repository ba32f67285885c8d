/* Tangled from chapters/workshop/simt-counters.nw, "Totals and metrics".  Edit it there. */

/* What a warp's access costs on an H200, by rules measured there. */
#ifndef SIMT_COUNTERS_COUNT_H
#define SIMT_COUNTERS_COUNT_H

#include "simt/counters/access.h"

#include <stddef.h>

/* the rules, each alone */
/* Sectors that a global or local access costs (rules 2, 9, 10, 11). */
int global_sectors(const struct Access *a);

/* Wavefronts of a shared access, and the fewest that an access of this
 * width and these lanes could take (rules 3 to 8). */
int shared_wavefronts(const struct Access *a, int *ideal);

/* Turns of the constant cache: distinct addresses (rule 12). */
int constant_wavefronts(const struct Access *a);

/* Sectors that a row of a bulk copy costs, from its global address and its
 * offset in shared memory (rule 17). */
uint64_t tma_sectors(uint64_t global, uint64_t shared, uint64_t bytes,
                     bool multicast);

/* count one access */
/* Add what `a` costs to what its instruction has cost so far.  The caller
 * counts executed, active, on and divergent. */
void count_access(struct Site *s, const struct Access *a);

/* sectors touched at all */
/* Which sectors of device memory a launch touched, each counted once: no
 * launch can move fewer bytes than these to and from memory. */
struct Touched {
    uint64_t base;                  /* first address of device memory     */
    uint64_t *read, *written;       /* a bit for each sector              */
    size_t words;                   /* of either; from low up to high ... */
    size_t low, high;               /* ... some may not be zero           */
};

void touched_new(struct Touched *t, uint64_t base, uint64_t bytes);
void touched_free(struct Touched *t);
void touched_clear(struct Touched *t);
void touch(struct Touched *t, const struct Access *a);
void touched_merge(struct Touched *into, const struct Touched *from);
void touched_count(const struct Touched *t, uint64_t *read,
                   uint64_t *written);

/* the metrics of memory */
#define SECTORS_OF(X, name, what)                                       \
    X(name##_req,   what ": requests")                                  \
    X(name##_sec,   what ": sectors")                                   \
    X(name##_bytes, what ": bytes asked for")
#define WAVES_OF(X, name, what)                                         \
    X(name##_req,   what ": requests")                                  \
    X(name##_wave,  what ": wavefronts")                                \
    X(name##_conf,  what ": bank conflicts")                            \
    X(name##_bytes, what ": bytes asked for")

/* each way to reach memory */
#define METRICS_OF_MEMORY(X)                                            \
    SECTORS_OF(X, gld,      "global loads")                             \
    SECTORS_OF(X, gst,      "global stores")                            \
    SECTORS_OF(X, gatom,    "global atomics with result")               \
    SECTORS_OF(X, gred,     "global atomics without result")            \
    SECTORS_OF(X, async_ca, "cp.async.ca")                              \
    SECTORS_OF(X, async_cg, "cp.async.cg")                              \
    SECTORS_OF(X, lld,      "local loads")                              \
    SECTORS_OF(X, lst,      "local stores")                             \
    WAVES_OF(X, sld,        "shared loads")                             \
    WAVES_OF(X, sst,        "shared stores")                            \
    WAVES_OF(X, satom,      "shared atomics")                           \
    WAVES_OF(X, ldsm,       "ldmatrix")                                 \
    WAVES_OF(X, stsm,       "stmatrix")                                 \
    SECTORS_OF(X, tma_ld,   "loads of TMA")                             \
    X(tma_ld_l2, "loads of TMA: sectors asked of the L2 cache")         \
    SECTORS_OF(X, tma_st,   "stores of TMA")                            \
    SECTORS_OF(X, tma_red,  "reductions of TMA to global memory")       \
    SECTORS_OF(X, tma_dsm,  "copies of TMA within a cluster")           \
    X(gmma_req,   "wgmma: warp instructions")                           \
    X(gmma_wave,  "wgmma: wavefronts of operands in shared memory")     \
    X(const_req,  "constant loads: requests")                           \
    X(const_wave, "constant loads: distinct addresses")

/* the metrics of arithmetic */
#define METRICS_OF_ARITHMETIC(X)                                        \
    X(fadd,        "lanes adding or subtracting floats")                \
    X(fmul,        "lanes multiplying floats")                          \
    X(ffma,        "lanes in a fused multiply-add (2 FLOP)")            \
    X(flop,        "FLOP of these three")                               \
    X(half_flop,   "FLOP in half and bfloat16")                         \
    X(double_flop, "FLOP in double")                                    \
    X(special,     "lanes in ex2, lg2, rcp, rsqrt, sin, cos, tanh")     \
    X(tensor_inst, "warp instructions of tensor cores")                 \
    X(tensor_flop, "FLOP of tensor cores")

/* the metrics of a kernel */
/* Everything a report prints: X(short name, what it counts).  struct Totals
 * has a member for each, metric_names and metric_values list them. */
#define METRICS(X)                                                      \
    X(launch_warps,   "warps launched")                                 \
    X(inst,           "warp instructions (of PTX)")                     \
    X(thread_inst,    "lanes of those")                                 \
    X(thread_inst_on, "lanes whose guard was true")                     \
    X(thread_mem,     "lanes of instructions that access memory")       \
    X(branch,         "branches")                                       \
    X(branch_div,     "branches that split their warp")                 \
    X(barriers,       "warps arriving at a block's barrier")            \
    METRICS_OF_MEMORY(X)                                                \
    X(unique_read,    "different sectors of global memory read")        \
    X(unique_written, "different sectors of global memory written")     \
    METRICS_OF_ARITHMETIC(X)                                            \
    X(smem_static,    "bytes of shared memory declared, per block")     \
    X(smem_dynamic,   "bytes of shared memory asked for at launch")

#define MEMBER(name, what) uint64_t name;
struct Totals { METRICS(MEMBER) };
#undef MEMBER

extern const struct Metric { const char *name, *what; } metric_table[];
enum { METRIC_COUNT = sizeof(struct Totals) / sizeof(uint64_t) };

/* The i-th metric, 0 <= i < METRIC_COUNT, in the order of metric_table. */
uint64_t metric_value(const struct Totals *t, int i);

enum Work {                     /* what an instruction is counted as */
    WORK_OTHER,                 /* memory is known by its traffic    */
    WORK_BRANCH, WORK_BARRIER,
    WORK_FADD, WORK_FMUL, WORK_FFMA,
    WORK_HALF, WORK_DOUBLE, WORK_SPECIAL,
    WORK_TENSOR,
};

/* Add one instruction.  flop: of WORK_HALF and WORK_DOUBLE per lane, of
 * WORK_TENSOR per warp (2 M N K); else it is not read. */
void totals_add(struct Totals *t, const struct Site *s, enum Work work,
                int flop);

#endif
