/* Tangled from chapters/course/grader.nw, "The verdict".  Edit it there. */

/* What is known of a reader's file after it was run. */
#ifndef COURSE_VERDICT_H
#define COURSE_VERDICT_H

#include "course/device.h"

/* the verdict */
#include <stdio.h>

enum { MOST_COUNTS = 16, MOST_PROBLEMS = 3 };

struct Count {
    char what[60];
    double yours, at_most, book;
    bool by_compiler;           /* instructions: as good within 5 %      */
    struct Share {              /* of two lines of the source, the one   */
        int line;               /*   with most of it first; 0: none      */
        double of_line;
    } share[2];
};

struct Verdict {
    int cases, right;           /* played, and right                     */
    int n;                      /* size of the case that is played       */
    char with[90];              /* "rows = 4, columns = 34", or ""       */
    bool done;                  /* the process came to its end           */
    char wrong[700];            /* why the last case is wrong, or ""     */
    char problem[MOST_PROBLEMS][800];   /* no two of one kind            */
    int problems, shown;        /* that the sanitizer reported; of these */
    struct Count count[MOST_COUNTS];
    int counts;
    struct Timing timing;       /* of the last case, by a real GPU       */
    char ended[200];            /* how the process ended, if not done    */
};

/* What is offered as the answer to an exercise: the kernels of a PTX text
 * (for a real GPU, of what it can load), or those of one namespace. */
struct Attempt {
    const struct Exercise *exercise;
    const struct Device *device;        /* that plays the cases          */
    const char *image;
    size_t bytes;
    const char *space;          /* NULL: kernels in no namespace         */
    uint64_t seed;
    bool timed_only;            /* only the case that is timed           */
};

/* Play all cases of the exercise, in a process with limits.  What the
 * kernels print goes to the file `out`.  A real GPU plays the case that is
 * timed as well, if there is one. */
void grade_attempt(const struct Attempt *, FILE *out, struct Verdict *);
/* The stars of a verdict, 0 to 4. */
int verdict_stars(const struct Verdict *);

#endif
