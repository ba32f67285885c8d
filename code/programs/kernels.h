/* Tangled from chapters/workshop/programs.nw, "Kernels by the environment".  Edit it there. */

/* kernels.h: GEMM_KERNEL, PRODUCT_KERNEL, FLASH_KERNEL. */
#ifndef PROGRAMS_KERNELS_H
#define PROGRAMS_KERNELS_H

/* Choose on the current backend what those variables name; ends the
 * program if one names what this backend does not have. */
void kernels_from_environment(void);

#endif
