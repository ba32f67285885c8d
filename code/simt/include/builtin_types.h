/* Tangled from chapters/workshop/foreign-programs.nw, "Headers by their names".  Edit it there. */

#include "cuda_runtime_api.h"
