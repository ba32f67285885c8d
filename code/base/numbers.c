/* Appendix J, Measuring this processor: J.1 Rows of numbers */
/* Tangled from chapters/j-measuring.nw by `make tangle`; edit it there. */

#include "base/numbers.h"

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

static void read_model(char *model, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(model, size, "unknown CPU");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = 0;
            snprintf(model, size, "%.80s", colon + 2);
            break;
        }
    }
    if (f)
        fclose(f);
}

const char *cpu_name(void)
{
    static char name[160];
    char model[96];
    read_model(model, sizeof model);
#ifdef __clang__
    const char *compiler = "clang";
#else
    const char *compiler = "gcc";
#endif
    snprintf(name, sizeof name, "%s; %ld cores; %s %.16s", model,
             sysconf(_SC_NPROCESSORS_ONLN), compiler, __VERSION__);
    return name;
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
