/* Tangled from chapters/workshop/simt-runtime.nw, "Atomics".  Edit it there. */

#ifndef SIMT_ATOMICS_H
#define SIMT_ATOMICS_H

#define SIMT_ATOMIC(name, builtin, T, B)                                  \
    SIMT_DEVICE T name(T *p, T v)                                         \
    {                                                                     \
        return (T)__nvvm_atom_##builtin((B volatile *)p, (B)v);           \
    }
#define SIMT_ATOMIC_WORDS(name, builtin)                                  \
    SIMT_ATOMIC(name, builtin##_gen_i, int, int)                          \
    SIMT_ATOMIC(name, builtin##_gen_i, unsigned, int)                     \
    SIMT_ATOMIC(name, builtin##_gen_ll, unsigned long long, long long)

SIMT_ATOMIC_WORDS(atomicAdd, add)
SIMT_ATOMIC(atomicAdd, add_gen_f, float, float)
SIMT_ATOMIC(atomicAdd, add_gen_d, double, double)
SIMT_ATOMIC_WORDS(atomicExch, xchg)
SIMT_ATOMIC_WORDS(atomicAnd, and)
SIMT_ATOMIC_WORDS(atomicOr, or)
SIMT_ATOMIC_WORDS(atomicXor, xor)
SIMT_ATOMIC(atomicMin, min_gen_i, int, int)
SIMT_ATOMIC(atomicMin, min_gen_ui, unsigned, unsigned)
SIMT_ATOMIC(atomicMin, min_gen_ll, long long, long long)
SIMT_ATOMIC(atomicMin, min_gen_ull, unsigned long long, unsigned long long)
SIMT_ATOMIC(atomicMax, max_gen_i, int, int)
SIMT_ATOMIC(atomicMax, max_gen_ui, unsigned, unsigned)
SIMT_ATOMIC(atomicMax, max_gen_ll, long long, long long)
SIMT_ATOMIC(atomicMax, max_gen_ull, unsigned long long, unsigned long long)
SIMT_ATOMIC(atomicInc, inc_gen_ui, unsigned, unsigned)
SIMT_ATOMIC(atomicDec, dec_gen_ui, unsigned, unsigned)

SIMT_DEVICE int atomicSub(int *p, int v) { return atomicAdd(p, -v); }
SIMT_DEVICE unsigned atomicSub(unsigned *p, unsigned v)
{
    return atomicAdd(p, 0u - v);
}
SIMT_DEVICE float atomicExch(float *p, float v)
{
    int old = atomicExch((int *)p, __builtin_bit_cast(int, v));
    return __builtin_bit_cast(float, old);
}

#define SIMT_CAS(T, B, letters)                                           \
    SIMT_DEVICE T atomicCAS(T *p, T compare, T v)                         \
    {                                                                     \
        return (T)__nvvm_atom_cas_gen_##letters(                          \
            (B volatile *)p, (B)compare, (B)v);                           \
    }
SIMT_CAS(int, int, i)
SIMT_CAS(unsigned, int, i)
SIMT_CAS(unsigned long long, long long, ll)
SIMT_DEVICE unsigned short atomicCAS(unsigned short *p,
                                     unsigned short compare,
                                     unsigned short v)
{
    unsigned short old;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(old)
                 : "l"(p), "h"(compare), "h"(v) : "memory");
    return old;
}

/* atomics that name a scope */
#define SIMT_SCOPED(name)                                                 \
    template <class T, class... A>                                        \
    SIMT_DEVICE auto name##_block(T *p, A... v) { return name(p, v...); } \
    template <class T, class... A>                                        \
    SIMT_DEVICE auto name##_system(T *p, A... v) { return name(p, v...); }
SIMT_SCOPED(atomicAdd)
SIMT_SCOPED(atomicSub)
SIMT_SCOPED(atomicExch)
SIMT_SCOPED(atomicAnd)
SIMT_SCOPED(atomicOr)
SIMT_SCOPED(atomicXor)
SIMT_SCOPED(atomicMin)
SIMT_SCOPED(atomicMax)
SIMT_SCOPED(atomicInc)
SIMT_SCOPED(atomicDec)
SIMT_SCOPED(atomicCAS)

__device__ float atomicMax(float *, float) __attribute__((unavailable(
    "simtcc: there is no atomicMax of floats, on a GPU either: compare "
    "their bits with atomicMax of int, or loop with atomicCAS")));
__device__ float atomicMin(float *, float) __attribute__((unavailable(
    "simtcc: there is no atomicMin of floats, on a GPU either")));

#endif
