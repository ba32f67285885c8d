/* Tangled from chapters/workshop/ground-floor.nw, "Saying what failed".  Edit it there. */

/* fail.h: for programs, which alone decide that they end. */
#ifndef BASE_FAIL_H
#define BASE_FAIL_H

#include "base/error.h"

C_FUNCTIONS_BEGIN

/* "NAME: message" on standard error, then exit status 1 (a failure of the
 * world) or 2 (a mistake in the request). */
void fail(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));
void misuse(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

C_FUNCTIONS_END

#endif
