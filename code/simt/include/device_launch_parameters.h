/* Tangled from chapters/workshop/simt-runtime.nw, "Headers that are missing".  Edit it there. */

/* threadIdx and its kin: simtcc has read cuda_runtime.h before. */
#include "cuda_runtime_api.h"
