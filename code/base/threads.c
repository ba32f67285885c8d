/* Tangled from chapters/workshop/programs.nw, "Threads that wait politely".  Edit it there. */

#include "base/threads.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static bool set(const char *name, const char *value)
{
    return setenv(name, value, 1) == 0;
}

static bool asked_to_sleep(void)        /* false: nothing to change */
{
    return !getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT")
        && !getenv("KMP_BLOCKTIME")
        && set("GOMP_SPINCOUNT", "2000") && set("KMP_BLOCKTIME", "0");
}

void threads_wait_politely(char **argv)
{
    if (asked_to_sleep())
        execv("/proc/self/exe", argv);
}

void threads_stay_put(char **argv)
{
    bool bound = !getenv("OMP_PROC_BIND") && set("OMP_PROC_BIND", "true");
    if (asked_to_sleep() || bound)
        execv("/proc/self/exe", argv);
}
