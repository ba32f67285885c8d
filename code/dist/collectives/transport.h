/* Tangled from chapters/workshop/exchange.nw, "The interface".  Edit it there. */

#ifndef DIST_COLLECTIVES_TRANSPORT_H
#define DIST_COLLECTIVES_TRANSPORT_H

#include "dist/collectives/world.h"

#include <stdatomic.h>

/* `struct Board`: what all ranks can read */
struct Board {
    _Atomic int culprit;        /* 1 + rank; 0: none; -1: being written  */
    char why[200];
    _Atomic int waits_for[RANKS_MAX];   /* 1 + rank; 0: does not wait    */
    _Atomic int ended[RANKS_MAX];       /* its body has returned         */
    _Atomic int port[RANKS_MAX];        /* sockets: where it listens     */
    uint64_t token;                     /* sockets: of this run          */
    struct Outcome outcome[RANKS_MAX];
};

/* Announce that a rank has failed, unless an announcement is there. */
void board_accuse(struct Board *b, int rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True, with a message, if a failure has been announced. */
bool board_failed(struct Board *b, struct Error *e);


/* `struct Transport`: how bytes travel */
struct Transport {
    /* In the parent, before the ranks start; in a rank; in a rank that is
     * done; in the parent. */
    void *(*prepare)(int ranks);
    bool (*open)(struct World *w, struct Error *e);
    void (*close)(struct World *w);
    void (*release)(void *prepared, int ranks);
    /* Bytes moved now, 0 if none can be. */
    size_t (*push)(struct World *w, int to, const void *from, size_t n);
    size_t (*pull)(struct World *w, int from, void *to, size_t n);
    /* Sleep until more can be moved, or for a few milliseconds. */
    void (*rest)(struct World *w, int to, int from);
};

extern const struct Transport transport_shared, transport_sockets;

#endif
