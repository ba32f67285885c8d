/* Tangled from chapters/workshop/ground-floor.nw, "Saying what failed".  Edit it there. */

#include "base/fail.h"

#include <stdlib.h>

void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    warn_list(format, args);
    va_end(args);
    exit(1);
}

void misuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    warn_list(format, args);
    va_end(args);
    exit(2);
}
