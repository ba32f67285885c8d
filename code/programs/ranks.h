/* Tangled from chapters/workshop/ranks.nw, "A program among others".  Edit it there. */

/* ranks.h: a program as one of several processes of a run. */
#ifndef PROGRAMS_RANKS_H
#define PROGRAMS_RANKS_H

#include "dist/dist.h"
#include "dist/hub.h"
#include "dist/launch.h"

/* `struct Ranks` */
struct Ranks {
    struct Place place;
    struct Hub hub;
    struct Dist dist;           /* world 1: alone */
    struct Backend *backend;    /* opened for a rank, else NULL */
};


/* declare what a program does with other ranks */
/* Join the others as place says: open this rank's backend, make it the
 * current one, wait for all.  Of all ranks but the first the standard
 * output goes nowhere.  Ends the program if that fails. */
void ranks_join(struct Ranks *r, double timeout_s);

/* End because of this failure; without a message if another rank has
 * said it, or is to say it. */
_Noreturn void ranks_fail(const struct Ranks *r, const char *text);

/* The run is complete, and nothing is allocated any more: this process
 * may end without the others. */
void ranks_leave(struct Ranks *r);

/* Values that must be the same in all ranks, by name. */
enum { AGREED_TEXT = 64, AGREED_MOST = 80 };
struct Agreed { const char *name; char text[AGREED_TEXT]; };

/* With two ranks or more: ends the program, with the first name whose
 * values differ. */
void ranks_agree(struct Ranks *r, const struct Agreed *a, int n);

#endif
