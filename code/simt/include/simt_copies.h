/* Tangled from chapters/workshop/foreign-features.nw, "Asynchronous copies by name".  Edit it there. */

/* Copies to shared memory that go on by themselves. */
#ifndef SIMT_COPIES_H
#define SIMT_COPIES_H
#include "cuda_runtime.h"

#define SIMT_COPY(text, n)                                               \
    asm volatile("cp.async." text ".shared.global [%0], [%1], " #n ";"   \
                 :: "r"((unsigned)__cvta_generic_to_shared(to)),         \
                    "l"(__cvta_generic_to_global(from)) : "memory")

/* Pieces number rank, rank + threads, ... of this many bytes. */
SIMT_DEVICE void simt_copy_async(void *to_, const void *from_,
                                 size_t bytes, unsigned rank,
                                 unsigned threads)
{
    char *to = (char *)to_;
    const char *from = (const char *)from_;
    size_t all = (size_t)to | (size_t)from | bytes;
    size_t n = !__isShared(to) || !__isGlobal(from) ? 1
             : all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1;
    to += rank * n;
    from += rank * n;
    for (size_t i = rank * n; i < bytes; i += threads * n) {
        switch (n) {
        case 16: SIMT_COPY("cg", 16); break;
        case 8: SIMT_COPY("ca", 8); break;
        case 4: SIMT_COPY("ca", 4); break;
        default: *to = *from;
        }
        to += threads * n;
        from += threads * n;
    }
}

/* wait for groups of copies */
SIMT_DEVICE void simt_commit_copies(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/* Wait until at most this many of the thread's groups are on their way. */
SIMT_DEVICE void simt_wait_copies(unsigned left)
{
    switch (left) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
    case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_group 7;" ::: "memory");
    }
}

namespace cuda {
template <size_t n> struct aligned_size_t {
    size_t value;
    SIMT_MEMBER constexpr explicit aligned_size_t(size_t v) : value(v) {}
    SIMT_MEMBER constexpr operator size_t() const { return value; }
};
}
#endif
