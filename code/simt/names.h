/* Appendix M, The runtime of the software GPU: M.8.7 Names */
/* Tangled from chapters/m-simt-runtime.nw by `make tangle`; edit it there. */

#ifndef SIMT_NAMES_H
#define SIMT_NAMES_H

#include <stddef.h>

/* "_Z5scaleILi4EEvPfi" -> "scale<4>": what the source calls a kernel.
 * Names that are not understood stay as they are. */
void plain_name(char *to, size_t size, const char *mangled);

#endif
