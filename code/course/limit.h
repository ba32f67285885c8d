/* Tangled from chapters/course/grader.nw, "Playing the cases".  Edit it there. */

/* What a process of the grader may use. */
#ifndef COURSE_LIMIT_H
#define COURSE_LIMIT_H

#include <stdbool.h>
#include <sys/resource.h>

/* From now on at most so much, or less if less was allowed.  `what` is
 * RLIMIT_CPU, in seconds, or another limit of setrlimit. */
bool limit(int what, rlim_t most);

#endif
