/* The software GPU: how warps go apart and meet, what they tell each other,
 * what memory does, what is refused.  Kernels are text, so that no
 * compiler is needed; test_simt_ops.c has the single instructions. */
#include "simt/counters/trace.h"
#include "simt/sanitizer/check.h"
#include "simt_fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define STORE(r) "cvt.u64.u32 %rd9, " r "; st.global.u64 [%rd3], %rd9;\n"
#define MOST 2048

static uint64_t in[MOST], out[MOST];

/* A wrong machine may run for ever: so many warp instructions a block. */
static void run_limited(uint64_t steps, const char *text, int blocks,
                        int threads)
{
    struct Error e = { "" };
    uint64_t limit = simt_options.step_limit;
    simt_options.step_limit = steps;
    enum Fault fault = run_text(text, blocks, threads, 0, in, out, 0, &e);
    simt_options.step_limit = limit;
    if (fault != FAULT_NONE)
        fail_msg("%s", e.text);
}

static void run(const char *text, int blocks, int threads)
{
    run_limited(3000000, text, blocks, threads);
}

/* out[t] must be f(t % threads) */
static void same(int blocks, int threads, uint64_t (*f)(unsigned))
{
    for (int t = 0; t < blocks * threads; t++) {
        uint64_t want = f((unsigned)(t % threads));
        if (out[t] != want)
            fail_msg("thread %d of %d has %llx, not %llx", t, threads,
                     (unsigned long long)out[t], (unsigned long long)want);
    }
}

#define CHECK(blocks, threads, expression)                              \
    for (unsigned T = 0; T < (blocks) * (threads); T++) {               \
        unsigned t = T % (threads);                                     \
        uint64_t want = (expression);                                   \
        (void)t;                                                        \
        if (out[T] != want)                                             \
            fail_msg("thread %u has %llx, not %llx", T,                 \
                     (unsigned long long)out[T],                        \
                     (unsigned long long)want);                         \
    }

/* ---- threads and lanes ---------- */

static uint64_t thrice(unsigned t) { return 3 * t + 7; }

static void odd_blocks(const struct Row *row)
{
    int threads = row_int(row, "threads");
    for (int t = 0; t < MOST; t++)
        in[t] = 3 * (uint64_t)(t % threads);
    run(KERNEL("ld.global.u32 %r10, [%rd4]; add.s32 %r10, %r10, 7;"
               STORE("%r10")), 3, threads);
    same(3, threads, thrice);
}

static void special_registers(const struct Row *row)
{
    (void)row;
    struct Error e;
    read_kernel(OPENING
        "mov.u32 %r10, %tid.x; mov.u32 %r11, %tid.y; mov.u32 %r12, %tid.z;"
        "mov.u32 %r13, %ntid.y; mov.u32 %r14, %laneid;"
        "mov.u32 %r15, %warpid; mov.u32 %r16, %lanemask_lt;"
        "mov.u32 %r17, %nctaid.y; mov.u32 %r18, %ctaid.y;"
        "mad.lo.u32 %r20, %r12, %r13, %r11; mov.u32 %r21, %ntid.x;"
        "mad.lo.u32 %r20, %r20, %r21, %r10;"        /* linear thread */
        "mad.lo.u32 %r22, %r15, 32, %r14;"          /* the same */
        "sub.u32 %r22, %r22, %r20; popc.b32 %r23, %r16;"
        "sub.u32 %r23, %r23, %r14; or.b32 %r22, %r22, %r23;"
        "mad.lo.u32 %r22, %r22, 1000, %r17; mad.lo.u32 %r22, %r22, 10, %r18;"
        "mul.lo.u32 %r24, %r18, 30; add.u32 %r24, %r24, %r20;"
        "mul.wide.u32 %rd8, %r24, 8; add.s64 %rd8, %rd1, %rd8;"
        "cvt.u64.u32 %rd9, %r22; st.global.u64 [%rd8], %rd9; ret; }");
    uint64_t o = device(8 * 90), i = 0;
    uint32_t n = 0;
    simt_options.check = false;
    assert_true(simt_launch(module_kernel(&module, "k"),
        (struct Dim3){ 1, 3, 1 }, (struct Dim3){ 5, 3, 2 }, 0,
        (void *[]){ &o, &i, &n }, NULL, &e));
    for (unsigned t = 0; t < 90; t++)
        assert_int_equal(((uint64_t *)(void *)memory_bytes(o))[t],
                         30 + t / 30);
    memory_free(o);
    module_free(&module);
}

/* ---- going apart and meeting again ---------- */

static void nested(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "and.b32 %r10, %r1, 1; and.b32 %r11, %r1, 2; mov.u32 %r20, 0;"
        "setp.eq.s32 %p1, %r10, 0; setp.eq.s32 %p2, %r11, 0;"
        "@%p1 bra EVEN;"
        "@%p2 bra ONE; activemask.b32 %r20; bra.uni ODD;"
        "ONE: activemask.b32 %r20;"
        "ODD: activemask.b32 %r21; bra.uni DONE;"
        "EVEN: activemask.b32 %r21; mov.u32 %r20, %r21;"
        "DONE: activemask.b32 %r22; popc.b32 %r20, %r20;"
        "popc.b32 %r21, %r21; popc.b32 %r22, %r22;"
        "mad.lo.s32 %r20, %r20, 100, %r21;"
        "mad.lo.s32 %r20, %r20, 100, %r22;" STORE("%r20")), 2, 64);
    CHECK(2, 64, t % 2 ? 81632 : 161632);
}

static uint64_t sum_below(unsigned n) { return n ? n * (n - 1) / 2 : 0; }

static void loop_trips(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "rem.u32 %r10, %r1, 7; mov.u32 %r11, 0; mov.u32 %r12, 0;"
        "LOOP: setp.ge.u32 %p1, %r12, %r10; @%p1 bra OUT;"
        "add.u32 %r11, %r11, %r12; add.u32 %r12, %r12, 1; bra.uni LOOP;"
        "OUT: activemask.b32 %r13; popc.b32 %r13, %r13;"
        "mad.lo.u32 %r11, %r13, 100, %r11;" STORE("%r11")), 1, 257);
    CHECK(1, 257, (t < 256 ? 3200u : 100u) + sum_below(t % 7));
}

static uint64_t with_breaks(unsigned t)
{
    uint64_t s = 0;
    for (unsigned i = 0;; i++) {
        if (i == t % 5)
            continue;
        if (i > t % 9)
            break;
        s += i;
    }
    return s + 320000;
}

static void break_continue(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "rem.u32 %r10, %r1, 5; rem.u32 %r11, %r1, 9; mov.u32 %r12, 0;"
        "mov.u32 %r13, -1;"
        "NEXT: add.u32 %r13, %r13, 1;"
        "setp.eq.u32 %p1, %r13, %r10; @%p1 bra NEXT;"
        "setp.gt.u32 %p2, %r13, %r11; @%p2 bra OUT;"
        "add.u32 %r12, %r12, %r13; bra.uni NEXT;"
        "OUT: activemask.b32 %r14; popc.b32 %r14, %r14;"
        "mad.lo.u32 %r12, %r14, 10000, %r12;" STORE("%r12")), 1, 64);
    same(1, 64, with_breaks);
}

/* A lane that has returned must not be waited for, nor counted. */
static void early_return(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "setp.ge.u32 %p1, %r1, 20; @%p1 bra OUT;"
        "vote.sync.ballot.b32 %r10, 1, -1; activemask.b32 %r11;"
        "xor.b32 %r11, %r11, %r10; shl.b32 %r11, %r11, 8;"
        "add.u32 %r10, %r10, %r11;" STORE("%r10") "OUT:"), 1, 32);
    CHECK(1, 32, t < 20 ? 0xfffffu : WAS);
    run(KERNEL("and.b32 %r10, %r1, 3; setp.eq.u32 %p1, %r10, 3;"
               "@%p1 ret; activemask.b32 %r10;" STORE("%r10")), 1, 64);
    CHECK(1, 64, t % 4 == 3 ? WAS : 0x77777777u);
}

static void return_inside_loop(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "mov.u32 %r10, 0;"
        "LOOP: setp.eq.u32 %p1, %r10, %r1; @%p1 bra LEAVE;"
        "add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 10;"
        "@%p2 bra LOOP; activemask.b32 %r11;" STORE("%r11")
        "LEAVE:"), 1, 32);
    CHECK(1, 32, t < 10 ? WAS : 0xfffffc00u);
}

/* if (a || b) body; at the end of a kernel: both ways into the body meet
 * before it, since the way round it leads straight to ret. */
static void meet_before_body(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "setp.lt.u32 %p1, %r1, 8; setp.lt.u32 %p2, %r1, 20;"
        "@%p1 bra BODY; @!%p2 bra OUT;"
        "BODY: activemask.b32 %r10;" STORE("%r10") "OUT:"), 1, 32);
    CHECK(1, 32, t < 20 ? 0xfffffu : WAS);
}

/* The only way out of the last loop leads straight to ret; the branch
 * round an earlier piece of code still has a meeting point. */
static void loop_ends_kernel(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "mov.u32 %r10, 0; setp.lt.u32 %p1, %r1, 8; @%p1 bra SKIP;"
        "mov.u32 %r10, 5; SKIP: activemask.b32 %r11;" STORE("%r11")
        "LOOP: add.u32 %r10, %r10, 1; setp.gt.u32 %p2, %r10, 20;"
        "@%p2 bra OUT; bra.uni LOOP; OUT:"), 1, 32);
    CHECK(1, 32, 0xffffffffu);
    /* and "if (a || b) body", with such a loop in the body */
    run(KERNEL(
        "setp.lt.u32 %p1, %r1, 8; setp.lt.u32 %p2, %r1, 20;"
        "mov.u32 %r10, 0; @%p1 bra BODY; @!%p2 bra OUT;"
        "BODY: activemask.b32 %r11;" STORE("%r11")
        "LOOP: add.u32 %r10, %r10, 1; setp.gt.u32 %p3, %r10, %r1;"
        "@%p3 bra OUT; bra.uni LOOP; OUT:"), 1, 32);
    CHECK(1, 32, t < 20 ? 0xfffffu : WAS);
}

/* As clang lays it out: the body of the loop lies behind the code that
 * follows the loop.  Lanes leave the loop one by one; those that left must
 * wait for the others before the shuffle, though its address is lower. */
static const char behind[] = KERNEL(
    "mov.u32 %r10, 0; mov.u32 %r11, 0; bra.uni TEST;"
    "AFTER: shfl.sync.bfly.b32 %r12, %r11, 1, 31, -1;"
    "activemask.b32 %r13; popc.b32 %r13, %r13;"
    "mad.lo.u32 %r12, %r13, 100, %r12;" STORE("%r12") "ret;"
    "TEST: setp.ge.u32 %p1, %r10, %r1; @%p1 bra AFTER;"
    "add.u32 %r11, %r11, 2; add.u32 %r10, %r10, 1; bra.uni TEST;");

/* The same without the shuffle, which would bring them together. */
static const char behind_alone[] = KERNEL(
    "mov.u32 %r10, 0; mov.u32 %r11, 0; bra.uni TEST;"
    "AFTER: activemask.b32 %r13; popc.b32 %r13, %r13;"
    "mad.lo.u32 %r12, %r13, 100, %r11;" STORE("%r12") "ret;"
    "TEST: setp.ge.u32 %p1, %r10, %r1; @%p1 bra AFTER;"
    "add.u32 %r11, %r11, 2; add.u32 %r10, %r10, 1; bra.uni TEST;");

static void body_behind_loop(const struct Row *row)
{
    (void)row;
    run(behind, 1, 32);
    CHECK(1, 32, 3200 + 2 * (t ^ 1));
    run(behind_alone, 1, 32);
    CHECK(1, 32, 3200 + 2 * t);
}

static void table_of_branches(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "rem.u32 %r10, %r1, 4; mov.u32 %r11, 0;"
        "TABLE: .branchtargets A, B, C, A;"
        "brx.idx %r10, TABLE;"
        "A: activemask.b32 %r11; bra.uni MEET;"
        "B: mov.u32 %r11, 5; bra.uni MEET;"
        "C: mov.u32 %r11, 6;"
        "MEET: activemask.b32 %r12; popc.b32 %r12, %r12;"
        "mad.lo.u32 %r11, %r12, 1000, %r11;" STORE("%r11")), 1, 32);
    CHECK(1, 32, 32000 + (t % 4 == 1 ? 5u : t % 4 == 2 ? 6u :
                          0x99999999u));
}

/* Every lane leaves a loop at another of two exits, many levels deep. */
static void many_ways(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "mov.u32 %r10, 0; mov.u32 %r11, 0;"
        "OUTER: mov.u32 %r12, 0;"
        "INNER: add.u32 %r13, %r10, %r12; rem.u32 %r13, %r13, 3;"
        "rem.u32 %r14, %r1, 3; setp.eq.u32 %p1, %r13, %r14;"
        "@%p1 bra SKIP; add.u32 %r11, %r11, 1;"
        "SKIP: add.u32 %r12, %r12, 1; setp.le.u32 %p2, %r12, %r1;"
        "@%p2 bra INNER;"
        "add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, %r1;"
        "@%p3 bra OUTER; activemask.b32 %r15; popc.b32 %r15, %r15;"
        "mad.lo.u32 %r11, %r15, 100000, %r11;" STORE("%r11")), 1, 32);
    for (unsigned t = 0; t < 32; t++) {
        uint64_t n = 3200000;
        for (unsigned o = 0; o == 0 || o < t; o++)
            for (unsigned k = 0; k <= t; k++)
                n += (o + k) % 3 != t % 3;
        assert_int_equal(out[t], n);
    }
}

/* ---- lanes talk ---------- */

static void shuffles(const struct Row *row)
{
    (void)row;
    static const struct { const char *op; int b, width; } kinds[] = {
        { "up", 1, 32 }, { "up", 3, 8 }, { "down", 1, 32 },
        { "down", 5, 16 }, { "bfly", 7, 32 }, { "bfly", 4, 8 },
        { "idx", 3, 32 }, { "idx", 3, 8 }, { "idx", 9, 8 },
    };
    static const char first[] = OPENING "mad.lo.u32 %r10, %r1, 10, 3;"
        "and.b32 %r13, %r4, 31; shr.u32 %r14, %r4, 8;\nshfl.sync.";
    static const char second[] = ".b32 %r11|%p1, %r10, %r13, %r14, -1;"
        "selp.b32 %r12, 1000, 0, %p1; add.u32 %r11, %r11, %r12;"
        STORE("%r11") "ret; }";
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char text[4000];
        struct Error e = { "" };
        int b = kinds[k].b, width = kinds[k].width;
        char way = kinds[k].op[0];
        snprintf(text, sizeof text, "%s%s%s", first, kinds[k].op, second);
        uint32_t c = (uint32_t)((32 - width) << 8 | (way == 'u' ? 0 : 31));
        assert_int_equal(run_text(text, 1, 32, 0, NULL, out,
                                  (uint32_t)b | c << 8, &e), 0);
        for (int t = 0; t < 32; t++) {
            int low = t / width * width, end = low + width;
            int from = way == 'u' ? t - b : way == 'd' ? t + b :
                       way == 'b' ? t ^ b : low + b % width;
            bool inside = from >= low && from < end;
            if (way == 'b')
                inside = from < end;
            uint64_t want = (uint64_t)(inside ? from : t) * 10 + 3 +
                            (inside ? 1000 : 0);
            if (out[t] != want)
                fail_msg("shfl.%s by %d of %d: lane %d has %llu, not %llu",
                         kinds[k].op, b, width, t,
                         (unsigned long long)out[t],
                         (unsigned long long)want);
        }
    }
}

static void shuffle_absent(const struct Row *row)
{
    (void)row;
    run(KERNEL("shfl.sync.down.b32 %r10, %r1, 1, 31, -1;" STORE("%r10")),
        1, 33);
    CHECK(1, 33, t == 31 ? 31 : t == 32 ? 0x7fffffff : t + 1);
}

static void votes(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "setp.lt.u32 %p1, %r1, 40; vote.sync.ballot.b32 %r10, %p1, -1;"
        "vote.sync.all.pred %p2, %p1, -1; vote.sync.any.pred %p3, %p1, -1;"
        "vote.sync.uni.pred %p4, !%p1, -1;"
        "selp.b32 %r11, 1, 0, %p2; selp.b32 %r12, 2, 0, %p3;"
        "selp.b32 %r13, 4, 0, %p4; or.b32 %r11, %r11, %r12;"
        "or.b32 %r11, %r11, %r13; cvt.u64.u32 %rd9, %r10;"
        "cvt.u64.u32 %rd10, %r11; shl.b64 %rd10, %rd10, 32;"
        "or.b64 %rd9, %rd9, %rd10; st.global.u64 [%rd3], %rd9;"), 1, 80);
    CHECK(1, 80, t < 32 ? 7ull << 32 | 0xffffffffu :
                 t < 64 ? 2ull << 32 | 0xff : 4ull << 32);
}

static void matches(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "and.b32 %r10, %r1, 3; match.any.sync.b32 %r11, %r10, -1;"
        "mov.u32 %r12, 5; match.all.sync.b32 %r13|%p1, %r12, -1;"
        "match.all.sync.b32 %r14|%p2, %r10, -1;"
        "@!%p1 mov.u32 %r11, 0; @%p2 mov.u32 %r11, 0;"
        "and.b32 %r11, %r11, %r13; or.b32 %r11, %r11, %r14;"
        STORE("%r11")), 1, 32);
    CHECK(1, 32, 0x11111111u << (t & 3));
}

static void reductions(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "sub.s32 %r10, %r1, 16; redux.sync.add.s32 %r11, %r10, -1;"
        "redux.sync.min.s32 %r12, %r10, -1;"
        "redux.sync.max.u32 %r13, %r10, -1;"
        "redux.sync.xor.b32 %r14, %r1, -1;"
        "add.s32 %r11, %r11, %r12; add.s32 %r11, %r11, %r13;"
        "add.s32 %r11, %r11, %r14;" STORE("%r11")), 1, 32);
    CHECK(1, 32, (uint32_t)(-16 + -16 + -1 + 0));
    /* every third lane alone: of 0, 3, ... 30 */
    run(KERNEL("rem.u32 %r10, %r1, 3; setp.ne.u32 %p1, %r10, 0;"
               "@%p1 bra OUT; redux.sync.add.u32 %r11, %r1, 0x49249249;"
               "redux.sync.max.u32 %r12, %r1, 0x49249249;"
               "mad.lo.u32 %r11, %r12, 1000, %r11;" STORE("%r11") "OUT:"),
        1, 32);
    CHECK(1, 32, t % 3 ? WAS : 30000 + 165);
}

/* ---- barriers ---------- */

#define SHARED ".shared .align 4 .b8 s[4096];\n"

static void barrier(const struct Row *row)
{
    (void)row;
    int threads = row_int(row, "threads");
    static const char text[] = KERNEL(SHARED
        "mov.u32 %r10, s; mul.lo.u32 %r11, %r1, 4; add.u32 %r11, %r10, %r11;"
        "mad.lo.u32 %r12, %r2, 7, %r1; st.shared.u32 [%r11], %r12;"
        "bar.sync 0;"
        "sub.u32 %r13, %r3, 1; sub.u32 %r13, %r13, %r1;"
        "mul.lo.u32 %r13, %r13, 4; add.u32 %r13, %r10, %r13;"
        "ld.shared.u32 %r14, [%r13]; bar.sync 0; st.shared.u32 [%r11], 0;"
        STORE("%r14"));
    run(text, 2, threads);
    for (int t = 0; t < 2 * threads; t++)
        assert_int_equal(out[t], threads - 1 - t % threads +
                         t / threads * 7);
}

/* Warps 0 and 1 meet at barrier 1, 2 and 3 at barrier 2; 3 signals 0 at
 * barrier 3 without waiting. */
static void named_barriers(const struct Row *row)
{
    (void)row;
    run(KERNEL(SHARED
        "mov.u32 %r10, %warpid; shr.u32 %r11, %r10, 1;"
        "add.u32 %r12, %r11, 1; mul.lo.u32 %r13, %r10, 4;"
        "mov.u32 %r14, s; add.u32 %r15, %r14, %r13;"
        "mad.lo.u32 %r20, %r10, 11, 5; st.shared.u32 [%r15], %r20;"
        "bar.sync %r12, 64; xor.b32 %r16, %r13, 4;"
        "add.u32 %r16, %r14, %r16; ld.shared.u32 %r17, [%r16];"
        "setp.eq.u32 %p1, %r10, 3; setp.eq.u32 %p2, %r10, 0;"
        "setp.ge.u32 %p3, %r10, 2; @%p3 barrier.sync 4, 64;"
        "@%p1 st.shared.u32 [s+64], 1000; @%p1 bar.arrive 3, 64;"
        "@%p2 bar.sync 3, 64; @%p2 ld.shared.u32 %r18, [s+64];"
        "@%p2 add.u32 %r17, %r17, %r18;" STORE("%r17")), 1, 128);
    CHECK(1, 128, (t / 32 ^ 1) * 11 + 5 + (t < 32 ? 1000 : 0));
}

static void barrier_votes(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "setp.lt.u32 %p1, %r1, 50; bar.red.popc.u32 %r10, 0, %p1;"
        "bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 0, !%p1;"
        "@%p2 add.u32 %r10, %r10, 1000; @%p3 add.u32 %r10, %r10, 200;"
        STORE("%r10")), 1, 70);
    CHECK(1, 70, 250);
    run(KERNEL(
        "setp.lt.u32 %p1, %r1, 70; bar.red.and.pred %p2, 0, %p1;"
        "bar.red.or.pred %p3, 0, !%p1; mov.u32 %r10, 0;"
        "@%p2 add.u32 %r10, %r10, 1000; @%p3 add.u32 %r10, %r10, 200;"
        STORE("%r10")), 1, 70);
    CHECK(1, 70, 1000);
}

/* Warps that have returned are not waited for. */
static void barrier_after_return(const struct Row *row)
{
    (void)row;
    run(KERNEL("setp.ge.u32 %p1, %r1, 64; @%p1 bra OUT; bar.sync 0;"
               STORE("%r1") "OUT:"), 1, 128);
    CHECK(1, 128, t < 64 ? t : WAS);
    run(KERNEL("setp.ge.u32 %p1, %r1, 50; @%p1 bra OUT; bar.sync 0;"
               STORE("%r1") "OUT:"), 1, 128);
    CHECK(1, 128, t < 50 ? t : WAS);
    /* the barrier's number as the lanes say that are left */
    run(KERNEL(SHARED "mov.u32 %r10, 99; setp.lt.u32 %p1, %r1, 5;"
               "@%p1 bra OUT; mov.u32 %r10, 3; mov.u32 %r11, 64;"
               "setp.eq.u32 %p2, %r1, 63; @%p2 st.shared.u32 [s], 7;"
               "barrier.sync %r10, %r11; ld.shared.u32 %r12, [s];"
               STORE("%r12") "OUT:"), 1, 64);
    CHECK(1, 64, t < 5 ? WAS : 7);
}

/* ---- memory ---------- */

static void atomics(const struct Row *row)
{
    (void)row;
    for (int t = 0; t < 33; t++)
        in[t] = t == 0 ? 0x4b800000u : 0;   /* 2^24: + 1 is lost one by one */
    run(KERNEL(
        "atom.global.add.f32 %f1, [%rd2], 0f3F800000;"
        "atom.global.inc.u32 %r10, [%rd2+8], 9;"
        "atom.global.cas.b32 %r11, [%rd2+16], %r1, 77;"
        "atom.global.max.s32 %r12, [%rd2+24], %r1;"
        "atom.global.exch.b64 %rd10, [%rd2+32], %rd3;"
        "red.global.or.b32 [%rd2+40], %r1;"
        "atom.global.dec.u32 %r13, [%rd2+48], 3;"
        "atom.global.add.noftz.f16x2 %r14, [%rd2+56], 0x3c003c00;"
        "mov.b32 %r15, %f1; mad.lo.u32 %r10, %r10, 100, %r13;"
        "sub.u32 %r15, %r15, 0x4b800000; mad.lo.u32 %r10, %r10, 100, %r15;"
        STORE("%r10")), 1, 33);
    static const unsigned down[] = { 0, 3, 2, 1 };
    CHECK(1, 33, t % 10 * 10000 + down[t % 4] * 100);
    (void)row;
}

static void order_of_atomics(const struct Row *row)
{
    (void)row;
    memset(in, 0, sizeof in);
    run(KERNEL("mov.u32 %r10, 1; atom.global.add.u32 %r11, [%rd2+64],"
               "%r10;" STORE("%r11")), 4, 257);
    CHECK(4, 257, T);
}

static void generic_addresses(const struct Row *row)
{
    (void)row;
    for (int t = 0; t < 32; t++)
        in[t] = 500 + (uint64_t)t;
    run(KERNEL(SHARED ".local .align 8 .b8 local[16];\n"
        "mov.u64 %rd10, s; cvta.shared.u64 %rd10, %rd10;"
        "mul.wide.u32 %rd11, %r1, 4; add.s64 %rd10, %rd10, %rd11;"
        "add.u32 %r10, %r1, 100; st.u32 [%rd10], %r10;"
        "mov.u64 %rd12, local; cvta.local.u64 %rd12, %rd12;"
        "add.u32 %r10, %r1, 300; st.u32 [%rd12+4], %r10;"
        "rem.u32 %r11, %r1, 3; setp.eq.u32 %p1, %r11, 0;"
        "setp.eq.u32 %p2, %r11, 1; add.s64 %rd12, %rd12, 4;"
        "selp.b64 %rd13, %rd10, %rd12, %p1; selp.b64 %rd13, %rd4, %rd13,"
        "%p2; ld.u32 %r12, [%rd13];"
        "isspacep.shared %p3, %rd13; @%p3 add.u32 %r12, %r12, 1000;"
        "cvta.to.shared.u64 %rd14, %rd10; cvt.u32.u64 %r13, %rd14;"
        "ld.shared.u32 %r14, [%r13]; add.u32 %r12, %r12, %r14;"
        STORE("%r12")), 1, 32);
    CHECK(1, 32, (t % 3 == 0 ? 1100 : t % 3 == 1 ? 500 : 300) + t +
          t + 100);
}

static void vectors_and_widths(const struct Row *row)
{
    (void)row;
    for (int t = 0; t < 64; t++)
        in[t] = 0x8070605040302010ull + (uint64_t)t;
    run(KERNEL(
        "and.b32 %r5, %r1, 15; mul.wide.u32 %rd10, %r5, 16;"
        "add.s64 %rd10, %rd2, %rd10;"
        "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd10];"
        "ld.global.v2.u64 {%rd11, %rd12}, [%rd10];"
        "ld.global.u8 %h1, [%rd10+7]; ld.global.s8 %r14, [%rd10+7];"
        "ld.global.s16 %r15, [%rd10+6]; ld.global.u32 %rd13, [%rd10+4];"
        "cvt.u32.u64 %r16, %rd11; sub.u32 %r16, %r16, %r10;"
        "cvt.u32.u64 %r17, %rd12; sub.u32 %r17, %r17, %r12;"
        "or.b32 %r16, %r16, %r17; cvt.u32.u16 %r17, %h1;"
        "sub.u32 %r17, %r17, 0x80; or.b32 %r16, %r16, %r17;"
        "sub.u32 %r17, %r14, 0xffffff80; or.b32 %r16, %r16, %r17;"
        "sub.u32 %r17, %r15, 0xffff8070; or.b32 %r16, %r16, %r17;"
        "shr.u64 %rd14, %rd13, 32; cvt.u32.u64 %r17, %rd14;"
        "or.b32 %r16, %r16, %r17; sub.u32 %r17, %r12, %r10;"
        "mad.lo.u32 %r16, %r16, 1000, %r17;"
        "st.global.u64 [%rd3], 0; st.global.u16 [%rd3+2], %r16;"
        "st.global.u8 [%rd3], 9;"), 1, 64);
    CHECK(1, 64, 0x10009);
}

static void module_variables(const struct Row *row)
{
    (void)row;
    static const char text[] = HEAD
        ".visible .const .align 4 .u32 table[4] = {10, 20, 30};\n"
        ".global .align 4 .f32 g = 0f40000000;\n"
        ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 n) {\n"
        ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<4>;\n"
        "ld.param.u64 %rd1, [o]; mov.u32 %r1, %tid.x; mov.u64 %rd2, table;"
        "and.b32 %r2, %r1, 3; mul.wide.u32 %rd3, %r2, 4;"
        "add.s64 %rd2, %rd2, %rd3; ld.const.u32 %r3, [%rd2];"
        "ld.global.f32 %f1, [g]; cvt.rzi.u32.f32 %r4, %f1;"
        "add.u32 %r3, %r3, %r4; mul.wide.u32 %rd4, %r1, 8;"
        "add.s64 %rd4, %rd1, %rd4; cvt.u64.u32 %rd5, %r3;"
        "st.global.u64 [%rd4], %rd5; ret; }";
    run(text, 1, 32);
    CHECK(1, 32, t % 4 == 3 ? 2 : 10 * (t % 4) + 12);
    read_kernel(text);
    assert_non_null(module_symbol(&module, "table"));
    assert_int_equal(module_symbol(&module, "table")->bytes, 16);
    assert_null(module_symbol(&module, "nobody"));
    module_free(&module);
}

/* A number becomes one of the variable's type, as in ptxas; a hint of a
 * load and a comment that opens with a star and a stroke are read. */
static void starts_of_variables(const struct Row *row)
{
    (void)row;
    run(HEAD
        ".global .f32 f[3] = { 1.5, -0.25 }; /*/ a comment */\n"
        ".global .f64 d = 0f3F800000; .global .b64 b = -1.5;\n"
        ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 n) {\n"
        ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<4>;\n"
        ".reg .f64 %fd<4>; ld.param.u64 %rd1, [o]; mov.u32 %r1, %tid.x;"
        "ld.global.L2::128B.f32 %f1, [f]; ld.global.f32 %f2, [f+4];"
        "ld.global.f32 %f3, [f+8]; add.f32 %f1, %f1, %f2;"
        "add.f32 %f1, %f1, %f3; cvt.f64.f32 %fd1, %f1;"
        "ld.global.f64 %fd2, [d]; add.f64 %fd1, %fd1, %fd2;"
        "ld.global.f64 %fd2, [b]; add.f64 %fd1, %fd1, %fd2;"
        "mov.f64 %fd3, 0f42800000; mul.f64 %fd1, %fd1, %fd3;"
        "cvt.rzi.s64.f64 %rd3, %fd1; mul.wide.u32 %rd4, %r1, 8;"
        "add.s64 %rd4, %rd1, %rd4; st.global.u64 [%rd4], %rd3; ret; }",
        1, 32);
    CHECK(1, 32, 64 * (1.5 - 0.25 + 1 - 1.5));
}

/* The kernel calls the last of n functions, each calls the one before. */
static void deep_calls(const struct Row *row)
{
    (void)row;
    for (int n = 16; n <= 17; n++) {
        char text[4000] = HEAD ".func f0() { ret; }\n";
        struct Error e = { "" };
        for (int k = 1; k < n; k++)
            sprintf(text + strlen(text), ".func f%d() { call f%d; }\n", k,
                    k - 1);
        sprintf(text + strlen(text), ".entry k() { call f%d; }", n - 1);
        bool read = module_read(&module, text, strlen(text), &e);
        assert_int_equal(read, n == 16);
        if (read)
            module_free(&module);
        else
            assert_non_null(strstr(e.text, "more than 16 deep"));
    }
}

static void calls(const struct Row *row)
{
    (void)row;
    run(HEAD
        ".visible .func (.param .b32 ret) twice(.param .b32 x) {\n"
        ".reg .b32 %r<4>; .reg .pred %p<2>;\n"
        "ld.param.u32 %r1, [x]; setp.lt.u32 %p1, %r1, 10; @%p1 bra SMALL;"
        "mul.lo.u32 %r2, %r1, 2; st.param.b32 [ret], %r2; ret;"
        "SMALL: mov.u32 %r3, 5; st.param.b32 [ret+0], %r3; ret; }\n"
        ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 n) {\n"
        ".reg .b64 %rd<9>; .reg .b32 %r<9>;\n"
        "ld.param.u64 %rd1, [o]; mov.u32 %r1, %tid.x;\n"
        "{ .param .b32 p0; st.param.b32 [p0+0], %r1; .param .b32 r0;"
        "call.uni (r0), twice, (p0); ld.param.b32 %r2, [r0+0]; }\n"
        "{ .param .b32 p0; st.param.b32 [p0+0], %r2; .param .b32 r0;"
        "call.uni (r0), twice, (p0); ld.param.b32 %r2, [r0+0]; }\n"
        "activemask.b32 %r3; popc.b32 %r3, %r3;"
        "mad.lo.u32 %r2, %r3, 1000, %r2; mul.wide.u32 %rd4, %r1, 8;"
        "add.s64 %rd4, %rd1, %rd4; cvt.u64.u32 %rd5, %r2;"
        "st.global.u64 [%rd4], %rd5; ret; }", 1, 32);
    CHECK(1, 32, 32000 + (t < 10 ? 5 : 4 * t));
}

/* element t % 4 of an array that a function got by value */
static const char indexed[] = HEAD
    ".func (.param .b32 ret) nth(.param .align 4 .b8 a[16],"
    ".param .b32 n) {\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "mov.b64 %rd1, a; ld.param.u32 %r1, [n];"
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
    "ld.param.u32 %r2, [%rd3]; st.param.b32 [ret], %r2; ret; }\n"
    ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 n) {\n"
    ".reg .b64 %rd<9>; .reg .b32 %r<9>;\n"
    "ld.param.u64 %rd1, [o]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, FF;"
    "{ .param .b32 first; .param .align 4 .b8 p0[16]; .param .b32 p1;"
    ".param .b32 r0; st.param.b32 [first], 99; st.param.b32 [p0], 10;"
    "st.param.b32 [p0+4], 11; st.param.b32 [p0+8], 12;"
    "st.param.b32 [p0+12], 13; st.param.b32 [p1], %r2;"
    "call (r0), nth, (p0, p1); ld.param.b32 %r3, [r0]; }"
    "mul.wide.u32 %rd4, %r1, 8; add.s64 %rd4, %rd1, %rd4;"
    "cvt.u64.u32 %rd5, %r3; st.global.u64 [%rd4], %rd5; ret; }";

static void indexed_argument(const struct Row *row)
{
    (void)row;
    char text[sizeof indexed];
    strcpy(text, indexed);
    memcpy(strstr(text, "FF"), " 3", 2);
    run(text, 1, 32);
    CHECK(1, 32, 10 + t % 4);
}

static void argument_overrun(const struct Row *row)
{
    (void)row;
    char text[sizeof indexed];
    struct Error e = { "" };
    strcpy(text, indexed);
    memcpy(strstr(text, "FF"), "31", 2);
    assert_int_equal(run_text(text, 1, 32, 0, in, out, 0, &e),
                     FAULT_ILLEGAL_ADDRESS);
    assert_non_null(strstr(e.text, "outside of the parameters"));
}

/* Lane t calls function t % 3 of a table: 1000 + t, 7 t, and one that calls
 * through the table itself, with no argument that fits. */
static const char pointers[] = HEAD
    ".global .align 8 .u64 table[4] = {plus, times, again, last};\n"
    ".global .align 8 .u64 there = generic(last)+8;\n"
    ".global .align 8 .u64 last[3] = {5, 6, 7};\n"
    ".func (.param .b32 r) plus(.param .b32 x) { .reg .b32 %r<3>;"
    "ld.param.u32 %r1, [x]; add.u32 %r2, %r1, 1000;"
    "st.param.b32 [r], %r2; ret; }\n"
    ".func (.param .b32 r) times(.param .b32 x) { .reg .b32 %r<3>;"
    "ld.param.u32 %r1, [x]; mul.lo.u32 %r2, %r1, 7;"
    "st.param.b32 [r], %r2; ret; }\n"
    ".func (.param .b32 r) again(.param .b32 x) { .reg .b32 %r<4>;"
    ".reg .b64 %rd<3>; ld.param.u32 %r1, [x]; mov.u64 %rd1, times;"
    "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %r1;"
    "P: .callprototype (.param .b32 _) _ (.param .b32 _);"
    "call (r0), %rd1, (p0), P; ld.param.b32 %r2, [r0]; }"
    "add.u32 %r2, %r2, 3; st.param.b32 [r], %r2; ret; }\n"
    ".func other(.param .b64 x) { trap; }\n"
    ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 n) {\n"
    ".reg .b64 %rd<12>; .reg .b32 %r<9>;\n"
    "ld.param.u64 %rd1, [o]; mov.u32 %r1, %tid.x; rem.u32 %r2, %r1, 3;"
    "mul.wide.u32 %rd2, %r2, 8; mov.u64 %rd3, table;"
    "add.s64 %rd3, %rd3, %rd2; ld.global.u64 %rd4, [%rd3];"
    "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %r1;"
    "Q: .callprototype (.param .b32 _) _ (.param .b32 _);"
    "call (r0), %rd4, (p0), Q; ld.param.b32 %r3, [r0]; }"
    "mov.u64 %rd5, there; ld.global.u64 %rd5, [%rd5];"
    "ld.global.u64 %rd6, [%rd5]; cvt.u32.u64 %r4, %rd6;"
    "activemask.b32 %r5; popc.b32 %r5, %r5;"
    "mad.lo.u32 %r3, %r3, 10, %r4; mad.lo.u32 %r3, %r5, 100000, %r3;"
    "mul.wide.u32 %rd7, %r1, 8; add.s64 %rd7, %rd1, %rd7;"
    "cvt.u64.u32 %rd8, %r3; st.global.u64 [%rd7], %rd8; ret; }";

static void pointer_calls(const struct Row *row)
{
    (void)row;
    run(pointers, 1, 32);
    CHECK(1, 32, 3200000 + 6 + 10 * (t % 3 == 0 ? 1000 + t :
                                     t % 3 == 1 ? 7 * t : 7 * t + 3));
}

/* what the pointer is instead of plus, and what is said */
static void pointer_to_nowhere(const struct Row *row)
{
    (void)row;
    static const char *const bad[] = { "0   ", "last", "other", "k   " };
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        struct Error e = { "" };
        char text[sizeof pointers + 8];
        strcpy(text, pointers);
        char *at = strstr(text, "plus, ");
        memmove(at + strlen(bad[n]), at + 4, strlen(at + 4) + 1);
        memcpy(at, bad[n], strlen(bad[n]));
        assert_int_equal(run_text(text, 1, 32, 0, in, out, 0, &e),
                         FAULT_INSTRUCTION);
        if (!strstr(e.text, "names no function with these parameters"))
            fail_msg("%s: %s", bad[n], e.text);
    }
}

/* Lane t allocates n & 255 bytes, writes there, and reads again.  n >> 8:
 * 1, it reads, frees, reads; 2, it frees twice. */
#define CALL_FREE "{ .param .b64 p0; st.param.b64 [p0], %rd2;" \
                  "call.uni free, (p0); }"
static const char heap[] = HEAD
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
    ".extern .func free(.param .b64 p);\n"
    ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 n) {\n"
    ".reg .b64 %rd<12>; .reg .b32 %r<9>; .reg .pred %p<3>;\n"
    "ld.param.u64 %rd1, [o]; mov.u32 %r1, %tid.x; mov.u32 %r3, 77;"
    "ld.param.u32 %r4, [n]; and.b32 %r2, %r4, 255; shr.u32 %r4, %r4, 8;"
    "cvt.u64.u32 %rd4, %r2; mov.u32 %r5, 0;"
    "{ .param .b64 p0; .param .b64 r0; st.param.b64 [p0], %rd4;"
    "call.uni (r0), malloc, (p0); ld.param.b64 %rd2, [r0]; }"
    "setp.eq.u64 %p1, %rd2, 0; @%p1 bra NONE; st.u32 [%rd2], %r1;"
    "setp.ne.u32 %p2, %r4, 2; @%p2 bra LOOP;"
    CALL_FREE CALL_FREE
    "LOOP: ld.u32 %r3, [%rd2];"
    "setp.ne.u32 %p2, %r4, 1; @%p2 bra NONE;"
    CALL_FREE
    "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 2; @%p1 bra LOOP;"
    "NONE: mul.wide.u32 %rd7, %r1, 8; add.s64 %rd7, %rd1, %rd7;"
    "cvt.u64.u32 %rd8, %r3; st.global.u64 [%rd7], %rd8; ret; }";

/* The heap has 2048 bytes. */
static void heap_memory(const struct Row *row)
{
    (void)row;
    static const struct { uint32_t bytes; int got; } cases[] = {
        { 64, 32 }, { 10, 32 }, { 65, 31 }, { 0, 0 } };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct Error e = { "" };
        simt_options.heap_bytes = simt_heap_used() + 64 * 32;
        enum Fault fault = run_text(heap, 1, 32, 0, in, out,
                                    cases[c].bytes, &e);
        simt_options.heap_bytes = 8 << 20;
        assert_int_equal(fault, FAULT_NONE);
        for (int t = 0; t < 32; t++)
            if (out[t] != (uint64_t)(t < cases[c].got ? t : 77))
                fail_msg("%u bytes: lane %d has %llu", cases[c].bytes, t,
                         (unsigned long long)out[t]);
    }
}

static void heap_freed(const struct Row *row)
{
    (void)row;
    static const struct { uint32_t mode; const char *says; } cases[] = {
        { 1, "where the program has no memory" },
        { 2, "which malloc did not give, or which was freed before" } };
    for (int c = 0; c < 2; c++) {
        struct Error e = { "" };
        assert_int_equal(run_text(heap, 1, 1, 0, in, out,
                                  cases[c].mode << 8 | 16, &e),
                         FAULT_ILLEGAL_ADDRESS);
        if (!strstr(e.text, cases[c].says))
            fail_msg("%s", e.text);
    }
}

/* Of two kernels one cannot run: the other does, wherever it stands. */
static void one_refused(const struct Row *row)
{
    (void)row;
    static const char again[] = ".func f() { call f; ret; }\n"
        ".entry bad() { call f; ret; }\n";
    for (int first = 0; first < 2; first++) {
        char text[4000] = HEAD;
        strcat(text, first ? again : "");
        strcat(text, strstr(KERNEL(STORE("%r1")), ".visible"));
        strcat(text, first ? "" : again);
        run(text, 1, 32);
        CHECK(1, 32, t);
        read_kernel(text);
        assert_null(module_kernel(&module, "k")->refused);
        const char *why = module_kernel(&module, "bad")->refused;
        if (!why || !strstr(why, "'f' calls itself"))
            fail_msg("refused: %s", why ? why : "no");
        module_free(&module);
    }
}

static void async_copies(const struct Row *row)
{
    (void)row;
    for (int t = 0; t < 96; t++)
        in[t] = 1000 + (uint64_t)t;
    run(KERNEL(SHARED
        "mov.u32 %r10, s; mul.lo.u32 %r11, %r1, 8; add.u32 %r11, %r10, %r11;"
        "cp.async.ca.shared.global [%r11], [%rd4], 8;"
        "cp.async.commit_group;"
        "cp.async.ca.shared.global [%r11+512], [%rd4], 8, 4;"
        "cp.async.commit_group;"
        "cp.async.ca.shared.global [%r11+1024], [%rd4], 8;"
        "cp.async.wait_group 1;"
        "ld.shared.u32 %r12, [%r11]; ld.shared.u32 %r13, [%r11+512];"
        "cp.async.wait_group 0;"
        "ld.shared.v2.u32 {%r14, %r15}, [%r11+512];"
        "ld.shared.u32 %r16, [%r11+1024]; cp.async.wait_all;"
        "ld.shared.u32 %r17, [%r11+1024];"
        "setp.eq.u32 %p1, %r13, -1; setp.eq.and.u32 %p1, %r16, -1, %p1;"
        "selp.b32 %r18, 1, 0, %p1; sub.u32 %r14, %r14, %r12;"
        "sub.u32 %r17, %r17, %r12; or.b32 %r14, %r14, %r17;"
        "or.b32 %r14, %r14, %r15; mad.lo.u32 %r14, %r14, 10000, %r12;"
        "mad.lo.u32 %r14, %r14, 2, %r18;" STORE("%r14")), 1, 64);
    CHECK(1, 64, 2 * (1000 + t) + 1);
}

/* Matrix m, row r, column c holds 64 m + 8 r + c. */
static void ldmatrix(const struct Row *row)
{
    (void)row;
    run(KERNEL(SHARED
        "mov.u32 %r10, s; mul.lo.u32 %r11, %r1, 16; add.u32 %r11, %r10, %r11;"
        "mul.lo.u32 %r12, %r1, 8; shl.b32 %r13, %r12, 16;"
        "add.u32 %r13, %r13, 0x10000; add.u32 %r13, %r13, %r12;"
        "add.u32 %r14, %r13, 0x20002; add.u32 %r15, %r13, 0x40004;"
        "add.u32 %r16, %r13, 0x60006;"
        "st.shared.v4.u32 [%r11], {%r13, %r14, %r15, %r16};"
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20,%r21,%r22,%r23},"
        "[%r11];"
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r24,%r25},"
        "[%r11];"
        "shl.b32 %r26, %r25, 16; xor.b32 %r26, %r26, %r23;"
        "mov.b64 %rd9, {%r26, %r24}; st.global.u64 [%rd3], %rd9;"), 1, 32);
    for (unsigned t = 0; t < 32; t++) {
        uint32_t at = 192 + 8 * (t / 4) + t % 4 * 2;
        uint32_t four = at | (at + 1) << 16;
        uint32_t low = t % 4 * 2 * 8 + t / 4, high = low + 8;
        assert_int_equal((uint32_t)out[t], four ^ (64 + low) << 16);
        assert_int_equal(out[t] >> 32, low | high << 16);
    }
}

static void stmatrix(const struct Row *row)
{
    (void)row;
    run(KERNEL(SHARED
        "mov.u32 %r10, s; mul.lo.u32 %r11, %r1, 16; add.u32 %r11, %r10, %r11;"
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r11], {%r1};"
        "mul.lo.u32 %r12, %r1, 4; add.u32 %r12, %r10, %r12;"
        "ld.shared.u32 %r13, [%r12];" STORE("%r13")), 1, 32);
    CHECK(1, 32, t);
}

/* A = rows of ones in k = 0, B = column numbers: D = C + n. */
static void mma(const struct Row *row)
{
    (void)row;
    run(KERNEL(
        "and.b32 %r5, %r1, 3; setp.eq.u32 %p1, %r5, 0;"
        "selp.b32 %r10, 0x3f80, 0, %p1; mov.u32 %r11, %r10;"
        "mov.u32 %r12, 0; mov.u32 %r13, 0;"
        "shr.u32 %r14, %r1, 2; cvt.rn.f32.u32 %f1, %r14;"
        "cvt.rn.bf16.f32 %h1, %f1; mov.b32 %r14, {%h1, %h1};"
        "selp.b32 %r14, %r14, 0, %p1; mov.u32 %r15, 0;"
        "mov.f32 %f2, 0f3F000000;"
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
        " {%f10, %f11, %f12, %f13}, {%r10, %r11, %r12, %r13},"
        " {%r14, %r15}, {%f2, %f2, %f2, %f2};"
        "mov.b32 %r20, %f10; mov.b32 %r21, %f13;"
        "mov.b64 %rd9, {%r20, %r21}; st.global.u64 [%rd3], %rd9;"), 1, 32);
    for (unsigned t = 0; t < 32; t++) {
        float low, high;
        memcpy(&low, &out[t], 4);
        memcpy(&high, (char *)&out[t] + 4, 4);
        assert_true(low == 0.5f + (float)(t % 4 * 2));
        assert_true(high == 1.5f + (float)(t % 4 * 2));
    }
}

/* Two words or two numbers of a parameter at a time: where the program says,
 * where a register says, and of a function's parameter and result. */
static void parameters_in_pairs(const struct Row *row)
{
    (void)row;
    run(HEAD ".func (.param .align 8 .b8 r[8]) swap(.param .align 8 .b8 p[8])"
        " {\n.reg .b32 %r<3>; ld.param.v2.b32 {%r1, %r2}, [p];"
        "st.param.v2.b32 [r], {%r2, %r1}; ret;\n}\n"
        ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 n)\n{\n"
        ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<2>;"
        "ld.param.v2.u32 {%r3, %r4}, [o]; mov.b64 %rd1, {%r3, %r4};"
        "ld.param.u64 %rd2, [i]; mov.u32 %r1, %tid.x;"
        "mov.u64 %rd3, o; and.b32 %r2, %r1, 1; mul.wide.u32 %rd4, %r2, 8;"
        "add.s64 %rd3, %rd3, %rd4; ld.param.v2.u32 {%r3, %r4}, [%rd3];"
        "mov.b64 %rd5, {%r3, %r4}; setp.eq.u32 %p1, %r2, 0;"
        "selp.b64 %rd6, %rd1, %rd2, %p1; setp.ne.u64 %p1, %rd5, %rd6;"
        "add.u32 %r5, %r1, 7;\n"
        "{ .param .align 8 .b8 p0[8]; .param .align 8 .b8 r0[8];"
        "st.param.v2.b32 [p0], {%r1, %r5};"
        "call.uni (r0), swap, (p0); ld.param.v2.b32 {%r6, %r7}, [r0]; }\n"
        "mul.wide.u32 %rd7, %r1, 8; add.s64 %rd7, %rd1, %rd7;"
        "@%p1 add.u32 %r6, %r6, 1000;"
        "mov.b64 %rd8, {%r6, %r7}; st.global.u64 [%rd7], %rd8;"
        "ret;\n}\n", 1, 32);
    CHECK(1, 32, (uint64_t)t << 32 | (t + 7));
}

/* Every kind of mma, of ones and twos: D = 1 + 2 K, and the wrong number of
 * registers in any of the lists is refused. */
static void mma_kinds(const struct Row *row)
{
    (void)row;
    static const struct Kind {
        const char *name;
        unsigned one, a, b, c, sum;     /* its 1; registers; its 1 + 2 K */
    } kinds[] = {
        { "k16.row.col.f32.bf16.bf16.f32", 0x3f803f80, 4, 2, 4, 0x42040000 },
        { "k16.row.col.f32.f16.f16.f32", 0x3c003c00, 4, 2, 4, 0x42040000 },
        { "k16.row.col.f16.f16.f16.f16", 0x3c003c00, 4, 2, 2, 0x50205020 },
        { "k8.row.col.f32.bf16.bf16.f32", 0x3f803f80, 2, 1, 4, 0x41880000 },
        { "k8.row.col.f32.f16.f16.f32", 0x3c003c00, 2, 1, 4, 0x41880000 },
        { "k8.row.col.f16.f16.f16.f16", 0x3c003c00, 2, 1, 2, 0x4c404c40 },
        { "k8.row.col.f32.tf32.tf32.f32", 0x3f800000, 4, 2, 4, 0x41880000 },
        { "k4.row.col.f32.tf32.tf32.f32", 0x3f800000, 2, 1, 4, 0x41100000 },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int wrong = 0; wrong < 9; wrong++) {
            const struct Kind *k = &kinds[i];
            const unsigned n[4] = { k->c, k->a, k->b, k->c };
            const unsigned two = k->one & 0xffff ? 0x40004000 : 0x40000000;
            const unsigned c = k->c == 4 ? 0x3f800000 : k->one;
            char text[4000];
            int at = snprintf(text, sizeof text, "%s mov.b32 %%r1, %u;"
                "mov.b32 %%r2, %u; mov.b32 %%r3, %u;"
                "mma.sync.aligned.m16n8%s ", OPENING, k->one, two, c,
                k->name);
            for (int list = 0; list < 4; list++) {
                unsigned is = n[list] + (wrong == 2 * list + 1)
                            - (wrong == 2 * list + 2);
                for (unsigned r = 0; r < is; r++)
                    at += snprintf(text + at, sizeof text - (size_t)at,
                                   "%s%%r%u", r ? ", " : "{",
                                   list ? (unsigned)list : 10 + r);
                at += snprintf(text + at, sizeof text - (size_t)at, "%s%s",
                               is ? "}" : "{}", list < 3 ? ", " : "; ");
            }
            snprintf(text + at, sizeof text - (size_t)at,
                     "mov.b64 %%rd9, {%%r10, %%r%u};"
                     "st.global.u64 [%%rd3], %%rd9;\nret;\n}\n", 9 + k->c);
            if (wrong == 0) {
                run(text, 1, 32);
                CHECK(1, 32, (uint64_t)k->sum << 32 | k->sum);
                continue;
            }
            struct Error e = { "" };
            if (module_read(&module, text, strlen(text), &e))
                fail_msg("%s: %u registers in list %d", k->name,
                         n[(wrong - 1) / 2], (wrong - 1) / 2);
        }
}

/* The host must not be able to use a device pointer. */
static void host_pointer(const struct Row *row)
{
    (void)row;
    uint64_t address = device(64);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        close(2);
        volatile int *p = (volatile int *)(uintptr_t)address;
        _exit(*p == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) > 1);
    memory_free(address);
}

static void allocations(const struct Row *row)
{
    (void)row;
    struct Error e;
    uint64_t a[5], other;
    for (int k = 0; k < 5; k++)
        a[k] = device(1000 + (size_t)k);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(a[k] % 256, 0);
        assert_true(memory_holds(a[k], 1000 + (size_t)k));
        assert_false(memory_holds(a[k] + 1, 1000 + (size_t)k));
        assert_null(memory_find(a[k] + 1000 + (unsigned)k));
        assert_null(memory_find(a[k] + 1255));
    }
    assert_true(memory_free(a[2]));
    assert_false(memory_free(a[2]));
    assert_false(memory_free(a[1] + 8));
    assert_true(memory_alloc(&other, 900, NULL, &e));
    assert_int_equal(other, a[2]);              /* the hole is filled */
    assert_false(memory_alloc(&other, (size_t)1 << 60, NULL, &e));
    assert_false(memory_alloc(&other, 0, NULL, &e));
    for (int k = 0; k < 5; k++)
        memory_free(a[k]);
}

/* ---- counts, lines, order ---------- */

static struct Site seen[200];
static int n_seen;

static void look(const struct Launch *l)
{
    n_seen = l->kernel->instructions;
    memcpy(seen, l->site, (size_t)n_seen * sizeof *seen);
}

static void counts(const struct Row *row)
{
    (void)row;
    launch_ended = look;
    run(KERNEL("setp.lt.u32 %p1, %r1, 10; @%p1 mov.u32 %r10, 5;"
               "@%p1 bra A; mov.u32 %r11, 0; A: mov.u32 %r12, 0;"), 2, 40);
    launch_ended = NULL;
    /* after the 10 instructions of the opening */
    assert_int_equal(seen[11].executed, 4);
    assert_int_equal(seen[11].active, 80);
    assert_int_equal(seen[11].on, 20);
    assert_int_equal(seen[12].divergent, 2);
    assert_int_equal(seen[13].active, 60);
    assert_int_equal(seen[14].executed, 4);
    assert_int_equal(seen[14].active, 80);
}

static const struct Instruction *find_line(const struct Kernel *k,
                                           const char *name)
{
    for (int i = 0; i < k->instructions; i++)
        if (!strcmp(k->code[i].name, name))
            return &k->code[i];
    fail_msg("no %s", name);
    return NULL;
}

static void lines(const struct Row *row)
{
    (void)row;
    read_kernel(HEAD ".file 1 \"main.cu\"\n.file 2 \"head.h\"\n"
        ".entry k() { .reg .b32 %r<5>; .loc 1 10 3\n mov.u32 %r1, 0;"
        ".loc 2 99 1\n mov.s32 %r1, 0;"
        ".loc 2 98 1, function_name $x, inlined_at 1 12 5\n"
        "mov.b32 %r1, 0; .loc 1 0 0\n not.b32 %r1, %r1; ret; }");
    const struct Kernel *k = module_kernel(&module, "k");
    assert_int_equal(find_line(k, "mov.u32")->line, 10);
    assert_int_equal(find_line(k, "mov.s32")->line, 10);
    assert_int_equal(find_line(k, "mov.b32")->line, 12);
    assert_int_equal(find_line(k, "not.b32")->line, 12);
    assert_string_equal(k->files[find_line(k, "mov.u32")->file], "main.cu");
    module_free(&module);
}

/* ---- the trace of a warp ---------- */

static const char traced[] = HEAD
    ".entry k(.param .u64 o, .param .u64 i, .param .u32 n) {\n"
    ".reg .pred %p<3>; .reg .b32 %r<5>;\n"
    "mov.u32 %r1, %laneid;\n"
    "setp.lt.u32 %p1, %r1, 3;\n"
    "setp.eq.u32 %p2, %r1, 4;\n"
    "@%p1 bra A;\n"
    "@%p2 mov.u32 %r2, 1;\n"
    "bra.uni B;\n"
    "A: mov.u32 %r2, 2;\n"
    "@%p2 bra B;\n"
    "B: mov.u32 %r3, %r2;\n"
    "ret;\n}\n";

/* What a trace prints: the text goes away with the next one. */
static const char *trace_of(const char *what, bool blocks)
{
    static char *printed;
    static size_t size;
    struct Trace t;
    struct Error e = { "" };
    free(printed);
    if (!trace_read(&t, what, &e))
        fail_msg("%s", e.text);
    t.blocks = blocks;
    t.to = open_memstream(&printed, &size);
    trace_begin(t);
    run(traced, 2, 40);
    simt_options.step = NULL;
    fclose(t.to);
    return printed;
}

static void trace(const struct Row *row)
{
    (void)row;
    assert_string_equal(trace_of("k:1:1", false),
        "k, block 1, warp 1: line, instruction, lanes; waiting: line, lanes\n"
        "   6  mov.u32            01234567\n"
        "   7  setp.lt.u32        01234567\n"
        "   8  setp.eq.u32        01234567\n"
        "   9  bra                012-----\n"
        "  10  mov.u32            ...-4---   12 012.....   14 01234567\n"
        "  11  bra.uni            ...34567   12 012.....   14 01234567\n"
        "  12  mov.u32            012.....   14 01234567\n"
        "  13  bra                ---.....   14 01234567\n"
        "  14  mov.u32            01234567\n"
        "  15  ret                01234567\n");
    assert_non_null(strstr(trace_of("k:0", true),
        "k, block 0, warp 0: line, instruction, lanes; waiting: line, lanes\n"
        "   6  mov.u32            01234567890123456789012345678901\n"
        "  10  mov.u32            ...34567890123456789012345678901"
        "   12 012.............................   14 0123456789"));
    assert_string_equal(trace_of("another", false), "");
}

static void trace_names(const struct Row *row)
{
    (void)row;
    static const struct { const char *text, *kernel; unsigned block, warp; }
        all[] = {
        { "k", "k", 0, 0 }, { "k:7", "k", 7, 0 }, { "k:7:3", "k", 7, 3 },
        { "lab::copy", "lab::copy", 0, 0 },
        { "lab::copy:2", "lab::copy", 2, 0 }, { "k:", "k:", 0, 0 },
    };
    struct Trace t;
    struct Error e;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_true(trace_read(&t, all[i].text, &e));
        assert_string_equal(t.kernel, all[i].kernel);
        assert_int_equal(t.block, all[i].block);
        assert_int_equal(t.warp, all[i].warp);
    }
    assert_false(trace_read(&t, "", &e));
    assert_non_null(strstr(e.text, "KERNEL"));
}

static void unread_atomics(const struct Row *row)
{
    (void)row;
    read_kernel(KERNEL("atom.global.add.u32 %r10, [%rd2], 1;"
        "atom.global.add.s32 %r11, [%rd2], 2; add.s32 %r12, %r11, 1;"
        "atom.global.add.f32 %f1, [%rd2], 0f3F800000;"));
    const struct Kernel *k = module_kernel(&module, "k");
    assert_int_equal(find_line(k, "atom.global.add.u32")->access,
                     ACCESS_RED);
    assert_int_equal(find_line(k, "atom.global.add.u32")->atomic,
                     ATOMIC_INC1);
    assert_int_equal(find_line(k, "atom.global.add.s32")->access,
                     ACCESS_ATOM);
    assert_int_equal(find_line(k, "atom.global.add.s32")->atomic,
                     ATOMIC_ADD);
    assert_true(find_line(k, "atom.global.add.f32")->is_float);
    module_free(&module);
}

static void deterministic(const struct Row *row)
{
    (void)row;
    uint64_t first[4 * 257];
    for (int t = 0; t < 4 * 257; t++)
        in[t] = 0x3f800000u + 77777u * (unsigned)t % 8388608;
    for (int time = 0; time < 2; time++) {
        run(KERNEL("ld.global.f32 %f1, [%rd4];"
                   "atom.global.add.f32 %f2, [%rd2], %f1;"
                   "mov.b32 %r10, %f2;" STORE("%r10")), 4, 257);
        if (time == 0)
            memcpy(first, out, sizeof first);
    }
    assert_memory_equal(first, out, sizeof first);
}

/* ---- what is refused ---------- */

struct Bad { const char *text, *says; };

static void malformed(const struct Row *row)
{
    (void)row;
    static const struct Bad bad[] = {
        { "garbage", "not what a module is made of" },
        { ".visible .entry k(", ".param" },
        { ".entry k() { ", "does not end" },
        { ".entry k() { frob.u32; }", "does not know" },
        { ".entry k() { .reg .b32 %r<2>; add.s32 %r1, %r1; }",
          "with 2 operands" },
        { ".entry k() { add.s32 %r1, %r1, 1; }", "no register %r1" },
        { ".entry k() { .reg .b64 %rd<2>; add.s32 %rd1, %rd1, 1; }",
          "cannot read register %rd1" },
        { ".entry k() { .reg .b32 %r<2>; @%r1 bra X; X: ret; }",
          "not a predicate" },
        { ".entry k() { bra NOWHERE; }", "nowhere" },
        { ".entry k() { A: ret; A: ret; }", "twice" },
        { ".entry k() { .reg .b32 %r<99999999>; .reg .b32 %s<99999999>; }",
          "registers" },
        { ".entry k() { .reg .b32 %r<2>; mov.u32 %r1, %envreg3; }",
          "no register %envreg3" },
        { ".entry k() { .shared .b8 s[300000]; .reg .b32 %r<2>;"
          " ld.shared.u32 %r1, [s]; }", "shared memory" },
        { ".entry k() { .shared .b8 s[49153]; .reg .b32 %r<2>;"
          " ld.shared.u32 %r1, [s]; }", "declare it extern" },
        { ".entry k() { .local .b8 s[3000000]; }", "local memory" },
        { ".entry k(.param .b8 p[32765]) { ret; }", "32764 bytes" },
        { ".global .b8 x[99999999999];", "larger than 1 GiB" },
        { ".extern .global .b32 x; .entry k() { .reg .b32 %r<2>;"
          " ld.global.u32 %r1, [x]; }", "only declared" },
        { ".global .b32 x[2] = {1, 2, 3};", "too many values" },
        { ".global .b64 x = y;", "which is nowhere" },
        { ".global .b32 x = y; .global .b32 y;", "has 64 bits" },
        { ".global .b32 x[2][2] = {{1, 2}, {3, 4}};", "lists in a list" },
        { ".global .f32 x = 1;", "of another kind" },
        { ".global .u32 x = 1.5;", "of another kind" },
        { ".entry k() { .reg .f32 %f<2>; add.f32 %f1, %f1, 1; }",
          "of another kind" },
        { ".entry k() { .reg .b32 %r<2>; mov.b32 %r1, 1.5; }",
          "of another kind" },
        { ".entry k() { .reg .pred %p<3>; and.pred %p1, !%p2, %p2; }",
          "cannot negate" },
        { ".entry k() { .reg .pred %p<3>; mov.pred %p1, !%p2; }",
          "cannot negate" },
        { ".entry k() { .reg .pred %p<3>; not.pred !%p1, %p2; }",
          "wants a register" },
        { ".entry k() { .reg .b64 %rd<2>;"
          " cp.async.ca.shared.global.L3 [%rd1], [%rd1], 4; }",
          "does not know" },
        { ".entry k() { .reg .b64 %rd<2>;"
          " cp.async.ca.global.shared [%rd1], [%rd1], 4; }",
          "does not know" },
        { ".entry k() { ret.all; }", "does not know" },
        { ".func f() { ret; } .entry k() { .reg .pred %p; @%p call f; }",
          "under a predicate" },
        { ".func f() { call f; ret; } .entry k() { call f; }",
          "calls itself" },
        { ".entry k() { call nobody; }", "not in this text" },
        { ".entry k() { call 5; }", "without the name" },
        { ".entry k() { .reg .b32 %r<2>; ld.param.u32 %r1, [nothing]; }",
          "not an address" },
        { ".entry k(.param .u32 n) { .reg .b64 %rd<2>;"
          " ld.param.u64 %rd1, [n]; }", "outside of" },
        { ".entry k() { .reg .b32 %r<2>; ld.global.v4.u64 {%r1}, [%r1]; }",
          "does not know" },
        { ".entry k() { .reg .b32 %r<2>; mov.u32 %r1, 0f12; }",
          "bits of a number" },
        { ".entry k() { .reg .b32 %r<2>; mov.u32 %r1, 12abc; }",
          "not a number" },
        { ".entry k() { .file 1 \"x }", "string does not end" },
        { ".entry k() { add.rz.f32 %f1, %f1, %f1; }", "does not know" },
        { ".entry k() { {{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{ ret; }",
          "nested" },
        { ".entry k() { ret; } .section .x { ", "'}'" },
        { ".entry k() { tcgen05.wait::ld.sync.aligned; }", "tcgen05" },
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct Error e = { "" };
        char text[1000];
        snprintf(text, sizeof text, HEAD "%s", bad[k].text);
        if (module_read(&module, text, strlen(text), &e))
            fail_msg("accepted: %s", bad[k].text);
        if (!strstr(e.text, bad[k].says))
            fail_msg("'%s' says '%s', without '%s'", bad[k].text, e.text,
                     bad[k].says);
    }
}

static void unknown_names_its_place(const struct Row *row)
{
    (void)row;
    struct Error e = { "" };
    static const char text[] = HEAD ".file 1 \"my.cu\"\n.entry k() {\n"
        ".loc 1 42 0\n tex.1d.v4.f32.s32 %r1;\n}";
    assert_false(module_read(&module, text, strlen(text), &e));
    assert_non_null(strstr(e.text, "my.cu:42: "));
    assert_non_null(strstr(e.text, "PTX line 7"));
    assert_non_null(strstr(e.text, "tex.1d"));
}

/* Every prefix of a good text is refused or read, and nothing else. */
static void prefixes(const struct Row *row)
{
    (void)row;
    static const char text[] = KERNEL(SHARED
        "@%p1 bra A; ld.global.v2.u32 {%r1, %r2}, [%rd1+8]; A: bar.sync 0;"
        "shfl.sync.up.b32 %r1|%p2, %r2, 1, 0, -1; mov.f32 %f1, 0f00000000;");
    for (size_t n = 0; n < sizeof text; n++) {
        char *part = malloc(n + 1);     /* so that one byte more is caught */
        memcpy(part, text, n);
        if (module_read(&module, part, n, NULL))
            module_free(&module);
        free(part);
    }
}

static void absurd_launches(const struct Row *row)
{
    (void)row;
    static const struct {
        struct Dim3 grid, block;
        size_t dynamic;
        const char *says;
    } bad[] = {
        { { 0, 1, 1 }, { 32, 1, 1 }, 0, "a grid of 0" },
        { { 1, 0, 1 }, { 32, 1, 1 }, 0, "a grid of 1 x 0" },
        { { 1, 65536, 1 }, { 32, 1, 1 }, 0, "65535" },
        { { 1, 1, 1 }, { 0, 1, 1 }, 0, "a block of 0" },
        { { 1, 1, 1 }, { 2048, 1, 1 }, 0, "a block of 2048" },
        { { 1, 1, 1 }, { 32, 33, 1 }, 0, "a block of 32 x 33" },
        { { 1, 1, 1 }, { 1, 1, 65 }, 0, "64 at most" },
        { { 1, 1, 1 }, { 65536, 65536, 65536 }, 0, "a block of" },
        { { 1, 1, 1 }, { 32, 1, 1 }, 300 * 1024, "shared memory" },
        { { 1, 1, 1 }, { 32, 1, 1 }, SIZE_MAX, "shared memory" },
    };
    read_kernel(KERNEL(""));
    const struct Kernel *k = module_kernel(&module, "k");
    uint64_t p = 0;
    void *args[] = { &p, &p, &p };
    enum Fault fault;
    struct Error e;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fault = FAULT_NONE;
        assert_false(simt_launch(k, bad[i].grid, bad[i].block,
                                 bad[i].dynamic, args, &fault, &e));
        assert_int_equal(fault, FAULT_CONFIGURATION);
        if (!strstr(e.text, bad[i].says))
            fail_msg("'%s', without '%s'", e.text, bad[i].says);
    }
    assert_false(simt_launch(k, (struct Dim3){ 1, 1, 1 },
                             (struct Dim3){ 1, 1, 1 }, 0, NULL, &fault, &e));
    assert_non_null(strstr(e.text, "argument 1 of 3"));
    assert_null(module_kernel(&module, "nobody"));
    module_free(&module);
}

static void faults(const struct Row *row)
{
    (void)row;
    static const struct {
        const char *text;
        int threads;
        enum Fault fault;
        const char *says;
    } bad[] = {
        { KERNEL("ld.global.u32 %r10, [0];"), 32, FAULT_ILLEGAL_ADDRESS,
          "address 0x0" },
        { KERNEL("st.global.u64 [%rd3+8], 1;"), 33, FAULT_ILLEGAL_ADDRESS,
          "thread (32,0,0)" },
        { KERNEL("ld.global.u32 %r10, [%rd4+2];"), 1,
          FAULT_MISALIGNED_ADDRESS, "no multiple of its 4 bytes" },
        { KERNEL("ld.global.v4.u32 {%r10,%r11,%r12,%r13}, [%rd2+8];"), 9,
          FAULT_MISALIGNED_ADDRESS, "16 bytes" },
        { KERNEL(SHARED "st.shared.u32 [s+4096], 1;"), 1,
          FAULT_ILLEGAL_ADDRESS, "shared" },
        { KERNEL("ld.shared.u32 %r10, [0];"), 1, FAULT_ILLEGAL_ADDRESS,
          "shared" },
        { KERNEL("mov.u64 %rd9, n; ld.param.u64 %rd9, [%rd9];"), 1,
          FAULT_ILLEGAL_ADDRESS, "outside of the parameters" },
        { KERNEL("mov.u64 %rd9, n; ld.param.u32 %rd9, [%rd9+4096];"), 1,
          FAULT_ILLEGAL_ADDRESS, "outside of the parameters" },
        { KERNEL("mov.u64 %rd9, -8; ld.u64 %rd9, [%rd9];"), 1,
          FAULT_ILLEGAL_ADDRESS, "global" },
        { KERNEL("atom.global.add.u32 %r10, [%rd9+4096], 1;"), 5,
          FAULT_ILLEGAL_ADDRESS, "atom" },
        { KERNEL("setp.eq.u32 %p1, %r1, 3; @%p1 trap;"), 32, FAULT_TRAP,
          "thread (3,0,0)" },
        { KERNEL("setp.lt.u32 %p1, %r1, 3; @%p1 bra A; bar.sync 0; A: "
          "bar.sync 0;"), 32,
          FAULT_BARRIER, "bar.sync" },
        { KERNEL("setp.lt.u32 %p1, %r1, 3; @%p1 bra A; bar.sync 0; bra.uni "
          "B; A: bar.sync 0; B: mov.u32 %r10, 0;"), 32, FAULT_BARRIER,
          "bar.sync" },
        { KERNEL("mov.u32 %r10, %warpid; setp.eq.u32 %p1, %r10, 0;"
          "@%p1 bar.sync 1; @!%p1 bar.sync 2;"), 64, FAULT_BARRIER,
          "warp 1 at barrier 2" },
        { KERNEL("A: bra.uni A;"), 32, FAULT_TIMEOUT, "wait for another" },
        { KERNEL("A: ld.global.u32 %r10, [%rd2]; setp.eq.u32 %p1, %r10, 0;"
          "@%p1 bra A;"), 32, FAULT_TIMEOUT, "one after the other" },
        { KERNEL("setp.lt.u32 %p1, %r1, 8; @%p1 ldmatrix.sync.aligned.m8n8."
          "x1.shared.b16 {%r10}, [0];"), 32, FAULT_INSTRUCTION, "32 lanes" },
        { KERNEL("setp.lt.u32 %p1, %r1, 3; @%p1 bra A; vote.sync.ballot.b32 "
          "%r10, %p1, -1; A: bar.sync 0;"), 32, FAULT_BARRIER,
          "0x00000007 are elsewhere" },
        { KERNEL("bar.sync 20;"), 32, FAULT_INSTRUCTION, "16 barriers" },
        { KERNEL("T: .branchtargets A; brx.idx 3, T; A:"), 32,
          FAULT_INSTRUCTION, "entry 3" },
    };
    uint64_t limit = simt_options.step_limit;
    simt_options.step_limit = 1000000;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct Error e = { "" };
        memset(in, 0, sizeof in);
        enum Fault fault = run_text(bad[k].text, 1, bad[k].threads, 0, in,
                                    out, 0, &e);
        if (fault != bad[k].fault || !strstr(e.text, bad[k].says))
            fail_msg("fault %d '%s', not %d with '%s'", fault, e.text,
                     bad[k].fault, bad[k].says);
    }
    simt_options.step_limit = limit;
}

/* A warp waits for another's flag: warps take turns, so this ends. */
static void spin_within_block(const struct Row *row)
{
    (void)row;
    memset(in, 0, sizeof in);
    run(KERNEL(
        "mov.u32 %r10, %warpid; setp.eq.u32 %p1, %r10, 1; @%p1 bra SET;"
        "WAIT: ld.volatile.global.u32 %r11, [%rd2];"
        "setp.eq.u32 %p2, %r11, 0; @%p2 bra WAIT; bra.uni DONE;"
        "SET: st.volatile.global.u32 [%rd2], 5; mov.u32 %r11, 5;"
        "DONE: membar.gl;" STORE("%r11")), 1, 64);
    CHECK(1, 64, 5);
}

/* 4 bytes declared and the rest of 227 KB asked for, from a multiple of
 * 4,096 on, are more than a block has: under the sanitizer, whose shadow
 * ends there. */
static void padding_counts(const struct Row *row)
{
    (void)row;
    read_kernel(".extern .shared .align 4096 .b8 d[];\n"
                ".visible .entry k() { .shared .align 4 .b8 s[4];\n"
                ".reg .b64 %rd<3>; mov.u64 %rd1, d; mov.u64 %rd2, s;\n"
                "st.shared.u32 [%rd2], 1; ret; }");
    const struct Kernel *k = module_kernel(&module, "k");
    enum Fault fault;
    struct Error e;
    struct Dim3 one = { 1, 1, 1 };
    simt_options.check = true;
    for (size_t bytes = MAX_SHARED - 4095; bytes <= MAX_SHARED; bytes += 4095)
        assert_false(simt_launch(k, one, one, bytes, NULL, &fault, &e));
    assert_int_equal(fault, FAULT_CONFIGURATION);
    assert_true(simt_launch(k, one, one, MAX_SHARED - 4096, NULL, &fault,
                            &e));
    simt_options.check = false;
    module_free(&module);
}

static void dynamic_shared(const struct Row *row)
{
    (void)row;
    struct Error e = { "" };
    static const char text[] = HEAD
        ".extern .shared .align 8 .b8 dyn[];\n"
        ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 n) {\n"
        ".shared .align 4 .b8 fixed[20]; .reg .b64 %rd<9>;"
        ".reg .b32 %r<9>;\n"
        "ld.param.u64 %rd1, [o]; mov.u32 %r1, %tid.x;"
        "mov.u32 %r2, dyn; mov.u32 %r3, fixed; sub.u32 %r4, %r2, %r3;"
        "st.shared.u32 [%r2+60], 1; mul.wide.u32 %rd2, %r1, 8;"
        "add.s64 %rd1, %rd1, %rd2; cvt.u64.u32 %rd3, %r4;"
        "st.global.u64 [%rd1], %rd3; ret; }";
    assert_int_equal(run_text(text, 1, 32, 64, NULL, out, 0, &e), 0);
    CHECK(1, 32, 32);
    assert_int_equal(run_text(text, 1, 32, 60, NULL, out, 0, &e),
                     FAULT_ILLEGAL_ADDRESS);
}

/* ---- lanes that wait for lanes ---------- */

/* two words of shared memory begin as 0 */
#define LOCK "setp.eq.u32 %p8, %r1, 0; @%p8 st.shared.u32 [s], 0;"        \
    "@%p8 st.shared.u32 [s+4], 0; bar.sync 0;"

/* %r10 = the mask of a thread's half of its warp */
#define HALVES "and.b32 %r9, %r1, 31; setp.lt.u32 %p9, %r9, 16;"         \
    "selp.b32 %r10, 0xffff, 0xffff0000, %p9;"

static void a_mask_for_each_half(const struct Row *row)
{
    (void)row;
    run(KERNEL(HALVES "and.b32 %r11, %r1, 3; setp.eq.u32 %p1, %r11, 1;"
        "vote.sync.ballot.b32 %r12, %p1, %r10;" STORE("%r12")), 1, 64);
    CHECK(1, 64, t % 32 < 16 ? 0x2222 : 0x22220000);
    run(KERNEL(HALVES "redux.sync.add.s32 %r12, %r1, %r10;" STORE("%r12")),
        1, 64);
    CHECK(1, 64, t / 16 * 256 + 120);
    run(KERNEL(HALVES "setp.eq.u32 %p1, %r9, 3; vote.sync.any.pred %p2, "
        "%p1, %r10; selp.b32 %r12, 1, 0, %p2;" STORE("%r12")), 1, 64);
    CHECK(1, 64, t % 32 < 16);
    run(KERNEL(HALVES "and.b32 %r11, %r1, 7; match.any.sync.b32 %r12, %r11, "
        "%r10;" STORE("%r12")), 1, 32);
    CHECK(1, 32, t < 16 ? 0x101u << t % 8 : 0x1010000u << t % 8);
    run(KERNEL(HALVES "setp.lt.u32 %p1, %r9, 16; selp.b32 %r11, 4, %r9, %p1;"
        "match.all.sync.b32 %r12|%p2, %r11, %r10;" STORE("%r12")), 1, 32);
    CHECK(1, 32, t < 16 ? 0xffff : 0);
    run(KERNEL(HALVES "selp.b32 %r11, 3, 20, %p9; shfl.sync.idx.b32 %r12, "
        "%r1, %r11, 31, %r10;" STORE("%r12")), 1, 32);
    CHECK(1, 32, t < 16 ? 3 : 20);
}

/* The same instruction in two places is one, with values from both. */
static void from_two_places(const struct Row *row)
{
    (void)row;
    run(KERNEL("setp.lt.u32 %p1, %r1, 10; @%p1 bra A;"
        "shfl.sync.idx.b32 %r12, %r1, 3, 31, -1; bra.uni B;"
        "A: shfl.sync.idx.b32 %r12, %r1, 20, 31, -1; B:" STORE("%r12")),
        1, 32);
    CHECK(1, 32, t < 10 ? 20 : 3);
    run(KERNEL("and.b32 %r9, %r1, 1; setp.eq.u32 %p2, %r9, 0;"
        "setp.lt.u32 %p1, %r1, 10; @%p1 bra A;"
        "vote.sync.ballot.b32 %r12, %p2, -1; bra.uni B;"
        "A: vote.sync.ballot.b32 %r13, !%p2, -1; mov.u32 %r12, %r13; B:"
        STORE("%r12")), 1, 32);
    CHECK(1, 32, 0x555556aa);
    run(KERNEL("setp.lt.u32 %p1, %r1, 10; @%p1 bra A;"
        "redux.sync.max.u32 %r12, %r1, -1; bra.uni B;"
        "A: add.u32 %r13, %r1, 100; redux.sync.max.u32 %r12, %r13, -1; B:"
        STORE("%r12")), 1, 32);
    CHECK(1, 32, 109);
    /* what lanes bring is lost when they get their result */
    run(KERNEL("mov.u32 %r12, %r1; setp.lt.u32 %p1, %r1, 10; @%p1 bra A;"
        "shfl.sync.idx.b32 %r12, %r12, 3, 31, -1; bra.uni B;"
        "A: shfl.sync.idx.b32 %r12, %r12, 20, 31, -1; B:" STORE("%r12")),
        1, 32);
    CHECK(1, 32, t < 10 ? 20 : 3);
    run(KERNEL("setp.lt.u32 %p2, %r1, 20; setp.lt.u32 %p1, %r1, 10;"
        "@%p1 bra A; vote.sync.all.pred %p2, %p2, -1; bra.uni B;"
        "A: vote.sync.all.pred %p2, %p2, -1;"
        "B: selp.b32 %r12, 1, 0, %p2;" STORE("%r12")), 1, 32);
    CHECK(1, 32, 0);
    run(KERNEL("and.b32 %r12, %r1, 7; setp.lt.u32 %p1, %r1, 10;"
        "@%p1 bra A; match.any.sync.b32 %r12, %r12, -1; bra.uni B;"
        "A: match.any.sync.b32 %r12, %r12, -1; B:" STORE("%r12")), 1, 32);
    CHECK(1, 32, 0x1010101u << t % 8);
}

/* Lanes 0 to 7 have all come that they name, lanes 8 to 23 not. */
static void masks_of_a_part(const struct Row *row)
{
    (void)row;
    run(KERNEL("setp.lt.u32 %p1, %r1, 24; setp.lt.u32 %p2, %r1, 8;"
        "selp.b32 %r10, 0xff, 0xffffff00, %p2; @%p1 bra A;"
        "vote.sync.ballot.b32 %r12, 1, %r10; bra.uni B;"
        "A: vote.sync.ballot.b32 %r12, 1, %r10; B:" STORE("%r12")), 1, 32);
    CHECK(1, 32, t < 8 ? 0xff : 0xffffff00);
    /* the quarters 0 and 3 wait for each other, so do 1 and 2 */
    run(KERNEL("setp.lt.u32 %p1, %r1, 16; add.u32 %r9, %r1, 8;"
        "and.b32 %r9, %r9, 31; setp.lt.u32 %p2, %r9, 16;"
        "selp.b32 %r10, 0xff0000ff, 0x00ffff00, %p2; @%p1 bra A;"
        "vote.sync.ballot.b32 %r12, 1, %r10; bra.uni B;"
        "A: vote.sync.ballot.b32 %r12, 1, %r10; B:" STORE("%r12")), 1, 32);
    CHECK(1, 32, t >= 8 && t < 24 ? 0x00ffff00 : 0xff0000ff);
}

/* A guard does what a branch does. */
static void guarded_votes(const struct Row *row)
{
    (void)row;
    run(KERNEL("setp.lt.u32 %p1, %r1, 10; mov.u32 %r13, 5;"
        "@%p1 vote.sync.ballot.b32 %r12, %p1, -1;"
        "@!%p1 vote.sync.ballot.b32 %r12, %p1, -1;" STORE("%r12")), 1, 32);
    CHECK(1, 32, 0x3ff);
}

/* Lane t goes t times through one loop, 32 - t times through another, and
 * all synchronise in each round of either. */
static void from_two_loops(const struct Row *row)
{
    (void)row;
    run(KERNEL("mov.u32 %r10, 0; mov.u32 %r12, 0; bra.uni T1;"
        "L1: add.u32 %r11, %r1, %r10; shfl.sync.idx.b32 %r11, %r11, %r10, "
        "31, -1; add.u32 %r12, %r12, %r11; add.u32 %r10, %r10, 1;"
        "T1: setp.lt.u32 %p1, %r10, %r1; @%p1 bra L1;"
        "L2: add.u32 %r11, %r1, %r10; shfl.sync.idx.b32 %r11, %r11, %r10, "
        "31, -1; mad.lo.u32 %r12, %r11, 1000, %r12; add.u32 %r10, %r10, 1;"
        "setp.lt.u32 %p1, %r10, 33; @%p1 bra L2;" STORE("%r12")), 1, 32);
    for (uint64_t t = 0; t < 32; t++) {
        uint64_t want = 0;
        for (uint64_t k = 0; k < 33; k++)
            want += (k % 32 + k) * (k < t ? 1 : 1000);
        if (out[t] != want)
            fail_msg("lane %d has %d, not %d", (int)t, (int)out[t],
                     (int)want);
    }
}

static void barrier_from_two_paths(const struct Row *row)
{
    (void)row;
    run(KERNEL(SHARED LOCK "L: atom.shared.cas.b32 %r10, [s], 0, 1;"
        "setp.ne.u32 %p1, %r10, 0; @%p1 bra L;"
        "ld.shared.u32 %r11, [s+4]; add.u32 %r11, %r11, 1;"
        "st.shared.u32 [s+4], %r11; atom.shared.exch.b32 %r10, [s], 0;"
        "bar.sync 0; ld.shared.u32 %r12, [s+4];" STORE("%r12")), 1, 70);
    CHECK(1, 70, 70);
}

/* Lanes 0 to 9 wait for the others, which wait at the end of the branch;
 * from the bar.warp.sync on all go together. */
static void together_again(const struct Row *row)
{
    (void)row;
    run(KERNEL("mov.u32 %r10, 0; setp.ge.u32 %p1, %r1, 10; @%p1 bra A;"
        "shfl.sync.idx.b32 %r10, %r1, 20, 31, -1;"
        "A: @!%p1 bra B; shfl.sync.idx.b32 %r10, %r1, 3, 31, -1;"
        "B: bar.warp.sync -1; activemask.b32 %r11; popc.b32 %r11, %r11;"
        "mad.lo.u32 %r10, %r11, 100, %r10;" STORE("%r10")), 1, 32);
    CHECK(1, 32, t < 10 ? 3220 : 3203);
}

/* Lanes 0 to 9 and the others come to X, and reconverge at M; lanes 20 to
 * 31 do so by another branch, and reconverge with 10 to 19 at N before. */
#define LEVELS(at_x) KERNEL("setp.lt.u32 %p1, %r1, 10;"                     \
    "setp.gt.u32 %p2, %r3, 1000; setp.lt.u32 %p3, %r1, 20; mov.u32 %r10, 0;" \
    "@%p1 bra X; @%p2 bra M; @%p3 bra X; mov.u32 %r10, 1; @%p2 bra N;"      \
    "X: " at_x "popc.b32 %r11, %r11; add.u32 %r10, %r10, %r11;"             \
    "N: add.u32 %r10, %r10, 100; M:" STORE("%r10"))

static void one_place_two_levels(const struct Row *row)
{
    (void)row;
    run(LEVELS("vote.sync.ballot.b32 %r11, 1, -1;"), 1, 32);
    CHECK(1, 32, 132 + (t >= 20));
    run(LEVELS("bar.red.popc.u32 %r11, 0, %p3; sub.u32 %r11, %r11, 13;"), 1,
        32);
    CHECK(1, 32, 103 + (t >= 20));
}

/* Lanes 0 to 9 wait in round 0, the others pass them by and come to the
 * same place in round 1: from then on they go together. */
static void rounds_apart(const struct Row *row)
{
    (void)row;
    run(KERNEL("mov.u32 %r10, 0; mov.u32 %r12, 0;"
        "L: setp.lt.u32 %p1, %r1, 10; setp.gt.or.u32 %p1, %r10, 0, %p1;"
        "@!%p1 bra A; shfl.sync.bfly.b32 %r11, %r1, 0, 31, -1;"
        "activemask.b32 %r11; popc.b32 %r11, %r11;"
        "add.u32 %r12, %r12, %r11; A: add.u32 %r10, %r10, 1;"
        "setp.lt.u32 %p1, %r10, 3; @%p1 bra L;" STORE("%r12")), 1, 32);
    CHECK(1, 32, t < 10 ? 32 + 32 + 10 : 32 + 32);
}

/* They wait for each other, at two different instructions. */
static void waits_for_ever(const struct Row *row)
{
    (void)row;
    struct Error e = { "" };
    static const char text[] = KERNEL("setp.lt.u32 %p1, %r1, 10; @%p1 bra A;"
        "vote.sync.ballot.b32 %r12, %p1, -1; bra.uni B;"
        "A: vote.sync.any.pred %p2, %p1, -1; B:" STORE("%r1"));
    static const char says[] = "vote.sync.ballot.b32 is reached by the lanes "
        "0xfffffc00, while 0x000003ff are elsewhere";
    enum Fault fault = run_text(text, 1, 32, 0, in, out, 0, &e);
    if (fault != FAULT_BARRIER || !strstr(e.text, says))
        fail_msg("fault %d '%s'", fault, e.text);
}

/* Lanes 8 and above return, some by an instruction of their own. */
static void returned_are_not_awaited(const struct Row *row)
{
    (void)row;
    run(KERNEL("setp.lt.u32 %p1, %r1, 8; @!%p1 bra A;"
        "vote.sync.ballot.b32 %r12, %p1, -1;" STORE("%r12") "bra.uni B;"
        "A: setp.lt.u32 %p2, %r1, 20;" STORE("7") "@%p2 ret; mov.u32 %r1, 0;"
        "ret; B:"), 1, 32);
    CHECK(1, 32, t < 8 ? 0xff : 7);
}

/* ---- no lane can be starved ---------- */

static void lock_of_lanes(const struct Row *row)
{
    (void)row;
    run(KERNEL(SHARED LOCK "L: atom.shared.cas.b32 %r10, [s], 0, 1;"
        "setp.ne.u32 %p1, %r10, 0; @%p1 bra L;"
        "ld.shared.u32 %r11, [s+4]; add.u32 %r11, %r11, 1;"
        "st.shared.u32 [s+4], %r11; atom.shared.exch.b32 %r10, [s], 0;"
        STORE("1")), 1, 70);
    CHECK(1, 70, 1);
    run(KERNEL(SHARED LOCK "L: atom.shared.cas.b32 %r10, [s], 0, 1;"
        "setp.ne.u32 %p1, %r10, 0; @%p1 bra N;"
        "ld.shared.u32 %r11, [s+4]; add.u32 %r11, %r11, 1;"
        "st.shared.u32 [s+4], %r11; atom.shared.exch.b32 %r10, [s], 0;"
        "N: @%p1 bra L;" STORE("2")), 1, 70);
    CHECK(1, 70, 2);
}

/* The last thread goes first, then the one before: each waits for its turn. */
#define TURNS(load) KERNEL(SHARED LOCK "sub.u32 %r10, %r3, %r1;"           \
    "sub.u32 %r10, %r10, 1;"                                               \
    "L: " load ".shared.u32 %r11, [s]; setp.ne.u32 %p1, %r11, %r10;"       \
    "@%p1 bra L; add.u32 %r11, %r11, 1;"                                   \
    "st.volatile.shared.u32 [s], %r11;" STORE("%r11"))

static void turns_downwards(const struct Row *row)
{
    unsigned threads = (unsigned)row_int(row, "threads");
    if (row_int(row, "plain"))
        run_limited(40000000, TURNS("ld"), 1, (int)threads);
    else
        run(TURNS("ld.volatile"), 1, (int)threads);
    CHECK(1, threads, threads - t);
}

/* The flag is set after the point where the lanes reconverge. */
static void flag_after_the_loop(const struct Row *row)
{
    (void)row;
    run(KERNEL(SHARED LOCK "setp.eq.u32 %p2, %r1, 31; @%p2 bra A;"
        "L: ld.volatile.shared.u32 %r11, [s]; setp.eq.u32 %p1, %r11, 0;"
        "@%p1 bra L; A: @%p2 st.volatile.shared.u32 [s], 5;"
        "ld.volatile.shared.u32 %r11, [s];" STORE("%r11")), 1, 32);
    CHECK(1, 32, 5);
}

/* A branch to a return stands in the loop that polls. */
static void return_in_the_loop(const struct Row *row)
{
    (void)row;
    run(KERNEL(SHARED LOCK "setp.eq.u32 %p2, %r1, 31; @%p2 bra A;"
        "L: ld.volatile.shared.u32 %r11, [s]; setp.eq.u32 %p1, %r11, 2;"
        "@%p1 bra G; setp.eq.u32 %p1, %r11, 0; @%p1 bra L;"
        "A: @%p2 st.volatile.shared.u32 [s], 5;" STORE("6") "G:"), 1,
        32);
    CHECK(1, 32, 6);
}

/* Sides that become one before their reconvergence point, 70 times. */
static void many_joins(const struct Row *row)
{
    (void)row;
    static char text[20000];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", OPENING
        "and.b32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, 0; mov.u32 %r11, 0;"
        "setp.eq.u32 %p2, %r1, 999;");
    for (int k = 0; k < 70; k++)
        n += (size_t)snprintf(text + n, sizeof text - n,
            "@%%p1 bra X%d; @%%p2 bra M%d; S%d: bar.warp.sync -1;"
            "add.u32 %%r11, %%r11, 1; bra I%d; X%d: @%%p2 bra M%d;"
            "bra S%d; I%d:", k, k, k, k, k, k, k, k);
    for (int k = 69; k >= 0; k--)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "M%d: add.u32 %%r12, %%r11, %d;", k, k);
    snprintf(text + n, sizeof text - n, "%s", STORE("%r11") "\nret;\n}\n");
    run(text, 1, 32);
    CHECK(1, 32, 70);
}

/* Lanes wait in two places, and the others set the flag after both. */
static void flag_after_two_loops(const struct Row *row)
{
    (void)row;
    run(KERNEL(SHARED LOCK "setp.lt.u32 %p1, %r1, 10; @%p1 bra L1;"
        "setp.lt.u32 %p1, %r1, 20; @%p1 bra L2; bra.uni A;"
        "L1: ld.volatile.shared.u32 %r11, [s]; setp.eq.u32 %p1, %r11, 0;"
        "@%p1 bra L1; bra.uni A;"
        "L2: ld.volatile.shared.u32 %r11, [s]; setp.eq.u32 %p1, %r11, 0;"
        "@%p1 bra L2; bra.uni A;"
        "A: setp.eq.u32 %p2, %r1, 31; @%p2 st.volatile.shared.u32 [s], 5;"
        "atom.shared.add.u32 %r11, [s+4], 1; bar.sync 0;"
        "ld.shared.u32 %r11, [s+4];" STORE("%r11")), 1, 32);
    CHECK(1, 32, 32);
}

/* Lanes 0 to 15 of warp 1 poll in each of ten rounds until warp 0 has
 * worked for a while; the others wait, so that all go on together. */
static void patience(const struct Row *row)
{
    (void)row;
    run(KERNEL(SHARED LOCK "mov.u32 %r12, 0; mov.u32 %r10, 1;"
        "setp.ge.u32 %p1, %r1, 32; @%p1 bra W; S: mov.u32 %r11, 0;"
        "T: add.u32 %r11, %r11, 1; setp.lt.u32 %p2, %r11, 40000; @%p2 bra T;"
        "st.volatile.shared.u32 [s], %r10; add.u32 %r12, %r12, 32;"
        "add.u32 %r10, %r10, 1; setp.le.u32 %p2, %r10, 10; @%p2 bra S;"
        "bra.uni E; W: and.b32 %r9, %r1, 31; setp.lt.u32 %p3, %r9, 16;"
        "V: @!%p3 bra A; P: ld.volatile.shared.u32 %r11, [s];"
        "setp.lt.u32 %p2, %r11, %r10; @%p2 bra P;"
        "A: activemask.b32 %r11; popc.b32 %r11, %r11;"
        "add.u32 %r12, %r12, %r11; add.u32 %r10, %r10, 1;"
        "setp.le.u32 %p2, %r10, 10; @%p2 bra V; E:" STORE("%r12")), 1, 64);
    CHECK(1, 64, 320);
}

/* Each takes one of three, or puts back what it took from nothing. */
static void semaphore(const struct Row *row)
{
    (void)row;
    run(KERNEL(SHARED LOCK "setp.eq.u32 %p2, %r1, 0; @%p2 st.shared.u32 [s], "
        "3; bar.sync 0; atom.shared.add.u32 %r10, [s], -1; bra.uni T;"
        "L: atom.shared.add.u32 %r11, [s], 1;"
        "atom.shared.add.u32 %r10, [s], -1;"
        "T: setp.le.s32 %p1, %r10, 0; @%p1 bra L;"
        "atom.shared.add.u32 %r11, [s+4], 1; atom.shared.add.u32 %r11, [s], "
        "1;" STORE("3")), 1, 65);
    CHECK(1, 65, 3);
}

/* ---- what the sanitizer is told ---------- */

static char told[400];

/* "PTX line 9: race: ..." -> "race; " */
static void listen(const char *report)
{
    char kind[40] = "";
    size_t n = strlen(told);
    if (sscanf(report, "PTX line %*d: %39[^:]", kind) == 1)
        snprintf(told + n, sizeof told - n, "%s; ", kind);
}

static void tells(const char *text, int blocks, int threads,
                  const char *reports)
{
    told[0] = 0;
    check_reports_to(listen);
    sanitize = true;
    run(text, blocks, threads);
    sanitize = simt_options.check = false;
    check_reports_to(NULL);
    if (strcmp(told, reports))
        fail_msg("'%s', not '%s'", told, reports);
}

/* Lane 31 sets what the others poll; the numbers may be narrow. */
#define POLLING(load, more) KERNEL(SHARED LOCK                            \
    "setp.eq.u32 %p2, %r1, 31; @%p2 bra A;"                                \
    "L: " load ", [s];" more "setp.eq.u32 %p1, %r11, 0; @%p1 bra L;"       \
    "bra.uni B; A: st.volatile.shared.u32 [s], 5; B:" STORE("1"))

/* Local memory that nobody wrote: read early and discarded, or used. */
#define EARLY(use) KERNEL(".local .b32 v[2]; .reg .b64 %rl<3>;"            \
    "setp.lt.u32 %p1, %r1, 40; ld.local.u32 %r10, [v+4]; " use STORE("%r11"))

static void early_loads(const struct Row *row)
{
    (void)row;
    tells(EARLY("selp.b32 %r11, 7, %r10, %p1;"), 1, 32, "");
    CHECK(1, 32, 7);
    tells(EARLY("selp.b32 %r11, %r10, 7, %p1;"), 1, 32, "");
    tells(EARLY("ld.local.u8 %h1, [v]; st.local.u8 [v+1], %h1;"
                "selp.b32 %r11, %r10, 7, %p1;"), 1, 32, "");
    tells(EARLY("ld.local.u8 %h1, [v]; cvt.u32.u8 %r11, %h1;"
                "selp.b32 %r11, %r11, %r10, %p1;"), 1, 32,
          "uninitialised; ");
    tells(EARLY("ld.local.u16 %h1, [v]; st.local.u16 [v+2], %h1;"
                "selp.b32 %r11, %r10, 7, %p1;"), 1, 32, "uninitialised; ");
    tells(EARLY("add.u32 %r11, %r10, 7; selp.b32 %r11, %r11, %r10, %p1;"),
          1, 32, "uninitialised; ");
    tells(EARLY("@%p1 bra A; selp.b32 %r11, 7, %r10, %p1; A:"
                "mov.u32 %r11, 7;"), 1, 32, "uninitialised; ");
}

/* A sample counts its blocks, and what it does not see is no mistake. */
static void sample_counts(const struct Row *row)
{
    (void)row;
    launch_ended = look;
    simt_options.sample = 3;
    run(KERNEL("mov.u32 %r12, %ctaid.x;" STORE("%r12")), 11, 40);
    simt_options.sample = 0;
    launch_ended = NULL;
    CHECK(11, 40, T / 40);
    assert_int_equal(seen[11].executed, 2 * 4);     /* 0, 3, 6 and 9 */
    assert_int_equal(seen[11].active, 40 * 4);
}

/* What is told of seven blocks, each of which is looked at, or a third. */
static const char *told_of(const char *text, uint64_t sample)
{
    struct Error e;
    told[0] = 0;
    check_configure(NULL, &e);
    check_reports_to(listen);
    simt_options.sample = sample;
    sanitize = true;
    run(text, 7, 32);
    sanitize = simt_options.check = false;
    simt_options.sample = 0;
    check_reports_to(NULL);
    return told;
}

static void sample_checks(const struct Row *row)
{
    (void)row;
    const char *unwritten =
        KERNEL("ld.global.u32 %r10, [%rd4];" STORE("%r10"));
    const char *between = KERNEL("st.global.u32 [%rd1], %r2;");
    const char *within = KERNEL(SHARED "st.shared.u32 [s], %r1;");
    struct Error e;
    assert_true(!strncmp(told_of(unwritten, 1), "uninitialised", 13));
    assert_string_equal(told_of(unwritten, 3), "");
    assert_true(!strncmp(told_of(between, 1), "race", 4));
    assert_string_equal(told_of(between, 3), "");
    assert_string_equal(told_of(within, 3), "race; race; race; ");
    check_configure(NULL, &e);
    simt_options.check = false;
}

static void polls_are_told(const struct Row *row)
{
    (void)row;
    tells(POLLING("ld.volatile.shared.u32 %r11", ""), 1, 32, "");
    CHECK(1, 32, 1);
    tells(POLLING("ld.volatile.shared.u8 %h1", "cvt.u32.u8 %r11, %h1;"), 1,
          32, "");
    tells(KERNEL(SHARED LOCK "setp.eq.u32 %p2, %r1, 31;"
          "@!%p2 ld.volatile.shared.u32 %r11, [s];"
          "@%p2 st.volatile.shared.u32 [s], 5;" STORE("1")), 1, 32, "race; ");
    tells(POLLING("ld.shared.u32 %r11", ""), 1, 32, "race; race; ");
}

/* Thread 0 of warp 0, or of block 0, writes data and a flag; the others
 * read both. */
#define TELL(who, space, where, store, load) KERNEL(SHARED LOCK             \
    "setp.eq.u32 %p2, " who ", 0; @!%p2 bra L;"                             \
    "setp.eq.u32 %p3, %r1, 0; @%p3 st." space ".u32 [" where "+8], 9;"       \
    "@%p3 " store "." space ".u32 [" where "], 5; bra.uni B;"              \
    "L: " load "." space ".u32 %r11, [" where "];"                          \
    "setp.eq.u32 %p1, %r11, 0; @%p1 bra L;"                                 \
    "ld." space ".u32 %r12, [" where "+8]; B:" "mov.u32 %r0, 1;")
#define IN_BLOCK(store, load) TELL("%r5", "shared", "s", store, load)
#define IN_GRID(store, load) TELL("%r2", "global", "%rd1", store, load)

static void strength_is_told(const struct Row *row)
{
    (void)row;
    tells(IN_GRID("st.release.gpu", "ld.acquire.gpu"), 2, 32, "");
    tells(IN_GRID("st.release.cta", "ld.acquire.gpu"), 2, 32, "race; ");
    tells(IN_GRID("st.relaxed.gpu", "ld.acquire.gpu"), 2, 32, "race; ");
    tells(IN_GRID("membar.gl; @%p3 st.relaxed.gpu", "ld.acquire.gpu"), 2, 32,
          "");
    tells(IN_GRID("membar.cta; @%p3 st.relaxed.gpu", "ld.acquire.gpu"), 2,
          32, "race; ");
    tells(IN_GRID("membar.gl; @%p3 st", "ld.acquire.gpu"), 2, 32,
          "race; race; ");
}

static void absent_lanes_are_told(const struct Row *row)
{
    (void)row;
    tells(KERNEL("setp.lt.u32 %p1, %r1, 10; @%p1 bra A;"
        "vote.sync.ballot.b32 %r12, 1, -1; bra.uni B;"
        "A: vote.sync.any.pred %p2, %p1, -1; B:" STORE("%r1")), 1, 32,
        "absent lane; ");
    CHECK(1, 32, t);
    /* lanes that went on without the others wait for them the next time */
    tells(KERNEL("setp.lt.u32 %p1, %r1, 10; @%p1 bra A;"
        "vote.sync.ballot.b32 %r12, 1, -1;"
        "shfl.sync.idx.b32 %r12, %r1, 3, 31, -1; bra.uni B;"
        "A: vote.sync.any.pred %p2, %p1, -1;"
        "shfl.sync.idx.b32 %r12, %r1, 20, 31, -1; B:" STORE("%r12")), 1, 32,
        "absent lane; absent lane; ");
    CHECK(1, 32, t < 10 ? 20 : 3);
    tells(KERNEL("vote.sync.ballot.b32 %r12, 1, 0xff;" STORE("%r12")), 1, 32,
        "absent lane; ");
    tells(KERNEL("setp.ge.u32 %p1, %r1, 10; @%p1 bra A;"
        "shfl.sync.bfly.b32 %r12, %r1, 16, 31, -1;" STORE("%r12")
        "A: mov.u32 %r13, 0;"), 1, 32, "absent lane; ");
    tells(KERNEL("setp.ge.u32 %p1, %r1, 10; @%p1 bra A;"
        "shfl.sync.bfly.b32 %r12, %r1, 1, 31, -1;" STORE("%r12")
        "A: mov.u32 %r13, 0;"), 1, 32, "");
}

static const struct Row rows[] = {
    { "odd_blocks threads=1", odd_blocks, "lanes beyond the block run" },
    { "odd_blocks threads=33", odd_blocks, "the lane of the second warp" },
    { "odd_blocks threads=257", odd_blocks, "nine warps" },
    { "special_registers", special_registers, "x and y swapped" },
    { "nested", nested, "inner branch meets at the outer's point" },
    { "loop_trips", loop_trips, "lanes that left go on adding" },
    { "break_continue", break_continue, "continue taken for break" },
    { "early_return", early_return, "returned lanes stay in the mask" },
    { "return_inside_loop", return_inside_loop, "the same, in a loop" },
    { "meet_before_body", meet_before_body, "edges to ret are counted" },
    { "loop_ends_kernel", loop_ends_kernel, "a loop cut off from the exit" },
    { "body_behind_loop", body_behind_loop, "lowest address first" },
    { "table_of_branches", table_of_branches, "one entry, two groups" },
    { "many_ways", many_ways, "lanes lost between two loops" },
    { "shuffles", shuffles, "the width is ignored" },
    { "shuffle_absent", shuffle_absent, "a lane that never was answers" },
    { "votes", votes, "the last warp taken for full" },
    { "matches", matches, "all for any" },
    { "reductions", reductions, "signed as unsigned" },
    { "barrier threads=64", barrier, "no barrier at all" },
    { "barrier threads=33", barrier, "waits for lanes that never were" },
    { "named_barriers", named_barriers, "all barriers are barrier 0" },
    { "barrier_votes", barrier_votes, "votes of the last warp only" },
    { "barrier_after_return", barrier_after_return, "waits for the dead" },
    { "atomics", atomics, "a sum rounded once" },
    { "order_of_atomics", order_of_atomics, "lanes out of order" },
    { "generic_addresses", generic_addresses, "one space for all lanes" },
    { "vectors_and_widths", vectors_and_widths, "a sign not extended" },
    { "module_variables", module_variables, "no initial values" },
    { "starts_of_variables", starts_of_variables, "1.5 stored as a double" },
    { "deep_calls", deep_calls, "the kernel counted as a call" },
    { "calls", calls, "a return that leaves the kernel" },
    { "pointer_calls", pointer_calls,
      "each lane calls what its own pointer names" },
    { "pointer_to_nowhere", pointer_to_nowhere,
      "a pointer that names no function calls the first" },
    { "heap_memory", heap_memory, "malloc gives what is not there" },
    { "heap_freed", heap_freed, "freed memory can be read, or freed" },
    { "indexed_argument", indexed_argument,
      "an argument that is indexed is read as the kernel's" },
    { "argument_overrun", argument_overrun,
      "an index may leave the memory of a thread" },
    { "one_refused", one_refused,
      "one kernel that cannot run takes the others with it" },
    { "async_copies", async_copies, "copies arrive at once" },
    { "ldmatrix", ldmatrix, "rows and columns swapped" },
    { "stmatrix", stmatrix, "halves swapped" },
    { "parameters in pairs", parameters_in_pairs,
      "the second word from the place of the first" },
    { "mma", mma, "fragments in another order" },
    { "mma, every kind", mma_kinds, "registers of another kind's lists" },
    { "host_pointer", host_pointer, "device memory open to the host" },
    { "allocations", allocations, "no gap between two allocations" },
    { "counts", counts, "guards counted as active" },
    { "lines", lines, "lines of headers" },
    { "trace", trace, "lanes whose guard is false shown as running" },
    { "trace_names", trace_names, "the last number is always the block" },
    { "unread_atomics", unread_atomics, "every atomic has a result" },
    { "deterministic", deterministic, "an order that changes" },
    { "malformed", malformed, "text that is trusted" },
    { "unknown_names_its_place", unknown_names_its_place, "no line" },
    { "prefixes", prefixes, "a byte behind the end is read" },
    { "absurd_launches", absurd_launches, "limits not checked" },
    { "faults", faults, "a kernel that crashes the machine" },
    { "spin_within_block", spin_within_block, "warps take no turns" },
    { "a_mask_for_each_half", a_mask_for_each_half,
      "the first lane's mask is everybody's" },
    { "from_two_places", from_two_places, "lanes wait in one place only" },
    { "masks_of_a_part", masks_of_a_part,
      "lanes wait for those that only their neighbours name" },
    { "guarded_votes", guarded_votes, "lanes whose guard is false are lost" },
    { "from_two_loops", from_two_loops, "the same, and in any round" },
    { "together_again", together_again,
      "lanes that were let go stay apart for ever" },
    { "one_place_two_levels", one_place_two_levels,
      "lanes join that reconverge in different places" },
    { "rounds_apart", rounds_apart,
      "lanes that meet again inside of a branch stay apart" },
    { "waits_for_ever", waits_for_ever,
      "a ballot completes an any; nobody is told" },
    { "barrier_from_two_paths", barrier_from_two_paths,
      "lanes that went ahead lost at a barrier" },
    { "returned_are_not_awaited", returned_are_not_awaited,
      "a vote waits for lanes that have returned" },
    { "lock_of_lanes", lock_of_lanes,
      "who has the lock waits for the others after the loop" },
    { "turns_downwards threads=256 plain=0", turns_downwards,
      "lanes take no turns" },
    { "turns_downwards threads=3 plain=1", turns_downwards,
      "only polls by volatile loads end a turn" },
    { "flag_after_the_loop", flag_after_the_loop,
      "lanes at the reconvergence point are never let go" },
    { "return_in_the_loop", return_in_the_loop,
      "a branch that nobody takes ends all patience" },
    { "many_joins", many_joins, "a parent with one side is never dropped" },
    { "flag_after_two_loops", flag_after_two_loops,
      "lanes that were let go run twice" },
    { "patience", patience, "lanes are let go that need not be" },
    { "semaphore", semaphore, "every turn ends at the same instruction" },
    { "early_loads", early_loads,
      "a load that is discarded counts as a use, or a use does not" },
    { "sample_counts", sample_counts, "blocks 0 to 2 of each launch" },
    { "sample_checks", sample_checks, "what others wrote is unwritten" },
    { "polls_are_told", polls_are_told, "a poll is taken for a race" },
    { "strength_is_told", strength_is_told, "a release without a fence" },
    { "absent_lanes_are_told", absent_lanes_are_told,
      "lanes that never come are taken for returned" },
    { "padding_counts", padding_counts, "a shadow smaller than the memory" },
    { "dynamic_shared", dynamic_shared, "dynamic over static memory" },
};

int main(void)
{
    return rows_run("simt", rows, sizeof rows / sizeof *rows);
}
