/* Tangled from chapters/workshop/simt-runtime.nw, "Collecting".  Edit it there. */

/* What a report knows of a kernel, for the files that print it. */
#ifndef SIMT_COUNTERS_ENTRY_H
#define SIMT_COUNTERS_ENTRY_H

#include "simt/runtime/cards.h"
#include "simt/simt.h"

struct Entry {
    const struct Kernel *kernel;
    char name[128];
    uint64_t launches, warps;
    uint64_t seen;                  /* blocks that were counted     */
    struct Dim3 grid, block;        /* of the last launch           */
    bool same;                      /* all launches had that shape  */
    size_t dynamic_shared;          /* the largest                  */
    uint64_t read, written;         /* sectors, summed over launches */
    double least_s;                 /* see the least time, below    */
    struct Site *site;              /* [kernel->instructions]       */
};

/* what other files ask of an entry */
/* What a kernel's instructions add up to; blocks in a grid, threads in a
 * block. */
struct Totals totals_of(const struct Kernel *k, const struct Site *site);
uint64_t volume(struct Dim3 d);

struct Line {                       /* of source                    */
    struct Site sum;
    struct Traffic read, write;     /* of global memory             */
    bool used;
};
enum { MAX_LINES = 100000, CONTEXT = 2 };

/* Sum up the instructions of a file, line by line.  -> the last line */
int sum_lines(struct Line *line, int room, const struct Entry *e, int file);
/* Whether line i is one of those that are shown: CONTEXT around a use. */
bool near_use(const struct Line *line, int i, int last);
/* The path as a reader here would write it. */
const char *from_here(const char *path);

#endif
