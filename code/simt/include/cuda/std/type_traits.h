/* Tangled from chapters/workshop/foreign-features.nw, "Profile ranges, and other headers".  Edit it there. */

#ifndef SIMT_CUDA_STD_TYPE_TRAITS_H
#define SIMT_CUDA_STD_TYPE_TRAITS_H
#include <type_traits>
namespace cuda { namespace std { using namespace ::std; } }
#endif
