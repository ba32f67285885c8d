/* Tangled from chapters/workshop/measuring-a-gpu.nw, "bench-latency: the caches of a CPU".  Edit it there. */

/* Blocks of memory for the programs that time them. */
#ifndef BENCH_BLOCK_H
#define BENCH_BLOCK_H

#include "base/error.h"
#include "base/real.h"
#include "bench/numbers.h"
#include "bench/sample.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* A row of such a program's table (see base/args.h); runs is an int. */
#define RUNS_OPTION(runs)                                           \
    { "runs", OPT_INT, &(runs), 1, MAX_RUNS, "N",                   \
      "runs of each measurement; the fastest counts", NULL }

/* memory in pages of one kind */
enum { HUGE = 2 << 20, LINE = 64 };

/* `bytes` of memory, all of them written, which the program keeps. */
static char *block_new(size_t bytes, bool huge)
{
    size_t room = bytes + HUGE;
    char *p = mmap(NULL, room, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        fail("no memory for a block of %zu MiB: %s", bytes >> 20,
             strerror(errno));
    p += (HUGE - (uintptr_t)p % HUGE) % HUGE;
    if (madvise(p, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0)
        warn("this kernel gives no choice of pages: %s", strerror(errno));
    memset(p, 1, bytes);
    return p;
}

/* read all of a block */
typedef long Eight __attribute__((vector_size(64), may_alias));

SIMD_CLONES static long read_all(const char *p, size_t n)
{
    Eight s[4] = { { 0 } };
    for (size_t i = 0; i < n; i += 4 * sizeof *s)
        for (size_t j = 0; j < 4; j++)
            s[j] |= *(const Eight *)(p + i + j * sizeof *s);
    s[0] |= s[1] | s[2] | s[3];
    return s[0][0] | s[0][1] | s[0][3] | s[0][7];
}

#endif
