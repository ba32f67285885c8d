/* Tangled from chapters/workshop/sanitizer-records.nw, "Areas".  Edit it there. */

#include "simt/sanitizer/area.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct Area shared_area = { .space = SPACE_SHARED };

/* the table of allocations */
static struct Area *areas;
static int n_areas, areas_room, last;
static uint64_t serials;

/* split lines of global memory, and of shared memory */
static struct Line *parts_pool, *shared_parts;
static size_t parts_used, parts_room;

/* read and write bits */
/* How many of the n bits from `from` on lie in its word. */
static uint64_t piece(uint64_t from, uint64_t n)
{
    return n < 64 - from % 64 ? n : 64 - from % 64;
}

bool bits_all(const uint64_t *bits, uint64_t from, uint64_t n)
{
    for (uint64_t k; n; from += k, n -= k) {
        k = piece(from, n);
        if (~bits[from / 64] & ones(from % 64, k))
            return false;
    }
    return true;
}


bool bits_none(const uint64_t *bits, uint64_t from, uint64_t n)
{
    for (uint64_t k; n; from += k, n -= k) {
        k = piece(from, n);
        if (bits[from / 64] & ones(from % 64, k))
            return false;
    }
    return true;
}

uint64_t bits_put(uint64_t *bits, uint64_t from, uint64_t n, bool set)
{
    uint64_t before = 0;
    for (uint64_t k; n; from += k, n -= k) {
        k = piece(from, n);
        uint64_t mask = ones(from % 64, k), *word = bits + from / 64;
        before += (unsigned)__builtin_popcountll(*word & mask);
        *word = set ? *word | mask : *word & ~mask;
    }
    return before;
}

/* map memory for shadows */
static void *map_if_granted(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    memory_in_large_pages(p, bytes);
    return p;
}

void *map_zeroes(size_t bytes)
{
    void *p = map_if_granted(bytes);
    if (!p)
        fail("the sanitizer finds no address space for %zu bytes of shadow;"
             " SIMT_CHECK=off runs without it", bytes);
    return p;
}

static size_t lines(size_t bytes)
{
    return (bytes + 127) / 128;
}

static size_t line_bytes(size_t bytes)
{
    return lines(bytes) * sizeof(struct Line) + 1;
}

static size_t valid_bytes(size_t bytes)
{
    return lines(bytes) * 16 + 1;
}

/* find an area */
/* Index of the last that starts at or below the address, or -1. */
static int index_below(uint64_t address)
{
    int lo = 0, hi = n_areas;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (areas[mid].base <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo - 1;
}

static bool holds(const struct Area *a, uint64_t address)
{
    return address - a->base < a->bytes;
}

struct Area *area_of(uint64_t address)
{
    if (last < n_areas && holds(areas + last, address)
        && !areas[last].freed)
        return areas + last;
    int i = index_below(address);
    if (i < 0 || !holds(areas + i, address) || areas[i].freed)
        return NULL;
    last = i;
    return areas + i;
}


struct Area *area_of_range(uint64_t address, size_t bytes)
{
    struct Area *a = area_of(address);
    return a && address - a->base + bytes <= a->bytes ? a : NULL;
}

const struct Area *area_below(uint64_t address)
{
    int i = index_below(address);
    return i < 0 ? NULL : areas + i;
}

const struct Area *area_at(int i)
{
    return i < n_areas ? areas + i : NULL;
}

/* make an area, free an area */
static void forget(int i)
{
    n_areas--;
    memmove(areas + i, areas + i + 1,
            (size_t)(n_areas - i) * sizeof *areas);
}

static void forget_freed(uint64_t address, size_t bytes)
{
    for (int i = n_areas - 1; i >= 0; i--)
        if (areas[i].freed && areas[i].base <= address + bytes
            && address <= areas[i].base + areas[i].bytes)
            forget(i);
}


void area_new(uint64_t address, size_t bytes)
{
    forget_freed(address, bytes);
    if (n_areas == areas_room) {
        areas_room = 2 * areas_room + 16;
        areas = xrealloc(areas, (size_t)areas_room * sizeof *areas);
    }
    int i = index_below(address) + 1;
    memmove(areas + i + 1, areas + i,
            (size_t)(n_areas++ - i) * sizeof *areas);
    areas[i] = (struct Area){
        .space = SPACE_GLOBAL, .base = address, .bytes = bytes,
        .line = map_zeroes(line_bytes(bytes)),
        .valid = map_zeroes(valid_bytes(bytes)),
        .left = bytes, .serial = ++serials,
    };
}


void area_free(uint64_t address)
{
    int i = index_below(address);
    if (i < 0 || areas[i].base != address || areas[i].freed)
        return;
    munmap(areas[i].line, line_bytes(areas[i].bytes));
    munmap(areas[i].valid, valid_bytes(areas[i].bytes));
    areas[i].freed = true;
}

/* note that bytes were written */
void area_wrote(struct Area *a, uint64_t from, uint64_t bytes)
{
    if (a->left)
        a->left -= bytes - bits_put(a->valid, from, bytes, true);
}

/* room for the parts of lines */
static void parts_new(void)
{
    const size_t most = (size_t)1 << 26, least = 1 << 12;
    parts_room = most;
    while (!(parts_pool = map_if_granted(parts_room * sizeof *parts_pool))
           && parts_room > least)
        parts_room /= 2;
    if (parts_pool && parts_room == most)
        return;
    if (parts_pool)
        munmap(parts_pool, parts_room * sizeof *parts_pool);
    parts_room = parts_room > 4 * least ? parts_room / 4 : least;
    parts_pool = map_zeroes(parts_room * sizeof *parts_pool);
}

/* the shared memory of a new block */
void area_new_block(size_t shared_bytes)
{
    if (!shared_area.line) {
        shared_area.line = map_zeroes(line_bytes(MAX_SHARED));
        shared_area.valid = map_zeroes(valid_bytes(MAX_SHARED));
        shared_parts = map_zeroes(4 * line_bytes(MAX_SHARED));
        parts_new();
    }
    shared_area.bytes = shared_area.left = shared_bytes;
    memset(shared_area.valid, 0, lines(shared_bytes) * 16);
}

/* clear and split histories */
void areas_clear(void)
{
    for (int i = 0; i < n_areas; i++)
        if (!areas[i].freed)
            madvise(areas[i].line, line_bytes(areas[i].bytes),
                    MADV_DONTNEED);
    madvise(shared_area.line, line_bytes(MAX_SHARED), MADV_DONTNEED);
    areas_unsplit();
}

void areas_unsplit(void)
{
    parts_used = 0;
}


bool area_split(struct Area *a, struct Line *l, int parts,
                const struct Now *n)
{
    struct Line room[4] = { 0 }, *to = parts_pool + parts_used;
    if (a->space == SPACE_SHARED)
        to = shared_parts + 4 * (l - a->line);
    else if (parts_used + (size_t)parts > parts_room)
        return false;
    else
        parts_used += (size_t)parts;
    line_split(l, parts, room, n);
    memcpy(to, room, (size_t)parts * sizeof *to);
    l->part = to;
    return true;
}

/* say where something lies */
const char *area_text(const struct Area *a, char *to, size_t room)
{
    const struct Allocation *x = a->freed ? NULL : memory_find(a->base);
    if (a->space == SPACE_SHARED)
        snprintf(to, room, "shared memory");
    else if (a->label || (x && x->name))
        snprintf(to, room, "%s (%zu bytes)", a->label ? a->label : x->name,
                 a->bytes);
    else
        snprintf(to, room, "allocation %llu (%zu bytes)",
                 (unsigned long long)a->serial, a->bytes);
    return to;
}

const char *place_text(const struct Area *a, uint64_t at, char *to,
                       size_t room)
{
    char name[100];
    snprintf(to, room, "byte %llu of %s", (unsigned long long)at,
             area_text(a, name, sizeof name));
    return to;
}

/* say where an address lies */
/* The nearest area, if there is one within 1 GiB, and how far it is: past
 * its end, or before its start. */
static const struct Area *nearest(uint64_t address, bool *past,
                                  uint64_t *bytes)
{
    int below = index_below(address), above = below + 1;
    uint64_t over = 1 << 30, ahead = 1 << 30;
    if (below >= 0)
        over = address - (areas[below].base + areas[below].bytes);
    if (above < n_areas)
        ahead = areas[above].base - address;
    *past = over <= ahead;
    *bytes = *past ? over : ahead;
    return *bytes < 1 << 30 ? areas + (*past ? below : above) : NULL;
}

static const char *lost_text(uint64_t address, char *to, size_t room)
{
    bool past;
    uint64_t bytes;
    char name[100];
    const struct Area *a = nearest(address, &past, &bytes);
    if (address < 4096)
        snprintf(to, room, "address %llu: a null pointer",
                 (unsigned long long)address);
    else if (address - memory.base >= memory.bytes)
        snprintf(to, room, "0x%llx, outside device memory: a pointer of the"
                 " host?", (unsigned long long)address);
    else if (a)
        snprintf(to, room, "%llu bytes %s of %s", (unsigned long long)bytes,
                 past ? "past the end" : "before the start",
                 area_text(a, name, sizeof name));
    else
        snprintf(to, room, "0x%llx, far from every allocation",
                 (unsigned long long)address);
    return to;
}


const char *address_text(uint64_t address, char *to, size_t room)
{
    int i = index_below(address);
    char text[160];
    if (i < 0 || !holds(areas + i, address))
        return lost_text(address, to, room);
    snprintf(to, room, "%s%s",
             place_text(areas + i, address - areas[i].base, text,
                        sizeof text), areas[i].freed ? ", which was freed"
                                                     : "");
    return to;
}
