/* Tangled from chapters/workshop/exchange.nw, "The interface".  Edit it there. */

/* world.h: processes that send each other bytes, by number. */
#ifndef DIST_COLLECTIVES_WORLD_H
#define DIST_COLLECTIVES_WORLD_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANKS_MAX = 64, NOBODY = -1 };

/* the links of a model cluster */
/* A message of n bytes takes alpha_s + n beta_s seconds. */
struct Link { double alpha_s, beta_s; };

/* Ranks r and q share a host if r / per_host == q / per_host; 0: all do. */
struct Links { struct Link near, far; int per_host; };


/* `struct World`: what a rank knows */
/* count what a rank has sent */
struct Sent { uint64_t messages, bytes; };

struct World {
    int rank, size;
    struct Sent sent[RANKS_MAX];    /* to each rank, since the start     */
    struct Links links;             /* of the model cluster              */
    double clock_s;                 /* this rank's time in that model    */
    double limit_s;                 /* longest wait without any progress */
    /* Called after each step of a collective, if not NULL. */
    void (*after_step)(struct World *w, const float *x, size_t n);
    void *hook;                     /* for the function above            */
    float *scratch;                 /* of the collectives                */
    size_t room;                    /* floats in it                      */
    struct Board *board;
    const struct Transport *transport;
    void *state;                    /* the transport's                   */
};


/* send and receive at the same time */
/* Send out_bytes to rank `to` and receive in_bytes from rank `from`, both
 * at once; either may be NOBODY.  Returns when `out` may be overwritten and
 * `in` is there.  False if a rank has failed or nothing moves for
 * w->limit_s seconds; e names the rank. */
bool exchange(struct World *w, int to, const void *out, size_t out_bytes,
              int from, void *in, size_t in_bytes, struct Error *e);


/* start ranks, and learn how they ended */
enum Over { OVER_SHARED, OVER_SOCKETS };

struct Launch {
    int ranks;                  /* 1..RANKS_MAX                          */
    enum Over over;
    double limit_s;             /* 0: 30 seconds                         */
    struct Links links;
    bool (*body)(struct World *w, void *argument, struct Error *e);
    void *argument;
};

/* How a rank ended: its body returned true, or `text` says what failed, or
 * a signal ended it. */
struct Outcome { bool ok; int signal; char text[240]; };

/* Run body in `ranks` processes and wait for all of them.  False if one
 * failed; e then has the first cause, which names its rank, and
 * outcome[rank] what each of them reported.  A rank that does not end
 * limit_s after a failure is killed. */
bool ranks_run(const struct Launch *l, struct Outcome *outcome,
               struct Error *e);

/* Zeroed memory that ranks started later share with the caller. */
void *ranks_shared(size_t bytes);
void ranks_shared_free(void *memory, size_t bytes);


#endif
