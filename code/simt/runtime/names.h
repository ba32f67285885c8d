/* Tangled from chapters/workshop/simt-runtime.nw, "Names".  Edit it there. */

#ifndef SIMT_RUNTIME_NAMES_H
#define SIMT_RUNTIME_NAMES_H

#include <stddef.h>

/* "_Z5scaleILi4EEvPfi" -> "scale<4>": what the source calls a kernel.
 * Names that are not understood stay as they are. */
void plain_name(char *to, size_t size, const char *mangled);

#endif
