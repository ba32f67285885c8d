/* Appendix M, The runtime of the software GPU: M.3.6 Half and bfloat16 in a kernel */
/* Tangled from chapters/m-simt-runtime.nw by `make tangle`; edit it there. */

#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
