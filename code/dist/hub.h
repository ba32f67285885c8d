/* Tangled from chapters/workshop/ranks.nw, "The hub".  Edit it there. */

/* hub.h: how ranks find each other and talk about small things.  Rank 0
 * listens, the others connect to it, and everything goes through it. */
#ifndef DIST_HUB_H
#define DIST_HUB_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

C_FUNCTIONS_BEGIN

/* `struct Hub` */
struct Hub {
    int rank, world;
    int *socket;            /* rank 0: [world], to each; else [1] */
    double timeout_s;       /* that a rank may be late */
    double late_s;          /* that it is late already */
    int64_t step;           /* where the run is; for messages */
    uint32_t count;         /* exchanges so far */
    bool quiet;             /* another rank, or launch, says what failed */
    bool launched;          /* launch says so of a rank that is gone */
};


/* declare what a hub does */
/* Where rank 0 is: "host:port".  In rank 0 `listener` is a socket that
 * listens there already, or -1.  h->launched is set before.  Waits for
 * the others at most timeout_s.  Close also after a failure. */
bool hub_open(struct Hub *h, int rank, int world, const char *address,
              int listener, double timeout_s, struct Error *e);
void hub_close(struct Hub *h);

/* all[r] = what rank r has at mine, `bytes` each.  False, with the rank and
 * the cause, if one is gone, is late, or is at another exchange. */
bool hub_exchange(struct Hub *h, void *all, const void *mine, size_t bytes,
                  struct Error *e);

/* False, with the rank, if another rank is gone: without waiting. */
bool hub_alive(struct Hub *h, struct Error *e);

/* Every rank has waited late_s for work of its GPU in which all ranks take
 * part.  They answer each other within wait_s: false in any case, with the
 * rank that does not, or with what is known if all do. */
bool hub_roll_call(struct Hub *h, double late_s, double wait_s,
                   struct Error *e);

/* Tell the others that this rank has said what failed. */
void hub_abort(struct Hub *h);

/* A socket that listens on a free port of this host, for ranks that it
 * starts; *port is where.  -1 and a message on failure. */
int hub_listen(int *port, struct Error *e);

C_FUNCTIONS_END

#endif
