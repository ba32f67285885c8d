/* Tangled from chapters/workshop/simt-hopper.nw, "Copies that go on by themselves".  Edit it there. */

#include "simt/executor/hopper.h"
#include "simt/executor/lanes.h"
#include "simt/sanitizer/async.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* rows of a copy */
static void row(const struct BulkCopy *c, uint64_t global, uint32_t shared,
                uint32_t bytes, EachCopyRow *each, void *to)
{
    struct CopyRow r = { c, global, shared, bytes };
    if (bytes)
        each(&r, to);
}

static void clipped_row(const struct BulkCopy *c, bool inside,
                        uint64_t start, uint32_t shared, EachCopyRow *each,
                        void *to)
{
    const struct TensorMap *m = &c->map;
    uint32_t e = tensor_map_element(m);
    int64_t n = m->box[0], size = (int64_t)m->last[0] + 1;
    if (c->form->way == BULK_STORE && c->form->op == OP_NONE)
        size = (size * e + 15) / 16 * 16 / e;   /* whole 16 bytes       */
    int64_t from = c->at[0] < 0 ? -(int64_t)c->at[0] : 0;
    int64_t end = size - c->at[0] < n ? size - c->at[0] : n;
    from = !inside || from > n || end <= from ? n : from;
    end = from == n ? n : end;
    row(c, 0, shared, (uint32_t)from * e, each, to);
    row(c, start + (uint64_t)((c->at[0] + from) * e),
        shared + (uint32_t)from * e, (uint32_t)(end - from) * e, each, to);
    row(c, 0, shared + (uint32_t)end * e, (uint32_t)(n - end) * e, each,
        to);
}

void copy_rows(const struct BulkCopy *c, EachCopyRow *each, void *to)
{
    const struct TensorMap *m = &c->map;
    uint32_t digit[MAX_RANK] = { 0 }, shared = 0;
    if (!c->form->rank) {
        row(c, c->global, 0, c->bytes, each, to);
        return;
    }
    for (;;) {
        /* start = the row's address; inside = it has one */
        uint64_t start = m->address;
        bool inside = true;
        for (int k = 1; k < m->rank; k++) {
            int64_t x = (int64_t)c->at[k] + digit[k];
            inside &= x >= 0 && x <= (int64_t)m->last[k];
            start += (uint64_t)x * m->stride[k];
        }
        clipped_row(c, inside, start, shared, each, to);
        shared += tensor_map_pitch(m);
        int d;
        for (d = 1; d < m->rank; d++) {
            digit[d] += m->step[d];
            if (digit[d] < m->box[d])
                break;
            digit[d] = 0;
        }
        if (d == m->rank)
            return;
    }
}

/* count a copy */
struct Sum { uint64_t sectors; bool load; };

static void count_row(const struct CopyRow *r, void *to)
{
    struct Sum *sum = to;
    const uint32_t at = r->copy->shared + r->shared;
    const bool multicast = r->copy->form->multicast;
    if (r->global)
        sum->sectors += tma_sectors(r->global, at, r->bytes, multicast);
    else if (sum->load)
        sum->sectors += tma_sectors(at, at, r->bytes, multicast);
}

static uint64_t sectors_of(const struct BulkCopy *c)
{
    struct Sum sum = { 0, c->form->way == BULK_LOAD };
    if (c->form->way == BULK_ACROSS)
        return tma_sectors(c->across, c->shared, c->bytes, false);
    copy_rows(c, count_row, &sum);
    return sum.sectors;
}

/* blocks: to which it goes. */
static void count_copy(const struct BulkCopy *c, uint32_t blocks)
{
    static const enum AccessKind kinds[] = {
        [BULK_LOAD] = ACCESS_TMA_LOAD, [BULK_STORE] = ACCESS_TMA_STORE,
        [BULK_ACROSS] = ACCESS_TMA_ACROSS };
    const enum BulkWay way = c->form->way;
    struct Site *s = c->warp->block->launch->site;
    if (!s)
        return;
    s += c->pc;
    const uint64_t sectors = sectors_of(c);
    struct Traffic *t = &s->in[way == BULK_ACROSS ? SPACE_SHARED
                                                  : SPACE_GLOBAL];
    s->kind = way == BULK_STORE && c->form->op != OP_NONE ? ACCESS_TMA_RED
                                                          : kinds[way];
    t->requests++;
    t->sectors += sectors * blocks;
    t->bytes += (uint64_t)c->bytes * blocks;
    t->wavefronts += way == BULK_LOAD ? sectors : 0;
}

/* move a row */
static uint32_t swizzled(const struct TensorMap *m, uint32_t at)
{
    return at ^ ((at >> 7 & ((1u << m->swizzle) - 1)) << 4);
}

typedef void Mover(const struct BulkCopy *, unsigned char *shared,
                   unsigned char *global, uint32_t bytes);

/* Call move for each piece that lies in a row on both sides; base: the
 * shared memory in question, at: of the copy's first byte in it. */
static void pieces(const struct CopyRow *r, unsigned char *base,
                   uint32_t at, Mover *move)
{
    const struct BulkCopy *c = r->copy;
    uint32_t x = at + r->shared, left = r->bytes;
    unsigned char *global = r->global ? memory_bytes(r->global) : NULL;
    bool plain = !c->form->rank || !c->map.swizzle;
    while (left) {
        uint32_t n = plain || left < 16 - x % 16 ? left : 16 - x % 16;
        move(c, base + (plain ? x : swizzled(&c->map, x)), global, n);
        global += global ? n : 0;
        x += n;
        left -= n;
    }
}

enum { F32_FTZ_TYPE = 10, TF32_TYPE = 11, TF32_FTZ_TYPE = 12 };

static uint32_t to_tf32(uint32_t x)
{
    if ((x & 0x7fffffff) > 0x7f800000)
        return 0x7fffe000;
    return (x + 0xfff + (x >> 13 & 1)) & 0xffffe000;
}

static void load_tf32(unsigned char *shared, const unsigned char *global,
                      uint32_t n)
{
    for (uint32_t k = 0; k < n; k += 4) {
        uint32_t x;
        memcpy(&x, global + k, 4);
        x = to_tf32(x);
        memcpy(shared + k, &x, 4);
    }
}

static void fill(const struct BulkCopy *c, unsigned char *to, uint32_t n)
{
    static const unsigned char nan[] = { 0xf7, 0x7f };
    memset(to, 0, n);
    for (uint32_t k = 0; c->map.nan && k < n; k++)
        to[k] = nan[k % 2];
}

static void load(const struct BulkCopy *c, unsigned char *shared,
                 unsigned char *global, uint32_t n)
{
    if (!global)
        fill(c, shared, n);
    else if (c->form->rank && c->map.type >= TF32_TYPE)
        load_tf32(shared, global, n);
    else
        memcpy(shared, global, n);
}

/* A subnormal number becomes a zero of its sign. */
static float flushed(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* to[i] += from[i] in the maps with _FTZ: operands and sums are flushed. */
static void add_flushed(unsigned char *to, const unsigned char *from,
                        uint32_t n)
{
    for (uint32_t k = 0; k < n; k += 4) {
        float a, b;
        memcpy(&a, to + k, 4);
        memcpy(&b, from + k, 4);
        a = flushed(a);
        b = flushed(b);
        memcpy(to + k, &a, 4);
        combine_bytes(OP_ADD, F32, to + k, (unsigned char *)&b, 4);
        memcpy(&a, to + k, 4);
        a = flushed(a);
        memcpy(to + k, &a, 4);
    }
}

/* The type of the numbers that a copy combines. */
static enum Type type_of(const struct BulkCopy *c)
{
    static const enum Type of_map[] = { U8, U16, U32, S32, U64, S64, F16,
        F32, F64, BF16, F32, F32, F32 };
    return c->form->rank ? of_map[c->map.type] : c->form->type;
}

static void store(const struct BulkCopy *c, unsigned char *shared,
                  unsigned char *global, uint32_t n)
{
    if (!global)
        return;
    if (c->form->op == OP_NONE)
        memcpy(global, shared, n);
    else if (c->form->rank && (c->map.type == F32_FTZ_TYPE ||
                               c->map.type == TF32_FTZ_TYPE))
        add_flushed(global, shared, n);
    else
        combine_bytes(c->form->op, type_of(c), global, shared, n);
}

/* copies arrive */
/* The sectors of a row are touched, if anybody counts. */
static void touch_row(const struct CopyRow *r, bool write)
{
    struct Launch *l = r->copy->warp->block->launch;
    struct Access a = { .kind = write ? ACCESS_STORE : ACCESS_LOAD,
                        .space = SPACE_GLOBAL, .size = 1 };
    for (uint64_t x = r->global & ~(uint64_t)31;
         l->touched && r->global && x < r->global + r->bytes;) {
        a.lanes = 0;
        for (int k = 0; k < LANES && x < r->global + r->bytes; k++) {
            a.address[k] = x;
            a.lanes |= lane_bit[k];
            x += 32;
        }
        touch(l->touched, &a);
    }
}

static void load_row(const struct CopyRow *r, void *to)
{
    struct Block *b = to;
    touch_row(r, false);
    pieces(r, b->shared, r->copy->shared, load);
}

static void bytes_come(const struct BulkCopy *c, struct Block *b)
{
    const struct Tracked *t = mbarrier_tracked(b, c->bar);
    if (b->launch->check)
        check_copy_came(c, b, t ? t->phase : 0);
    mbarrier_count(b, c->bar, 0, -(int32_t)c->bytes);
}

static void arrive_load(const struct BulkCopy *c)
{
    copy_rows(c, load_row, c->to);
    bytes_come(c, c->to);
}

static void arrive_across(const struct BulkCopy *c)
{
    const unsigned char *from = c->warp->block->shared + c->shared;
    unsigned char *to = c->to->shared + c->across;
    if (c->form->op == OP_NONE)
        memcpy(to, from, c->bytes);
    else
        combine_bytes(c->form->op, c->form->type, to, from, c->bytes);
    if (c->warp->block->launch->check)
        check_copy_read(c);
    bytes_come(c, c->to);
}

static void keep_source(struct BulkCopy *c)
{
    if (c->kept)
        return;
    c->kept = malloc(c->room);
    if (!c->kept)
        fail("no memory for a bulk copy of %u bytes", c->room);
    for (uint32_t x = 0; x < c->room; x += 16)
        memcpy(c->kept + x, c->warp->block->shared +
               (c->form->rank ? swizzled(&c->map, c->shared + x)
                              : c->shared + x), 16);
    if (c->warp->block->launch->check)
        check_copy_read(c);
}

static void store_row(const struct CopyRow *r, void *to)
{
    (void)to;
    touch_row(r, true);
    if (r->global)
        store(r->copy, r->copy->kept + r->shared, memory_bytes(r->global),
              r->bytes);
}

static void arrive_store(struct BulkCopy *c)
{
    keep_source(c);
    copy_rows(c, store_row, NULL);
    if (c->warp->block->launch->check)
        check_copy_wrote(c);
    free(c->kept);
}

static void arrive_async(const struct BulkCopy *c)
{
    async_finish(c->warp, c->lane);
    if (c->to->launch->check)
        check_arrive(c->warp, c->lane, c->to, c->bar, false);
    mbarrier_count(c->to, c->bar, 1, 0);
}

static void arrive(struct BulkCopy *c)
{
    switch (c->form->way) {
    case BULK_LOAD: arrive_load(c); break;
    case BULK_STORE: arrive_store(c); break;
    case BULK_ACROSS: arrive_across(c); break;
    case BULK_ARRIVE: arrive_async(c); break;
    }
    c->warp->block->cluster->moved++;
}

static struct BulkCopy take_off(struct Hopper *h, int k)
{
    struct BulkCopy c = h->copy[k];
    h->copies--;
    memmove(h->copy + k, h->copy + k + 1, (size_t)(h->copies - k) *
                                          sizeof *h->copy);
    return c;
}

void copies_arrive(struct Block *b, uint32_t bar)
{
    struct Hopper *h = b->hopper;
    for (int k = 0; h && k < h->copies;) {
        if (h->copy[k].form->way == BULK_STORE || h->copy[k].bar != bar) {
            k++;
            continue;
        }
        struct BulkCopy c = take_off(h, k);
        arrive(&c);
    }
}

/* start a bulk copy */
static bool complain_of(const struct BulkCopy *c, enum Fault fault,
                        const char *what, uint64_t value, uint32_t align)
{
    struct Dim3 t = thread_index(c->warp, c->lane);
    const struct Kernel *k = c->warp->block->launch->kernel;
    if (c->warp->block->launch->check)
        check_problem(fault == FAULT_MISALIGNED_ADDRESS ?
            PROBLEM_MISALIGNED : PROBLEM_OUT_OF_BOUNDS, c->warp,
            lane_bit[c->lane], align ? "a bulk copy whose %s is %llu, which"
            " is no multiple of %u" : "a bulk copy whose %s is %llu, where"
            " it has no %u bytes", what, (unsigned long long)value,
            align ? align : c->bytes);
    return launch_fault(c->warp, fault, "%.60s of thread (%u,%u,%u): its "
        "%s is %llu%s", k->code[c->pc].name, t.x, t.y, t.z, what,
        (unsigned long long)value, align ? ", which is not aligned"
                                         : ", which is out of bounds");
}

static bool aligned(const struct BulkCopy *c, const char *what,
                    uint64_t value, uint32_t align)
{
    return value % align == 0 ||
           complain_of(c, FAULT_MISALIGNED_ADDRESS, what, value, align);
}

struct Bounds { uint64_t bad; uint64_t low, high; int device; };

static void check_row(const struct CopyRow *r, void *to)
{
    struct Bounds *b = to;
    if (!r->global || b->bad || (r->global >= b->low &&
                                 r->global + r->bytes <= b->high))
        return;
    const struct Allocation *a = memory_find(r->global);
    if (!a || r->global + r->bytes > a->address + a->bytes ||
        (a->device >= 0 && a->device != b->device)) {
        b->bad = r->global;
        return;
    }
    b->low = a->address;
    b->high = a->address + a->bytes;
}

static bool possible(const struct BulkCopy *c)
{
    const struct Block *b = c->warp->block;
    struct Bounds in = { .device = b->launch->device };
    bool plain = !c->form->rank;
    if (!aligned(c, "offset in shared memory", c->shared, plain ? 16 : 128)
        || !aligned(c, "size", c->bytes, 16)
        || (plain && c->form->way != BULK_ACROSS &&
            !aligned(c, "global address", c->global, 16)))
        return false;
    uint32_t end = c->across > c->shared ? c->across : c->shared;
    if (c->room > b->shared_bytes || end > b->shared_bytes - c->room)
        return complain_of(c, FAULT_ILLEGAL_ADDRESS,
                           "offset in shared memory", end, 0);
    if (c->form->way != BULK_ACROSS)
        copy_rows(c, check_row, &in);
    return !in.bad || complain_of(c, FAULT_ILLEGAL_ADDRESS,
                                  "global address", in.bad, 0);
}

void copy_parts(const struct BulkCopy *c, uint32_t from, EachPart *each,
                void *to)
{
    if (c->room == c->bytes) {
        each(c, from, c->bytes, to);
        return;
    }
    const uint32_t pitch = tensor_map_pitch(&c->map);
    const uint32_t bytes = c->map.box[0] * tensor_map_element(&c->map);
    for (uint32_t row = 0; row < c->room; row += pitch)
        for (uint32_t x = 0; x < bytes; x += 16)
            each(c, swizzled(&c->map, from + row + x), 16, to);
}

static void poison_part(const struct BulkCopy *c, uint32_t at,
                        uint32_t bytes, void *to)
{
    (void)to;
    memset(c->to->shared + at, 0xff, bytes);
}

static void poison(const struct BulkCopy *c)
{
    uint32_t at = c->form->way == BULK_ACROSS ? c->across : c->shared;
    if (c->form->op == OP_NONE)
        copy_parts(c, at, poison_part, NULL);
}

static void begin(struct Block *list, const struct BulkCopy *c)
{
    struct Hopper *h = hopper_of(list);
    if (h->copies == h->copy_room) {
        h->copy_room = 2 * h->copy_room + 8;
        h->copy = realloc(h->copy, (size_t)h->copy_room * sizeof *h->copy);
        if (!h->copy)
            fail("no memory for the bulk copies of a block");
    }
    if (list->launch->check)
        check_copy_begins(c);
    if (c->to)
        poison(c);
    h->copy[h->copies++] = *c;
}

static uint32_t w_of(const struct BulkCopy *c, uint32_t unit)
{
    return c->warp->file[unit + (unsigned)c->lane];
}

/* execute a bulk copy */
static bool is_barrier(const struct BulkCopy *c,
                       const struct Instruction *i,
                       const struct Block *owner)
{
    struct Mbarrier m;
    if (mbarrier_read(owner, c->bar, &m))
        return true;
    if (owner->launch->check)
        check_problem(PROBLEM_PHASE, c->warp, lane_bit[c->lane],
                      "a bulk copy counts on byte %u of shared memory, "
                      "where no mbarrier.init has set up a barrier",
                      c->bar);
    return launch_fault(c->warp, FAULT_BARRIER, "%.60s: there is no "
                        "mbarrier at byte %u of shared memory", i->name,
                        c->bar);
}

static bool find_barrier(struct BulkCopy *c, const struct Instruction *i,
                         struct Block **owner)
{
    uint64_t address[LANES];
    lane_addresses(c->warp, i->c[2], c->form->bar_wide, c->form->bar_offset,
                   address);
    *owner = shared_place(c->warp, i, c->lane, address[c->lane],
                          c->form->bar_wide && address[c->lane] >> 48, 8,
                          &c->bar);
    return *owner && (c->form->multicast || is_barrier(c, i, *owner));
}

static void begin_load(struct BulkCopy *c, const struct Instruction *i,
                       struct Block *owner)
{
    uint32_t mask = c->form->multicast
        ? w_of(c, i->b[3]) & 0xffff : 1u << owner->rank;
    for (; mask; mask &= mask - 1) {
        c->to = cluster_block(owner, (uint32_t)__builtin_ctz(mask));
        if (!c->to) {
            launch_fault(c->warp, FAULT_ILLEGAL_ADDRESS, "%.60s: block %d "
                "of a cluster of %d", i->name, __builtin_ctz(mask),
                owner->cluster->n);
            return;
        }
        if (!is_barrier(c, i, c->to))
            return;
        const struct Tracked *t = mbarrier_tracked(c->to, c->bar);
        c->phase = t ? t->phase : 0;
        begin(c->to, c);
    }
}

static const unsigned char *map_bytes(const struct Warp *w, int lane,
                                      uint64_t address)
{
    const struct Kernel *k = w->block->launch->kernel;
    uint64_t at = address - LOCAL_WINDOW;
    if (address >> 48 == LOCAL_WINDOW >> 48)
        return at + sizeof(struct TensorMap) <= k->local_bytes
            ? frame_of(w, lane) + at : NULL;
    return memory_holds(address, sizeof(struct TensorMap))
        ? memory_bytes(address) : NULL;
}

static bool can_reduce(int type, enum Op op)
{
    const bool extreme = op == OP_MIN || op == OP_MAX;
    const bool bits = op == OP_AND || op == OP_OR || op == OP_XOR;
    switch (type) {
    case 0: case 1:         return false;                   /* u8, u16 */
    case 2:                 return true;                    /* u32 */
    case 3: case 4:         return extreme || bits || op == OP_ADD;
    case 5:                 return extreme;                 /* s64 */
    case 6: case 9:         return extreme || op == OP_ADD; /* f16, bf16 */
    default:                return op == OP_ADD;            /* floats */
    }
}

/* Why an H200 ends a copy to or from this place with an illegal
 * instruction; NULL: it does not. */
static const char *wrong_copy(const struct BulkCopy *c)
{
    const int64_t element = tensor_map_element(&c->map);
    if (c->form->op != OP_NONE && !can_reduce(c->map.type, c->form->op))
        return "TMA has no such reduction for numbers of its map's type";
    if (c->at[0] * element % 16)
        return "its first coordinate, times the bytes of an element, is no "
               "multiple of 16";
    for (int d = 0; d < c->form->rank; d++)
        if (c->form->way == BULK_STORE && c->at[d] < 0)
            return "a store begins before its tensor: a coordinate is "
                   "negative";
    return NULL;
}

static bool take_map(struct BulkCopy *c, const struct Instruction *i,
                     uint64_t address)
{
    const uint32_t at[] = { i->a[1], i->a[2], i->a[3], i->b[1], i->b[2] };
    const unsigned char *p = map_bytes(c->warp, c->lane, address);
    struct Error e;
    if (!p || !tensor_map_take(&c->map, p, c->form->rank, &e)) {
        if (c->warp->block->launch->check)
            check_problem(PROBLEM_OUT_OF_BOUNDS, c->warp, lane_bit[c->lane],
                          "%s", p ? e.text : "there is no tensor map");
        return launch_fault(c->warp, FAULT_ILLEGAL_ADDRESS, "%.60s: %s",
                            i->name, p ? e.text : "the address of its "
                            "tensor map leads nowhere");
    }
    c->bytes = tensor_map_box_bytes(&c->map);
    c->room = c->bytes / (c->map.box[0] * tensor_map_element(&c->map)) *
              tensor_map_pitch(&c->map);
    for (int d = 0; d < c->form->rank; d++)
        c->at[d] = (int32_t)w_of(c, at[d]);
    const char *wrong = wrong_copy(c);
    return !wrong || launch_fault(c->warp, FAULT_INSTRUCTION, "%.60s: %s",
                                  i->name, wrong);
}

static bool has_cluster(struct Warp *w, const struct Instruction *i)
{
    return w->block->launch->clustered ||
           launch_fault(w, FAULT_INSTRUCTION, "%.60s: a copy from shared to"
               " shared memory needs a launch with clusters; a cluster of "
               "one block is enough", i->name);
}

static bool start_one(struct Warp *w, const struct Instruction *i, int lane,
                      uint64_t global, uint64_t shared)
{
    struct BulkCopy c = { .form = i->bulk, .pc = w->pc, .warp = w,
                          .lane = lane, .global = global };
    struct Block *owner = w->block, *own;
    bool load = c.form->way == BULK_LOAD;
    bool across = c.form->way == BULK_ACROSS;
    own = shared_place(w, i, lane, shared, shared >> 48, 1, &c.shared);
    if (!own || (c.form->rank && !take_map(&c, i, global)))
        return false;
    if (!c.form->rank)
        c.room = c.bytes = w_of(&c, i->c[0]);
    if (c.form->way != BULK_STORE && !find_barrier(&c, i, &owner))
        return false;
    if (across) {
        if (!has_cluster(w, i))
            return false;
        c.to = shared_place(w, i, lane, global, global >> 48, 16,
                            &c.across);
        if (!c.to)
            return false;
    }
    if (!possible(&c))
        return false;
    c.group = hopper_of(w->block)->group[w->index][lane];
    count_copy(&c, c.form->multicast ? (uint32_t)__builtin_popcount(
                       w_of(&c, i->b[3]) & 0xffff) : 1);
    if (load)
        begin_load(&c, i, owner);
    else
        begin(c.to ? c.to : w->block, &c);
    return true;
}

void run_bulk(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint64_t global[LANES], shared[LANES];
    lane_addresses(w, i->a[0], i->flags & FLAG_A64, i->offset, global);
    lane_addresses(w, i->b[0], i->flags & FLAG_B64, i->offset2, shared);
    for (uint32_t m = on; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        if (!start_one(w, i, l, global[l], shared[l]))
            return;
    }
}

void run_async_arrive(struct Warp *w, const struct Instruction *i,
                      uint32_t on)
{
    for (uint32_t m = on; m; m &= m - 1) {
        struct BulkCopy c = { .form = i->bulk, .pc = w->pc, .warp = w,
                              .lane = __builtin_ctz(m) };
        struct Mbarrier state;
        if (!find_barrier(&c, i, &c.to) ||
            !mbarrier_read(c.to, c.bar, &state))
            return;
        if (i->op) {                    /* not .noinc */
            state.pending++;
            mbarrier_write(c.to, c.bar, state);
        }
        struct Block *b = c.to;
        c.room = c.bytes = 0;
        begin(b, &c);
    }
}

/* groups of bulk copies */
void run_bulk_commit(struct Warp *w, const struct Instruction *i,
                     uint32_t on)
{
    struct Hopper *h = hopper_of(w->block);
    (void)i;
    h->grouped = true;
    for (int l = 0; l < LANES; l++)
        h->group[w->index][l] += on >> l & 1;
}

void run_bulk_wait(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    struct Hopper *h = hopper_of(w->block);
    for (int k = 0; k < h->copies;) {
        struct BulkCopy *c = &h->copy[k];
        if (c->form->way != BULK_STORE || c->warp != w ||
            !(on >> c->lane & 1) ||
            c->group + (uint64_t)i->offset >= h->group[w->index][c->lane]) {
            k++;
        } else if (i->op) {             /* .read */
            keep_source(c);
            k++;
        } else {
            struct BulkCopy done = take_off(h, k);
            arrive(&done);
        }
    }
}

/* the end of a block's copies */
void hopper_end(struct Block *b)
{
    struct Hopper *h = b->hopper;
    while (h && h->copies) {
        struct BulkCopy c = take_off(h, 0);
        if (b->launch->check)
            check_copy_left(&c);
        arrive(&c);
    }
}

void hopper_free(struct Block *b)
{
    struct Hopper *h = b->hopper;
    for (int k = 0; h && k < h->copies; k++)
        free(h->copy[k].kept);
    if (h) {
        free(h->barrier);
        free(h->copy);
    }
    free(h);
    b->hopper = NULL;
}
