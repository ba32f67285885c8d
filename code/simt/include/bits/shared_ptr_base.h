/* Tangled from chapters/workshop/simt-runtime.nw, "Headers that are missing".  Edit it there. */

#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
