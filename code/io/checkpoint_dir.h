/* Tangled from chapters/workshop/file-formats.nw, "Whole or not at all".  Edit it there. */

/* checkpoint_dir.h: the directories OUT/step-NNNNNN, whatever is in them:
 * each appears whole or not at all. */
#ifndef IO_CHECKPOINT_DIR_H
#define IO_CHECKPOINT_DIR_H

#include <stdint.h>
#include "base/file.h"

/* A checkpoint that is being written. */
struct CheckpointDir {
    const char *out;
    int64_t step;
    char path[FILE_PATH_MAX];           /* OUT/step-NNNNNN */
    char temporary[FILE_PATH_MAX];      /* where its files are written */
};

/* Make OUT, if it is not there, and an empty directory d->temporary in it.
 * out must outlive d. */
bool checkpoint_begin(struct CheckpointDir *d, const char *out,
                      int64_t step, struct Error *e);

/* Give it its name; it is on disk when this returns true.  Its files must
 * be on disk before.  A checkpoint of the same step is replaced. */
bool checkpoint_publish(const struct CheckpointDir *d, struct Error *e);

/* Remove what was written, instead. */
void checkpoint_abandon(const struct CheckpointDir *d);

/* find and remove checkpoints */
/* The newest checkpoint in OUT: sets *step and path and returns true;
 * *step = -1 and true if there is none; false if OUT cannot be read. */
bool checkpoint_latest(const char *out, char path[FILE_PATH_MAX],
                       int64_t *step, struct Error *e);

/* The step that a directory's name tells, or -1. */
int64_t checkpoint_step(const char *path);

/* Remove what a killed save left in OUT.  Call when starting, with the
 * lock on OUT held. */
bool checkpoint_clean(const char *out, struct Error *e);

/* Delete all but the newest `keep` checkpoints (keep <= 0: none). */
bool checkpoint_prune(const char *out, int keep, struct Error *e);

#endif
