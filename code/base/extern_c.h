/* Tangled from chapters/workshop/ground-floor.nw, "Saying what failed".  Edit it there. */

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
