/* Tangled from chapters/workshop/programs.nw, "The log of a run".  Edit it there. */

/* runlog.h: one row of CSV for each step, and of ranks now and then. */
#ifndef GPT2_RUNLOG_H
#define GPT2_RUNLOG_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

struct RunLog { FILE *file; char path[4096]; };

struct LogRow {
    int64_t step;
    double loss, val_loss, norm, lr;    /* val_loss NaN: not measured */
    double tokens_per_s;
};

/* Seconds that ranks needed for their own gradients of a step. */
struct RankRow {
    int64_t step;
    int ranks, slowest;
    double most_s, median_s, least_s;
};

/* The rows of a file: of steps, or of ranks. */
enum RunLogRows { LOG_STEPS, LOG_RANKS };

/* Open for a run whose next step is step + 1.  Of a file that is there,
 * rows up to `step` are kept and the others dropped; that is an error
 * unless the run resumes. */
bool runlog_open(struct RunLog *l, enum RunLogRows rows, const char *path,
                 int64_t step, bool resumes, struct Error *e);

/* Append a row; it has left the process when this returns. */
bool runlog_row(struct RunLog *l, const struct LogRow *r, struct Error *e);
bool runlog_ranks(struct RunLog *l, const struct RankRow *r,
                  struct Error *e);
void runlog_close(struct RunLog *l);

#endif
