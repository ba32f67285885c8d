/* Tangled from chapters/workshop/foreign-features.nw, "Atomic objects".  Edit it there. */

#ifndef SIMT_CUDA_ATOMIC_H
#define SIMT_CUDA_ATOMIC_H
#include "../simt_scope.h"

namespace cuda {
enum memory_order {
    memory_order_relaxed, memory_order_consume, memory_order_acquire,
    memory_order_release, memory_order_acq_rel, memory_order_seq_cst,
};
namespace std {
using namespace ::std;
using cuda::memory_order;
using cuda::memory_order_relaxed;
using cuda::memory_order_acquire;
using cuda::memory_order_release;
using cuda::memory_order_acq_rel;
using cuda::memory_order_seq_cst;
}

/* fences of a scope */
SIMT_BOTH void atomic_thread_fence(memory_order, thread_scope scope =
                                                     thread_scope_system)
{
#ifdef __CUDA_ARCH__
    switch (scope) {
    case thread_scope_system: __threadfence_system(); break;
    case thread_scope_device: __threadfence(); break;
    case thread_scope_block: __threadfence_block(); break;
    case thread_scope_thread: break;
    }
#else
    (void)scope;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
SIMT_BOTH bool simt_releases(memory_order o)
{
    return o >= memory_order_release;
}
SIMT_BOTH bool simt_acquires(memory_order o)
{
    return o != memory_order_relaxed && o != memory_order_release;
}

/* an atomic number somewhere */
template <class T, thread_scope scope> class simt_atomic_at {
protected:
    T *p;
    SIMT_MEMBER explicit simt_atomic_at(T *at) : p(at) {}
#ifdef __CUDA_ARCH__
#define SIMT_ATOMIC_RMW(name, device, host)                               \
    SIMT_MEMBER T name(T x, memory_order o = memory_order_seq_cst) const  \
    {                                                                     \
        if (simt_releases(o))                                             \
            atomic_thread_fence(o, scope);                                \
        T old = device;                                                   \
        if (simt_acquires(o))                                             \
            atomic_thread_fence(o, scope);                                \
        return old;                                                       \
    }
#else
#define SIMT_ATOMIC_RMW(name, device, host)                               \
    SIMT_MEMBER T name(T x, memory_order = memory_order_seq_cst) const    \
    {                                                                     \
        return host;                                                      \
    }
#endif
public:
    /* operations on an atomic number */
    SIMT_ATOMIC_RMW(fetch_add, atomicAdd(p, x),
                    __atomic_fetch_add(p, x, __ATOMIC_SEQ_CST))
    SIMT_ATOMIC_RMW(fetch_sub, atomicAdd(p, (T)(0 - x)),
                    __atomic_fetch_sub(p, x, __ATOMIC_SEQ_CST))
    SIMT_ATOMIC_RMW(fetch_and, atomicAnd(p, x),
                    __atomic_fetch_and(p, x, __ATOMIC_SEQ_CST))
    SIMT_ATOMIC_RMW(fetch_or, atomicOr(p, x),
                    __atomic_fetch_or(p, x, __ATOMIC_SEQ_CST))
    SIMT_ATOMIC_RMW(fetch_xor, atomicXor(p, x),
                    __atomic_fetch_xor(p, x, __ATOMIC_SEQ_CST))
    SIMT_ATOMIC_RMW(fetch_min, atomicMin(p, x), simt_host_least(x, false))
    SIMT_ATOMIC_RMW(fetch_max, atomicMax(p, x), simt_host_least(x, true))
    SIMT_ATOMIC_RMW(exchange, atomicExch(p, x),
                    __atomic_exchange_n(p, x, __ATOMIC_SEQ_CST))
    T simt_host_least(T x, bool most) const
    {
        T old = *p;
        while (!__atomic_compare_exchange_n(
                   p, &old, most == (old < x) ? x : old, false,
                   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            ;
        return old;
    }
    SIMT_MEMBER bool compare_exchange_strong(
        T &old, T x, memory_order o = memory_order_seq_cst) const
    {
    #ifdef __CUDA_ARCH__
        if (simt_releases(o))
            atomic_thread_fence(o, scope);
        T was = atomicCAS(p, old, x);
        if (simt_acquires(o))
            atomic_thread_fence(o, scope);
        bool same = was == old;
        old = was;
        return same;
    #else
        (void)o;
        return __atomic_compare_exchange_n(p, &old, x, false, __ATOMIC_SEQ_CST,
                                           __ATOMIC_SEQ_CST);
    #endif
    }
    SIMT_MEMBER bool compare_exchange_strong(T &old, T x, memory_order yes,
                                             memory_order) const
    {
        return compare_exchange_strong(old, x, yes);
    }
    SIMT_MEMBER bool compare_exchange_weak(
        T &old, T x, memory_order o = memory_order_seq_cst) const
    {
        return compare_exchange_strong(old, x, o);
    }
    SIMT_MEMBER bool compare_exchange_weak(T &old, T x, memory_order yes,
                                           memory_order) const
    {
        return compare_exchange_strong(old, x, yes);
    }
    SIMT_MEMBER T load(memory_order o = memory_order_seq_cst) const
    {
    #ifdef __CUDA_ARCH__
        if (o == memory_order_seq_cst)
            atomic_thread_fence(o, scope);
        T x = *(volatile T *)p;
        if (simt_acquires(o))
            atomic_thread_fence(o, scope);
        return x;
    #else
        (void)o;
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);
    #endif
    }
    SIMT_MEMBER void store(T x, memory_order o = memory_order_seq_cst) const
    {
    #ifdef __CUDA_ARCH__
        if (simt_releases(o))
            atomic_thread_fence(o, scope);
        *(volatile T *)p = x;
        if (o == memory_order_seq_cst)
            atomic_thread_fence(o, scope);
    #else
        (void)o;
        __atomic_store_n(p, x, __ATOMIC_SEQ_CST);
    #endif
    }
    SIMT_MEMBER operator T() const { return load(); }
    SIMT_MEMBER T operator=(T x) const { store(x); return x; }
    SIMT_MEMBER T operator++() const { return fetch_add(1) + 1; }
    SIMT_MEMBER T operator++(int) const { return fetch_add(1); }
    SIMT_MEMBER T operator--() const { return fetch_sub(1) - 1; }
    SIMT_MEMBER T operator--(int) const { return fetch_sub(1); }
    SIMT_MEMBER T operator+=(T x) const { return fetch_add(x) + x; }
    SIMT_MEMBER T operator-=(T x) const { return fetch_sub(x) - x; }
};

/* atomic objects */
template <class T, thread_scope scope = thread_scope_system>
class atomic_ref : public simt_atomic_at<T, scope> {
public:
    SIMT_MEMBER explicit atomic_ref(T &x)
        : simt_atomic_at<T, scope>(&x) {}
    using simt_atomic_at<T, scope>::operator=;
};
template <class T, thread_scope scope = thread_scope_system> class atomic {
    mutable T value;
    typedef atomic_ref<T, scope> Ref;
public:
    atomic() = default;
    SIMT_MEMBER constexpr atomic(T x) : value(x) {}
    SIMT_MEMBER Ref simt_ref() const { return Ref(value); }
    /* an atomic object does what its reference does */
    #define SIMT_ATOMIC_FORWARD(name)                                        \
        template <class... A> SIMT_MEMBER auto name(A &&...a) const          \
        {                                                                    \
            return simt_ref().name(static_cast<A &&>(a)...);                 \
        }
    SIMT_ATOMIC_FORWARD(fetch_add)
    SIMT_ATOMIC_FORWARD(fetch_sub)
    SIMT_ATOMIC_FORWARD(fetch_and)
    SIMT_ATOMIC_FORWARD(fetch_or)
    SIMT_ATOMIC_FORWARD(fetch_xor)
    SIMT_ATOMIC_FORWARD(fetch_min)
    SIMT_ATOMIC_FORWARD(fetch_max)
    SIMT_ATOMIC_FORWARD(exchange)
    SIMT_ATOMIC_FORWARD(compare_exchange_strong)
    SIMT_ATOMIC_FORWARD(compare_exchange_weak)
    SIMT_ATOMIC_FORWARD(load)
    SIMT_ATOMIC_FORWARD(store)
    atomic(const atomic &) = delete;
    atomic &operator=(const atomic &) = delete;
    SIMT_MEMBER T operator=(T x) { store(x); return x; }
    SIMT_MEMBER operator T() const { return load(); }
    SIMT_MEMBER T operator++() const { return fetch_add(1) + 1; }
    SIMT_MEMBER T operator++(int) const { return fetch_add(1); }
    SIMT_MEMBER T operator+=(T x) const { return fetch_add(x) + x; }
    SIMT_MEMBER T operator-=(T x) const { return fetch_sub(x) - x; }
};
}
#endif
