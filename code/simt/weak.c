/* Appendix L, Reading PTX: L.8 printf */
/* Tangled from chapters/l-ptx.nw by `make tangle`; edit it there. */

/* Until the sanitizer is there: nobody objects. */
#include "simt/execute.h"

#define WEAK __attribute__((weak))
WEAK void check_launch_begin(struct Launch *l) { (void)l; }
WEAK void check_launch_end(struct Launch *l) { (void)l; }
WEAK void check_block_begin(struct Block *b) { (void)b; }
WEAK void check_block_end(struct Block *b) { (void)b; }
WEAK uint32_t check_access(struct Warp *w, const struct Access *a)
{
    (void)w;
    return a->lanes;
}
WEAK void check_barrier(struct Block *b) { (void)b; }
WEAK void check_warp_sync(struct Warp *w, uint32_t l) { (void)w, (void)l; }
WEAK void check_async_commit(struct Warp *w) { (void)w; }
WEAK void check_async_wait(struct Warp *w, int n) { (void)w, (void)n; }
WEAK void check_allocated(uint64_t a, size_t n) { (void)a, (void)n; }
WEAK void check_freed(uint64_t a) { (void)a; }
WEAK void check_host_wrote(uint64_t a, size_t n) { (void)a, (void)n; }
WEAK void check_host_reads(uint64_t a, size_t n) { (void)a, (void)n; }
WEAK void check_exit(void) { }
WEAK void check_problem(enum ProblemKind k, const struct Warp *w,
                        uint32_t lanes, const char *format, ...)
{
    (void)k, (void)w, (void)lanes, (void)format;
}
