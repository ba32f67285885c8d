/* Tangled from chapters/workshop/ground-floor.nw, "Saying what failed".  Edit it there. */

#include "base/error.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const char *name = "moving-bytes";

void program_set_name(const char *argv0)
{
    const char *slash = strrchr(argv0, '/');
    name = slash ? slash + 1 : argv0;
}

const char *program_name(void)
{
    return name;
}

bool error_set(struct Error *e, const char *format, ...)
{
    if (e) {
        char raw[sizeof e->text];
        va_list args;
        va_start(args, format);
        vsnprintf(raw, sizeof raw, format, args);
        va_end(args);
        escape_text(e->text, sizeof e->text, raw, strlen(raw), "");
    }
    return false;
}

/* print a message */
void warn_list(const char *format, va_list args)
{
    char raw[16384];
    fflush(stdout);
    vsnprintf(raw, sizeof raw, format, args);
    fprintf(stderr, "%s: ", name);
    print_escaped(stderr, raw, strlen(raw), "");
    fputc('\n', stderr);
}

void warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    warn_list(format, args);
    va_end(args);
}
