/* Tangled from chapters/workshop/ptx.nw, "Memory allocated in a kernel".  Edit it there. */

#include "simt/executor/execute.h"
#include "simt/sanitizer/check.h"

#include <string.h>

static size_t heap_used;

size_t simt_heap_used(void) { return heap_used; }

/* one lane allocates */
static uint64_t lane_malloc(uint64_t bytes)
{
    uint64_t address;
    size_t left = simt_options.heap_bytes > heap_used
                ? simt_options.heap_bytes - heap_used : 0;
    if (!bytes || bytes > left ||
        !memory_alloc(&address, bytes, NULL, NULL))
        return 0;
    heap_used += bytes;
    check_label(address, "memory of malloc in a kernel");
    return address;
}

/* one lane frees */
static bool lane_free(struct Warp *w, int lane, uint64_t address)
{
    struct Launch *launch = w->block->launch;
    const struct Allocation *a = memory_find(address);
    struct Dim3 t = thread_index(w, lane);
    if (!address)
        return true;
    if (!a || a->address != address || a->name)
        return launch_fault(w, FAULT_ILLEGAL_ADDRESS, "thread (%u,%u,%u) "
                            "frees 0x%llx, which malloc did not give, or "
                            "which was freed before", t.x, t.y, t.z,
                            (unsigned long long)address);
    heap_used -= a->bytes < heap_used ? a->bytes : heap_used;
    memory_free(address);
    memset(launch->hit, 0, sizeof launch->hit);
    return true;
}

/* each lane in turn */
void run_malloc(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    for (; on; on &= on - 1) {
        unsigned char *frame = frame_of(w, __builtin_ctz(on));
        uint64_t bytes, address;
        memcpy(&bytes, frame + i->offset, 8);
        address = lane_malloc(bytes);
        memcpy(frame + i->offset2, &address, 8);
    }
}

void run_free(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    for (; on; on &= on - 1) {
        int lane = __builtin_ctz(on);
        uint64_t address;
        memcpy(&address, frame_of(w, lane) + i->offset, 8);
        if (!lane_free(w, lane, address))
            return;
    }
}
