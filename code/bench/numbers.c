/* Tangled from chapters/workshop/measuring-a-cpu.nw, "Rows of numbers".  Edit it there. */

#include "bench/numbers.h"

#include "base/cpu.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void put_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
    for (char *p = to; *p; p++)
        if (*p == ',' || *p == '\n' || *p == '"')
            *p = ';';
}

bool numbers_open(struct Numbers *n, const char *path, const char *machine,
                  const char *command, struct Error *e)
{
    memset(n, 0, sizeof *n);
    if (!path || !*path)
        return true;
    n->file = fopen(path, "a");
    if (!n->file)
        return error_set(e, "cannot append to %s: %s", path,
                         strerror(errno));
    if (ftell(n->file) == 0)
        fputs("name,value,unit,machine,command,commit,date\n", n->file);
    const char *commit = getenv("COMMIT");
    put_text(n->machine, sizeof n->machine,
             machine && *machine ? machine : cpu_name());
    put_text(n->command, sizeof n->command, command);
    put_text(n->commit, sizeof n->commit,
             commit && *commit ? commit : "unknown");
    time_t now = time(NULL);
    strftime(n->date, sizeof n->date, "%Y-%m-%d", gmtime(&now));
    return true;
}

void number_put(struct Numbers *n, const char *unit, double value,
                const char *name_format, ...)
{
    if (!n->file)
        return;
    char name[96];
    va_list args;
    va_start(args, name_format);
    vsnprintf(name, sizeof name, name_format, args);
    va_end(args);
    fprintf(n->file, "%s,%.4g,%s,%s,%s,%s,%s\n", name, value, unit,
            n->machine, n->command, n->commit, n->date);
    fflush(n->file);        /* an interrupted run keeps what it has */
}

bool numbers_close(struct Numbers *n, struct Error *e)
{
    if (n->file && (ferror(n->file) | fclose(n->file)) != 0)
        return error_set(e, "the numbers could not be written: %s",
                         strerror(errno));
    return true;
}
