/* Tangled from chapters/course/grader-gpu.nw, "A device with a clock".  Edit it there. */

/* The GPU of this machine, if it has one. */
#ifndef COURSE_GPU_H
#define COURSE_GPU_H

#include "base/error.h"

struct Card {
    char name[96];
    char kind[16];              /* as nvcc calls it: "sm_90a"            */
};

/* Ask the driver, in a process of its own: a process that has talked to
 * the driver cannot be forked.  False: e says what is missing. */
bool find_card(struct Card *, struct Error *e);

#endif
