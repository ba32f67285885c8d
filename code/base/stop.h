/* Tangled from chapters/workshop/programs.nw, "Being told to stop".  Edit it there. */

/* stop.h: finish what you are doing, then leave. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

/* From now on SIGINT, SIGTERM and SIGHUP are noted; a second one kills. */
void stop_catch(void);

/* The signal that was noted, or 0. */
int stop_signal(void);

/* "SIGINT" */
const char *stop_name(int signal);

/* Die of this signal. */
_Noreturn void stop_die(int signal);

#endif
