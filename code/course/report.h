/* Tangled from chapters/course/class.nw, "A class".  Edit it there. */

/* All that a folder of exercises is worth, and all folders of a class. */
#ifndef COURSE_REPORT_H
#define COURSE_REPORT_H

#include "course/course.h"
#include "course/digest.h"

#include <stdio.h>

/* a report */
enum { MOST_GRADED = 400 };

struct Graded {
    const struct Exercise *exercise;
    int stars;
    char says[32];              /* "wrong", "races", "over its budget"   */
    char digest[DIGEST_TEXT];   /* of the source                         */
};
struct Report { struct Graded graded[MOST_GRADED]; int n; };

/* Grade every file of the folder that has the name of an exercise. */
bool report_make(struct Report *, const char *folder, uint64_t seed,
                 struct Error *e);
/* A line for each, and the hash of these lines. */
void report_print(const struct Report *, FILE *);

/* Grade the folders in `dir`, as many at a time as the machine has
 * processors; print a table as CSV. */
bool class_grade(const char *dir, uint64_t seed, struct Error *e);

#endif
