/* Tangled from chapters/workshop/simt-runtime.nw, "Half and bfloat16 in a kernel".  Edit it there. */

/* threadIdx and its kin: simtcc has read cuda_runtime.h before. */
#include "cuda_runtime_api.h"
