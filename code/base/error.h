/* Tangled from chapters/workshop/ground-floor.nw, "Saying what failed".  Edit it there. */

#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#ifndef __linux__
#error Moving Bytes needs Linux; on Windows, WSL2
#endif

#include <stdarg.h>
#include <stdbool.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* A sentence for the person at the terminal: what failed, on what, what
 * was expected, what to do.  Filled by the functions that return bool.  It
 * is one line, and holds no control character: they appear as \xHH. */
struct Error {
    char text[1024];
};

/* Format a message into e (which may be NULL: nobody asked) and return
 * false, so that a caller can write `return error_set(e, ...)`. */
bool error_set(struct Error *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The name in front of messages; set by main from argv[0]. */
void program_set_name(const char *argv0);
const char *program_name(void);

/* "NAME: message" on standard error. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warn_list(const char *format, va_list args);

C_FUNCTIONS_END

#endif
