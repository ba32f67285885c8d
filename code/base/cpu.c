/* Tangled from chapters/workshop/measuring-a-cpu.nw, "Rows of numbers".  Edit it there. */

#include "base/cpu.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
