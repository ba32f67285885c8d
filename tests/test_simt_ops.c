/* Instructions of the software GPU against results worked out by hand.
 * Each row runs twice: by all 32 lanes, and by the odd lanes under a guard,
 * where the even lanes must keep what they had. */
#include "simt_fixture.h"

#include <math.h>


/* op, letters of the operands (d first: w 32 bits, l 64, h 16, p), the
 * operands and the result as bits */
struct Case {
    const char *op, *letters;
    uint64_t a, b, c, result;
};



/* The register that holds operand k (d = 0). */
static void name_of(char *name, char letter, int k)
{
    sprintf(name, "%%%s%d", letter == 'l' ? "rd" : letter == 'h' ? "h" :
            letter == 'p' ? "p" : letter == 'f' ? "f" : letter == 'd' ? "fd"
            : "r", 10 + k);
}

static char text[8000];

static void add(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t n = strlen(text);
    vsnprintf(text + n, sizeof text - n, format, args);
    va_end(args);
}

/* Operands come from memory, so that no constant hides a mistake: word k
 * of the thread's in at 3 x 8 bytes. */
static void write_text(const struct Case *c, bool guarded)
{
    size_t n = strlen(c->letters);
    char d[24], name[24], list[120] = "";
    strcpy(text, OPENING);
    add("mul.wide.u32 %%rd6, %%r1, 24; add.s64 %%rd6, %%rd2, %%rd6;\n"
        "and.b32 %%r5, %%r1, 1; setp.eq.s32 %%p1, %%r5, 1;\n");
    for (size_t k = 1; k < n; k++) {
        char letter = c->letters[k];
        name_of(name, letter, (int)k);
        if (letter == 'p')
            add("ld.global.u32 %%r6, [%%rd6+%zu]; setp.ne.s32 %s, %%r6, 0;"
                "\n", 8 * (k - 1), name);
        else
            add("ld.global.%s %s, [%%rd6+%zu];\n", letter == 'l' ? "b64" :
                letter == 'd' ? "f64" : letter == 'h' ? "b16" :
                letter == 'f' ? "f32" : "b32", name, 8 * (k - 1));
        sprintf(list + strlen(list), ", %s", name);
    }
    name_of(d, c->letters[0], 0);
    const char *dots = c->letters[0] == 'l' ? "mov.b64 %s, 77;\n" :
        c->letters[0] == 'd' ? "mov.b64 %s, 77;\n" :
        c->letters[0] == 'h' ? "mov.b16 %s, 77;\n" :
        c->letters[0] == 'p' ? "mov.pred %s, 0;\n" : "mov.b32 %s, 77;\n";
    add(dots, d);
    add("%s%s %s%s;\n", guarded ? "@%p1 " : "", c->op, d, list);
    if (c->letters[0] == 'p')
        add("selp.b32 %%r9, 1, 0, %s; cvt.u64.u32 %%rd9, %%r9;\n", d);
    else if (c->letters[0] == 'h')
        add("cvt.u64.u16 %%rd9, %s;\n", d);
    else if (c->letters[0] == 'f')
        add("mov.b32 %%r9, %s; cvt.u64.u32 %%rd9, %%r9;\n", d);
    else if (c->letters[0] == 'w')
        add("cvt.u64.u32 %%rd9, %s;\n", d);
    else
        add("mov.b64 %%rd9, %s;\n", d);
    add("st.global.b64 [%%rd3], %%rd9;\nret;\n}\n");
}

static void run_case(const struct Case *c)
{
    for (int guarded = 0; guarded < 2; guarded++) {
        /* in is 24 bytes a thread: three blocks' worth of 8 */
        uint64_t in[96], out[96];
        struct Error e = { "" };
        for (int l = 0; l < 32; l++) {
            in[3 * l] = c->a;
            in[3 * l + 1] = c->b;
            in[3 * l + 2] = c->c;
        }
        write_text(c, guarded);
        char *guard = strstr(text, "mov.u32 %r2, %ctaid.x;");
        assert_non_null(guard);
        /* three blocks give the room; only the first one works */
        uint64_t was = c->letters[0] == 'p' ? 0 : 77;
        enum Fault fault = run_text(text, 3, 32, 0, in, out, 0, &e);
        if (fault != FAULT_NONE)
            fail_msg("%s: %s", c->op, e.text);
        for (int l = 0; l < 32; l++) {
            uint64_t want = guarded && l % 2 == 0 ? was : c->result;
            if (out[l] != want)
                fail_msg("%s %llx %llx %llx: lane %d%s has %llx, not %llx",
                    c->op, (unsigned long long)c->a,
                    (unsigned long long)c->b, (unsigned long long)c->c, l,
                    guarded ? " of the odd ones" : "",
                    (unsigned long long)out[l], (unsigned long long)want);
        }
    }
}

#define N1 0xffffffffu
#define L1 0xffffffffffffffffull
#define NAN32 0x7fc00000u
#define ONE_NAN 0x7fffffffu     /* what the hardware makes of any */

static const struct Case integers[] = {
    { "add.s32", "www", 0x7fffffff, 1, 0, 0x80000000u },
    { "add.u32", "www", N1, 2, 0, 1 },
    { "add.s64", "lll", N1, 1, 0, 0x100000000ull },
    { "add.u16", "hhh", 0xffff, 2, 0, 1 },
    { "add.sat.s32", "www", 0x7fffffff, 1, 0, 0x7fffffff },
    { "sub.s32", "www", 3, 5, 0, (uint32_t)-2 },
    { "sub.s64", "lll", 0, 1, 0, L1 },
    { "mul.lo.s32", "www", (uint32_t)-3, 7, 0, (uint32_t)-21 },
    { "mul.lo.u16", "hhh", 0xffff, 0xffff, 0, 1 },
    { "mul.lo.s64", "lll", 0x100000001ull, 0x100000001ull, 0,
      0x200000001ull },
    { "mul.hi.s32", "www", (uint32_t)-2, 0x7fffffff, 0, N1 },
    { "mul.hi.u32", "www", N1, N1, 0, 0xfffffffeu },
    { "mul.hi.u64", "lll", L1, L1, 0, 0xfffffffffffffffeull },
    { "mul.hi.s64", "lll", L1, 5, 0, L1 },
    { "mul.wide.s32", "lww", (uint32_t)-3, 4, 0, (uint64_t)-12 },
    { "mul.wide.u32", "lww", N1, 2, 0, 0x1fffffffeull },
    { "mul.wide.s16", "whh", 0xffff, 2, 0, (uint32_t)-2 },
    { "mad.lo.s32", "wwww", 6, 7, (uint32_t)-2, 40 },
    { "mad.lo.s64", "llll", 6, 7, 1, 43 },
    { "mad.wide.u32", "lwwl", N1, 2, 3, 0x200000001ull },
    { "mul24.lo.s32", "www", 0x1fffffeu, 5, 0, (uint32_t)-10 },
    { "mad.hi.s32", "wwww", 0x40000000, 8, 1, 3 },
    { "div.s32", "www", (uint32_t)-7, 2, 0, (uint32_t)-3 },
    { "div.s32", "www", 0x80000000u, N1, 0, 0x80000000u },
    { "div.s32", "www", 5, 0, 0, N1 },
    { "div.u32", "www", 0xfffffff9u, 2, 0, 0x7ffffffcu },
    { "div.s64", "lll", (uint64_t)-9, 4, 0, (uint64_t)-2 },
    { "rem.s32", "www", (uint32_t)-7, 2, 0, N1 },
    { "rem.u32", "www", 7, 0, 0, 7 },
    { "rem.u64", "lll", 1000000007ull * 5 + 3, 1000000007, 0, 3 },
    { "abs.s32", "ww", (uint32_t)-5, 0, 0, 5 },
    { "neg.s64", "ll", 5, 0, 0, (uint64_t)-5 },
    { "neg.s16", "hh", 5, 0, 0, 0xfffb },
    { "min.s32", "www", N1, 1, 0, N1 },
    { "min.u32", "www", N1, 1, 0, 1 },
    { "max.s64", "lll", L1, 1, 0, 1 },
    { "max.s16", "hhh", 0x8000, 1, 0, 1 },
    { "sad.u32", "wwww", 3, 10, 100, 107 },
    { "add.sat.s32", "www", 0x80000000u, N1, 0, 0x80000000u },
    { "add.sat.s32", "www", 5, (uint32_t)-7, 0, (uint32_t)-2 },
    { "add.sat.s32", "www", 0x7ffffffe, 1, 0, 0x7fffffff },
    { "sub.sat.s32", "www", 0x80000000u, 1, 0, 0x80000000u },
    { "sub.sat.s32", "www", 0x7fffffff, N1, 0, 0x7fffffff },
    { "sub.sat.s32", "www", 5, 7, 0, (uint32_t)-2 },
    { "mul24.lo.u32", "www", 0xff000003u, 0xaa000005u, 0, 15 },
    { "mul.hi.s64", "lll", 0, L1, 0, 0 },
    { "mul.hi.s64", "lll", 5, L1, 0, L1 },
    { "mul.hi.u16", "hhh", 0xffff, 0xffff, 0, 0xfffe },
    { "mul.hi.s16", "hhh", 0x8000, 0x8000, 0, 0x4000 },
    { "mad.hi.u32", "wwww", N1, N1, 1, N1 },
    { "mad.hi.s64", "llll", L1, 5, 1, 0 },
    { "mad.hi.u64", "llll", L1, L1, 1, L1 },
    { "mul.wide.u16", "whh", 0xffff, 0xffff, 0, 0xfffe0001u },
    { "mad.wide.s32", "lwwl", (uint32_t)-3, 4, 1, (uint64_t)-11 },
    { "mad.wide.s16", "whhw", 0xffff, 2, 5, 3 },
    { "div.u16", "hhh", 0xffff, 2, 0, 0x7fff },
    { "div.s16", "hhh", 0xfff9, 2, 0, 0xfffd },
    { "div.s64", "lll", 1ull << 63, L1, 0, 1ull << 63 },
    { "div.u64", "lll", 7, 0, 0, L1 },
    { "rem.s32", "www", 0x80000000u, N1, 0, 0 },
    { "rem.s64", "lll", (uint64_t)-9, 4, 0, L1 },
    { "rem.s16", "hhh", 0xfff9, 2, 0, 0xffff },
    { "abs.s32", "ww", 0, 0, 0, 0 },
    { "abs.s32", "ww", 0x80000000u, 0, 0, 0x80000000u },
    { "abs.s64", "ll", (uint64_t)-5, 0, 0, 5 },
    { "abs.s16", "hh", 0xfffb, 0, 0, 5 },
    { "neg.s32", "ww", 5, 0, 0, (uint32_t)-5 },
    { "min.s64", "lll", L1, 1, 0, L1 },
    { "min.u64", "lll", L1, 1, 0, 1 },
    { "min.s16", "hhh", 0x8000, 1, 0, 0x8000 },
    { "min.u16", "hhh", 0x8000, 1, 0, 1 },
    { "max.s32", "www", N1, 1, 0, 1 },
    { "max.u32", "www", N1, 1, 0, N1 },
    { "max.u64", "lll", L1, 1, 0, L1 },
    { "max.u16", "hhh", 0x8000, 1, 0, 0x8000 },
    { "sad.s32", "wwww", (uint32_t)-3, 10, 100, 113 },
    { "sad.s32", "wwww", 10, (uint32_t)-3, 100, 113 },
};

static const struct Case bits[] = {
    { "and.b32", "www", 0xff00ff00u, 0x0ff00ff0u, 0, 0x0f000f00u },
    { "or.b64", "lll", 0xf0ull << 32, 0xf, 0, 0xf00000000full },
    { "xor.b16", "hhh", 0xffff, 0x00ff, 0, 0xff00 },
    { "not.b32", "ww", 0, 0, 0, N1 },
    { "cnot.b32", "ww", 5, 0, 0, 0 },
    { "shl.b32", "www", 1, 31, 0, 0x80000000u },
    { "shl.b32", "www", 1, 32, 0, 0 },
    { "shl.b64", "llw", 1, 40, 0, 1ull << 40 },
    { "shl.b16", "hhw", 3, 15, 0, 0x8000 },
    { "shr.u32", "www", 0x80000000u, 31, 0, 1 },
    { "shr.s32", "www", 0x80000000u, 40, 0, N1 },
    { "shr.s64", "llw", 1ull << 63, 63, 0, L1 },
    { "shr.u16", "hhw", 0x8000, 4, 0, 0x0800 },
    { "shr.s16", "hhw", 0x8000, 4, 0, 0xf800 },
    { "popc.b32", "ww", 0xf0f00001u, 0, 0, 9 },
    { "popc.b64", "wl", L1, 0, 0, 64 },
    { "clz.b32", "ww", 0x00010000, 0, 0, 15 },
    { "clz.b32", "ww", 0, 0, 0, 32 },
    { "clz.b64", "wl", 1, 0, 0, 63 },
    { "brev.b32", "ww", 0x00000005, 0, 0, 0xa0000000u },
    { "brev.b64", "ll", 1, 0, 0, 1ull << 63 },
    { "bfind.u32", "ww", 0x00010000, 0, 0, 16 },
    { "bfind.u32", "ww", 0, 0, 0, N1 },
    { "bfind.s32", "ww", 0xfffffffdu, 0, 0, 1 },
    { "bfe.u32", "wwww", 0xabcd1234u, 8, 8, 0x12 },
    { "bfe.s32", "wwww", 0x0000f000u, 12, 4, N1 },
    { "bfe.s32", "wwww", 0x80000000u, 28, 9, 0xfffffff8u },
    { "bfe.u32", "wwww", N1, 4, 0, 0 },
    { "bfe.u64", "llww", 0xabcdull << 40, 40, 8, 0xcd },
    { "prmt.b32", "wwww", 0x33221100u, 0x77665544u, 0x7531, 0x77553311u },
    { "prmt.b32", "wwww", 0x00008000u, 0, 0x9999, N1 },
    { "shf.l.wrap.b32", "wwww", 0x80000000u, 1, 33, 3 },
    { "shf.r.wrap.b32", "wwww", 0x10, 0x1, 4, 0x10000001u },
    { "shf.l.clamp.b32", "wwww", 0x12345678u, 1, 40, 0x12345678u },
    { "slct.b32.s32", "wwww", 7, 8, N1, 8 },
    { "slct.b32.s32", "wwww", 7, 8, 0, 7 },
    { "selp.b32", "wwwp", 7, 8, 1, 7 },
    { "selp.b64", "lllp", 7, 8, 0, 8 },
    { "selp.f32", "fffp", 7, 8, 1, 7 },
    { "mov.b64", "ll", 0x123456789abcdefull, 0, 0, 0x123456789abcdefull },
    { "and.b64", "lll", L1 << 32, L1 >> 16, 0, 0x0000ffff00000000ull },
    { "and.b16", "hhh", 0xff0f, 0x0ff0, 0, 0x0f00 },
    { "or.b32", "www", 0xf0, 0xf, 0, 0xff },
    { "xor.b32", "www", 0xff, 0xf, 0, 0xf0 },
    { "xor.b64", "lll", L1, 0xf, 0, L1 - 15 },
    { "not.b64", "ll", 5, 0, 0, L1 - 5 },
    { "not.b16", "hh", 5, 0, 0, 0xfffa },
    { "cnot.b32", "ww", 0, 0, 0, 1 },
    { "cnot.b32", "ww", 1, 0, 0, 0 },
    { "cnot.b64", "ll", 0, 0, 0, 1 },
    { "cnot.b16", "hh", 0, 0, 0, 1 },
    { "shl.b64", "llw", 1, 64, 0, 0 },
    { "shl.b16", "hhw", 1, 16, 0, 0 },
    { "shr.u32", "www", N1, 32, 0, 0 },
    { "shr.b32", "www", N1, 28, 0, 15 },
    { "shr.u64", "llw", 1ull << 63, 63, 0, 1 },
    { "shr.u64", "llw", L1, 64, 0, 0 },
    { "shr.s64", "llw", 1ull << 63, 70, 0, L1 },
    { "shr.s16", "hhw", 0x8000, 16, 0, 0xffff },
    { "shr.u16", "hhw", 0x8000, 16, 0, 0 },
    { "popc.b32", "ww", 0, 0, 0, 0 },
    { "clz.b64", "wl", 0, 0, 0, 64 },
    { "bfind.s32", "ww", 0x00010000, 0, 0, 16 },
    { "bfind.s32", "ww", N1, 0, 0, N1 },
    { "bfind.s32", "ww", 5, 0, 0, 2 },
    { "bfind.u64", "wl", 1ull << 40, 0, 0, 40 },
    { "bfind.s64", "wl", ~(1ull << 40), 0, 0, 40 },
    { "bfind.shiftamt.u32", "ww", 0x00010000, 0, 0, 15 },
    { "bfind.shiftamt.u32", "ww", 0, 0, 0, N1 },
    { "bfe.u32", "wwww", N1, 0, 32, N1 },
    { "bfe.u32", "wwww", N1, 0, 33, N1 },
    { "bfe.u32", "wwww", N1, 28, 8, 15 },
    { "bfe.u32", "wwww", N1, 32, 1, 0 },
    { "bfe.u32", "wwww", 0x80000000u, 256 + 31, 1, 1 },
    { "bfe.u32", "wwww", N1, 0, 256, 0 },
    { "bfe.s32", "wwww", 0x40000000, 28, 3, 0xfffffffcu },
    { "bfe.s32", "wwww", 0x80000000u, 31, 5, N1 },
    { "bfe.s32", "wwww", 0x7fffffff, 31, 5, 0 },
    { "bfe.s32", "wwww", 0x80000000u, 29, 5, 0xfffffffcu },
    { "bfe.s32", "wwww", 0x80000000u, 40, 5, N1 },
    { "bfe.s64", "llww", 1ull << 63, 60, 4, (uint64_t)-8 },
    { "bfe.u64", "llww", L1, 0, 64, L1 },
    { "prmt.b32", "wwww", 0x00007f00, 0, 0x9999, 0 },
    { "prmt.b32", "wwww", 0x33221100u, 0x77665544u, 0x0123, 0x00112233 },
    { "shf.l.wrap.b32", "wwww", 5, 9, 32, 9 },
    { "shf.r.wrap.b32", "wwww", 5, 9, 32, 5 },
    { "shf.r.clamp.b32", "wwww", 5, 9, 40, 9 },
    { "slct.s32.s32", "wwww", 7, 8, 0, 7 },
    { "slct.u32.s32", "wwww", 7, 8, N1, 8 },
    { "slct.b64.s32", "lllw", 7, 8, 0, 7 },
    { "slct.b64.s32", "lllw", 7, 8, N1, 8 },
    { "slct.f32.f32", "ffff", 7, 8, 0x80000000u, 7 },
    { "slct.f32.f32", "ffff", 7, 8, 0x3f000000, 7 },
    { "slct.f32.f32", "ffff", 7, 8, 0x80000001u, 8 },
    { "slct.f32.f32", "ffff", 7, 8, NAN32, 8 },
    { "slct.b32.f32", "wwwf", 7, 8, 0xbf800000u, 8 },
    { "dp4a.u32.u32", "wwww", 0x03f70305, 0x0b070d11, 0,
      5 * 17 + 3 * 13 + 247 * 7 + 3 * 11 },
    /* bytes -2, 2, -1, 1 and 7, 3, -5, 5; or 254, 2, 255, 1 and 7, 3, 251, 5 */
    { "dp4a.s32.s32", "wwww", 0x01ff02fe, 0x05fb0307, 10, 12 },
    { "dp4a.u32.u32", "wwww", 0x01ff02fe, 0x05fb0307, 10, 65804 },
};

static const struct Case compares[] = {
    { "setp.lt.s32", "pww", N1, 1, 0, 1 },
    { "setp.lt.u32", "pww", N1, 1, 0, 0 },
    { "setp.lo.u32", "pww", 1, N1, 0, 1 },
    { "setp.ge.s64", "pll", 5, 5, 0, 1 },
    { "setp.gt.u64", "pll", 1ull << 63, 1, 0, 1 },
    { "setp.eq.b32", "pww", 5, 5, 0, 1 },
    { "setp.ne.s16", "phh", 5, 6, 0, 1 },
    { "setp.lt.s16", "phh", 0x8000, 0, 0, 1 },
    { "setp.hi.u16", "phh", 0x8000, 0, 0, 1 },
    { "setp.lt.and.s32", "pwwp", 1, 2, 0, 0 },
    { "setp.lt.or.s32", "pwwp", 3, 2, 1, 1 },
    { "setp.lt.xor.s32", "pwwp", 1, 2, 1, 0 },
    { "setp.lt.f32", "pff", 0x3f800000u, 0x40000000u, 0, 1 },
    { "setp.lt.f32", "pff", NAN32, 0x40000000u, 0, 0 },
    { "setp.ne.f32", "pff", NAN32, 0x40000000u, 0, 0 },
    { "setp.neu.f32", "pff", NAN32, 0x40000000u, 0, 1 },
    { "setp.gtu.f32", "pff", NAN32, 0x40000000u, 0, 1 },
    { "setp.ltu.f32", "pff", 0x40000000u, 0x40000000u, 0, 0 },
    { "setp.eq.f32", "pff", 0x80000000u, 0, 0, 1 },
    { "setp.nan.f32", "pff", NAN32, 0, 0, 1 },
    { "setp.num.f32", "pff", NAN32, 0, 0, 0 },
    { "setp.ge.f64", "pdd", 0x4000000000000000ull, 0x3ff0000000000000ull, 0,
      1 },
    { "and.pred", "ppp", 1, 0, 0, 0 },
    { "or.pred", "ppp", 1, 0, 0, 1 },
    { "xor.pred", "ppp", 1, 1, 0, 0 },
    { "not.pred", "pp", 0, 0, 0, 1 },
    { "mov.pred", "pp", 1, 0, 0, 1 },
    { "setp.lt.s32", "pww", 5, 5, 0, 0 },
    { "setp.le.s32", "pww", 5, 5, 0, 1 },
    { "setp.gt.s32", "pww", 5, 5, 0, 0 },
    { "setp.ge.s32", "pww", N1, 0, 0, 0 },
    { "setp.le.u32", "pww", N1, 0, 0, 0 },
    { "setp.gt.u32", "pww", N1, 0, 0, 1 },
    { "setp.lo.u32", "pww", 5, 5, 0, 0 },
    { "setp.ls.u32", "pww", 5, 5, 0, 1 },
    { "setp.hi.u32", "pww", 5, 5, 0, 0 },
    { "setp.hs.u32", "pww", 5, 5, 0, 1 },
    { "setp.hs.u64", "pll", 5, 6, 0, 0 },
    { "setp.le.s64", "pll", L1, 0, 0, 1 },
    { "setp.lt.u64", "pll", L1, 0, 0, 0 },
    { "setp.ge.u16", "phh", 0x8000, 0, 0, 1 },
    { "setp.gt.s16", "phh", 0x8000, 0, 0, 0 },
    { "setp.eq.s64", "pll", 1ull << 40, 0, 0, 0 },
    { "setp.ne.b64", "pll", 1ull << 40, 0, 0, 1 },
    { "setp.eq.b16", "phh", 7, 7, 0, 1 },
    { "setp.gt.f32", "pff", 0x40000000, 0x3f800000, 0, 1 },
    { "setp.le.f32", "pff", 0x3f800000, 0x3f800000, 0, 1 },
    { "setp.ge.f32", "pff", NAN32, 0x3f800000, 0, 0 },
    { "setp.equ.f32", "pff", NAN32, 0x40000000u, 0, 1 },
    { "setp.equ.f32", "pff", 0x3f800000, 0x40000000u, 0, 0 },
    { "setp.leu.f32", "pff", 0x40000000, NAN32, 0, 1 },
    { "setp.leu.f32", "pff", 0x40000000, 0x3f800000, 0, 0 },
    { "setp.geu.f32", "pff", 0x3f800000, NAN32, 0, 1 },
    { "setp.geu.f32", "pff", 0x3f800000, 0x40000000, 0, 0 },
    { "setp.neu.f32", "pff", 0x3f800000, 0x3f800000, 0, 0 },
    { "setp.num.f32", "pff", 0x3f800000, 0x3f800000, 0, 1 },
    { "setp.nan.f32", "pff", 0x3f800000, 0x3f800000, 0, 0 },
    { "setp.eq.f32", "pff", 1, 0, 0, 0 },
    { "setp.eq.ftz.f32", "pff", 1, 0, 0, 1 },
    { "setp.lt.f64", "pdd", 0x7ff8000000000000ull, 0, 0, 0 },
    { "setp.ltu.f64", "pdd", 0x7ff8000000000000ull, 0, 0, 1 },
    { "setp.lt.f16", "phh", 0x3c00, 0x4000, 0, 1 },
    { "setp.lt.bf16", "phh", 0xbf80, 0x0000, 0, 1 },
};

/* Floats as bits: 1 3f800000, 2 40000000, 3 40400000, -1 bf800000,
 * 0.5 3f000000, 2.5 40200000, infinity 7f800000. */
static const struct Case floats[] = {
    { "add.f32", "fff", 0x3f800000, 0x40000000, 0, 0x40400000 },
    { "add.rn.f32", "fff", 0x4b800000, 0x3f800000, 0, 0x4b800000 },
    { "sub.f32", "fff", 0x3f800000, 0x40000000, 0, 0xbf800000u },
    { "mul.f32", "fff", 0x40000000, 0x40400000, 0, 0x40c00000 },
    /* (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, lost if the product is rounded */
    { "fma.rn.f32", "ffff", 0x3f800800, 0x3f800800, 0xbf801000u,
      0x33800000 },
    { "div.rn.f32", "fff", 0x3f800000, 0x40400000, 0, 0x3eaaaaab },
    { "rcp.rn.f32", "ff", 0x40400000, 0, 0, 0x3eaaaaab },
    { "rcp.approx.f32", "ff", 0x40000000, 0, 0, 0x3f000000 },
    { "sqrt.rn.f32", "ff", 0x40000000, 0, 0, 0x3fb504f3 },
    { "rsqrt.approx.f32", "ff", 0x40800000, 0, 0, 0x3f000000 },
    { "ex2.approx.f32", "ff", 0x40400000, 0, 0, 0x41000000 },
    { "lg2.approx.f32", "ff", 0x41000000, 0, 0, 0x40400000 },
    { "sin.approx.f32", "ff", 0, 0, 0, 0 },
    { "cos.approx.f32", "ff", 0, 0, 0, 0x3f800000 },
    { "tanh.approx.f32", "ff", 0x42c80000, 0, 0, 0x3f800000 },
    { "neg.f32", "ff", 0, 0, 0, 0x80000000u },
    { "abs.f32", "ff", 0xbf800000u, 0, 0, 0x3f800000 },
    { "min.f32", "fff", NAN32, 0x3f800000, 0, 0x3f800000 },
    { "min.f32", "fff", 0, 0x80000000u, 0, 0x80000000u },
    { "max.f32", "fff", 0x80000000u, 0, 0, 0 },
    { "max.f32", "fff", 0x3f800000, NAN32, 0, 0x3f800000 },
    { "max.NaN.f32", "fff", 0x3f800000, NAN32, 0, ONE_NAN },
    { "sub.f32", "fff", 0x7f800000, 0x7f800000, 0, ONE_NAN },
    { "mul.ftz.f32", "fff", 0xff800000u, 1, 0, ONE_NAN },
    { "div.rn.f32", "fff", 0, 0, 0, ONE_NAN },
    { "fma.rn.f32", "ffff", 0xffc00001u, 0x3f800000, 0, ONE_NAN },
    { "sqrt.rn.f32", "ff", 0xbf800000u, 0, 0, ONE_NAN },
    { "slct.f32.s32", "fffw", 0xffc00001u, 0, 1, 0xffc00001u },
    { "add.ftz.f32", "fff", 1, 1, 0, 0 },
    { "add.f32", "fff", 1, 1, 0, 2 },
    { "ex2.approx.ftz.f32", "ff", 0xc3000000u, 0, 0, 0 },
    { "copysign.f32", "fff", 0xbf800000u, 0x40000000, 0, 0xc0000000u },
    { "add.f64", "ddd", 0x3ff0000000000000ull, 0x4000000000000000ull, 0,
      0x4008000000000000ull },
    { "fma.rn.f64", "dddd", 0x4000000000000000ull, 0x4008000000000000ull,
      0xbff0000000000000ull, 0x4014000000000000ull },
    { "div.rn.f64", "ddd", 0x3ff0000000000000ull, 0x4010000000000000ull, 0,
      0x3fd0000000000000ull },
    { "div.full.f32", "fff", 0x3f800000, 0x40000000, 0, 0x3f000000 },
    { "div.approx.f32", "fff", 0x40c00000, 0x40400000, 0, 0x40000000 },
    { "sqrt.approx.f32", "ff", 0x40800000, 0, 0, 0x40000000 },
    { "mad.rn.f32", "ffff", 0x40000000, 0x40400000, 0x3f800000,
      0x40e00000 },
    { "add.sat.f32", "fff", 0x3f000000, 0x3e800000, 0, 0x3f400000 },
    { "add.sat.f32", "fff", 0x3f800000, 0x3f800000, 0, 0x3f800000 },
    { "add.sat.f32", "fff", 0xbf800000u, 0x3f000000, 0, 0 },
    { "add.sat.f32", "fff", NAN32, 0x3f000000, 0, 0 },
    { "mul.sat.f32", "fff", 0x3f000000, 0x3f000000, 0, 0x3e800000 },
    { "fma.rn.sat.f32", "ffff", 0x3f000000, 0x3f000000, 0x3e800000,
      0x3f000000 },
    { "min.f32", "fff", 0x3f800000, 0x40000000, 0, 0x3f800000 },
    { "min.NaN.f32", "fff", 0x3f800000, 0x40000000, 0, 0x3f800000 },
    { "min.NaN.f32", "fff", NAN32, 0x40000000, 0, ONE_NAN },
    { "min.NaN.f32", "fff", 0x40000000, NAN32, 0, ONE_NAN },
    { "max.NaN.f32", "fff", 0x3f800000, 0x40000000, 0, 0x40000000 },
    { "max.NaN.f32", "fff", NAN32, 0x40000000, 0, ONE_NAN },
    { "sub.ftz.f32", "fff", 0x00800001, 0x00800000, 0, 0 },
    { "sub.f64", "ddd", 0x3ff0000000000000ull, 0x4000000000000000ull, 0,
      0xbff0000000000000ull },
    { "mul.f64", "ddd", 0x4000000000000000ull, 0x4008000000000000ull, 0,
      0x4018000000000000ull },
    { "rcp.rn.f64", "dd", 0x4010000000000000ull, 0, 0,
      0x3fd0000000000000ull },
    { "rcp.approx.ftz.f64", "dd", 0x4010000000000000ull, 0, 0,
      0x3fd0000000000000ull },
    { "sqrt.rn.f64", "dd", 0x4010000000000000ull, 0, 0,
      0x4000000000000000ull },
    { "rsqrt.approx.f64", "dd", 0x4010000000000000ull, 0, 0,
      0x3fe0000000000000ull },
    { "neg.f64", "dd", 0x3ff0000000000000ull, 0, 0, 0xbff0000000000000ull },
    { "abs.f64", "dd", 0xbff0000000000000ull, 0, 0, 0x3ff0000000000000ull },
    { "copysign.f64", "ddd", 0xbff0000000000000ull, 0x4000000000000000ull,
      0, 0xc000000000000000ull },
    { "min.f64", "ddd", 0x3ff0000000000000ull, 0x4000000000000000ull, 0,
      0x3ff0000000000000ull },
    { "min.f64", "ddd", 0x4000000000000000ull, 0x3ff0000000000000ull, 0,
      0x3ff0000000000000ull },
    { "min.f64", "ddd", 0x7ff8000000000000ull, 0x3ff0000000000000ull, 0,
      0x3ff0000000000000ull },
    { "min.f64", "ddd", 0x3ff0000000000000ull, 0x7ff8000000000000ull, 0,
      0x3ff0000000000000ull },
    { "min.f64", "ddd", 0, 1ull << 63, 0, 1ull << 63 },
    { "min.f64", "ddd", 1ull << 63, 0, 0, 1ull << 63 },
    { "max.f64", "ddd", 0x3ff0000000000000ull, 0x4000000000000000ull, 0,
      0x4000000000000000ull },
    { "max.f64", "ddd", 0x4000000000000000ull, 0x3ff0000000000000ull, 0,
      0x4000000000000000ull },
    { "max.f64", "ddd", 0x7ff8000000000000ull, 0x3ff0000000000000ull, 0,
      0x3ff0000000000000ull },
    { "max.f64", "ddd", 0xbff0000000000000ull, 0x7ff8000000000000ull, 0,
      0xbff0000000000000ull },
    { "max.f64", "ddd", 0, 1ull << 63, 0, 0 },
    { "max.f64", "ddd", 1ull << 63, 0, 0, 0 },
};

/* Halves: 1 3c00, 2 4000, 3 4200, 0.5 3800; bfloat16: 1 3f80, 2 4000. */
static const struct Case halves[] = {
    { "add.f16", "hhh", 0x3c00, 0x4000, 0, 0x4200 },
    { "mul.f16", "hhh", 0x4000, 0x3800, 0, 0x3c00 },
    { "fma.rn.f16", "hhhh", 0x3c01, 0x3c01, 0xbc02, 0x0010 },
    { "neg.f16", "hh", 0x3c00, 0, 0, 0xbc00 },
    { "add.f16x2", "www", 0x3c004000, 0x40003c00, 0, 0x42004200 },
    { "fma.rn.bf16x2", "wwww", 0x3f804000, 0x40004000, 0x3f803f80,
      0x404040a0 },
    { "fma.rn.bf16", "hhhh", 0x3f80, 0x4000, 0x3f80, 0x4040 },
    { "max.bf16x2", "www", 0x3f804000, 0x40003f80, 0, 0x40004000 },
    { "min.f16", "hhh", 0, 0x8000, 0, 0x8000 },
    { "min.f16", "hhh", 0x8000, 0, 0, 0x8000 },
    { "max.f16", "hhh", 0x8000, 0, 0, 0 },
    { "max.f16", "hhh", 0, 0x8000, 0, 0 },
    { "min.bf16", "hhh", 0x7fc0, 0x3f80, 0, 0x3f80 },
    { "cvt.f32.f16", "fh", 0x3800, 0, 0, 0x3f000000 },
    { "cvt.rn.f16.f32", "hf", 0x3f801000, 0, 0, 0x3c00 },
    { "cvt.rn.f16.f32", "hf", 0x3f803000, 0, 0, 0x3c02 },
    { "cvt.rn.f16.f32", "hf", 0x477ff000, 0, 0, 0x7c00 },
    { "cvt.rn.bf16.f32", "hf", 0x3f808000, 0, 0, 0x3f80 },
    { "cvt.rn.bf16.f32", "hf", 0x3f818000, 0, 0, 0x3f82 },
    { "cvt.rn.bf16x2.f32", "wff", 0x3f800000, 0x40000000, 0, 0x3f804000 },
    { "cvt.rn.f16x2.f32", "wff", 0x3f800000, 0x40000000, 0, 0x3c004000 },
    { "cvt.rna.tf32.f32", "ff", 0x3f801000, 0, 0, 0x3f802000 },
};

static const struct Case conversions[] = {
    { "cvt.u32.u8", "wh", 0x1ff, 0, 0, 0xff },
    { "cvt.s32.s8", "wh", 0x80, 0, 0, 0xffffff80u },
    { "cvt.s32.s16", "wh", 0x8000, 0, 0, 0xffff8000u },
    { "cvt.u16.u32", "hw", 0x12345678, 0, 0, 0x5678 },
    { "cvt.u64.u32", "lw", N1, 0, 0, N1 },
    { "cvt.s64.s32", "lw", N1, 0, 0, L1 },
    { "cvt.u32.u64", "wl", 0x1234567890ull, 0, 0, 0x34567890 },
    { "cvt.s64.s32", "ll", 0x1ffffffffull, 0, 0, L1 },
    { "cvt.rn.f32.s32", "fw", (uint32_t)-3, 0, 0, 0xc0400000u },
    { "cvt.rn.f32.u32", "fw", N1, 0, 0, 0x4f800000 },
    { "cvt.rn.f32.u64", "fl", 0x8000008000000001ull, 0, 0, 0x5f000001 },
    /* 2^63 + 2^55 + 1: just above the middle of two bfloat16 */
    { "cvt.rn.bf16.u64", "hl", 0x8080000000000001ull, 0, 0, 0x5f01 },
    { "cvt.rn.bf16.u64", "hl", 0x8080000000000000ull, 0, 0, 0x5f00 },
    { "cvt.rn.bf16.s64", "hl", 0xbfbfffffffffffffull, 0, 0, 0xde81 },
    { "cvt.rn.f64.s64", "dl", (uint64_t)-2, 0, 0, 0xc000000000000000ull },
    { "cvt.rzi.s32.f32", "wf", 0xc0200000u, 0, 0, (uint32_t)-2 },
    { "cvt.rni.s32.f32", "wf", 0x40200000, 0, 0, 2 },
    { "cvt.rmi.s32.f32", "wf", 0xc0200000u, 0, 0, (uint32_t)-3 },
    { "cvt.rpi.s32.f32", "wf", 0x40200000, 0, 0, 3 },
    { "cvt.rzi.s32.f32", "wf", 0x4f800000, 0, 0, 0x7fffffff },
    { "cvt.rzi.s32.f32", "wf", NAN32, 0, 0, 0 },
    { "cvt.rzi.u32.f32", "wf", 0xbf800000u, 0, 0, 0 },
    { "cvt.rzi.u64.f32", "lf", 0x5f800000, 0, 0, L1 },
    { "cvt.rzi.s64.f64", "ld", 0xc000000000000000ull, 0, 0, (uint64_t)-2 },
    { "cvt.rmi.f32.f32", "ff", 0xc0200000u, 0, 0, 0xc0400000u },
    { "cvt.rpi.f32.f32", "ff", 0x40200000, 0, 0, 0x40400000 },
    { "cvt.rni.f32.f32", "ff", 0x40200000, 0, 0, 0x40000000 },
    { "cvt.rzi.f32.f32", "ff", 0xc0200000u, 0, 0, 0xc0000000u },
    { "cvt.sat.f32.f32", "ff", 0x40200000, 0, 0, 0x3f800000 },
    { "cvt.f64.f32", "df", 0x3f800000, 0, 0, 0x3ff0000000000000ull },
    { "cvt.rn.f32.f64", "fd", 0x3ff0000010000000ull, 0, 0, 0x3f800000 },
    { "cvt.rn.f32.f64", "fd", 0x3ff0000030000000ull, 0, 0, 0x3f800002 },
    { "cvt.rn.f32.f64", "fd", 0xfff8000000000000ull, 0, 0, ONE_NAN },
    { "cvt.rz.f32.f64", "fd", 0x3ff000002fffffffull, 0, 0, 0x3f800001 },
    { "cvt.rzi.u32.f32", "wf", 0, 0, 0, 0 },
    { "cvt.rzi.u32.f32", "wf", 0x4f800000, 0, 0, N1 },
    { "cvt.rzi.s32.f32", "wf", 0xcf800000u, 0, 0, 0x80000000u },
    { "cvt.rzi.u16.f32", "hf", 0, 0, 0, 0 },
    { "cvt.rzi.u16.f32", "hf", 0x4788b800, 0, 0, 0xffff },
    { "cvt.rzi.u16.f32", "hf", 0xbf800000u, 0, 0, 0 },
    { "cvt.rzi.s16.f32", "hf", 0xc71c4000u, 0, 0, 0x8000 },
    { "cvt.rzi.s16.f32", "hf", 0x471c4000, 0, 0, 0x7fff },
    { "cvt.rzi.s16.f32", "hf", 0xc0200000u, 0, 0, 0xfffe },
    { "cvt.rzi.u8.f32", "wf", 0, 0, 0, 0 },
    { "cvt.rzi.u8.f32", "wf", 0x43960000, 0, 0, 0xff },
    { "cvt.rzi.s64.f32", "lf", 0x5f000000, 0, 0, L1 >> 1 },
    { "cvt.rzi.s64.f32", "lf", 0xdf000000u, 0, 0, 1ull << 63 },
    { "cvt.rzi.s64.f32", "lf", 0xdf000001u, 0, 0, 1ull << 63 },
    { "cvt.rzi.u64.f32", "lf", 0xbf800000u, 0, 0, 0 },
    { "cvt.rzi.u64.f32", "lf", 0x3f800000, 0, 0, 1 },
    { "cvt.rpi.u64.f32", "lf", 0x3f000000, 0, 0, 1 },
    /* NaN: 0 of a float in up to 32 bits, else the highest bit alone */
    { "cvt.rzi.u32.f32", "wf", NAN32, 0, 0, 0 },
    { "cvt.rni.u16.f16", "hh", 0x7e00, 0, 0, 0 },
    { "cvt.rzi.s64.f32", "lf", NAN32, 0, 0, 1ull << 63 },
    { "cvt.rzi.u64.f32", "lf", NAN32, 0, 0, 1ull << 63 },
    { "cvt.rzi.s32.f64", "wd", 0x7ff8000000000000ull, 0, 0, 0x80000000u },
    { "cvt.rzi.u32.f64", "wd", 0x7ff8000000000000ull, 0, 0, 0x80000000u },
    { "cvt.rni.s32.f64", "wd", 0x7ff8000000000000ull, 0, 0, 0x80000000u },
    { "cvt.rmi.s32.f64", "wd", 0x7ff8000000000000ull, 0, 0, 0x80000000u },
    { "cvt.rpi.s32.f64", "wd", 0x7ff8000000000000ull, 0, 0, 0x80000000u },
    { "cvt.rmi.s32.f32", "wf", NAN32, 0, 0, 0 },
    { "cvt.rpi.s32.f32", "wf", NAN32, 0, 0, 0 },
    { "cvt.rzi.u16.f64", "hd", 0x7ff8000000000000ull, 0, 0, 0x8000 },
    { "cvt.rzi.u64.f64", "ld", 0x7ff8000000000000ull, 0, 0, 1ull << 63 },
    { "cvt.rn.bf16.s64", "hl", 0, 0, 0, 0 },
    { "cvt.rn.bf16.s64", "hl", L1, 0, 0, 0xbf80 },
    { "cvt.rn.bf16.u64", "hl", (1ull << 53) - 1, 0, 0, 0x5a00 },
    /* 2^53 + 2^45 + 1: just above the middle; 2^53 + 2^12 is not near */
    { "cvt.rn.bf16.u64", "hl", (1ull << 53) + (1ull << 45) + 1, 0, 0,
      0x5a01 },
    { "cvt.rn.bf16.u64", "hl", (1ull << 53) + (1ull << 45), 0, 0, 0x5a00 },
    { "cvt.rn.bf16.u64", "hl", (1ull << 53) + (1ull << 12), 0, 0, 0x5a00 },
    { "cvt.rz.f32.f64", "fd", 0x3fe000002fffffffull, 0, 0, 0x3f000001 },
    { "cvt.rz.f32.f64", "fd", 0xbff000002fffffffull, 0, 0, 0xbf800001u },
    { "cvt.rz.f32.f64", "fd", 0x3ff0000020000000ull, 0, 0, 0x3f800001 },
    { "cvt.rz.f32.f64", "fd", 0x3ff0000010000000ull, 0, 0, 0x3f800000 },
};

/* Twice: with the functions for any processor, and with those for this. */
#define ALL(cases) \
    static void cases##_rows(const struct Row *row) \
    { \
        simt_options.plain = strstr(row->name, " plain") != NULL; \
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) \
            run_case(&cases[k]); \
        simt_options.plain = false; \
    }
ALL(integers) ALL(bits) ALL(compares) ALL(floats) ALL(halves)
ALL(conversions)

/* Four operands do not fit the rows. */
static void insert_bits(const struct Row *row)
{
    (void)row;
    uint64_t out[32];
    struct Error e = { "" };
    assert_int_equal(run_text(KERNEL(
        "mov.u32 %r10, 0xabc; mov.u32 %r11, -1;"
        "bfi.b32 %r12, %r10, %r11, 4, 8; lop3.b32 %r13, %r10, %r11, %r1,"
        " 0x96; cvt.u64.u32 %rd9, %r12; cvt.u64.u32 %rd10, %r13;"
        "shl.b64 %rd10, %rd10, 32; or.b64 %rd9, %rd9, %rd10;"
        "st.global.u64 [%rd3], %rd9;"), 1, 32, 0, NULL, out, 0, &e), 0);
    for (uint32_t l = 0; l < 32; l++) {
        assert_int_equal((uint32_t)out[l], 0xfffffbcfu);
        assert_int_equal(out[l] >> 32, 0xabcu ^ 0xffffffffu ^ l);
    }
}

/* Each of lop3's eight bits is a minterm: (0, 0, 0) to (1, 1, 1). */
static void three_way_logic(const struct Row *row)
{
    (void)row;
    for (unsigned table = 0; table < 256; table += 15) {
        uint64_t out[32];
        struct Error e = { "" };
        snprintf(text, sizeof text, "%s mov.u32 %%r10, 0xf0; mov.u32 %%r11, "
            "0xcc; mov.u32 %%r12, 0xaa; lop3.b32 %%r13, %%r10, %%r11, %%r12,"
            " %u; and.b32 %%r13, %%r13, 0xff; cvt.u64.u32 %%rd9, %%r13;"
            "st.global.u64 [%%rd3], %%rd9;\nret;\n}\n", OPENING, table);
        assert_int_equal(run_text(text, 1, 32, 0, NULL, out, 0, &e), 0);
        assert_int_equal(out[0], table);
    }
}

/* p|q, negated operands, and a result nobody wants. */
static void two_predicates(const struct Row *row)
{
    (void)row;
    uint64_t out[32];
    struct Error e = { "" };
    assert_int_equal(run_text(KERNEL(
        "setp.lt.u32 %p3, %r1, 8;"
        "setp.lt.and.u32 %p1|%p2, %r1, 16, !%p3;"
        "selp.b32 %r10, 1, 0, %p1; selp.b32 %r11, 0, 2, !%p2;"
        "or.b32 %r10, %r10, %r11; cvt.u64.u32 %rd9, %r10;"
        "mov.b64 {%r20, _}, %rd9; mov.b64 %rd9, {%r20, %r1};"
        "st.global.u64 [%rd3], %rd9;"), 1, 32, 0, NULL, out, 0, &e), 0);
    for (uint32_t l = 0; l < 32; l++) {
        assert_int_equal(out[l] >> 32, l);
        assert_int_equal((uint32_t)out[l], l < 8 ? 0 : l < 16 ? 1 : 2);
    }
}

static const struct Row rows[] = {
    { "integers", integers_rows, "a carry, a sign, a width" },
    { "integers plain", integers_rows, "one of two versions wrong" },
    { "bits", bits_rows, "a shift by 32 that wraps" },
    { "bits plain", bits_rows, "one of two versions wrong" },
    { "compares", compares_rows, "NaN taken for a number" },
    { "compares plain", compares_rows, "one of two versions wrong" },
    { "floats", floats_rows, "a product rounded inside fma" },
    { "floats plain", floats_rows, "one of two versions wrong" },
    { "halves", halves_rows, "ties that go up" },
    { "halves plain", halves_rows, "one of two versions wrong" },
    { "conversions", conversions_rows, "a float cast as C would" },
    { "conversions plain", conversions_rows, "one of two versions wrong" },
    { "insert_bits", insert_bits, "fourth operand lost" },
    { "three_way_logic", three_way_logic, "operands in another order" },
    { "two_predicates", two_predicates, "q is p; negation lost" },
};

int main(void)
{
    return rows_run("simt_ops", rows, sizeof rows / sizeof *rows);
}
