/* Tangled from chapters/workshop/ground-floor.nw, "Time, and the type of a number".  Edit it there. */

#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds since an arbitrary moment; monotonic, good to well under 1 us. */
double now_s(void);

#endif
