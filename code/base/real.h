/* Tangled from chapters/workshop/ground-floor.nw, "Time, and the type of a number".  Edit it there. */

#ifndef BASE_REAL_H
#define BASE_REAL_H

#include "base/extern_c.h"

/* The number type of every operator and of the model.  Files always hold
 * float32, whatever real is. */
#ifdef REAL_IS_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#ifdef __has_feature
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__        /* as GCC says it */
#endif
#endif

/* Put before a small static function with a plain loop: compiled for
 * AVX-512, AVX2 and the baseline, chosen when the program starts. */
#if !defined(__x86_64__) || defined(__SANITIZE_ADDRESS__)
#define SIMD_CLONES __attribute__((noinline))
#elif defined(__clang__)
#define SIMD_CLONES \
    __attribute__((target_clones("avx512f", "avx2", "default")))
#elif __GNUC__ < 12
#define SIMD_CLONES \
    __attribute__((noinline, target_clones("avx512f", "avx2", "default")))
#else
#define SIMD_CLONES                                    \
    __attribute__((noinline, target_clones(            \
        "arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif

#endif
