/* Tangled from chapters/workshop/foreign-features.nw, "Profile ranges, and other headers".  Edit it there. */

#ifndef SIMT_CUDA_STD_UTILITY_H
#define SIMT_CUDA_STD_UTILITY_H
#include <utility>
namespace cuda { namespace std { using namespace ::std; } }
#endif
