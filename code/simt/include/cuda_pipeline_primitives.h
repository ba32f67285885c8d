/* Tangled from chapters/workshop/foreign-features.nw, "Pipelines".  Edit it there. */

#include "cuda_pipeline.h"
