/* Tangled from chapters/course/grader.nw, "Playing the cases".  Edit it there. */

#include "course/limit.h"

bool limit(int what, rlim_t most)
{
    struct rlimit l;
    if (getrlimit(what, &l) != 0)
        return false;
    if (l.rlim_max > most)
        l.rlim_max = most;
    l.rlim_cur = l.rlim_max;
    return setrlimit(what, &l) == 0;
}
