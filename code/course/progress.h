/* Tangled from chapters/course/grader.nw, "The program".  Edit it there. */

/* What a reader has done of the course, in one text file. */
#ifndef COURSE_PROGRESS_H
#define COURSE_PROGRESS_H

#include "base/error.h"

enum { MOST_RESULTS = 400, MOST_HINTS = 6 };

struct Result { char name[80]; int stars, hints; };
struct Progress { struct Result result[MOST_RESULTS]; int n; };

/* A file that is not there is no progress; one that is not understood, in
 * any line, is an error: to write it again would lose that line. */
bool progress_read(struct Progress *, const char *path, struct Error *e);
bool progress_write(const struct Progress *, const char *path,
                    struct Error *e);
/* The result of an exercise, new with no stars if it has none yet; NULL if
 * there are too many. */
struct Result *progress_of(struct Progress *, const char *name);

#endif
