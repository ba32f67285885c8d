/* Tangled from chapters/workshop/ptx.nw, "The rest of the executor".  Edit it there. */

#include "simt/executor/execute.h"
#include "simt/executor/device_math.h"
#include "simt/executor/lanes.h"
#include "simt/sanitizer/async.h"

#include <math.h>
#include <string.h>

/* compute addresses */
#define ALWAYS static inline __attribute__((always_inline))

typedef uint64_t four __attribute__((vector_size(32), may_alias));
typedef uint32_t half_four __attribute__((vector_size(16), may_alias));
typedef uint32_t eight __attribute__((vector_size(32), may_alias));

/* to[l] = base[l] + offset.  True: lane l has to[0] + l (to[1] - to[0]). */
#define ADDRESSES(name, slot, vector)                                   \
    ALWAYS bool name(const slot *base, slot offset, uint64_t *to)       \
    {                                                                   \
        uint64_t from = (slot)(base[0] + offset);                       \
        uint64_t step = (slot)(base[1] + offset) - from;                \
        four line = { from, from + step, from + 2 * step,               \
                      from + 3 * step }, off = { 0 };                   \
        for (int l = 0; l < LANES; l += 4) {                            \
            four at = __builtin_convertvector(                          \
                *(const vector *)(base + l) + offset, four);            \
            memcpy(to + l, &at, sizeof at);                             \
            off |= at ^ line;                                           \
            line += 4 * step;                                           \
        }                                                               \
        return !(off[0] | off[1] | off[2] | off[3]);                    \
    }
ADDRESSES(long_addresses, slot8, four)
ADDRESSES(short_addresses, slot4, half_four)

ALWAYS bool addresses(const struct Warp *w, uint32_t unit, bool wide,
                      int64_t offset, uint64_t *to)
{
    return wide
        ? long_addresses(REGISTER(w, unit, const slot8), (slot8)offset, to)
        : short_addresses(REGISTER(w, unit, const slot4), (slot4)offset,
                          to);
}

/* are the lanes in a row */
/* What is asked of 32 addresses in one pass.  Device addresses and sizes
 * are below 2^63, so that a difference below 0 shows in the sign. */
struct Lanes {
    uint64_t off_line;          /* 0: on a line with steps of size       */
    uint64_t off_point;         /* 0: all the same                       */
    uint64_t bits;              /* of all addresses together             */
    uint64_t outside;           /* sign: one is not in [low, low + most] */
};

#define ONE_PASS(name, target, both)                                    \
    target static struct Lanes name(const uint64_t *a, uint32_t lanes,  \
        uint64_t size, uint64_t low, uint64_t most)                     \
    {                                                                   \
        struct Lanes r = { 0, 0, 0, 0 };                                \
        int first = __builtin_ctz(lanes);                               \
        uint64_t point = a[first], start = point - size *               \
            (uint64_t)first;                                            \
        for (int l = 0; l < LANES; l++) {                               \
            uint64_t on = both || lanes & lane_bit[l] ? ~(uint64_t)0 : 0;\
            uint64_t up = a[l] - low, down = most - up;                 \
            r.off_line |= on & (a[l] ^ (start + size * (uint64_t)l));   \
            r.off_point |= on & (a[l] ^ point);                         \
            r.bits |= on & a[l];                                        \
            r.outside |= on & (up | down);                              \
        }                                                               \
        return r;                                                       \
    }
ONE_PASS(all_plain, , 1)
ONE_PASS(some_plain, , 0)
#ifdef __x86_64__
ONE_PASS(all_wide, WIDE, 1)
ONE_PASS(some_wide, WIDE, 0)
#endif

static struct Lanes one_pass(const struct Launch *launch,
                             const struct Access *a, uint64_t low,
                             uint64_t most)
{
    uint64_t size = (uint64_t)a->size;
    bool all = a->lanes == ALL_LANES;
#ifdef __x86_64__
    if (launch->wide)
        return all ? all_wide(a->address, a->lanes, size, low, most)
                   : some_wide(a->address, a->lanes, size, low, most);
#endif
    (void)launch;
    return all ? all_plain(a->address, a->lanes, size, low, most)
               : some_plain(a->address, a->lanes, size, low, most);
}

/* lanes that point nowhere */
static uint32_t outside(const struct Access *a, uint64_t low, uint64_t high)
{
    uint32_t bits = 0;
    if (high - low < (uint64_t)a->size)
        return a->lanes;
    for (int l = 0; l < LANES; l++)
        bits |= a->address[l] - low > high - low - (uint64_t)a->size
                ? lane_bit[l] : 0;
    return bits & a->lanes;
}

/* lanes outside device memory */
/* Most accesses of an instruction hit the allocation of the one before. */
static uint32_t outside_device(struct Warp *w, const struct Access *a)
{
    struct Launch *launch = w->block->launch;
    struct Hit *hit = &launch->hit[w->pc % HITS];
    uint32_t bad = outside(a, hit->low, hit->high);
    for (uint32_t m = bad; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        const struct Allocation *at = memory_find(a->address[l]);
        if (!at || (uint64_t)a->size > at->bytes -
                                       (a->address[l] - at->address)
            || (at->device >= 0 && at->device != launch->device))
            continue;
        hit->low = at->address;
        hit->high = at->address + at->bytes;
        bad &= ~lane_bit[l];
    }
    return bad;
}

/* lanes at odd addresses */
static uint32_t misaligned(const struct Access *a)
{
    uint32_t bits = 0;
    for (int l = 0; l < LANES; l++)
        bits |= a->address[l] & ((uint64_t)a->size - 1) ? lane_bit[l] : 0;
    return bits & a->lanes;
}

/* where the bytes are */
/* The byte of lane l is at base + stride l + address[l]. */
struct Bytes { unsigned char *base; size_t stride; };

static struct Bytes bytes_of(const struct Warp *w, enum Space space)
{
    switch (space) {
    case SPACE_SHARED:
        return (struct Bytes){ w->block->shared, 0 };
    case SPACE_LOCAL:
        return (struct Bytes){ w->local,
                               w->block->launch->kernel->local_bytes };
    default:
        return (struct Bytes){ (unsigned char *)(intptr_t)memory.delta, 0 };
    }
}

static inline unsigned char *byte_of(struct Bytes b, const struct Access *a,
                                     int l)
{
    return (unsigned char *)((uintptr_t)b.base + b.stride * (size_t)l +
                             (uintptr_t)a->address[l]);
}

/* look before the data moves */
static const char *const space_names[] = { "global", "shared", "local",
                                           "constant", "parameter" };

static void complain(struct Warp *w, const struct Access *a)
{
    bool illegal = a->illegal != 0;
    int l = __builtin_ctz(illegal ? a->illegal : a->misaligned);
    struct Dim3 t = thread_index(w, l);
    const char *what = w->block->launch->kernel->code[w->pc].name;
    const struct Allocation *at = a->space == SPACE_GLOBAL
                                ? memory_find(a->address[l]) : NULL;
    const int device = w->block->launch->device;
    if (illegal && at && at->device >= 0 && at->device != device)
        launch_fault(w, FAULT_ILLEGAL_ADDRESS, "%.40s of thread (%u,%u,%u) "
            "at global address 0x%llx, which is memory of device %d: this "
            "kernel runs on device %d", what, t.x, t.y, t.z,
            (unsigned long long)a->address[l], at->device, device);
    else if (illegal)
        launch_fault(w, FAULT_ILLEGAL_ADDRESS, "%.40s of thread (%u,%u,%u) "
            "at %s address 0x%llx, where the program has no memory", what,
            t.x, t.y, t.z, space_names[a->space],
            (unsigned long long)a->address[l]);
    else
        launch_fault(w, FAULT_MISALIGNED_ADDRESS, "%.40s of thread "
            "(%u,%u,%u) at %s address 0x%llx, which is no multiple of its "
            "%d bytes", what, t.x, t.y, t.z, space_names[a->space],
            (unsigned long long)a->address[l], a->size);
}

enum { FAR_BITS = 40 };

/* All lanes, on a line: are they where they may be? */
ALWAYS bool line_inside(struct Access *a, uint64_t low, uint64_t high)
{
    const uint64_t far = (uint64_t)1 << FAR_BITS;
    uint64_t size = (uint64_t)a->size, step = a->address[1] - a->address[0];
    uint64_t first = a->address[0], last = a->address[LANES - 1];
    uint64_t from = first < last ? first : last;
    uint64_t to = first < last ? last : first;
    a->contiguous = step == size;
    a->uniform = step == 0;
    return step + far < 2 * far && !((first | step) & (size - 1)) &&
           from >= low && high - low >= size &&
           to - low <= high - low - size;
}

static void look_closely(struct Warp *w, struct Access *a, bool device,
                         uint64_t low, uint64_t high)
{
    uint64_t size = (uint64_t)a->size;
    struct Lanes r = one_pass(w->block->launch, a, low, high - low - size);
    a->contiguous = !r.off_line;
    a->uniform = !r.off_point;
    a->misaligned = r.bits & (size - 1) ? misaligned(a) : 0;
    if ((int64_t)r.outside < 0 || high - low < size)
        a->illegal = device ? outside_device(w, a) : outside(a, low, high);
}

static bool strike_out(struct Warp *w, struct Access *a)
{
    uint32_t bad = a->illegal | a->misaligned;
    uint32_t lanes = a->lanes & ~bad;
    if (w->block->launch->check)
        lanes &= check_access(w, a);
    if (bad)
        complain(w, a);
    if (lanes != a->lanes) {
        a->lanes = lanes;
        a->contiguous = a->uniform = false;
    }
    return lanes != 0;
}

/* Fill in the rest of the access; line: all lanes take part and are on
 * one.  False: nobody is left. */
ALWAYS bool look(struct Warp *w, struct Access *a, bool line)
{
    const struct Launch *launch = w->block->launch;
    bool device = a->space != SPACE_SHARED && a->space != SPACE_LOCAL;
    const struct Hit *hit = &launch->hit[w->pc % HITS];
    uint64_t low = device ? hit->low : 0;
    uint64_t high = device ? hit->high : a->space == SPACE_SHARED ?
        w->block->shared_bytes : launch->kernel->local_bytes;
    a->misaligned = a->illegal = 0;
    if (!line || !line_inside(a, low, high))
        look_closely(w, a, device, low, high);
    return (!launch->check && !a->misaligned && !a->illegal) ||
           strike_out(w, a);
}

/* count what moved */
static void count_moved(struct Warp *w, const struct Access *a)
{
    struct Launch *launch = w->block->launch;
    count_access(&launch->site[w->pc], a);
    if (launch->touched && a->space == SPACE_GLOBAL)
        touch(launch->touched, a);
    if (simt_options.access)
        simt_options.access(w, a);
}

ALWAYS void count(struct Warp *w, const struct Access *a)
{
    if (w->block->launch->site)
        count_moved(w, a);
}

/* one space at a time */
typedef void Mover(struct Warp *, const struct Instruction *,
                   const struct Access *, struct Bytes);

static enum Space space_at(uint64_t address)
{
    return address >> 48 == SHARED_WINDOW >> 48 ? SPACE_SHARED :
           address >> 48 == LOCAL_WINDOW >> 48 ? SPACE_LOCAL : SPACE_GLOBAL;
}

/* one block of the cluster at a time */
static void move_remote(struct Warp *w, const struct Instruction *i,
                        struct Access *a, Mover *move, struct Block *b)
{
    a->contiguous = a->uniform = false;
    a->misaligned = misaligned(a);
    a->illegal = outside(a, 0, b->shared_bytes);
    if (w->block->launch->check)
        check_remote(w, a, b);
    if (a->illegal | a->misaligned)
        complain(w, a);
    a->lanes &= ~(a->illegal | a->misaligned);
    if (a->lanes)
        move(w, i, a, (struct Bytes){ b->shared, 0 });
}

/* False: nobody is left. */
static bool move_ranks(struct Warp *w, const struct Instruction *i,
                       struct Access *a, Mover *move)
{
    struct Access there = *a;
    uint32_t rest = a->lanes, own = 0;
    while (rest) {
        uint64_t rank = a->address[__builtin_ctz(rest)] >> RANK_SHIFT;
        struct Block *b = rank ? cluster_block(w->block,
                                     (uint32_t)rank - 1) : w->block;
        there.lanes = 0;
        for (int l = 0; l < LANES; l++)
            if (rest >> l & 1 && a->address[l] >> RANK_SHIFT == rank) {
                there.lanes |= lane_bit[l];
                there.address[l] = a->address[l] & 0xffffff;
                a->address[l] = there.address[l];
            }
        rest &= ~there.lanes;
        if (b == w->block)
            own |= there.lanes;
        else if (b)
            move_remote(w, i, &there, move, b);
    }
    a->lanes = own;
    return own != 0;
}
ALWAYS void move_one(struct Warp *w, const struct Instruction *i,
                     struct Access *a, bool line, Mover *move)
{
    if (a->space == SPACE_SHARED && w->block->cluster->n > 1 &&
        !w->block->launch->workspace &&
        !move_ranks(w, i, a, move))
        return;
    if (!look(w, a, line))
        return;
    move(w, i, a, bytes_of(w, a->space));
    count(w, a);
}

/* A generic address says itself where it leads, lane by lane. */
static void move_generic(struct Warp *w, const struct Instruction *i,
                         struct Access *a, Mover *move)
{
    uint64_t from[LANES];
    uint32_t rest = a->lanes;
    memcpy(from, a->address, sizeof from);
    while (rest) {
        enum Space space = space_at(from[__builtin_ctz(rest)]);
        uint64_t window = space == SPACE_SHARED ? SHARED_WINDOW :
                          space == SPACE_LOCAL ? LOCAL_WINDOW : 0;
        a->lanes = 0;
        for (int l = 0; l < LANES; l++) {
            if (space_at(from[l]) == space)
                a->lanes |= lane_bit[l] & rest;
            a->address[l] = from[l] - window;
        }
        rest &= ~a->lanes;
        a->space = space;
        move_one(w, i, a, false, move);
    }
}

ALWAYS void move(struct Warp *w, const struct Instruction *i, uint32_t on,
                 Mover *mover)
{
    struct Access a;
    a.kind = i->access;
    a.space = i->space;
    a.lanes = on;
    a.size = i->size * i->width;
    a.atomic = i->atomic;
    a.is_float = i->is_float;
    a.is_64 = i->is_64;
    a.matrices = 0;
    bool line = addresses(w, i->a[0], i->flags & FLAG_A64, i->offset,
                          a.address);
    if (i->space == SPACE_GENERIC)
        move_generic(w, i, &a, mover);
    else
        move_one(w, i, &a, line && on == ALL_LANES, mover);
}

/* what other files may do with an access */
void lane_addresses(const struct Warp *w, uint32_t unit, bool wide,
                    int64_t offset, uint64_t *to)
{
    addresses(w, unit, wide, offset, to);
}

bool access_look(struct Warp *w, struct Access *a)
{
    return look(w, a, false);
}

void access_count(struct Warp *w, const struct Access *a)
{
    count(w, a);
}

uint32_t access_outside(struct Warp *w, const struct Access *a)
{
    return outside_device(w, a);
}

void access_complain(struct Warp *w, const struct Access *a)
{
    complain(w, a);
}

static void atomic(struct Warp *w, const struct Instruction *i,
                   const struct Access *a, struct Bytes at)
{
    if (at.stride)
        launch_fault(w, FAULT_INSTRUCTION, "an atomic operation on a local "
                     "variable");
    else
        atomic_lanes(w, i, a, at.base);
}

void run_atomic(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    move(w, i, on, atomic);
}

/* load one element */
static inline uint64_t element(const unsigned char *p, int size, bool sign)
{
    uint8_t b;
    uint16_t h;
    uint32_t word;
    uint64_t both;
    switch (size) {
    case 1:
        memcpy(&b, p, 1);
        return sign ? (uint64_t)(int8_t)b : b;
    case 2:
        memcpy(&h, p, 2);
        return sign ? (uint64_t)(int16_t)h : h;
    case 4:
        memcpy(&word, p, 4);
        return sign ? (uint64_t)(int32_t)word : word;
    default:
        memcpy(&both, p, 8);
        return both;
    }
}

/* load */
static void load_plain(struct Warp *w, const struct Instruction *i,
                       const struct Access *a, struct Bytes from)
{
    bool sign = i->flags & FLAG_SIGNED;
    int first = __builtin_ctz(a->lanes);
    if (i->flags & FLAG_STRONG)
        warp_looked(w, a->address[first],
                    element(byte_of(from, a, first), i->size, false));
    for (uint32_t m = a->lanes; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        const unsigned char *p = byte_of(from, a, l);
        for (int k = 0; k < i->width; k++, p += i->size) {
            uint64_t value = element(p, i->size, sign);
            if (i->flags & FLAG_WIDE)
                REGISTER(w, i->d[k], slot8)[l] = value;
            else
                w->file[i->d[k] + (unsigned)l] = (uint32_t)value;
        }
    }
}

ALWAYS uint32_t word_at(const unsigned char *p)
{
    uint32_t word;
    memcpy(&word, p, 4);
    return word;
}

/* 128 bytes, at any addresses. */
ALWAYS void copy_row(void *to, const void *from)
{
    for (size_t at = 0; at < 4 * LANES; at += sizeof(eight)) {
        eight x;
        memcpy(&x, (const char *)from + at, sizeof x);
        memcpy((char *)to + at, &x, sizeof x);
    }
}

/* d[l] = the word that begins `skip` bytes after the address of lane l. */
ALWAYS void load_row(uint32_t *d, const struct Access *a, struct Bytes from,
                     size_t skip)
{
#define WORD(k) word_at(byte_of(from, a, l + (k)) + skip)
    if (a->uniform && !from.stride) {
        eight x = { 0 };
        x += word_at(byte_of(from, a, 0) + skip);
        for (int l = 0; l < LANES; l += 8)
            memcpy(d + l, &x, sizeof x);
        return;
    }
    for (int l = 0; l < LANES; l += 8) {
        eight x = { WORD(0), WORD(1), WORD(2), WORD(3),
                    WORD(4), WORD(5), WORD(6), WORD(7) };
        memcpy(d + l, &x, sizeof x);
    }
#undef WORD
}

ALWAYS void load(struct Warp *w, const struct Instruction *i,
                 const struct Access *a, struct Bytes from)
{
    if (a->lanes != ALL_LANES || i->size != 4 ||
        i->flags & (FLAG_STRONG | FLAG_WIDE))
        load_plain(w, i, a, from);
    else if (i->width == 1 && a->contiguous && !from.stride)
        copy_row(w->file + i->d[0], byte_of(from, a, 0));
    else
        for (int k = 0; k < i->width; k++)
            load_row(w->file + i->d[k], a, from, 4 * (size_t)k);
}

TWICE(run_load, { move(w, i, on, load); })
Handler *const run_load[2] = BOTH(run_load);

/* store one element */
static inline void put(unsigned char *p, int size, uint64_t value)
{
    uint8_t b = (uint8_t)value;
    uint16_t h = (uint16_t)value;
    uint32_t word = (uint32_t)value;
    switch (size) {
    case 1: memcpy(p, &b, 1); break;
    case 2: memcpy(p, &h, 2); break;
    case 4: memcpy(p, &word, 4); break;
    default: memcpy(p, &value, 8);
    }
}

/* store */
static void store_plain(struct Warp *w, const struct Instruction *i,
                        const struct Access *a, struct Bytes to)
{
    for (uint32_t m = a->lanes; m; m &= m - 1) {    /* the last lane wins */
        int l = __builtin_ctz(m);
        unsigned char *p = byte_of(to, a, l);
        for (int k = 0; k < i->width; k++, p += i->size)
            put(p, i->size, i->flags & FLAG_WIDE
                ? REGISTER(w, i->b[k], const slot8)[l]
                : w->file[i->b[k] + (unsigned)l]);
    }
}

ALWAYS void store(struct Warp *w, const struct Instruction *i,
                  const struct Access *a, struct Bytes to)
{
    bool words = a->lanes == ALL_LANES && i->size == 4 &&
                 !(i->flags & FLAG_WIDE) && i->width == 1;
    if (words && a->contiguous && !to.stride)
        copy_row(byte_of(to, a, 0), w->file + i->b[0]);
    else if (words)
        for (int l = 0; l < LANES; l++)             /* the last lane wins */
            memcpy(byte_of(to, a, l), w->file + i->b[0] + l, 4);
    else
        store_plain(w, i, a, to);
}

TWICE(run_store, { move(w, i, on, store); })
Handler *const run_store[2] = BOTH(run_store);

/* parameters of a kernel */
static void set_all(struct Warp *w, uint32_t unit, bool wide,
                    uint64_t value, uint32_t on)
{
    if (wide) {
        slot8 *d = REGISTER(w, unit, slot8);
        EACH_LANE(on, d, value)
    } else {
        slot4 *d = REGISTER(w, unit, slot4);
        EACH_LANE(on, d, (uint32_t)value)
    }
}

void run_param(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    const unsigned char *p = w->block->launch->params + i->offset;
    for (int k = 0; k < i->width; k++, p += i->size)
        set_all(w, i->d[k], i->flags & FLAG_WIDE,
                element(p, i->size, i->flags & FLAG_SIGNED), on);
}

void run_param_at(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    const struct Launch *launch = w->block->launch;
    uint64_t at[LANES];
    addresses(w, i->a[0], i->flags & FLAG_A64, i->offset, at);
    for (uint32_t m = on; m;) {
        int l = __builtin_ctz(m), bytes = i->size * i->width;
        uint32_t lanes = 0;             /* that read the same */
        for (int k = 0; k < LANES; k++)
            lanes |= at[k] == at[l] ? lane_bit[k] & m : 0;
        m &= ~lanes;
        if (at[l] > launch->kernel->param_bytes ||
            launch->kernel->param_bytes - at[l] < (unsigned)bytes) {
            launch_fault(w, FAULT_ILLEGAL_ADDRESS, "%.40s outside of the "
                         "parameters", i->name);
            return;
        }
        for (int k = 0; k < i->width; k++)
            set_all(w, i->d[k], i->flags & FLAG_WIDE,
                    element(launch->params + at[l] + i->size * k, i->size,
                            i->flags & FLAG_SIGNED), lanes);
    }
}

/* parameters of a function */
static bool move_lane(struct Warp *w, const struct Instruction *i, int l,
                      uint64_t at, bool load_it)
{
    size_t stride = w->block->launch->kernel->local_bytes;
    if (at > stride || stride - at < (size_t)(i->size * i->width))
        return launch_fault(w, FAULT_ILLEGAL_ADDRESS, "%.40s outside of "
                            "the parameters", i->name);
    unsigned char *p = frame_of(w, l) + at;
    for (int k = 0; k < i->width; k++, p += i->size)
        if (load_it)
            set_all(w, i->d[k], i->flags & FLAG_WIDE,
                    element(p, i->size, i->flags & FLAG_SIGNED),
                    lane_bit[l]);
        else
            put(p, i->size, i->flags & FLAG_WIDE
                ? REGISTER(w, i->b[k], const slot8)[l]
                : w->file[i->b[k] + (unsigned)l]);
    return true;
}

static void move_frame(struct Warp *w, const struct Instruction *i,
                       uint32_t on, bool load_it)
{
    for (; on; on &= on - 1)
        move_lane(w, i, __builtin_ctz(on), (uint64_t)i->offset, load_it);
}

void run_frame_load(struct Warp *w, const struct Instruction *i,
                    uint32_t on)
{
    move_frame(w, i, on, true);
}

void run_frame_store(struct Warp *w, const struct Instruction *i,
                     uint32_t on)
{
    move_frame(w, i, on, false);
}

void run_frame_at(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint64_t at[LANES];
    addresses(w, i->a[0], i->flags & FLAG_A64, i->offset, at);
    for (; on; on &= on - 1) {
        int l = __builtin_ctz(on);
        if (!move_lane(w, i, l, at[l], true))
            return;
    }
}

/* windows of the generic space */
static uint64_t window_of(enum Space space)
{
    return space == SPACE_SHARED ? SHARED_WINDOW :
           space == SPACE_LOCAL ? LOCAL_WINDOW : 0;
}

void run_to_window(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    slot8 *d = REGISTER(w, i->d[0], slot8);
    const slot8 *a = REGISTER(w, i->a[0], const slot8);
    uint64_t window = window_of(i->space);
    EACH_LANE(on, d, a[l] - window)
}

void run_from_window(struct Warp *w, const struct Instruction *i,
                     uint32_t on)
{
    slot8 *d = REGISTER(w, i->d[0], slot8);
    const slot8 *a = REGISTER(w, i->a[0], const slot8);
    uint64_t window = window_of(i->space);
    EACH_LANE(on, d, a[l] + window)
}

void run_is_space(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    const slot8 *a = REGISTER(w, i->a[0], const slot8);
    uint32_t bits = 0;
    for (int l = 0; l < LANES; l++)
        bits |= space_at(a[l]) == i->space ? lane_bit[l] : 0;
    w->file[i->d[0]] = (w->file[i->d[0]] & ~on) | (bits & on);
}

/* which function a pointer means */
void run_which(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    const slot8 *pointer = REGISTER(w, i->a[0], const slot8);
    for (; on; on &= on - 1) {
        int l = __builtin_ctz(on);
        uint64_t at = pointer[l] - FUNCTION_WINDOW, k = at / 16 - 1;
        bool good = at % 16 == 0 && k < (uint64_t)i->width;
        w->file[i->d[0] + (unsigned)l] = good ? (uint32_t)i->table[k]
                                              : (uint32_t)i->offset;
    }
}

void run_no_function(struct Warp *w, const struct Instruction *i,
                     uint32_t on)
{
    const slot8 *pointer = REGISTER(w, i->a[0], const slot8);
    launch_fault(w, FAULT_INSTRUCTION, "a call through a pointer, 0x%llx, "
                 "which names no function with these parameters (or one "
                 "that would call itself)",
                 (unsigned long long)pointer[__builtin_ctz(on)]);
}
