/* The counting rules, each alone, on patterns written out in the row's name:
 * lane l, in steps of `every` from `first` to `last`, accesses `z` bytes at
 *
 *     from + by * ((l / div) % mod) + more * (l % part)
 *
 * and expects `want`.  What is expected of these patterns was counted by the
 * chip (figures/data/simt-validation.csv), or follows from a rule that was. */
#include "rows.h"

#include "simt/counters/count.h"

static uint64_t key(const struct Row *row, const char *name, uint64_t other)
{
    return (uint64_t)row_number(row, name, (double)other);
}

static uint64_t where(const struct Row *row, uint64_t l)
{
    uint64_t at = l / key(row, "div", 1) % key(row, "mod", 99);
    return key(row, "from", 0) + key(row, "by", key(row, "z", 4)) * at
           + key(row, "more", 0) * (l % key(row, "part", 1));
}

static struct Access access_of(const struct Row *row, enum AccessKind kind,
                               enum Space space)
{
    struct Access a = { .kind = kind, .space = space,
                        .size = (int)key(row, "z", 4), .matrices = 4 };
    uint64_t every = key(row, "every", 1);
    for (unsigned l = 0; l < 32; l++) {
        a.address[l] = where(row, l);
        a.bytes[l] = (uint8_t)a.size;
        if (l >= key(row, "first", 0) && l <= key(row, "last", 31)
            && l % every == key(row, "rest", 0))
            a.lanes |= 1u << l;
    }
    int f = __builtin_ctz(a.lanes);
    a.contiguous = true;
    for (int l = f; l < 32; l++)
        if (a.lanes >> l & 1)
            a.contiguous &= a.address[l] == a.address[f]
                                            + (uint64_t)(a.size * (l - f));
    return a;
}

static void expect(const struct Row *row, const char *what, uint64_t is)
{
    uint64_t want = key(row, what, 0);
    if (is != want)
        fail_msg("%s is %llu, should be %llu", what, (unsigned long long)is,
                 (unsigned long long)want);
}

/* The pattern as it is, and told that it might not be contiguous. */
static void sectors_of(const struct Row *row, struct Access a)
{
    expect(row, "want", (uint64_t)global_sectors(&a));
    a.contiguous = false;
    expect(row, "want", (uint64_t)global_sectors(&a));
}

static void load(const struct Row *row)
{
    sectors_of(row, access_of(row, ACCESS_LOAD, SPACE_GLOBAL));
}

static void atomic(const struct Row *row)
{
    struct Access a = access_of(row, ACCESS_RED, SPACE_GLOBAL);
    a.atomic = ATOMIC_ADD;
    sectors_of(row, a);
}

static void local(const struct Row *row)
{
    sectors_of(row, access_of(row, ACCESS_LOAD, SPACE_LOCAL));
}

static void constant(const struct Row *row)
{
    struct Access a = access_of(row, ACCESS_LOAD, SPACE_CONST);
    expect(row, "want", (uint64_t)constant_wavefronts(&a));
}

static void async(const struct Row *row, enum AccessKind kind)
{
    struct Access a = access_of(row, kind, SPACE_GLOBAL);
    for (unsigned l = 0; l < 32; l++) {
        a.to[l] = key(row, "to", 0)
                  + key(row, "pitch", 64) * (l / 4) + 16 * (l % 4);
        if (l >= key(row, "reading", 32))
            a.bytes[l] = 0;
    }
    sectors_of(row, a);
}

static void async_ca(const struct Row *row) { async(row, ACCESS_ASYNC_CA); }
static void async_cg(const struct Row *row) { async(row, ACCESS_ASYNC_CG); }

static void wavefronts_of(const struct Row *row, struct Access a)
{
    int ideal = -1, wavefronts = shared_wavefronts(&a, &ideal);
    expect(row, "want", (uint64_t)wavefronts);
    expect(row, "conflicts", (uint64_t)(wavefronts - ideal));
    a.contiguous = false;
    expect(row, "want", (uint64_t)shared_wavefronts(&a, &ideal));
    expect(row, "conflicts", (uint64_t)(wavefronts - ideal));
}

static void shared_load(const struct Row *row)
{
    wavefronts_of(row, access_of(row, ACCESS_LOAD, SPACE_SHARED));
}

static void shared_store(const struct Row *row)
{
    wavefronts_of(row, access_of(row, ACCESS_STORE, SPACE_SHARED));
}

static void ldmatrix(const struct Row *row)
{
    struct Access a = access_of(row, ACCESS_LDMATRIX, SPACE_SHARED);
    a.matrices = (int)key(row, "matrices", 4);
    wavefronts_of(row, a);
}

static void shared_atomic(const struct Row *row)
{
    struct Access a = access_of(row, ACCESS_RED, SPACE_SHARED);
    a.atomic = strstr(row->name, " cas ") ? ATOMIC_CAS
             : strstr(row->name, " one") ? ATOMIC_INC1 : ATOMIC_ADD;
    if (strstr(row->name, " one_used "))
        a.kind = ACCESS_ATOM;
    wavefronts_of(row, a);
}

/* An addition that is a loop: its turns, and the loads it repeats. */
static void loop(const struct Row *row)
{
    struct Access a = access_of(row, ACCESS_RED, SPACE_SHARED);
    struct Site s = { 0 };
    a.atomic = ATOMIC_ADD;
    a.is_64 = a.size == 8;
    a.is_float = a.size == 4;
    count_access(&s, &a);
    expect(row, "turns", s.in[SPACE_SHARED].requests);
    expect(row, "want", s.in[SPACE_SHARED].wavefronts);
    expect(row, "loads", s.again.requests);
    expect(row, "again", s.again.wavefronts);
    expect(row, "conflicts", s.in[SPACE_SHARED].conflicts);
    expect(row, "again_conflicts", s.again.conflicts);
}

static const struct Row rules[] = {
{ "load z=4 want=4",              load, "a sector per lane" },
{ "load z=1 want=1",              load, "four bytes per lane, whatever z" },
{ "load z=16 want=16",            load, "a request per half warp" },
{ "load z=4 from=12 want=5",      load, "the first address rounded down" },
{ "load z=16 from=16 want=17",    load, "length over 32, rounded up" },
{ "load z=4 by=12 want=12",       load, "sectors counted per half warp" },
{ "load z=4 by=20 want=20",       load, "lines of 128 bytes counted" },
{ "load z=4 by=132 want=32",      load, "lines of 128 bytes counted" },
{ "load z=8 by=24 want=24",       load, "8 bytes as two requests" },
{ "load z=4 by=4 div=3 want=2",   load, "a sector per lane" },
{ "load z=4 mod=3 by=160 want=3", load, "equal addresses counted again, "
                                        "unless they are neighbours" },
{ "load z=4 by=128 more=4 part=2 div=2 want=16",
                                  load, "changes from lane to lane counted" },
{ "load z=4 every=2 rest=1 want=4", load, "16 lanes x 4 bytes / 32" },
{ "load z=16 every=9 rest=4 want=4", load, "from the first lane to the last" },
{ "load z=4 first=17 last=17 want=1", load, "no lane 0, no request" },
{ "load z=8 from=16 first=3 last=12 want=3", load, "whole warps only" },
{ "atomic z=4 want=4",            atomic, "a sector per lane" },
{ "atomic z=4 by=20 want=20",     atomic, "lanes, not sectors" },
{ "atomic z=4 by=0 want=32",      atomic, "one address, one sector" },
{ "atomic z=4 div=2 want=4",      atomic, "sectors touched: 2" },
{ "atomic z=4 mod=5 want=7",      atomic, "lanes in the sector: 32" },
{ "atomic z=4 mod=4 by=160 want=32", atomic, "the busiest of the warp: 8" },
{ "atomic z=4 div=8 want=8",      atomic, "addresses in the sector: 4" },
{ "atomic z=8 div=2 want=8",      atomic, "sectors touched: 4" },
{ "local z=4 by=0 want=4",        local, "one address, one sector" },
{ "local z=4 mod=16 want=32",     local, "an array in one piece: 2" },
{ "local z=4 div=4 want=8",       local, "sectors of 32 words, not lanes" },
{ "local z=8 by=0 want=8",        local, "vectors side by side: 1" },
{ "local z=1 by=1 mod=16 want=8", local, "bytes as words: 32" },
{ "constant by=4 want=32",        constant, "one request, one turn" },
{ "constant by=36 mod=5 want=5",  constant, "neighbours compared: 32" },
{ "constant by=0 want=1",         constant, "a turn per lane" },
{ "async_ca z=4 by=12 want=12",   async_ca, "counted as .cg" },
{ "async_ca z=16 to=16 want=16",  async_ca, "the destination matters" },
{ "async_cg z=16 want=16",        async_cg, "a sector per lane" },
{ "async_cg z=16 to=16 want=20",  async_cg, "the destination ignored" },
{ "async_cg z=16 from=16 want=20", async_cg, "source sectors: 17" },
{ "async_cg z=16 by=128 more=16 part=4 div=4 pitch=80 want=20",
                                  async_cg, "the destination ignored" },
{ "async_cg z=16 by=128 more=16 part=4 div=4 pitch=96 want=16",
                                  async_cg, "rows of less than 128 bytes" },
{ "async_cg z=16 first=9 want=12", async_cg, "lanes that are off" },
{ "async_cg z=16 reading=9 want=5", async_cg, "lanes that read nothing" },
{ "async_ca z=16 reading=0 want=0", async_ca, "a request that reads nothing" },
};

static const struct Row turns[] = {
{ "shared_load z=4 want=1 conflicts=0",  shared_load, "two half warps" },
{ "shared_load z=4 by=8 want=2 conflicts=1", shared_load, "no conflicts" },
{ "shared_load z=4 by=12 want=1 conflicts=0", shared_load,
                                  "every stride above 1 conflicts" },
{ "shared_load z=4 by=48 want=4 conflicts=3", shared_load,
                                  "gcd taken with 16 banks" },
{ "shared_load z=4 by=128 want=32 conflicts=31", shared_load,
                                  "at most 16 in a bank" },
{ "shared_load z=4 by=132 want=1 conflicts=0", shared_load, "no padding" },
{ "shared_load z=4 by=0 want=1 conflicts=0", shared_load, "no broadcast" },
{ "shared_load z=4 by=128 mod=2 want=2 conflicts=1", shared_load,
                                  "broadcast of one word only" },
{ "shared_load z=1 by=1 want=1 conflicts=0", shared_load,
                                  "bytes of a word conflict" },
{ "shared_load z=1 by=64 want=16 conflicts=15", shared_load,
                                  "banks of one byte" },
{ "shared_load z=4 by=128 every=3 rest=1 want=11 conflicts=10", shared_load,
                                  "lanes that are off counted" },
{ "shared_load z=8 want=2 conflicts=0",  shared_load, "one turn whatever z" },
{ "shared_load z=8 by=16 want=4 conflicts=2", shared_load, "32 banks of 8" },
{ "shared_load z=8 by=24 want=2 conflicts=0", shared_load,
                                  "every stride above 1 conflicts" },
{ "shared_load z=8 div=2 want=1 conflicts=0", shared_load,
                                  "never more than half a warp a turn" },
{ "shared_load z=8 by=0 want=1 conflicts=0", shared_load,
                                  "broadcast takes two turns" },
{ "shared_load z=8 by=128 mod=2 want=2 conflicts=1", shared_load,
                                  "no doubling for d = 2" },
{ "shared_load z=8 mod=16 want=2 conflicts=0", shared_load,
                                  "equal halves doubled" },
{ "shared_load z=8 every=2 want=2 conflicts=1", shared_load,
                                  "partners that are off do not count" },
{ "shared_load z=8 last=10 by=16 want=2 conflicts=1", shared_load,
                                  "groups without lanes counted" },
{ "shared_load z=16 want=4 conflicts=0", shared_load, "one turn whatever z" },
{ "shared_load z=16 by=0 want=2 conflicts=0", shared_load,
                                  "broadcast is one turn" },
{ "shared_load z=16 div=2 want=2 conflicts=0", shared_load,
                                  "never more than a quarter a turn" },
{ "shared_load z=16 div=4 want=2 conflicts=0", shared_load,
                                  "doubled twice, for d = 1 and d = 2" },
{ "shared_load z=16 mod=2 by=128 want=4 conflicts=2", shared_load,
                                  "no doubling for d = 2" },
{ "shared_load z=16 mod=8 want=4 conflicts=0", shared_load,
                                  "whole warp deduplicated" },
{ "shared_load z=16 div=3 want=4 conflicts=0", shared_load,
                                  "doubled if most lanes pair" },
{ "shared_load z=16 by=144 want=4 conflicts=0", shared_load,
                                  "banks of 4 bytes, first word only" },
{ "shared_load z=16 by=128 want=32 conflicts=28", shared_load,
                                  "8 lanes, 8 turns" },
{ "shared_load z=16 every=2 rest=1 want=4 conflicts=2", shared_load,
                                  "partners that are off do not count" },
{ "shared_store z=4 by=0 want=1 conflicts=0", shared_store,
                                  "stores do not merge" },
{ "shared_store z=8 by=0 want=2 conflicts=0", shared_store,
                                  "stores doubled as loads are" },
{ "shared_store z=16 by=0 want=4 conflicts=0", shared_store,
                                  "stores doubled as loads are" },
{ "shared_store z=16 div=4 want=4 conflicts=0", shared_store,
                                  "stores doubled as loads are" },
{ "shared_store z=8 by=128 want=32 conflicts=30", shared_store,
                                  "one group" },
{ "ldmatrix pitch=8 z=16 by=16 want=4 conflicts=0", ldmatrix, "a load" },
{ "ldmatrix pitch=24 z=16 by=48 want=4 conflicts=0", ldmatrix, "a load" },
{ "ldmatrix pitch=16 z=16 by=32 want=8 conflicts=4", ldmatrix,
                                  "rows of 32 bytes are free" },
{ "ldmatrix pitch=64 z=16 by=128 want=32 conflicts=28", ldmatrix,
                                  "the matrices of .x4 together: 32 free" },
{ "ldmatrix same z=16 mod=8 by=16 want=4 conflicts=0", ldmatrix,
                                  "rows over all matrices together: 1" },
{ "ldmatrix matrices=1 z=16 by=64 want=4 conflicts=3", ldmatrix,
                                  "lanes whose addresses are not used" },
{ "shared_atomic z=4 want=1 conflicts=0", shared_atomic, "a turn per lane" },
{ "shared_atomic z=4 div=2 want=2 conflicts=1", shared_atomic,
                                  "broadcast free for atomics" },
{ "shared_atomic z=4 mod=3 want=11 conflicts=10", shared_atomic,
                                  "words counted, not lanes" },
{ "shared_atomic one z=4 div=8 want=1 conflicts=0", shared_atomic,
                                  "adding 1 serialises" },
{ "shared_atomic one z=4 div=4 by=128 want=8 conflicts=7", shared_atomic,
                                  "adding 1 is always one turn" },
{ "shared_atomic one_used z=4 div=8 want=8 conflicts=7", shared_atomic,
                                  "adding 1 merges, result or not" },
{ "shared_atomic cas z=4 want=2 conflicts=0", shared_atomic,
                                  "compare and swap as an addition" },
{ "shared_atomic cas z=4 by=16 want=8 conflicts=3", shared_atomic,
                                  "its second half counted as conflicts" },
{ "loop z=4 turns=1 want=2 loads=1 again=1", loop, "no loop" },
{ "loop z=4 by=16 turns=4 want=8 loads=4 again=10 again_conflicts=6", loop,
                                  "only equal addresses repeat" },
{ "loop z=4 div=4 turns=4 want=8 loads=4 again=4", loop,
                                  "equal addresses merge" },
{ "loop z=4 mod=3 turns=11 want=22 loads=11 again=11", loop,
                                  "a turn per lane" },
{ "loop z=8 turns=1 want=4 loads=1 again=2", loop, "64 bits as 32" },
{ "loop z=8 by=16 turns=2 want=8 loads=2 again=6 again_conflicts=2", loop,
                                  "banks of 4 bytes" },
{ "loop z=8 mod=16 turns=2 want=6 loads=2 again=3", loop,
                                  "half warps that do not meet" },
{ "loop z=8 div=2 turns=2 want=8 loads=2 again=2", loop,
                                  "the load not doubled" },
};

/* ---- adding up -------------------------------------------------------- */

static void nothing_asked(const struct Row *row)
{
    struct Access a = access_of(row, ACCESS_LOAD, SPACE_GLOBAL);
    struct Site s = { 0 };
    a.lanes = 0;
    count_access(&s, &a);
    assert_int_equal(s.in[SPACE_GLOBAL].requests, 0);
    a = access_of(row, ACCESS_ASYNC_CG, SPACE_GLOBAL);
    memset(a.bytes, 0, sizeof a.bytes);
    count_access(&s, &a);
    assert_int_equal(s.in[SPACE_GLOBAL].requests, 0);
}

/* A generic load that leads to shared memory, then to global memory. */
static void generic(const struct Row *row)
{
    struct Access a = access_of(row, ACCESS_LOAD, SPACE_SHARED);
    struct Site s = { .executed = 2, .on = 64 };
    struct Totals t = { 0 };
    count_access(&s, &a);
    a.space = SPACE_GLOBAL;
    count_access(&s, &a);
    totals_add(&t, &s, WORK_OTHER, 0);
    assert_int_equal(t.sld_req, 1);
    assert_int_equal(t.gld_req, 1);
    assert_int_equal(t.gld_sec, 4);
    assert_int_equal(t.gld_bytes, 128);
    assert_int_equal(t.thread_mem, 64);
}

static void work(const struct Row *row)
{
    struct Site s = { .executed = 3, .active = 96, .on = 50,
                      .divergent = 2 };
    struct Totals t = { 0 };
    (void)row;
    totals_add(&t, &s, WORK_FADD, 0);
    totals_add(&t, &s, WORK_FMUL, 0);
    totals_add(&t, &s, WORK_FFMA, 0);
    totals_add(&t, &s, WORK_TENSOR, 4096);
    totals_add(&t, &s, WORK_HALF, 4);
    assert_int_equal(t.flop, 50 + 50 + 100);
    assert_int_equal(t.tensor_flop, 3 * 4096);
    assert_int_equal(t.half_flop, 4 * 50);
    totals_add(&t, &s, WORK_DOUBLE, 2);
    totals_add(&t, &s, WORK_SPECIAL, 0);
    totals_add(&t, &s, WORK_BRANCH, 0);
    totals_add(&t, &s, WORK_BARRIER, 0);
    totals_add(&t, &s, WORK_OTHER, 0);
    assert_int_equal(t.fadd, 50);
    assert_int_equal(t.fmul, 50);
    assert_int_equal(t.ffma, 50);
    assert_int_equal(t.double_flop, 2 * 50);
    assert_int_equal(t.special, 50);
    assert_int_equal(t.tensor_inst, 3);
    assert_int_equal(t.branch, 3);
    assert_int_equal(t.branch_div, 2);
    assert_int_equal(t.barriers, 3);
    assert_int_equal(t.inst, 10 * 3);
    assert_int_equal(t.thread_inst, 10 * 96);
    assert_int_equal(t.thread_inst_on, 10 * 50);
    assert_int_equal(t.thread_mem, 0);
}

/* Each way to reach memory is counted as that way and no other. */
static void every_way(const struct Row *row)
{
    static const struct {
        enum AccessKind kind;
        enum Space space;
        const char *name;
    } ways[] = {
        { ACCESS_LOAD, SPACE_GLOBAL, "gld" },
        { ACCESS_STORE, SPACE_GLOBAL, "gst" },
        { ACCESS_ATOM, SPACE_GLOBAL, "gatom" },
        { ACCESS_RED, SPACE_GLOBAL, "gred" },
        { ACCESS_ASYNC_CA, SPACE_GLOBAL, "async_ca" },
        { ACCESS_ASYNC_CG, SPACE_GLOBAL, "async_cg" },
        { ACCESS_LOAD, SPACE_LOCAL, "lld" },
        { ACCESS_STORE, SPACE_LOCAL, "lst" },
        { ACCESS_LOAD, SPACE_SHARED, "sld" },
        { ACCESS_STORE, SPACE_SHARED, "sst" },
        { ACCESS_ATOM, SPACE_SHARED, "satom" },
        { ACCESS_RED, SPACE_SHARED, "satom" },
        { ACCESS_LDMATRIX, SPACE_SHARED, "ldsm" },
        { ACCESS_STMATRIX, SPACE_SHARED, "stsm" },
    };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        struct Access a = access_of(row, ways[k].kind, ways[k].space);
        struct Site s = { .kind = ways[k].kind, .executed = 1, .on = 20 };
        struct Totals t = { 0 };
        a.atomic = ATOMIC_ADD;
        count_access(&s, &a);
        totals_add(&t, &s, WORK_OTHER, 0);
        assert_int_equal(t.thread_mem, 20);
        for (int i = 0; i < METRIC_COUNT; i++) {
            const char *metric = metric_table[i].name;
            const char *what = strrchr(metric, '_') ? strrchr(metric, '_')
                                                    : "";
            const size_t n = strlen(ways[k].name);
            bool mine = strncmp(metric, ways[k].name, n) == 0
                     && what == metric + n;
            uint64_t is = metric_value(&t, i), want = is;
            if (strcmp(what, "_req") == 0)
                want = mine;
            else if (strcmp(what, "_bytes") == 0)
                want = !mine ? 0 : strstr(ways[k].name, "sm") ? 512 : 80;
            else if (mine && strcmp(what, "_conf") != 0)
                want = is ? is : 1;
            if (is != want)
                fail_msg("%s: %s is %llu", ways[k].name, metric,
                         (unsigned long long)is);
        }
    }
}

/* The table's names and the struct's members are the same, in order. */
static void names(const struct Row *row)
{
    struct Totals t = { 0 };
    (void)row;
    t.gld_sec = 7;
    t.smem_dynamic = 9;
    for (int i = 0; i < METRIC_COUNT; i++) {
        uint64_t want = strcmp(metric_table[i].name, "gld_sec") == 0 ? 7
            : strcmp(metric_table[i].name, "smem_dynamic") == 0 ? 9 : 0;
        assert_int_equal(metric_value(&t, i), want);
    }
}

static void unique(const struct Row *row)
{
    struct Access a = access_of(row, ACCESS_LOAD, SPACE_GLOBAL);
    struct Touched t, other;
    uint64_t read, written;
    touched_new(&t, 0x1000, 1 << 20);
    touched_new(&other, 0x1000, 1 << 20);
    for (int l = 0; l < 32; l++)
        a.address[l] += 0x1000;
    touch(&t, &a);
    touch(&t, &a);
    a.kind = ACCESS_RED;
    touch(&other, &a);
    touched_merge(&t, &other);
    touched_count(&t, &read, &written);
    expect(row, "read", read);
    expect(row, "written", written);
    touched_clear(&t);
    touched_count(&t, &read, &written);
    assert_int_equal(read + written, 0);
    touched_free(&t);
    touched_free(&other);
}

/* Sectors of a row of a bulk copy. */
static void bulk(const struct Row *row)
{
    expect(row, "want", tma_sectors(
        (uint64_t)row_number(row, "from", 0),
        (uint64_t)row_number(row, "at", 0),
        (uint64_t)row_number(row, "bytes", 0),
        row_number(row, "multicast", 0) != 0));
}

/* Only what TMA and wgmma cost, under their own names. */
static void hopper(const struct Row *row)
{
    struct Site s = { .kind = (enum AccessKind)row_number(row, "kind", 0),
                      .executed = 1, .on = 1 };
    struct Totals t = { 0 };
    s.in[SPACE_GLOBAL] = (struct Traffic){ 1, 5, 4, 0, 128 };
    s.in[SPACE_SHARED] = (struct Traffic){ 2, 7, 6, 0, 64 };
    totals_add(&t, &s, WORK_OTHER, 0);
    expect(row, "mem", t.thread_mem);
    expect(row, "ld", t.tma_ld_req + 10 * t.tma_ld_sec);
    expect(row, "l2", t.tma_ld_l2);
    expect(row, "st", t.tma_st_req + 10 * t.tma_st_sec);
    expect(row, "red", t.tma_red_req + 10 * t.tma_red_sec);
    expect(row, "dsm", t.tma_dsm_req + 10 * t.tma_dsm_sec);
    expect(row, "gmma", t.gmma_req + 10 * t.gmma_wave);
    assert_int_equal(t.gld_req + t.gst_req + t.sld_req + t.sst_req, 0);
}

static const struct Row sums[] = {
{ "bulk from=0 bytes=1024 want=32", bulk, "a sector more a piece" },
{ "bulk from=48 bytes=1024 want=40", bulk, "sectors of the whole row" },
{ "bulk from=0 at=48 bytes=256 want=10", bulk, "pieces cut by source" },
{ "bulk from=16 at=16 bytes=272 want=9", bulk, "a last piece too long" },
{ "bulk from=16 bytes=16 multicast=1 want=2", bulk, "multicast as a load" },
{ "bulk from=16 bytes=128 multicast=1 want=5", bulk, "pairs of sectors" },
{ "hopper kind=8 ld=51 l2=4", hopper, "loads of TMA as global loads" },
{ "hopper kind=9 st=51", hopper, "stores that are not counted" },
{ "hopper kind=10 red=51", hopper, "reductions as stores" },
{ "hopper kind=11 dsm=72", hopper, "the sectors of global memory" },
{ "hopper kind=12 gmma=62", hopper, "requests as wavefronts" },
{ "nothing_asked",   nothing_asked, "a request without lanes" },
{ "generic",         generic, "counted where the instruction says" },
{ "work",            work, "FLOP of lanes that are off" },
{ "every_way last=19", every_way, "stores counted as loads; no bytes" },
{ "names",           names, "a table and a struct that differ" },
{ "unique by=32 read=32 written=32", unique, "a bit per word of the map" },
{ "unique by=0 from=65536 read=1 written=1", unique, "counted each time" },
{ "unique z=16 by=4096 mod=2 read=2 written=2", unique,
                                     "neighbours compared only" },
};

#define RUN_ROWS(group) rows_run(#group, group, sizeof group / sizeof *group)
int main(void)
{
    return RUN_ROWS(rules) + RUN_ROWS(turns) + RUN_ROWS(sums);
}
