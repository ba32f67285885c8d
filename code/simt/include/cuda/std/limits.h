/* Tangled from chapters/workshop/foreign-features.nw, "Profile ranges, and other headers".  Edit it there. */

#ifndef SIMT_CUDA_STD_LIMITS_H
#define SIMT_CUDA_STD_LIMITS_H
#include <limits>
namespace cuda { namespace std { using namespace ::std; } }
#endif
