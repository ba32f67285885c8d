/* Appendix G, The programs: G.4 Threads that wait politely */
/* Tangled from chapters/g-programs.nw by `make tangle`; edit it there. */

#include "base/threads.h"

#include <stdlib.h>
#include <unistd.h>

void threads_wait_politely(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT")
        || getenv("KMP_BLOCKTIME"))
        return;
    if (setenv("GOMP_SPINCOUNT", "2000", 1) == 0
        && setenv("KMP_BLOCKTIME", "0", 1) == 0)
        execv("/proc/self/exe", argv);
}
