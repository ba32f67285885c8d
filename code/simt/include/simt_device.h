/* Tangled from chapters/workshop/simt-runtime.nw, "Warps".  Edit it there. */

#ifndef SIMT_DEVICE_H
#define SIMT_DEVICE_H

/* barriers and fences */
/* clang 14 believes that its own __syncthreads leaves __shared__ variables
 * as they are, and may read one before it.  It does not see into these. */
#define SIMT_MEMORY() asm volatile("" ::: "memory")
SIMT_DEVICE void simt_syncthreads(void)
{
    asm volatile("bar.sync 0;" ::: "memory");
}
#define __syncthreads() simt_syncthreads()

SIMT_DEVICE void __syncwarp(unsigned mask = 0xffffffffu)
{
    SIMT_MEMORY();
    __nvvm_bar_warp_sync(mask);
    SIMT_MEMORY();
}
SIMT_DEVICE int __syncthreads_count(int p)
{
    SIMT_MEMORY();
    p = __nvvm_bar0_popc(p);
    SIMT_MEMORY();
    return p;
}
SIMT_DEVICE int __syncthreads_and(int p)
{
    SIMT_MEMORY();
    p = __nvvm_bar0_and(p);
    SIMT_MEMORY();
    return p;
}
SIMT_DEVICE int __syncthreads_or(int p)
{
    SIMT_MEMORY();
    p = __nvvm_bar0_or(p);
    SIMT_MEMORY();
    return p;
}
SIMT_DEVICE void __threadfence_block(void)
{
    asm volatile("membar.cta;" ::: "memory");
}
SIMT_DEVICE void __threadfence(void)
{
    asm volatile("membar.gl;" ::: "memory");
}
SIMT_DEVICE void __threadfence_system(void)
{
    asm volatile("membar.sys;" ::: "memory");
}

/* shuffles */
#define SIMT_SHUFFLE32(name, builtin, bound, arg, T, letters)             \
    SIMT_DEVICE T name(unsigned mask, T v, arg lane, int width = 32)      \
    {                                                                     \
        return (T)__nvvm_shfl_sync_##builtin##_##letters(                 \
            mask, v, (int)lane, ((32 - width) << 8) | bound);             \
    }
#define SIMT_SHUFFLE64(name, arg, T)                                      \
    SIMT_DEVICE T name(unsigned mask, T v, arg lane, int width = 32)      \
    {                                                                     \
        unsigned long long b = __builtin_bit_cast(unsigned long long, v); \
        unsigned low = name(mask, (unsigned)b, lane, width);              \
        unsigned high = name(mask, (unsigned)(b >> 32), lane, width);     \
        b = low | (unsigned long long)high << 32;                        \
        return __builtin_bit_cast(T, b);                                  \
    }
#define SIMT_SHUFFLE(name, builtin, bound, arg)                           \
    SIMT_SHUFFLE32(name, builtin, bound, arg, int, i32)                   \
    SIMT_SHUFFLE32(name, builtin, bound, arg, unsigned, i32)              \
    SIMT_SHUFFLE32(name, builtin, bound, arg, float, f32)                 \
    SIMT_SHUFFLE64(name, arg, long long)                                  \
    SIMT_SHUFFLE64(name, arg, unsigned long long)                         \
    SIMT_SHUFFLE64(name, arg, long)                                       \
    SIMT_SHUFFLE64(name, arg, unsigned long)                              \
    SIMT_SHUFFLE64(name, arg, double)

SIMT_SHUFFLE(__shfl_sync, idx, 31, int)
SIMT_SHUFFLE(__shfl_up_sync, up, 0, unsigned)
SIMT_SHUFFLE(__shfl_down_sync, down, 31, unsigned)
SIMT_SHUFFLE(__shfl_xor_sync, bfly, 31, int)


/* votes and matches */
SIMT_DEVICE int __all_sync(unsigned mask, int p)
{
    return __nvvm_vote_all_sync(mask, p);
}
SIMT_DEVICE int __any_sync(unsigned mask, int p)
{
    return __nvvm_vote_any_sync(mask, p);
}
SIMT_DEVICE int __uni_sync(unsigned mask, int p)
{
    return __nvvm_vote_uni_sync(mask, p);
}
SIMT_DEVICE unsigned __ballot_sync(unsigned mask, int p)
{
    return __nvvm_vote_ballot_sync(mask, p);
}
SIMT_DEVICE unsigned __activemask(void)
{
    unsigned mask;
    [[clang::nomerge]]
    {
        asm volatile("activemask.b32 %0;" : "=r"(mask) : : "memory");
    }
    return mask;
}

/* clang 14 gives the 64-bit forms a result of the wrong width: hence asm */
#define SIMT_MATCH(T, U, bits, letter)                                    \
    SIMT_DEVICE unsigned __match_any_sync(unsigned mask, T v)             \
    {                                                                     \
        unsigned who;                                                     \
        asm volatile("match.any.sync." bits " %0, %1, %2;"                \
                     : "=r"(who)                                          \
                     : letter(__builtin_bit_cast(U, v)), "r"(mask));      \
        return who;                                                       \
    }                                                                     \
    SIMT_DEVICE unsigned __match_all_sync(unsigned mask, T v, int *same)  \
    {                                                                     \
        unsigned who;                                                     \
        asm volatile("match.all.sync." bits " %0, %1, %2;"                \
                     : "=r"(who)                                          \
                     : letter(__builtin_bit_cast(U, v)), "r"(mask));      \
        *same = who != 0;                                                 \
        return who;                                                       \
    }
SIMT_MATCH(int, unsigned, "b32", "r")
SIMT_MATCH(unsigned, unsigned, "b32", "r")
SIMT_MATCH(float, unsigned, "b32", "r")
SIMT_MATCH(long long, unsigned long long, "b64", "l")
SIMT_MATCH(unsigned long long, unsigned long long, "b64", "l")
SIMT_MATCH(double, unsigned long long, "b64", "l")

#define SIMT_REDUX(name, op, T)                                           \
    SIMT_DEVICE T name(unsigned mask, T v)                                \
    {                                                                     \
        T all;                                                            \
        asm volatile("redux.sync." op " %0, %1, %2;"                      \
                     : "=r"(all) : "r"(v), "r"(mask));                    \
        return all;                                                       \
    }
SIMT_REDUX(__reduce_add_sync, "add.u32", unsigned)
SIMT_REDUX(__reduce_add_sync, "add.s32", int)
SIMT_REDUX(__reduce_min_sync, "min.u32", unsigned)
SIMT_REDUX(__reduce_min_sync, "min.s32", int)
SIMT_REDUX(__reduce_max_sync, "max.u32", unsigned)
SIMT_REDUX(__reduce_max_sync, "max.s32", int)
SIMT_REDUX(__reduce_and_sync, "and.b32", unsigned)
SIMT_REDUX(__reduce_or_sync, "or.b32", unsigned)
SIMT_REDUX(__reduce_xor_sync, "xor.b32", unsigned)

/* shuffles and votes without a mask */
#define SIMT_OLD(name)                                                    \
    template <class T, class... A> __attribute__((deprecated(             \
        "simtcc: " #name " names no lanes: use " #name "_sync")))         \
    SIMT_DEVICE auto name(T v, A... a)                                    \
    {                                                                     \
        return name##_sync(__activemask(), v, a...);                      \
    }
SIMT_OLD(__shfl)
SIMT_OLD(__shfl_up)
SIMT_OLD(__shfl_down)
SIMT_OLD(__shfl_xor)
SIMT_OLD(__any)
SIMT_OLD(__all)
SIMT_OLD(__ballot)

/* bits */
SIMT_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
SIMT_DEVICE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
SIMT_DEVICE int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
SIMT_DEVICE int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
SIMT_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
SIMT_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
SIMT_DEVICE unsigned __brev(unsigned x)
{
    return __builtin_bitreverse32(x);
}
SIMT_DEVICE unsigned long long __brevll(unsigned long long x)
{
    return __builtin_bitreverse64(x);
}
SIMT_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
    return __nvvm_prmt(a, b, s);
}
SIMT_DEVICE int __mulhi(int a, int b)
{
    return (int)((long long)a * b >> 32);
}
SIMT_DEVICE unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
SIMT_DEVICE int __mul24(int a, int b)          /* of 24 bits each */
{
    return ((int)((unsigned)a << 8) >> 8) * ((int)((unsigned)b << 8) >> 8);
}
SIMT_DEVICE unsigned __umul24(unsigned a, unsigned b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
SIMT_DEVICE int __hadd(int a, int b)
{
    return (int)(((long long)a + b) >> 1);
}
SIMT_DEVICE unsigned __sad(int a, int b, unsigned c)
{
    return c + (a > b ? (unsigned)a - b : (unsigned)b - a);
}
SIMT_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c)
{
    return c + (a > b ? a - b : b - a);
}
SIMT_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high,
                                     unsigned by)
{
    unsigned n = by & 31;
    return n ? high << n | low >> (32 - n) : high;
}
SIMT_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high,
                                     unsigned by)
{
    unsigned n = by & 31;
    return n ? low >> n | high << (32 - n) : low;
}

/* loads and stores with a hint */
#define SIMT_HINT_LOAD(name) \
    template <class T> SIMT_DEVICE T name(const T *p) { return *p; }
#define SIMT_HINT_STORE(name) \
    template <class T> SIMT_DEVICE void name(T *p, T v) { *p = v; }
SIMT_HINT_LOAD(__ldg)
SIMT_HINT_LOAD(__ldca)
SIMT_HINT_LOAD(__ldcg)
SIMT_HINT_LOAD(__ldcs)
SIMT_HINT_LOAD(__ldlu)
SIMT_HINT_LOAD(__ldcv)
SIMT_HINT_STORE(__stwb)
SIMT_HINT_STORE(__stcg)
SIMT_HINT_STORE(__stcs)
SIMT_HINT_STORE(__stwt)

SIMT_DEVICE size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)(const __attribute__((address_space(3))) void *)p;
}
SIMT_DEVICE size_t __cvta_generic_to_global(const void *p)
{
    return (size_t)(const __attribute__((address_space(1))) void *)p;
}

/* printf, assert, clock */
extern "C" __device__ int vprintf(const char *format, void *arguments);
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ __attribute__((noreturn)) void
__assertfail(const char *what, const char *file, unsigned line,
             const char *function, size_t char_bytes);
extern "C" __device__ inline
    __attribute__((noreturn, nodebug, always_inline)) void
__assert_fail(const char *what, const char *file, unsigned line,
              const char *function) noexcept
{
    __assertfail(what, file, line, function, 1);
}
SIMT_DEVICE void __trap(void) { __builtin_trap(); }

/* a clock that counts instructions */
SIMT_DEVICE long long clock64(void)
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) : : "memory");
    return t;
}
SIMT_DEVICE long clock(void) { return (long)clock64(); }
SIMT_DEVICE unsigned long long globaltimer(void)
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) : : "memory");
    return t;
}
SIMT_DEVICE void __nanosleep(unsigned ns)      /* no time passes */
{
    asm volatile("nanosleep.u32 %0;" :: "r"(ns) : "memory");
}
SIMT_DEVICE void __prof_trigger(int) {}
SIMT_DEVICE void __brkpt(void) {}

#endif
