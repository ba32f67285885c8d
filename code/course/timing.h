/* Tangled from chapters/course/grader-gpu.nw, "What is measured".  Edit it there. */

/* How long the launches of a case take. */
#ifndef COURSE_TIMING_H
#define COURSE_TIMING_H

#include "course/course.h"

struct Spread { double median, low, high; };    /* us                    */
struct Timing {
    struct Spread launches, copy;
    double bytes;               /* the least to be moved, and copied     */
};

/* what it takes to launch again */
enum { MOST_LAUNCHES = 8, MOST_SENT = 16, MOST_ARGUMENTS = 16 };

struct Launched {
    const void *kernel;
    struct Shape shape;
    struct Argument argument[MOST_ARGUMENTS];
    int arguments;
};
struct Sent { const struct Array *array; void *numbers; size_t bytes; };
struct Again {
    struct Launched launch[MOST_LAUNCHES];
    struct Sent sent[MOST_SENT];
    int launches, sents;
    double bytes;               /* read once and written once            */
};

/* Note a launch; note numbers that were sent to the device. */
void again_launch(struct Again *, const void *kernel, struct Shape,
                  const struct Argument *, int n);
void again_send(struct Again *, const struct Array *, size_t bytes);
/* Add what an array of so many bytes must move. */
void again_moves(struct Again *, const struct Array *, size_t bytes);
void again_free(struct Again *);

#endif
