/* Appendix F, The ground floor: F.1 Saying what failed */
/* Tangled from chapters/f-ground.nw by `make tangle`; edit it there. */

#ifndef BASE_EXTERN_C_H
#define BASE_EXTERN_C_H

#ifdef __cplusplus
#define C_FUNCTIONS_BEGIN extern "C" {
#define C_FUNCTIONS_END }
#else
#define C_FUNCTIONS_BEGIN
#define C_FUNCTIONS_END
#endif

#endif
