/* Tangled from chapters/workshop/count-kernels.nw, "The counter's tables".  Edit it there. */

#include "simt/counters/count.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* the lanes that take part */
/* unit[i] = address / width of the i-th of `lanes`, those left out that are
 * equal to the one before; returns how many. */
static int units(uint64_t unit[32], const uint64_t address[32],
                 uint32_t lanes, int width)
{
    int n = 0, shift = __builtin_ctz((unsigned)width);
    uint64_t before = UINT64_MAX;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint64_t u = address[__builtin_ctz(m)] >> shift;
        if (u != before)
            unit[n++] = before = u;
    }
    return n;
}

/* how many are different */
/* Most programs go upwards through memory, so a value is usually larger
 * than all before; only the others need a search. */
static int distinct(const uint64_t *v, int n)
{
    uint64_t seen[32], most = 0;
    int found = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        if (found && v[i] <= most)
            for (k = found; k > 0 && seen[k - 1] != v[i]; k--)
                ;
        if (k == 0)
            seen[found++] = v[i];
        most = v[i] > most ? v[i] : most;
    }
    return found;
}

/* the lanes that ask for bytes */
/* cp.async may read nothing, and fill with zeros: that asks for nothing. */
static uint32_t asking(const struct Access *a)
{
    uint32_t lanes = a->lanes;
    if (a->kind == ACCESS_ASYNC_CA || a->kind == ACCESS_ASYNC_CG)
        for (uint32_t m = a->lanes; m; m &= m - 1)
            if (a->bytes[__builtin_ctz(m)] == 0)
                lanes &= ~(1u << __builtin_ctz(m));
    return lanes;
}

/* the most in one bank */
/* 128 bytes of shared memory lie side by side, in 32 banks of 4; units of
 * 8 or 16 bytes see 16 or 8 banks.  The most distinct units in a bank: */
static int degree(const uint64_t *unit, int n, unsigned banks)
{
    /* return, if no bank is met twice */
    uint32_t once = 0, busy = 0;
    for (int i = 0; i < n; i++) {
        uint32_t bank = 1u << (unit[i] & (banks - 1));
        busy |= once & bank;
        once |= bank;
    }
    if (!busy)
        return n > 0;
    int most = 1;
    /* search the banks that are busy */
    uint64_t in[32][32];
    unsigned char used[32] = { 0 };
    for (int i = 0; i < n; i++) {
        uint64_t *bank = in[unit[i] & (banks - 1)];
        unsigned char *many = &used[unit[i] & (banks - 1)];
        int k = 0;
        while (k < *many && bank[k] != unit[i])
            k++;
        if (k == *many)
            bank[(*many)++] = unit[i];
        most = *many > most ? *many : most;
    }
    return most;
}

/* sectors of a load or store */
enum { SECTOR = 32, LINE = 128 };

static int lanes_in(uint32_t lanes)
{
    return lanes == 0xffffffff ? 32 : __builtin_popcount(lanes);
}

static bool unbroken(uint32_t lanes)    /* ones without a gap */
{
    uint64_t ones = lanes >> __builtin_ctz(lanes);
    return (ones & (ones + 1)) == 0;
}

static int plain_sectors(const struct Access *a)
{
    if (a->uniform)
        return 1;
    if (a->contiguous && unbroken(a->lanes)) {
        uint64_t from = a->address[__builtin_ctz(a->lanes)];
        uint64_t bytes = (uint64_t)(a->size * lanes_in(a->lanes));
        return (int)((from + bytes - 1) / SECTOR - from / SECTOR) + 1;
    }
    uint64_t sector[32];
    return distinct(sector, units(sector, a->address, a->lanes, SECTOR));
}

/* sectors of an atomic operation */
static int atomic_sectors(const struct Access *a)
{
    uint64_t at[32];
    int on[32], n = 0, sum = 0;         /* on[k] lanes on address at[k] */
    /* count the lanes on each address */
    for (uint32_t m = a->lanes; m; m &= m - 1) {
        int k = n;
        while (k > 0 && at[k - 1] != a->address[__builtin_ctz(m)])
            k--;
        if (k == 0) {
            at[n] = a->address[__builtin_ctz(m)];
            on[n++] = 1;
        } else
            on[k - 1]++;
    }
    /* add the busiest address of each sector */
    for (int k = 0; k < n; k++) {
        bool busiest = true;                /* of equals the first counts */
        for (int j = 0; j < n && busiest; j++)
            if (at[j] / SECTOR == at[k] / SECTOR)
                busiest = on[j] < on[k] || (on[j] == on[k] && j >= k);
        sum += busiest ? on[k] : 0;
    }
    return sum;
}

/* sectors of a copy past the first cache */
static int bypass_sectors(const struct Access *a)
{
    uint64_t pair[32];
    int n = 0;
    for (uint32_t m = a->lanes; m; m &= m - 1) {
        int l = __builtin_ctz(m);       /* shared memory has 18 bits */
        pair[n++] = a->address[l] / LINE << 13 | a->to[l] / SECTOR;
    }
    return distinct(pair, n);
}

/* sectors of an asynchronous copy */
static int async_sectors(const struct Access *a)
{
    struct Access reading = *a;
    reading.lanes = asking(a);
    if (reading.lanes == 0)
        return 0;
    return a->kind == ACCESS_ASYNC_CG ? bypass_sectors(&reading)
                                      : plain_sectors(&reading);
}

/* sectors of a row of TMA */
uint64_t tma_sectors(uint64_t global, uint64_t shared, uint64_t bytes,
                     bool multicast)
{
    uint64_t sum = 0, n, sectors;
    for (; bytes; global += n, shared += n, bytes -= n) {
        n = LINE - shared % LINE;
        n = n < bytes ? n : bytes;
        sectors = (global + n - 1) / SECTOR - global / SECTOR + 1;
        sum += multicast && sectors == 1 ? 2 : sectors;
    }
    return sum;
}

/* sectors of local memory */
static int local_sectors(const struct Access *a)
{
    uint64_t part[32];
    int n = 0, words = a->size > 4 ? a->size / 4 : 1;
    for (uint32_t m = a->lanes; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        part[n++] = a->address[l] / (uint64_t)(4 * words) * 4
                    + (uint64_t)l / 8;
    }
    return words * distinct(part, n);
}

/* which rule counts the sectors */
int global_sectors(const struct Access *a)
{
    if (a->space == SPACE_LOCAL)
        return local_sectors(a);
    switch (a->kind) {
    case ACCESS_ATOM: case ACCESS_RED:
        return a->contiguous ? plain_sectors(a) : atomic_sectors(a);
    case ACCESS_ASYNC_CA: case ACCESS_ASYNC_CG:
        return async_sectors(a);
    default:
        return plain_sectors(a);
    }
}

/* wavefronts of a wide access */
/* Every lane's partner, d further, is off or at the same address. */
static bool paired(const struct Access *a, int d)
{
    for (uint32_t m = a->lanes; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        if (a->lanes >> (l ^ d) & 1 && a->address[l] != a->address[l ^ d])
            return false;
    }
    return true;
}

static int plain_wavefronts(const struct Access *a, int *ideal)
{
    int width = a->size > 4 ? a->size : 4, group = LINE / width;
    if (width > 4 && a->kind == ACCESS_LOAD
        && (paired(a, 1) || paired(a, 2)))
        group *= 2;
    int sum = *ideal = 0;
    for (int l = 0; l < 32; l += group) {
        /* add the turns of the group that begins with lane l */
        uint32_t lanes = a->lanes & (uint32_t)((1ull << group) - 1) << l;
        uint64_t unit[32];
        sum += degree(unit, units(unit, a->address, lanes, width),
                      (unsigned)(LINE / width));
        *ideal += lanes != 0;
    }
    return sum;
}

/* wavefronts of matrices */
static int matrix_wavefronts(const struct Access *a, int *ideal)
{
    int sum = 0;
    for (int m = 0; m < a->matrices; m++) {
        uint64_t row[32];
        sum += degree(row, units(row, a->address, 0xffu << 8 * m, 16), 8);
    }
    *ideal = a->matrices;
    return sum;
}

/* wavefronts of atomic operations */
static int atomic_wavefronts(const struct Access *a, int *ideal)
{
    int lanes[32] = { 0 }, most = 0;
    *ideal = 1;
    /* adding 1 without the old value: count words, not lanes */
    if (a->atomic == ATOMIC_INC1 && a->kind == ACCESS_RED) {
        uint64_t word[32];
        return degree(word, units(word, a->address, a->lanes, 4), 32);
    }
    for (uint32_t m = a->lanes; m; m &= m - 1) {
        int *bank = &lanes[a->address[__builtin_ctz(m)] / 4 % 32];
        most = ++*bank > most ? *bank : most;
    }
    if (a->atomic != ATOMIC_CAS)
        return most;
    *ideal = most + 1;                  /* conflicts: most - 1 */
    return 2 * most;
}

/* which rule counts the wavefronts */
int shared_wavefronts(const struct Access *a, int *ideal)
{
    switch (a->kind) {
    case ACCESS_LDMATRIX: case ACCESS_STMATRIX:
        return matrix_wavefronts(a, ideal);
    case ACCESS_ATOM: case ACCESS_RED:
        return atomic_wavefronts(a, ideal);
    default:
        if (a->size <= 4 && (a->uniform || a->contiguous))
            return *ideal = 1;
        if (a->contiguous && a->lanes == 0xffffffff)
            return *ideal = a->size / 4;
        return plain_wavefronts(a, ideal);
    }
}

/* turns of the constant cache */
int constant_wavefronts(const struct Access *a)
{
    uint64_t at[32];
    return distinct(at, units(at, a->address, a->lanes, 1));
}

/* the bytes asked for */
static uint64_t bytes_asked(const struct Access *a)
{
    uint64_t sum = 0;
    if (a->kind == ACCESS_LDMATRIX || a->kind == ACCESS_STMATRIX)
        return (uint64_t)a->matrices * 128;
    if (a->kind != ACCESS_ASYNC_CA && a->kind != ACCESS_ASYNC_CG)
        return (uint64_t)(a->size * lanes_in(a->lanes));
    for (uint32_t m = a->lanes; m; m &= m - 1)
        sum += a->bytes[__builtin_ctz(m)];
    return sum;
}

/* add turns of shared memory */
static void add_turns(struct Traffic *t, const struct Access *a,
                      int wavefronts, int ideal)
{
    t->requests++;
    t->wavefronts += (uint64_t)wavefronts;
    t->conflicts += (uint64_t)(wavefronts - ideal);
    t->bytes += bytes_asked(a);
}

/* turns of a loop of compare and swap */
static bool changed(const struct Access *a, uint32_t won, uint64_t address)
{
    for (; won; won &= won - 1)
        if (a->address[__builtin_ctz(won)] == address)
            return true;
    return false;
}

/* In each group of lanes served at once, one lane for each bank swaps; it
 * fails if the group before has changed its word. */
static uint32_t winners(const struct Access *a)
{
    uint32_t won = 0, before = 0, taken = 0;
    unsigned banks = (unsigned)(LINE / a->size), group = 0;
    for (uint32_t m = a->lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint32_t bank = 1u << a->address[l] / (unsigned)a->size % banks;
        /* where a group ends, all banks are free again */
        if (l / banks != group) {
            group = l / banks;
            before = won;
            taken = 0;
        }
        if (!(taken & bank) && !changed(a, before, a->address[l]))
            won |= 1u << l;
        taken |= bank;
    }
    return won;
}

static void count_loop(struct Site *s, const struct Access *a)
{
    struct Access left = *a;
    left.kind = ACCESS_LOAD;
    for (; left.lanes; left.lanes &= ~winners(&left)) {
        int groups, wavefronts = plain_wavefronts(&left, &groups);
        add_turns(&s->again, &left, wavefronts, groups);
        groups = a->size == 8 ? !!(left.lanes & 0xffff)
                                + !!(left.lanes >> 16) : 1;
        add_turns(&s->in[SPACE_SHARED], &left, 2 * groups, 2 * groups);
    }
}

/* add an access to its site */
void count_access(struct Site *s, const struct Access *a)
{
    struct Traffic *t = &s->in[a->space];
    s->kind = a->kind;
    if (asking(a) == 0)
        return;
    if (a->space == SPACE_SHARED) {
        /* count an access to shared memory */
        int ideal, wavefronts;
        if (a->atomic == ATOMIC_ADD && (a->is_float || a->is_64)) {
            count_loop(s, a);
            return;
        }
        wavefronts = shared_wavefronts(a, &ideal);
        add_turns(t, a, wavefronts, ideal);
        return;
    }
    /* count an access to other memory */
    t->requests++;
    t->bytes += bytes_asked(a);
    if (a->space == SPACE_CONST)
        t->wavefronts += (uint64_t)constant_wavefronts(a);
    else if (a->space != SPACE_PARAM)
        t->sectors += (uint64_t)global_sectors(a);
}

/* room for the marks */
void touched_new(struct Touched *t, uint64_t base, uint64_t bytes)
{
    size_t words = (size_t)((bytes + 64 * SECTOR - 1) / (64 * SECTOR));
    *t = (struct Touched){ base, xcalloc(words, 8), xcalloc(words, 8),
                           words, words, 0 };
}

void touched_free(struct Touched *t)
{
    free(t->read);
    free(t->written);
}

void touched_clear(struct Touched *t)
{
    if (t->low < t->high) {
        memset(t->read + t->low, 0, (t->high - t->low) * 8);
        memset(t->written + t->low, 0, (t->high - t->low) * 8);
    }
    t->low = t->words;
    t->high = 0;
}

/* remember the sectors */
static void mark(struct Touched *t, uint64_t sector, bool read,
                 bool written)
{
    size_t word = (size_t)(sector / 64);
    if (word >= t->words)
        return;
    t->read[word] |= (uint64_t)read << sector % 64;
    t->written[word] |= (uint64_t)written << sector % 64;
    t->low = word < t->low ? word : t->low;
    t->high = word >= t->high ? word + 1 : t->high;
}

void touch(struct Touched *t, const struct Access *a)
{
    bool atomic = a->kind == ACCESS_ATOM || a->kind == ACCESS_RED;
    bool write = a->kind == ACCESS_STORE || atomic;
    bool read = a->kind != ACCESS_STORE;
    bool async = a->kind == ACCESS_ASYNC_CA || a->kind == ACCESS_ASYNC_CG;
    uint64_t before = UINT64_MAX;
    bool one = a->uniform && !async;            /* lane speaks for all */
    for (uint32_t m = one ? a->lanes & -a->lanes : a->lanes; m;
         m &= m - 1) {
        int l = __builtin_ctz(m);
        uint64_t sector = (a->address[l] - t->base) / SECTOR;
        if (sector != before && !(async && a->bytes[l] == 0))
            mark(t, before = sector, read, write);
    }
}

/* merge and count the marks */
void touched_merge(struct Touched *into, const struct Touched *from)
{
    for (size_t i = from->low; i < from->high; i++) {
        into->read[i] |= from->read[i];
        into->written[i] |= from->written[i];
    }
    into->low = from->low < into->low ? from->low : into->low;
    into->high = from->high > into->high ? from->high : into->high;
}

void touched_count(const struct Touched *t, uint64_t *read,
                   uint64_t *written)
{
    *read = *written = 0;
    for (size_t i = t->low; i < t->high; i++) {
        *read += (uint64_t)__builtin_popcountll(t->read[i]);
        *written += (uint64_t)__builtin_popcountll(t->written[i]);
    }
}

/* the table of metrics */
#define ROW(name, what) { #name, what },
const struct Metric metric_table[METRIC_COUNT] = { METRICS(ROW) };
#undef ROW

uint64_t metric_value(const struct Totals *t, int i)
{
    uint64_t value[METRIC_COUNT];
    memcpy(value, t, sizeof value);
    return value[i];
}

/* add up the metrics */
/* add the traffic of an instruction */
#define ADD_SECTORS(name, x)                                            \
    (t->name##_req += (x)->requests, t->name##_sec += (x)->sectors,     \
     t->name##_bytes += (x)->bytes)
#define ADD_WAVES(name, x)                                              \
    (t->name##_req += (x)->requests, t->name##_wave += (x)->wavefronts, \
     t->name##_conf += (x)->conflicts, t->name##_bytes += (x)->bytes)

static void add_traffic(struct Totals *t, const struct Site *s)
{
    const struct Traffic *global = &s->in[SPACE_GLOBAL];
    const struct Traffic *shared = &s->in[SPACE_SHARED];
    const struct Traffic *local = &s->in[SPACE_LOCAL];
    t->const_req += s->in[SPACE_CONST].requests;
    t->const_wave += s->in[SPACE_CONST].wavefronts;
    switch (s->kind) {
    /* add the traffic of each kind of access */
    case ACCESS_LOAD:
        ADD_SECTORS(gld, global);
        ADD_SECTORS(lld, local);
        ADD_WAVES(sld, shared);
        break;
    case ACCESS_STORE:
        ADD_SECTORS(gst, global);
        ADD_SECTORS(lst, local);
        ADD_WAVES(sst, shared);
        break;
    case ACCESS_ATOM:
        ADD_SECTORS(gatom, global);
        ADD_WAVES(satom, shared);
        ADD_WAVES(sld, &s->again);
        break;
    case ACCESS_RED:
        ADD_SECTORS(gred, global);
        ADD_WAVES(satom, shared);
        ADD_WAVES(sld, &s->again);
        break;
    case ACCESS_ASYNC_CA: ADD_SECTORS(async_ca, global); break;
    case ACCESS_ASYNC_CG: ADD_SECTORS(async_cg, global); break;
    case ACCESS_LDMATRIX: ADD_WAVES(ldsm, shared); break;
    case ACCESS_STMATRIX: ADD_WAVES(stsm, shared); break;
    case ACCESS_TMA_LOAD:
        ADD_SECTORS(tma_ld, global);
        t->tma_ld_l2 += global->wavefronts;
        break;
    case ACCESS_TMA_STORE: ADD_SECTORS(tma_st, global); break;
    case ACCESS_TMA_RED: ADD_SECTORS(tma_red, global); break;
    case ACCESS_TMA_ACROSS: ADD_SECTORS(tma_dsm, shared); break;
    case ACCESS_WGMMA:
        t->gmma_req += shared->requests;
        t->gmma_wave += shared->wavefronts;
        break;
    }
}

/* add the work of an instruction */
static void add_work(struct Totals *t, const struct Site *s, enum Work work,
                     uint64_t flop)
{
    switch (work) {
    case WORK_OTHER:   break;
    case WORK_BRANCH:  t->branch += s->executed;
                       t->branch_div += s->divergent; break;
    case WORK_BARRIER: t->barriers += s->executed; break;
    case WORK_FADD:    t->fadd += s->on; t->flop += s->on; break;
    case WORK_FMUL:    t->fmul += s->on; t->flop += s->on; break;
    case WORK_FFMA:    t->ffma += s->on; t->flop += 2 * s->on; break;
    case WORK_HALF:    t->half_flop += flop * s->on; break;
    case WORK_DOUBLE:  t->double_flop += flop * s->on; break;
    case WORK_SPECIAL: t->special += s->on; break;
    case WORK_TENSOR:  t->tensor_inst += s->executed;
                       t->tensor_flop += flop * s->executed; break;
    }
}
void totals_add(struct Totals *t, const struct Site *s, enum Work work,
                int flop)
{
    t->inst += s->executed;
    t->thread_inst += s->active;
    t->thread_inst_on += s->on;
    /* its lanes accessed memory, if it has made a request */
    for (int i = 0; i < SPACE_PARAM && s->kind < ACCESS_TMA_LOAD; i++)
        if (s->in[i].requests) {
            t->thread_mem += s->on;
            break;
        }
    add_traffic(t, s);
    add_work(t, s, work, (uint64_t)flop);
}
