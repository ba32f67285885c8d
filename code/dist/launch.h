/* Tangled from chapters/workshop/ranks.nw, "Starting ranks".  Edit it there. */

/* launch.h: start the ranks of a run on this host, and learn in a rank
 * which one it is. */
#ifndef DIST_LAUNCH_H
#define DIST_LAUNCH_H

#include "base/error.h"

/* `struct Place` */
/* Who this process is: by launch, OpenMPI's mpirun or Slurm's srun. */
struct Place {
    int rank, world;            /* of all */
    int local;                  /* of those on this host */
    int listener;               /* a socket that launch opened, or -1 */
    bool launched;              /* by launch */
    char address[300];          /* host:port of rank 0, or "" */
};


/* declare how ranks are started */
/* False, and rank 0 of 1, if nobody has started it as one of several. */
bool place_from_environment(struct Place *p);

/* Start `ranks` processes of this program with the same arguments, print
 * the first message of one that fails, and end as they end.  After a
 * failure all are ended and, `restarts` times, started again with
 * --resume. */
_Noreturn void launch_ranks(char **argv, int ranks, int restarts);

/* The status of a rank that ends because another has failed. */
enum { STATUS_OTHER_FAILED = 3 };

#endif
