/* Tangled from chapters/course/grader.nw, "Compiling the reader's file".  Edit it there. */

/* A reader's .cu file to kernels; none of its host code is compiled. */
#ifndef COURSE_COMPILE_H
#define COURSE_COMPILE_H

#include "base/file.h"

/* -> ptx, to be unmapped.  False: what the compiler said has been printed
 * on standard error, or e says what else is wrong. */
bool compile_ptx(struct Mapped *ptx, const char *path, struct Error *e);
/* The same by nvcc -> cubin, for a GPU such as "sm_90a". */
bool compile_cubin(struct Mapped *cubin, const char *path, const char *gpu,
                   struct Error *e);
/* The path of what the environment variable names, or else of the program
 * of that name, as a shell finds it. */
bool find_program(char to[FILE_PATH_MAX], const char *variable,
                  const char *name, struct Error *e);
/* The directory of the running program. */
bool program_dir(char *to, size_t room, struct Error *e);

#endif
