/* Tangled from chapters/workshop/simt-executor.nw, "Memory that the host cannot touch".  Edit it there. */

#include "simt/simt.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* reserve the device's addresses */
struct Memory memory;

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
enum { GRAIN = 256 };

/* ask for large pages */
void memory_in_large_pages(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (bytes >= (size_t)4 << 20)
        madvise(p, bytes, MADV_HUGEPAGE);   /* a wish: may be refused */
#else
    (void)p;
    (void)bytes;
#endif
}

/* two ranges of the same size */
/* Two ranges of the same size: one that nobody may touch lends its
 * addresses to the device, the other holds the bytes. */
static bool reserve(struct Error *e)
{
    static void *const wish = (void *)0x500000000000;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    for (size_t size = (size_t)16 << 30; size >= (size_t)64 << 20;
         size /= 2) {
        /* close a range to everybody, and find as much for the bytes */
        void *hidden = mmap(wish, size, PROT_NONE, flags, -1, 0);
        if (hidden == MAP_FAILED)
            continue;

        /* reserve the bytes, and remember how far away they are */
        void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1,
                           0);
        if (bytes != MAP_FAILED) {
            memory_in_large_pages(bytes, size);
            memory.base = (uint64_t)(uintptr_t)hidden;
            memory.bytes = size;
            memory.delta = (int64_t)((uint64_t)(uintptr_t)bytes -
                                     memory.base);
            return true;
        }
        munmap(hidden, size);
    }
    return error_set(e, "no address space for the memory of the software "
                     "GPU; see ulimit -v");
}

/* the allocations in order */
static struct Allocation *list;
static int n_list, room;
static uint64_t serial;
static size_t used[MOST_DEVICES];

int devices = 1;
_Thread_local int device_current;

/* The index of the first allocation that starts above the address. */
static int above(uint64_t address)
{
    int low = 0, high = n_list;
    while (low < high) {
        int mid = (low + high) / 2;
        if (list[mid].address <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* find an allocation */
const struct Allocation *memory_before(uint64_t address)
{
    int k = above(address);
    return k ? &list[k - 1] : NULL;
}

const struct Allocation *memory_find(uint64_t address)
{
    const struct Allocation *a = memory_before(address);
    return a && address - a->address < a->bytes ? a : NULL;
}

bool memory_holds(uint64_t address, size_t bytes)
{
    const struct Allocation *a = memory_find(address);
    return a && bytes <= a->bytes - (address - a->address);
}

/* add them up */
void memory_totals(size_t *in_use, size_t *total)
{
    if (!memory.bytes)
        reserve(NULL);
    *in_use = used[device_current];
    *total = memory.bytes / (size_t)devices;
}

/* allocate and free */
static uint64_t room_of(size_t bytes, uint64_t grain)   /* with the gap */
{
    return ((uint64_t)bytes + 2 * grain - 1) / grain * grain;
}

static bool place(uint64_t *address, size_t bytes, uint64_t grain,
                  const char *name, struct Error *e)
{
    if (!memory.bytes && !reserve(e))
        return false;
    uint64_t at = memory.base + grain, needed = room_of(bytes, grain);
    int k = 0;
    /* find the first gap that is large enough */
    if (!bytes || bytes > memory.bytes)
        return error_set(e, "%zu bytes of device memory; there are %zu",
                         bytes, memory.bytes - used[device_current]);
    while (k < n_list &&
           (list[k].address < at || list[k].address - at < needed)) {
        at = list[k].address + list[k].room;
        at = (at + grain - 1) / grain * grain;
        k++;
    }
    if (k == n_list && needed > memory.base + memory.bytes - at)
        return error_set(e, "no %zu bytes of device memory in one piece; "
                         "%zu of %zu are in use", bytes,
                         used[device_current], memory.bytes);
    /* put it into the list, before allocation k */
    if (n_list == room) {
        room = room ? 2 * room : 64;
        list = realloc(list, (size_t)room * sizeof *list);
        if (!list)
            fail("no memory for a list of %d allocations", room);
    }
    memmove(&list[k + 1], &list[k], (size_t)(n_list - k) * sizeof *list);
    list[k] = (struct Allocation){ at, bytes, name, needed, ++serial,
                                   name ? -1 : device_current };
    n_list++;
    used[name ? 0 : device_current] += bytes;
    *address = at;
    check_allocated(at, bytes);
    return true;
}

bool memory_alloc(uint64_t *address, size_t bytes, const char *name,
                  struct Error *e)
{
    return place(address, bytes, GRAIN, name, e);
}

bool memory_alloc_pages(uint64_t *address, size_t bytes, const char *name,
                        struct Error *e)
{
    return place(address, bytes, 4096, name, e);
}

bool memory_free(uint64_t address)
{
    int k = above(address) - 1;
    if (k < 0 || list[k].address != address)
        return false;
    /* give whole pages back */
    uint64_t first = (address + 4095) & ~(uint64_t)4095;
    uint64_t end = (address + list[k].bytes) & ~(uint64_t)4095;
    if (first < end)                    /* give whole pages back */
        madvise(memory_bytes(first), end - first, MADV_DONTNEED);
    check_freed(address);
    used[list[k].device < 0 ? 0 : list[k].device] -= list[k].bytes;
    memmove(&list[k], &list[k + 1],
            (size_t)(n_list - k - 1) * sizeof *list);
    n_list--;
    return true;
}
