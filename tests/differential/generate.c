/* generate FIRST LAST: a CUDA program with a random function for each of the
 * seeds FIRST to LAST.  Each is compiled twice from the same lines, for the
 * host and for the device, and called with the same 64 arguments on both.
 * The program prints what differs, and how many functions agree.
 *
 * The functions have integers of all widths, fp32 and fp64, conversions
 * between all of them, branches, loops, switches, arrays in local memory,
 * structures by value and calls.  Nothing in them is undefined in C: signed
 * sums are made of unsigned ones, divisors, shifts and indices are guarded,
 * a float becomes an integer only if it fits.  A NaN counts as any NaN. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

static const char *pick(const char *const *list, unsigned n)
{
    return list[below(n)];
}
#define PICK(list) pick(list, sizeof (list) / sizeof *(list))

/* ---- types and variables: two of each type, v0 to v19 ---- */
enum { TYPES = 10, FIRST_FLOAT = 8 };
static const char *const type_name[TYPES] = {
    "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64" };
static const int bits[TYPES] = { 8, 8, 16, 16, 32, 32, 64, 64, 32, 64 };

static int is_float(int t) { return t >= FIRST_FLOAT; }
static int unsigned_of(int t) { return t | 1; }

static void expression(int type, int depth);

static void leaf(int t)
{
    static const char *const odd[] = {
        "0", "1", "-1", "2", "31", "32", "63", "127", "128", "255", "256",
        "32767", "65535", "2147483647", "4294967295", "123456789" };
    static const char *const real[] = {
        "0.0", "1.0", "-1.5", "0.1", "3.0e8", "1.0e-30", "0.75", "-7.0" };
    if (below(4))
        printf("v%d", 2 * t + (int)below(2));
    else if (is_float(t))
        printf("(%s)%s", type_name[t], PICK(real));
    else if (t == 5 && below(2))
        printf("a[(u32)v%d & 7]", 8 + (int)below(8));
    else
        printf("(%s)%sll", type_name[t], PICK(odd));
}

/* ( operand operator operand ), in the unsigned type where it may overflow */
static void two(int t, int depth)
{
    static const char *const wrap[] = { "+", "-", "*", "&", "|", "^" };
    static const char *const reals[] = { "+", "-", "*", "/" };
    if (is_float(t)) {
        printf("(");
        expression(t, depth);
        printf(" %s ", PICK(reals));
        expression(t, depth);
        printf(")");
        return;
    }
    int u = unsigned_of(t);
    const char *wide = bits[t] < 32 ? "u32" : type_name[u];
    printf("(%s)((%s)(", type_name[t], wide);
    expression(t, depth);
    printf(") %s (%s)(", PICK(wrap), wide);
    expression(t, depth);
    printf("))");
}

static void divide(int t, int depth)
{
    printf("%s_%s(", below(2) ? "quotient" : "remainder", type_name[t]);
    expression(t, depth);
    printf(", ");
    expression(t, depth);
    printf(")");
}

static void shift(int t, int depth)
{
    int left = below(2) != 0;
    printf("(%s)((%s)(", type_name[t],
           left ? type_name[unsigned_of(t)] : type_name[t]);
    expression(t, depth);
    printf(") %s (", left ? "<<" : ">>");
    expression(5, depth);
    printf(" & %d))", (bits[t] < 32 ? 16 : bits[t]) - 1);
}

static void condition(int depth)
{
    static const char *const how[] = { "<", "<=", ">", ">=", "==", "!=" };
    int t = (int)below(TYPES);
    printf("(");
    expression(t, depth);
    printf(" %s ", PICK(how));
    expression(t, depth);
    printf(")");
    if (depth > 0 && !below(4)) {
        printf(" %s ", below(2) ? "&&" : "||");
        condition(depth - 1);
    }
}

static void convert(int t, int depth)
{
    int from = (int)below(TYPES);
    if (is_float(from) && !is_float(t))
        printf("to_%s(", type_name[t]);
    else
        printf("(%s)(", type_name[t]);
    expression(from, depth);
    printf(")");
}

static void builtin(int t, int depth)
{
    static const char *const narrow[] = { "count32", "zeros32", "swap32" };
    static const char *const wide[] = { "count64", "zeros64", "swap64" };
    if (t == 8 || t == 9) {
        static const char *const of[2][3] = {
            { "sqrt32", "fma32", "abs32" }, { "sqrt64", "fma64", "abs64" } };
        int k = (int)below(3);
        printf("%s(", of[t - 8][k]);
        for (int i = 0; i < (k == 1 ? 3 : 1); i++) {
            printf(i ? ", " : "");
            expression(t, depth);
        }
        printf(")");
    } else if (t == 5 && below(2)) {
        printf("bits32(");
        expression(8, depth);
        printf(")");
    } else if (t == 7) {
        printf(below(2) ? "high64(" : "rotate64(");
        expression(7, depth);
        printf(", ");
        expression(7, depth);
        printf(")");
    } else {
        int is_wide = bits[t] == 64;
        printf("(%s)%s(", type_name[t], is_wide ? PICK(wide)
                                                 : PICK(narrow));
        expression(is_wide ? 7 : 5, depth);
        printf(")");
    }
}

static void expression(int t, int depth)
{
    if (depth <= 0) {
        leaf(t);
        return;
    }
    switch (below(8)) {
    case 0:
        convert(t, depth - 1);
        break;
    case 1:
        builtin(t, depth - 1);
        break;
    case 2:
        printf("(");
        condition(depth - 1);
        printf(" ? ");
        expression(t, depth - 1);
        printf(" : ");
        expression(t, depth - 1);
        printf(")");
        break;
    case 3:
        if (!is_float(t)) {
            shift(t, depth - 1);
            break;
        }
        /* fall through */
    case 4:
        if (!is_float(t)) {
            divide(t, depth - 1);
            break;
        }
        /* fall through */
    case 5:
    case 6:
        two(t, depth - 1);
        break;
    default:
        leaf(t);
    }
}

/* ---- statements ---- */
static int loops;

static void indent(int n) { printf("%*s", 4 * n, ""); }

static void assign(int in)
{
    int t = (int)below(TYPES);
    indent(in);
    printf("v%d = ", 2 * t + (int)below(2));
    expression(t, 3);
    printf(";\n");
}

static void block(int in, int n, int calls);

static void statement(int in, int calls)
{
    int deep = in < 4;
    switch (below(11)) {
    case 0:
    case 1:
        if (!deep)
            break;
        indent(in);
        printf("if (");
        condition(2);
        printf(") {\n");
        block(in + 1, 2, calls);
        if (below(2)) {
            indent(in);
            printf("} else {\n");
            block(in + 1, 2, calls);
        }
        indent(in);
        printf("}\n");
        return;
    case 2:
        if (!deep)
            break;
        indent(in);
        printf("for (u32 at%d = 0, n%d = (u32)v%d & 7; ", loops, loops,
               8 + (int)below(8));
        printf("at%d < n%d; at%d++) {\n", loops, loops, loops);
        loops++;
        block(in + 1, 2, 0);
        if (!below(3)) {
            indent(in + 1);
            printf("if (");
            condition(1);
            printf(")\n");
            indent(in + 2);
            printf(below(2) ? "break;\n" : "continue;\n");
        }
        indent(in);
        printf("}\n");
        return;
    case 3:
        if (!deep)
            break;
        indent(in);
        printf("switch ((u32)v%d %% 7) {\n", 8 + (int)below(8));
        for (int k = 0; k < 6; k++) {
            indent(in);
            printf("case %d:\n", k);
            assign(in + 1);
            if (below(4)) {
                indent(in + 1);
                printf("break;\n");
            }
        }
        indent(in);
        printf("default:\n");
        assign(in + 1);
        indent(in);
        printf("}\n");
        return;
    case 4:
        indent(in);
        printf("a[(u32)v%d & 7] = ", 8 + (int)below(8));
        expression(5, 2);
        printf(";\n");
        return;
    case 5:
        if (!calls)
            break;
        indent(in);
        printf("s = %s(s, v8, v18, %d);\n", below(2) ? "stir" : "turn",
               (int)below(8));
        indent(in);
        printf("v%d = s.%c;\n", 2 * (int)below(4) + 8, "abcd"[below(4)]);
        return;
    default:
        break;
    }
    assign(in);
}

static void block(int in, int n, int calls)
{
    for (int k = 0; k < n; k++)
        statement(in, calls);
}

static void function(unsigned seed)
{
    state = seed * 2654435761u + 12345;
    for (int k = 0; k < 8; k++)
        below(2);
    loops = 0;
    printf("BOTH u64 function_%u(u64 x, u64 y)\n{\n", seed);
    for (int t = 0; t < TYPES; t++)
        printf("    %s v%d = start_%s(x, %d), v%d = start_%s(y, %d);\n",
               type_name[t], 2 * t, type_name[t], t, 2 * t + 1,
               type_name[t], t + 20);
    printf("    u32 a[8];\n    S s = { (u8)x, (i16)y, (u32)x, (i64)y, 1 };\n"
           "    for (u32 i = 0; i < 8; i++)\n"
           "        a[i] = (u32)(x >> i) ^ (u32)y;\n");
    block(1, 8, 1);
    printf("    u64 h = 0;\n");
    for (int v = 0; v < 2 * TYPES; v++)
        printf("    h = mix(h, raw(v%d));\n", v);
    printf("    for (u32 i = 0; i < 8; i++)\n        h = mix(h, a[i]);\n"
           "    return mix(h, (u64)s.d ^ s.c);\n}\n\n");
}

static const char opening[] =
"#include <cmath>\n#include <cstdio>\n#include <cstring>\n"
"typedef signed char i8; typedef unsigned char u8; typedef short i16;\n"
"typedef unsigned short u16; typedef int i32; typedef unsigned u32;\n"
"typedef long long i64; typedef unsigned long long u64;\n"
"typedef float f32; typedef double f64;\n"
"#define BOTH static __host__ __device__\n"
"struct S { u8 a; i16 b; u32 c; i64 d; f32 e; };\n"
"BOTH u64 mix(u64 h, u64 x)\n"
"{ h = (h ^ x) * 0x9e3779b97f4a7c15ull; return h ^ h >> 29; }\n"
"template <class T> BOTH u64 raw(T x) { return (u64)x; }\n"
"BOTH u64 raw(f32 x)\n"
"{ u32 b; memcpy(&b, &x, 4); return x != x ? 1 : (u64)b; }\n"
"BOTH u64 raw(f64 x)\n"
"{ u64 b; memcpy(&b, &x, 8); return x != x ? 1 : b; }\n"
"BOTH u32 bits32(f32 x) { return (u32)raw(x); }\n"
"BOTH u32 count32(u32 x) { return (u32)__builtin_popcount(x); }\n"
"BOTH u64 count64(u64 x) { return (u64)__builtin_popcountll(x); }\n"
"BOTH u32 zeros32(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }\n"
"BOTH u64 zeros64(u64 x) { return x ? (u64)__builtin_clzll(x) : 64; }\n"
"BOTH u32 swap32(u32 x) { return __builtin_bswap32(x); }\n"
"BOTH u64 swap64(u64 x) { return __builtin_bswap64(x); }\n"
"BOTH u64 high64(u64 x, u64 y)\n"
"{ return (u64)((unsigned __int128)x * y >> 64); }\n"
"BOTH u64 rotate64(u64 x, u64 y)\n"
"{ return x << (y & 63) | x >> (-y & 63); }\n"
"BOTH f32 sqrt32(f32 x) { return sqrtf(x); }\n"
"BOTH f64 sqrt64(f64 x) { return sqrt(x); }\n"
"BOTH f32 abs32(f32 x) { return fabsf(x); }\n"
"BOTH f64 abs64(f64 x) { return fabs(x); }\n"
"BOTH f32 fma32(f32 x, f32 y, f32 z) { return fmaf(x, y, z); }\n"
"BOTH f64 fma64(f64 x, f64 y, f64 z) { return fma(x, y, z); }\n"
"#define DIVIDE(T)                                                     \\\n"
"    BOTH T quotient_##T(T x, T y)                                     \\\n"
"    { return y == 0 || y == (T)-1 ? x : (T)(x / y); }                 \\\n"
"    BOTH T remainder_##T(T x, T y)                                    \\\n"
"    { return y == 0 || y == (T)-1 ? x : (T)(x % y); }\n"
"#define FITS(T, low, high)                                            \\\n"
"    BOTH T to_##T(f64 x) { return x > low && x < high ? (T)x : (T)3; } \\\n"
"    BOTH T to_##T(f32 x) { return x > low && x < high ? (T)x : (T)3; }\n"
"#define START(T)                                                      \\\n"
"    BOTH T start_##T(u64 x, int k) { return (T)mix(x, (u64)k); }\n"
"DIVIDE(i8) DIVIDE(u8) DIVIDE(i16) DIVIDE(u16) DIVIDE(i32) DIVIDE(u32)\n"
"DIVIDE(i64) DIVIDE(u64)\n"
"FITS(i8, -128, 127) FITS(u8, -1, 255) FITS(i16, -32768, 32767)\n"
"FITS(u16, -1, 65535) FITS(i32, -2147483520.0f, 2147483520.0f)\n"
"FITS(u32, -1, 4294967040.0f) FITS(i64, -9.2e18f, 9.2e18f)\n"
"FITS(u64, -1, 1.8e19f)\n"
"START(i8) START(u8) START(i16) START(u16) START(i32) START(u32)\n"
"START(i64) START(u64)\n"
"BOTH f32 start_f32(u64 x, int k)\n"
"{ return (f32)(i32)mix(x, (u64)k) * (1.0f / 65536); }\n"
"BOTH f64 start_f64(u64 x, int k)\n"
"{ return (f64)(i64)mix(x, (u64)k) * (1.0 / 65536); }\n"
"/* a structure by value, an array in it by an index */\n"
"struct W { u32 w[4]; };\n"
"BOTH __attribute__((noinline)) u32 nth(W w, u32 i) { return w.w[i & 3]; }\n"
"BOTH __attribute__((noinline)) S stir(S s, i32 x, f64 y, int k)\n"
"{\n"
"    W w = { { s.c, (u32)x, (u32)s.d, s.a } };\n"
"    S t = { (u8)(s.a + k), (i16)(s.b ^ x), nth(w, s.c + (u32)k),\n"
"            (i64)((u64)s.d + (u64)(i64)x), s.e * 2 };\n"
"    if (y > 0 && k & 1)\n        t.d ^= to_i64(y);\n"
"    return t;\n}\n"
"BOTH S turn(S s, i32 x, f64 y, int k)\n"
"{\n"
"    for (int i = 0; i < k; i++)\n        s = stir(s, x + i, y, i);\n"
"    return s;\n}\n\n";

static const char closing[] =
"typedef u64 Function(u64, u64);\n"
"template <Function *f> __global__ void run(u64 *out, const u64 *in)\n"
"{ out[threadIdx.x] = f(in[threadIdx.x], in[threadIdx.x + 1]); }\n"
"static u64 in[65], out[64], *d_in, *d_out;\n"
"static int right, all;\n"
"template <Function *f> static void both(unsigned seed)\n"
"{\n"
"    run<f><<<1, 64>>>(d_out, d_in);\n"
"    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);\n"
"    int wrong = 0;\n"
"    for (int i = 0; i < 64; i++)\n"
"        wrong += out[i] != f(in[i], in[i + 1]);\n"
"    if (wrong)\n"
"        printf(\"seed %u: %d of 64 threads differ\\n\", seed, wrong);\n"
"    right += !wrong;\n    all++;\n}\n\n"
"int main()\n{\n"
"    for (int i = 0; i < 65; i++)\n"
"        in[i] = i < 3 ? (u64)i - 1 : mix((u64)i * 77, 5);\n"
"    cudaMalloc(&d_in, sizeof in);\n    cudaMalloc(&d_out, sizeof out);\n"
"    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);\n";

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: generate FIRST LAST\n", stderr);
        return 2;
    }
    unsigned first = (unsigned)atoi(argv[1]), last = (unsigned)atoi(argv[2]);
    printf("%s", opening);
    for (unsigned seed = first; seed <= last; seed++)
        function(seed);
    printf("%s", closing);
    for (unsigned seed = first; seed <= last; seed++)
        printf("    both<function_%u>(%u);\n", seed, seed);
    printf("    cudaFree(d_in);\n    cudaFree(d_out);\n"
           "    printf(\"%%d of %%d functions agree\\n\", right, all);\n"
           "    return right != all;\n}\n");
    return 0;
}
