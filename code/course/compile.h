/* Tangled from chapters/course/grader.nw, "Compiling the reader's file".  Edit it there. */

/* A reader's .cu file to PTX; none of its host code is compiled. */
#ifndef COURSE_COMPILE_H
#define COURSE_COMPILE_H

#include "base/file.h"

/* -> ptx, to be unmapped.  False: what the compiler said has been printed
 * on standard error, or e says what else is wrong. */
bool compile_ptx(struct Mapped *ptx, const char *path, struct Error *e);
/* The directory of the running program. */
bool program_dir(char *to, size_t room, struct Error *e);

#endif
