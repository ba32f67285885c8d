/* Tangled from chapters/workshop/programs.nw, "Threads that wait politely".  Edit it there. */

/* threads.h: parallel loops on a machine that others use too. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

/* Call first in main.  Unless OMP_WAIT_POLICY, GOMP_SPINCOUNT or
 * KMP_BLOCKTIME is set, set the latter two so that idle threads sleep
 * soon, and start the program anew with them. */
void threads_wait_politely(char **argv);

/* For a program that measures: the same, and each thread is bound to a
 * core, unless OMP_PROC_BIND is set. */
void threads_stay_put(char **argv);

#endif
