/* Tangled from chapters/workshop/simt-hopper.nw, "A cluster that a kernel declares".  Edit it there. */

/* The clusters that kernels declare with __cluster_dims__. */
#ifndef SIMT_RUNTIME_CLUSTERS_H
#define SIMT_RUNTIME_CLUSTERS_H

#include "simt/simt.h"

struct Error;

/* Those of the kernel with this function on the host; 0 x 0 x 0: it has
 * declared none.  False, and why: its arguments are no numbers. */
bool cluster_declared(struct Dim3 *, const void *host, struct Error *);

#endif
