/* Appendix F, The ground floor: F.2 Time, and the type of a number */
/* Tangled from chapters/f-ground.nw by `make tangle`; edit it there. */

#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds since an arbitrary moment; monotonic, good to well under 1 us. */
double now_s(void);

#endif
