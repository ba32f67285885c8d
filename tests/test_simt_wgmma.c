/* wgmma of the software GPU: the bits of a sum against integers of 128
 * bits, the places of operands against layouts written down here row by
 * row, and kernels that use it wrongly. */
#include "simt/executor/device_math.h"
#include "simt/executor/wgmma.h"
#include "simt/sanitizer/check.h"
#include "simt_fixture.h"
#include "tensor_rule.h"
#include "bench/tensor_cases.h"

enum { THREADS = 128, MEMORY = 160 * 1024 };

/* ---- what a row's name says ------------------------------------------- */

static const struct { const char *name; enum TensorType type; } types[] = {
    { "bf16", TENSOR_BF16 }, { "f16", TENSOR_F16 }, { "tf32", TENSOR_TF32 },
    { "e4m3", TENSOR_E4M3 }, { "e5m2", TENSOR_E5M2 }, { "s8", TENSOR_S8 },
    { "u8", TENSOR_U8 },
};

/* The number of a type in types[], from " KEY=name". */
static int named(const struct Row *row, const char *key, int otherwise)
{
    char text[20];
    snprintf(text, sizeof text, " %s=", key);
    const char *at = strstr(row->name, text);
    for (int i = 0; at && i < 7; i++) {
        size_t n = strlen(types[i].name);
        const char *from = at + strlen(text);
        if (!strncmp(from, types[i].name, n) &&
            (!from[n] || from[n] == ' '))
            return i;
    }
    return otherwise;
}

static int bytes_of(int t)
{
    return types[t].type == TENSOR_TF32 ? 4 : t < 2 ? 2 : 1;
}

/* The value of bits of a type, and the bits of a small whole number. */
static double value_of(int t, uint32_t x)
{
    float f;
    int e, m;
    switch (types[t].type) {
    case TENSOR_F16: return float_from_half((uint16_t)x);
    case TENSOR_BF16: return float_from_bf16((uint16_t)x);
    case TENSOR_TF32:
        x &= ~0x1fffu;
        memcpy(&f, &x, 4);
        return f;
    case TENSOR_E4M3:
        e = x >> 3 & 15, m = x & 7;
        if (e == 15 && m == 7)
            return NAN;
        return (x & 128 ? -1 : 1) * ldexp(e ? 8 + m : m, (e ? e : 1) - 10);
    case TENSOR_E5M2: return float_from_half((uint16_t)(x << 8));
    case TENSOR_S8: return (int8_t)x;
    default: return (uint8_t)x;
    }
}

static uint32_t bits_of(int t, int x)
{
    float f = (float)x;
    uint32_t b = 0;
    switch (types[t].type) {
    case TENSOR_F16: return half_from_float(f);
    case TENSOR_BF16: return bf16_from_float(f);
    case TENSOR_TF32: memcpy(&b, &f, 4); return b;
    case TENSOR_S8: case TENSOR_U8: return (uint8_t)x;
    default:
        for (b = 0; b < 256; b++)
            if (value_of(t, b) == x)
                return b;
        fail_msg("%d is no %s", x, types[t].name);
        return 0;
    }
}

/* ---- the bits of a sum ------------------------------------------------ */

static void sums(const struct Row *row)
{
    static struct Factors fa, fb;
    int ta = named(row, "a", 0), tb = named(row, "b", ta);
    int k = 32 / bytes_of(ta), n = 40;
    static const int least[] = { -126, -14, -126, -6, -14 };
    bool half = strstr(row->name, "sum=half") != NULL;
    struct TensorRule rule = tensor_rule(types[ta].type, true);
    bool few = bytes_of(ta) == 1;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        double a[32], b[40][32];
        float c[40], want;
        int spread = seed % 3 == 0 ? 60 : seed % 3 == 1 ? 6 : 0;
        uint64_t i = 0;
        for (int q = 0; q < k; q++)
            for (int j = -1; j < n; j++) {
                int t = j < 0 ? ta : tb;
                uint32_t x;
                do
                    x = (uint32_t)((noise(seed, i++) + 1) * 0x1p31);
                while (!isfinite(value_of(t, x)) ||
                       (spread && t % 2 == 0 && t < 3 &&
                        fabs(log2(fabs(value_of(t, x)))) > spread));
                unsigned char bytes[4];
                memcpy(bytes, &x, 4);
                struct Factors *f = j < 0 ? &fa : &fb;
                static struct Factors one;
                tensor_unpack(&one, 0, 1, types[t].type, bytes);
                f->value[q][j < 0 ? 3 : j] = one.value[0][0];
                f->exponent[q][j < 0 ? 3 : j] = one.exponent[0][0];
                if (j < 0)
                    a[q] = value_of(t, x);
                else
                    b[j][q] = value_of(t, x);
            }
        for (int j = 0; j < n; j++) {
            c[j] = (float)ldexp(noise(seed, i++), seed % 2 ? 2 :
                                j - (half ? 30 : 20));
            if (half)
                c[j] = float_from_half(half_from_float(c[j]));
        }
        float got[TENSOR_N];
        memcpy(got, c, sizeof c);
        int l[2] = { least[ta], least[tb] };
        tensor_add(got, n, k, &fa, 3, &fb, rule, half);
        for (int j = 0; j < n; j++) {
            want = by_rule(a, b[j], l, k, c[j], few ? 13 : 25,
                           few ? 14 : 24, half);
            if (!(got[j] == want))
                fail_msg("seed %d, sum %d is %a, by the rule %a", (int)seed,
                         j, (double)got[j], (double)want);
        }
    }
}

static void special(const struct Row *row)
{
    static struct Factors a, b;
    static const struct { float a, b, c; int want; } of[] = {
        { INFINITY, 1, 0, 1 }, { INFINITY, -1, 0, -1 },
        { INFINITY, 0, 0, 0 }, { NAN, 1, 0, 0 }, { 1, 1, INFINITY, 1 },
        { INFINITY, 1, -INFINITY, 0 }, { 1, NAN, 3, 0 },
        { 0x1p127f, 2, 0, 1 }, { -0x1p127f, 2, 0, -1 },
    };
    (void)row;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        float sum[2] = { of[i].c, 5 };
        for (int q = 0; q < 16; q++) {
            float x[3] = { q == 5 ? of[i].a : 1, q == 5 ? of[i].b : 1, 1 };
            for (int j = 0; j < 3; j++) {
                uint16_t h = bf16_from_float(x[j]);
                unsigned char two[2];
                memcpy(two, &h, 2);
                static struct Factors one;
                tensor_unpack(&one, 0, 1, TENSOR_BF16, two);
                struct Factors *f = j ? &b : &a;
                f->value[q][j ? j - 1 : 0] = one.value[0][0];
                f->exponent[q][j ? j - 1 : 0] = one.exponent[0][0];
            }
        }
        tensor_add(sum, 1, 16, &a, 0, &b, tensor_rule(TENSOR_BF16, true),
                   false);
        uint32_t bits;
        memcpy(&bits, sum, 4);
        if (of[i].want ? !(isinf(sum[0]) && (sum[0] > 0) == (of[i].want > 0))
                       : bits != 0x7fffffff)
            fail_msg("case %d gives %g, %08x", (int)i, (double)sum[0], bits);
    }
}

/* ---- the bits of an H200 ---------------------------------------------- */

/* The line of the file that begins with these words. */
static uint64_t stored(const char *words)
{
    FILE *f = fopen("tests/data/simt/tensor-sums.txt", "r");
    char line[200];
    unsigned long long hash = 0;
    bool found = false;
    if (!f)
        fail_msg("no tests/data/simt/tensor-sums.txt");
    while (!found && fgets(line, sizeof line, f))
        found = !strncmp(line, words, strlen(words)) &&
                sscanf(line + strlen(words), "%llx", &hash) == 1;
    fclose(f);
    if (!found)
        fail_msg("no line '%s' in tests/data/simt/tensor-sums.txt", words);
    return hash;
}

static void unpack_all(struct Factors *f, const unsigned char (*rows)[32],
                       int n, int k, enum TensorType t)
{
    for (int i = 0; i < n; i++)
        tensor_unpack(f, i, k, t, rows[i]);
}

static uint64_t tile_hash(uint64_t hash, const struct TensorTile *t,
                          const struct TensorKind *k)
{
    static struct Factors a, b;
    static union { float f[64][64]; int32_t i[64][64]; uint32_t u[64][64]; }
        s;
    struct TensorRule rule = tensor_rule(k->a, k->wgmma);
    unpack_all(&a, t->a, 64, k->k, k->a);
    unpack_all(&b, t->b, 64, k->k, k->b);
    memcpy(&s, t->c, sizeof s);
    for (int i = 0; i < 64; i++) {
        for (int j = 0; k->half_sum && j < 64; j++)
            s.f[i][j] = float_from_half((uint16_t)t->c[i][j]);
        if (k->a >= TENSOR_S8)
            tensor_add_integers(s.i[i], 64, k->k, &a, i, &b, false);
        else
            tensor_add(s.f[i], 64, k->k, &a, i, &b, rule, k->half_sum);
        for (int j = 0; k->half_sum && j < 64; j++)
            s.u[i][j] = half_from_float(s.f[i][j]);
    }
    return tensor_hash(hash, s.u[0], 64 * 64);
}

static void as_gpu(const struct Row *row)
{
    static struct TensorTile t;
    const char *name = strstr(row->name, "kind=") + 5;
    int kind = 0;
    while (strcmp(tensor_kinds[kind].name, name))
        if (++kind == TENSOR_KINDS)
            fail_msg("no kind %s", name);
    for (int c = 0; c < TENSOR_CLASSES; c++) {
        char words[60];
        uint64_t hash = 0;
        for (int i = 0; i < TENSOR_TILES; i++) {
            tensor_tile(&t, kind, c, i);
            hash = tile_hash(hash, &t, &tensor_kinds[kind]);
        }
        snprintf(words, sizeof words, "%s %s ", name, tensor_classes[c]);
        if (hash != stored(words))
            fail_msg("operands '%s': the sums have other bits than those of"
                     " an H200", tensor_classes[c]);
    }
}

/* Descriptors that lead anywhere, of small whole numbers of bf16. */
static void places(const struct Row *row)
{
    static uint16_t numbers[PLACES_BYTES / 2];
    static unsigned char a[64][32], b[64][32];
    static struct TensorTile t;
    struct TensorKind bf16 = tensor_kinds[0];
    int differ = 0;
    (void)row;
    tensor_memory(numbers);
    for (int i = 0; i < PLACES; i++) {
        struct TensorPlaces p = tensor_places(i);
        struct Operands oa = operands_of(p.a, p.turn_a);
        struct Operands ob = operands_of(p.b, p.turn_b);
        const unsigned char *bytes = (const unsigned char *)numbers;
        uint32_t outside;
        char words[40];
        assert_true(operand_read(a, &oa, 0, 64, 2, bytes, PLACES_BYTES,
                                 &outside));
        assert_true(operand_read(b, &ob, 0, 64, 2, bytes, PLACES_BYTES,
                                 &outside));
        memcpy(t.a, a, sizeof a);
        memcpy(t.b, b, sizeof b);
        snprintf(words, sizeof words, "place %d ", i);
        differ += tile_hash(0, &t, &bf16) != stored(words);
    }
    if (differ)
        fail_msg("%d of %d descriptors lead elsewhere than on an H200",
                 differ, PLACES);
}

/* ---- a kernel around one wgmma ---------------------------------------- */

struct Case {
    int ta, tb, n, k, swizzle;
    bool turn_a, turn_b, registers, half, minus_a, minus_b, old, integers;
    uint32_t lead, stride;              /* bytes, of both operands */
};

static struct Case case_of(const struct Row *row)
{
    struct Case c = {
        .ta = named(row, "a", 0), .n = row_int(row, "n"),
        .swizzle = (int)row_number(row, "swizzle", 128),
        .turn_a = row_number(row, "ta", 0) != 0,
        .turn_b = row_number(row, "tb", 0) != 0,
        .registers = strstr(row->name, "registers") != NULL,
        .half = strstr(row->name, "sum=half") != NULL,
        .minus_a = strstr(row->name, "minus") != NULL,
        .old = strstr(row->name, "old") != NULL,
    };
    c.tb = named(row, "b", c.ta);
    c.integers = types[c.ta].type >= TENSOR_S8;
    c.k = 32 / bytes_of(c.ta);
    return c;
}

/* Where element (i, q) of an operand is: i its row of A or column of B, q
 * the step along the depth, in a matrix whose core matrices are `lead` and
 * `stride` apart, as the descriptor says. */
static uint32_t place_in(const struct Case *c, bool turned, int i, int q,
                         uint32_t lead, uint32_t stride, int step)
{
    int size = bytes_of(c->ta), w = c->swizzle ? c->swizzle : 16;
    if (!turned) {
        int b = q * size + (w > 16 ? 32 * step : 0);
        int chunk = b / 16, row = i % 8;
        uint32_t at = (uint32_t)(i / 8) * stride;
        if (w == 16)
            return at + (uint32_t)(chunk * (int)lead + row * 16 + b % 16);
        chunk ^= row * w / 128 % (w / 16);
        return at + (uint32_t)(row * w + chunk * 16 + b % 16);
    }
    int wide = w / 2, row = q % 8, chunk = i % wide / 8;
    if (w == 16)
        return (uint32_t)(i / 8) * stride + (uint32_t)(q / 8) * lead +
               (uint32_t)(row * 16 + i % 8 * 2);
    chunk ^= row * w / 128 % (w / 16);
    return (uint32_t)(i / wide) * lead + (uint32_t)(q / 8) * stride +
           (uint32_t)(row * w + chunk * 16 + i % 8 * 2);
}

/* How a kernel is to be wrong. */
struct Flaw {
    const char *before, *after, *read;  /* instead of what is right */
    int only_warps;
    bool no_proxy;
};

static void list(char *to, const char *prefix, int n)
{
    *to = 0;
    for (int i = 0; i < n; i++)
        sprintf(to + strlen(to), "%s%s%d", i ? ", " : "", prefix, i);
}

static void write_kernel(char *text, const struct Case *c, uint64_t a,
                         uint64_t b, const struct Flaw *flaw)
{
    char all[2400];
    int sums = c->n / (c->half ? 4 : 2);
    const char *sum = c->integers ? "s32" : c->half ? "f16" : "f32";
    list(all, "%s", sums);
    text += sprintf(text, HEAD ".extern .shared .align 1024 .b8 mem[];\n"
        ".visible .entry k(.param .u64 o, .param .u64 i, .param .u64 c)\n{\n"
        ".reg .b32 %%s<128>; .reg .b32 %%x<8>; .reg .b32 %%r<9>;\n"
        ".reg .b64 %%rd<12>; .reg .pred %%p<4>;\n"
        "ld.param.u64 %%rd1, [o]; ld.param.u64 %%rd2, [i];\n"
        "ld.param.u64 %%rd3, [c]; mov.u32 %%r1, %%tid.x;\n"
        "mul.wide.u32 %%rd4, %%r1, 16; add.s64 %%rd5, %%rd2, %%rd4;\n"
        "mov.u64 %%rd6, mem; add.s64 %%rd6, %%rd6, %%rd4; mov.u32 %%r2, 0;\n"
        "again: ld.global.v4.u32 {%%r3, %%r4, %%r5, %%r6}, [%%rd5];\n"
        "st.shared.v4.u32 [%%rd6], {%%r3, %%r4, %%r5, %%r6};\n"
        "add.s64 %%rd5, %%rd5, 2048; add.s64 %%rd6, %%rd6, 2048;\n"
        "add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p1, %%r2, %d;\n"
        "@%%p1 bra again;\n", MEMORY / 2048);
    /* registers of A behind the memory; old sums */
    text += sprintf(text, "mul.wide.u32 %%rd7, %%r1, 16;\n"
        "add.s64 %%rd7, %%rd7, %%rd2;\n"
        "ld.global.v4.u32 {%%x0, %%x1, %%x2, %%x3}, [%%rd7+%d];\n"
        "mul.wide.u32 %%rd7, %%r1, %d; add.s64 %%rd8, %%rd1, %%rd7;\n"
        "add.s64 %%rd9, %%rd3, %%rd7;\n", MEMORY, 4 * sums);
    for (int i = 0; i < sums; i++)
        text += sprintf(text, "ld.global.u32 %%s%d, [%%rd9+%d];\n", i, 4 * i);
    text += sprintf(text, "%s bar.sync 0;\n"
        "mov.u64 %%rd10, %llu; mov.u64 %%rd11, %llu; mov.u32 %%r8, %d;\n"
        "setp.ne.s32 %%p2, %%r8, 0;\n",
        flaw->no_proxy ? "" : "fence.proxy.async;", (unsigned long long)a,
        (unsigned long long)b, c->old);
    if (flaw->only_warps)
        text += sprintf(text, "setp.ge.u32 %%p3, %%r1, %d; @%%p3 bra out;\n",
                        32 * flaw->only_warps);
    text += sprintf(text, "%s\nwgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s"
        ".%s {%s}, %s, %%rd11, %%p2", flaw->before, c->n, c->k, sum,
        types[c->ta].name, types[c->tb].name, all,
        c->registers ? "{%x0, %x1, %x2, %x3}" : "%rd10");
    if (!c->integers)
        text += sprintf(text, ", %d, %d", c->minus_a ? -1 : 1,
                        c->minus_b ? -1 : 1);
    if (bytes_of(c->ta) == 2 && !c->registers)
        text += sprintf(text, ", %d", c->turn_a);
    if (bytes_of(c->ta) == 2)
        text += sprintf(text, ", %d", c->turn_b);
    text += sprintf(text, ";\n%s\n", flaw->after);
    for (int i = 0; i < sums; i++)
        text += sprintf(text, "st.global.u32 [%%rd8+%d], %%s%d;\n", 4 * i, i);
    sprintf(text, "%s\nout: ret;\n}\n", flaw->read);
}

static const struct Flaw right = {
    "wgmma.fence.sync.aligned;",
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
    "", 0, false,
};

static uint64_t descriptor(const struct Case *c, uint32_t at, uint32_t lead,
                           uint32_t stride)
{
    int s = c->swizzle;
    uint64_t mode = s == 128 ? 1 : s == 64 ? 2 : s == 32 ? 3 : 0;
    return at / 16 | (uint64_t)(lead / 16) << 16
         | (uint64_t)(stride / 16) << 32 | mode << 62;
}

struct Data {
    unsigned char memory[MEMORY + THREADS * 16];
    int A[64][32], B[256][32];
    uint32_t old[THREADS * 128], out[THREADS * 128];
    char text[60000];
};

/* Row and column of sum k of a thread; half: of its first. */
static void place_of_sum(const struct Case *c, int thread, int k, int *row,
                         int *column)
{
    int lane = thread % 32, per = c->half ? 2 : 4;
    *row = thread / 32 * 16 + lane / 4 + (k % per >= per / 2 ? 8 : 0);
    *column = k / per * 8 + lane % 4 * 2 + (c->half ? 0 : k % 2);
}

static int whole(uint64_t *i, int low, int high)
{
    return low + (int)((noise(77, (*i)++) + 1) / 2 * (high - low + 1));
}

enum { AT_B = 64 * 1024 };

static void lay_out(struct Data *d, struct Case *c, uint64_t *a, uint64_t *b)
{
    int w = c->swizzle ? c->swizzle : 16, size = bytes_of(c->ta);
    /* one core matrix after another, and room between some of them */
    uint32_t core = (uint32_t)(8 * w), lead, stride;
    uint64_t n = 0;
    memset(d, 0x5a, sizeof d->memory);
    for (int side = 0; side < 2; side++) {
        bool turned = side ? c->turn_b : c->turn_a;
        int rows = side ? c->n : 64, t = side ? c->tb : c->ta;
        int step = !turned && w > 32 ? w / 32 - 1 : 0;
        uint32_t at = side ? AT_B : 0;
        if (!turned)
            lead = w == 16 ? 144 : 16, stride = w == 16 ? 288 : 1024 + core;
        else if (w == 16)
            lead = 128, stride = 272;
        else
            stride = core, lead = 2 * core + 1024;
        if (c->stride)
            stride = c->stride;
        uint64_t x = descriptor(c, at + 32 * (uint32_t)step, lead, stride);
        *(side ? b : a) = x;
        for (int i = 0; i < rows; i++)
            for (int q = 0; q < c->k; q++) {
                bool none = types[t].type == TENSOR_U8;
                int v = whole(&n, none ? 0 : -3, none ? 250 : 3);
                uint32_t bits = bits_of(t, v);
                (side ? d->B : d->A)[i][q] = v;
                uint32_t to = at + place_in(c, turned, i, q, lead, stride,
                                            step);
                memcpy(d->memory + to, &bits, (size_t)size);
                if (side == 0) {        /* and where registers take it */
                    int thread = i / 16 * 32 + i % 8 * 4 + q * size % 16 / 4;
                    int r = i % 16 / 8 + q * size / 16 * 2;
                    memcpy(d->memory + MEMORY + thread * 16 + r * 4 +
                           q * size % 4, &bits, (size_t)size);
                }
            }
    }
}

static enum Fault launch(struct Data *d, const struct Case *c,
                         struct Error *e)
{
    enum Fault fault = FAULT_NONE;
    size_t bytes = (size_t)THREADS * 4 * (size_t)(c->n / (c->half ? 4 : 2));
    read_kernel(d->text);
    uint64_t o = device(bytes), i = device(sizeof d->memory);
    uint64_t s = device(bytes);
    memcpy(memory_bytes(i), d->memory, sizeof d->memory);
    memcpy(memory_bytes(s), d->old, bytes);
    simt_options.check = sanitize;
    if (sanitize) {
        check_host_wrote(i, sizeof d->memory);
        check_host_wrote(s, bytes);
    }
    simt_launch(module_kernel(&module, "k"), (struct Dim3){ 1, 1, 1 },
                (struct Dim3){ THREADS, 1, 1 }, MEMORY,
                (void *[]){ &o, &i, &s }, &fault, e);
    memcpy(d->out, memory_bytes(o), bytes);
    memory_free(o);
    memory_free(i);
    memory_free(s);
    module_free(&module);
    return fault;
}

static struct Data data;

static void compare(const struct Case *c)
{
    for (int thread = 0; thread < THREADS; thread++)
        for (int k = 0; k < c->n / (c->half ? 4 : 2); k++)
            for (int h = 0; h <= c->half; h++) {
                int row, column, sum = 0;
                uint32_t x = data.out[thread * c->n / (c->half ? 4 : 2) + k];
                float got;
                place_of_sum(c, thread, k, &row, &column);
                for (int q = 0; q < c->k; q++)
                    sum += data.A[row][q] * data.B[column + h][q];
                sum = c->minus_a != c->minus_b ? -sum : sum;
                sum += c->old ? (row * 7 + column + h) % 50 : 0;
                memcpy(&got, &x, 4);
                if (c->integers)
                    got = (float)(int32_t)x;
                if (c->half)
                    got = float_from_half((uint16_t)(x >> 16 * h));
                if (!(got == (float)sum))
                    fail_msg("row %d, column %d is %g, not %d", row,
                             column + h, (double)got, sum);
            }
}

static void old_sums(const struct Case *c)
{
    int per = c->n / (c->half ? 4 : 2);
    for (int thread = 0; thread < THREADS; thread++)
        for (int k = 0; k < per; k++) {
            int row, column;
            place_of_sum(c, thread, k, &row, &column);
            float x = (float)((row * 7 + column) % 50);
            float y = (float)((row * 7 + column + 1) % 50);
            uint32_t *to = &data.old[thread * per + k];
            if (c->integers)
                *to = (uint32_t)x;
            else if (c->half)
                *to = half_from_float(x) | (uint32_t)half_from_float(y) << 16;
            else
                memcpy(to, &x, 4);
        }
}

static void prepare(struct Case *c, const struct Flaw *flaw)
{
    uint64_t a, b;
    lay_out(&data, c, &a, &b);
    old_sums(c);
    write_kernel(data.text, c, a, b, flaw);
}

static void product(const struct Row *row)
{
    struct Case c = case_of(row);
    struct Error e = { "" };
    prepare(&c, &right);
    for (int twice = 0; twice < 2; twice++) {
        sanitize = twice;
        if (launch(&data, &c, &e) != FAULT_NONE)
            fail_msg("%s", e.text);
        compare(&c);
    }
}

/* ---- kernels that are wrong ------------------------------------------- */

static char heard[4000];

static void listen(const char *text)
{
    size_t n = strlen(heard);
    snprintf(heard + n, sizeof heard - n, "%s", text);
}

static void must_hear(const struct Row *row, const char *words)
{
    char flat[4000];
    size_t n = 0;
    for (const char *p = heard; *p; p++)        /* lines are wrapped */
        if (*p != ' ' && *p != '\n')
            flat[n++] = *p;
        else if (n && flat[n - 1] != ' ')
            flat[n++] = ' ';
    flat[n] = 0;
    if (!strstr(flat, words))
        fail_msg("%s: heard '%.300s', not '%s'", row->name, flat, words);
}

static const struct Wrong {
    const char *name;
    struct Flaw flaw;
    const char *words;
    bool fault;
} wrongs[] = {
#define FENCE "wgmma.fence.sync.aligned;"
#define COMMIT "wgmma.commit_group.sync.aligned;"
#define WAIT "wgmma.wait_group.sync.aligned 0;"
    { "no fence", { "", COMMIT WAIT, "", 0, false }, "without a wgmma.fence", false },
    { "fence too early", { FENCE "add.u32 %s3, %s3, 1;", COMMIT WAIT, "", 0, false },
      "since the last wgmma.fence", false },
    { "A after the fence", { FENCE "add.u32 %x1, %x1, 1;", COMMIT WAIT, "",
      0, false }, "takes A from registers that were written since", false },
    { "no wait", { FENCE, COMMIT, "", 0, false }, "Wait for its group first", false },
    { "no commit", { FENCE, WAIT, "", 0, false }, "Commit its group", false },
    { "sum changed early", { FENCE, COMMIT "mov.u32 %s0, %s1;"
      "add.u32 %s0, %s0, 1;" WAIT, "", 0, false }, "still writing", false },
    { "A overwritten", { FENCE, COMMIT "add.u32 %x0, %x1, 1;" WAIT, "", 0, false },
      "overwrites a register that wgmma is still reading", false },
    { "buffer refilled", { FENCE, COMMIT "and.b32 %r7, %r1, 31;"
      "setp.eq.u32 %p3, %r7, 0; @%p3 st.shared.u32 [mem+65632], %r2;"
      WAIT, "", 0, false }, "an operand in shared memory was overwritten", false },
    { "three warps", { FENCE, COMMIT WAIT, "", 3, false },
      "executed by 3 warps", true },
    { "half a warp", { FENCE "setp.lt.u32 %p3, %r1, 16; @%p3", COMMIT WAIT,
      "", 0, false }, "all 32 lanes", true },
    { "descriptor of a lane", { FENCE "cvt.u64.u32 %rd11, %r1;",
      COMMIT WAIT, "", 0, false }, "all lanes must have the same", true },
    { "descriptor of a warp", { FENCE "shr.u32 %r7, %r1, 5;"
      "cvt.u64.u32 %rd11, %r7;", COMMIT WAIT, "", 0, false },
      "must execute the same wgmma", true },
    { "no proxy fence", { FENCE, COMMIT WAIT, "", 0, true },
      "wgmma may not see that", false },
    { "registers of three warps", { FENCE "@%p0 bra skip;"
      "shr.u32 %r7, %r1, 5; setp.eq.u32 %p3, %r7, 2; @%p3 bra skip;"
      "setmaxnreg.dec.sync.aligned.u32 40; skip:", COMMIT WAIT, "", 0,
      false }, "all four must execute it", true },
    { "registers up by dec", { FENCE "setmaxnreg.dec.sync.aligned.u32 256;",
      COMMIT WAIT, "", 0, false }, "dec at most as many", true },
    { "registers of others", { FENCE "setmaxnreg.inc.sync.aligned.u32 256;",
      COMMIT WAIT, "", 0, false }, "would wait for ever", true },
    { "outside", { FENCE "mov.u64 %rd11, 0x40000400000103ff;"
      "add.s64 %rd11, %rd11, 15360;", COMMIT WAIT, "", 0, false },
      "of shared memory; the block has", true },
};

static void wrong(const struct Row *row)
{
    const struct Wrong *w = NULL;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
        if (!strcmp(wrongs[i].name, strstr(row->name, ": ") + 2))
            w = &wrongs[i];
    if (!w)
        fail_msg("no such kernel");
    struct Case c = { .n = 16, .k = 16, .swizzle = 128, .old = true,
                      .registers = strstr(w->name, "A ") != NULL };
    struct Error e = { "" };
    for (int twice = 0; twice < 2; twice++) {   /* wrong, and repaired */
        sanitize = true;
        *heard = 0;
        check_reports_to(listen);
        prepare(&c, twice ? &right : &w->flaw);
        enum Fault fault = launch(&data, &c, &e);
        if (twice || !w->fault)
            assert_string_equal(e.text, "");
        if (twice) {
            assert_string_equal(heard, "");
            compare(&c);
        } else if (w->fault) {
            assert_int_not_equal(fault, FAULT_NONE);
            snprintf(heard, sizeof heard, "%s", e.text);
        }
        if (!twice)
            must_hear(row, w->words);
        e.text[0] = 0;
    }
}

/* A wrong layout is no crime, but gives wrong sums. */
static void wrong_layout(const struct Row *row)
{
    struct Case c = { .n = 32, .k = 16, .swizzle = 128, .stride = 1024 };
    uint64_t a, b;
    struct Error e = { "" };
    lay_out(&data, &c, &a, &b);
    old_sums(&c);
    if (strstr(row->name, "swizzle"))
        b = (b & ~((uint64_t)3 << 62)) | (uint64_t)2 << 62;
    else
        b = (b & ~((uint64_t)0x3fff << 32)) | (uint64_t)128 << 32;
    write_kernel(data.text, &c, a, b, &right);
    sanitize = false;
    assert_int_equal(launch(&data, &c, &e), FAULT_NONE);
    int differ = 0;
    for (int t = 0; t < THREADS; t++)
        for (int k = 0; k < 16; k++) {
            int r, col, sum = 0;
            float got;
            place_of_sum(&c, t, k, &r, &col);
            for (int q = 0; q < 16; q++)
                sum += data.A[r][q] * data.B[col][q];
            memcpy(&got, &data.out[t * 16 + k], 4);
            differ += got != (float)sum;
        }
    assert_true(differ > 500);
}

/* ---- conversions, and instructions around ----------------------------- */

static uint64_t in[65536], out[65536];

static void run_many(const char *body, int n)
{
    static char text[3000];
    struct Error e = { "" };
    snprintf(text, sizeof text, "%s%s%s", OPENING, body, "\nret;\n}\n");
    if (run_text(text, n / 128, 128, 0, in, out, 0, &e) != FAULT_NONE)
        fail_msg("%s", e.text);
}

/* The code of the nearest number, by trying them all. */
static uint32_t nearest(int t, double x, uint32_t most)
{
    uint32_t best = 0, sign = signbit(x) ? 0x80 : 0;
    if (x != x)
        return 0x7f;
    for (uint32_t b = 0; b <= most; b++) {
        double d = fabs(fabs(x) - value_of(t, b));
        double old = fabs(fabs(x) - value_of(t, best));
        if (d < old || (d == old && b % 2 == 0))
            best = b;
    }
    return (isinf(x) ? most : best) | sign;
}

/* All halves, two at a time; and as floats, between them, too. */
static void convert(const struct Row *row)
{
    int t = strstr(row->name, "e4m3") ? 3 : 4;
    uint32_t most = t == 3 ? 0x7e : 0x7b;
    char body[400];
    sanitize = false;
    for (uint64_t h = 0; h < 65536; h++)
        in[h] = h | (h * 7919 & 0xffff) << 16;
    snprintf(body, sizeof body, "ld.global.u32 %%r5, [%%rd4];"
        "cvt.rn.satfinite.%sx2.f16x2 %%h1, %%r5; cvt.u32.u16 %%r6, %%h1;"
        "cvt.rn.satfinite.relu.%sx2.f16x2 %%h1, %%r5;"
        "cvt.u32.u16 %%r7, %%h1; st.global.v2.u32 [%%rd3], {%%r6, %%r7};",
        types[t].name, types[t].name);
    run_many(body, 65536);
    for (int h = 0; h < 65536; h++) {
        double low = float_from_half((uint16_t)in[h]);
        double high = float_from_half((uint16_t)(in[h] >> 16));
        uint64_t want = nearest(t, low, most) | nearest(t, high, most) << 8;
        want |= (uint64_t)nearest(t, low < 0 ? 0 : low, most) << 32;
        want |= (uint64_t)nearest(t, high < 0 ? 0 : high, most) << 40;
        if (signbit(low) && low == 0)
            want &= ~((uint64_t)0x80 << 32);
        if (signbit(high) && high == 0)
            want &= ~((uint64_t)0x80 << 40);
        if (out[h] != want)
            fail_msg("%g and %g become %llx, not %llx", high, low,
                     (unsigned long long)out[h], (unsigned long long)want);
    }
    for (uint64_t i = 0; i < 4096; i++) {
        float x = (float)ldexp(noise(9, i), (int)(i % 40) - 25);
        memcpy(&in[i], &x, 4);
    }
    snprintf(body, sizeof body, "ld.global.f32 %%f1, [%%rd4];"
        "mov.f32 %%f2, 0f3f800000; cvt.rn.satfinite.%sx2.f32 %%h1, %%f1, "
        "%%f2; cvt.u64.u16 %%rd6, %%h1; st.global.u64 [%%rd3], %%rd6;",
        types[t].name);
    run_many(body, 4096);
    for (int i = 0; i < 4096; i++) {
        float x;
        memcpy(&x, &in[i], 4);
        uint32_t want = nearest(t, x, most) << 8 | nearest(t, 1, most);
        if (out[i] != want)
            fail_msg("%a becomes %llx, not %x", (double)x,
                     (unsigned long long)out[i], want);
    }
}

static void back(const struct Row *row)
{
    int t = strstr(row->name, "e4m3") ? 3 : 4;
    char body[300];
    sanitize = false;
    for (uint64_t b = 0; b < 256; b++)
        in[b] = b | (255 - b) << 8;
    snprintf(body, sizeof body, "ld.global.u16 %%h1, [%%rd4];"
        "cvt.rn.f16x2.%sx2 %%r5, %%h1; cvt.u64.u32 %%rd6, %%r5;"
        "st.global.u64 [%%rd3], %%rd6;", types[t].name);
    run_many(body, 256);
    for (uint32_t b = 0; b < 256; b++)
        for (int high = 0; high < 2; high++) {
            uint32_t h = (uint32_t)(out[b] >> 16 * high) & 0xffff;
            double want = value_of(t, high ? 255 - b : b);
            double got = float_from_half((uint16_t)h);
            if (want != want ? h != 0x7fff : !(got == want) ||
                signbit(got) != signbit(want))
                fail_msg("code %x is %04x", high ? 255 - b : b, h);
        }
}

static void around(const struct Row *row)
{
    (void)row;
    sanitize = false;
    for (uint64_t i = 0; i < 128; i++)
        in[i] = i * 0x10003 + 1;
    run_many("ld.global.u32 %r5, [%rd4];"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r5;"
        "mov.u32 %r7, 0; elect.sync %r8|%p1, 0xfffffff0;"
        "selp.u32 %r7, 256, 0, %p1; add.u32 %r7, %r7, %r8;"
        "st.global.v2.u32 [%rd3], {%r6, %r7};", 128);
    for (unsigned i = 0; i < 128; i++) {
        unsigned l = i % 32, w = i & ~31u, r = l / 4, c = l % 4 * 2;
        uint32_t want = 0;
        for (unsigned k = 0; k < 2; k++) {      /* element (r, c + k) */
            uint32_t from = (uint32_t)in[w + (c + k) * 4 + r / 2];
            want |= (from >> r % 2 * 16 & 0xffff) << 16 * k;
        }
        if ((uint32_t)out[i] != want)
            fail_msg("thread %u has %08x, not %08x", i, (uint32_t)out[i],
                     want);
        if (l >= 4)
            assert_int_equal(out[i] >> 32, l == 4 ? 260 : 4);
    }
}

static const struct Row rows[] = {
    { "sums a=bf16", sums, "a sum that is rounded" },
    { "sums a=f16", sums, "products aligned to their own exponent" },
    { "sums a=f16 sum=half", sums, "a half sum that is cut" },
    { "sums a=tf32", sums, "tf32 read as 32 bits" },
    { "sums a=e4m3", sums, "25 bits for 8-bit types" },
    { "sums a=e5m2", sums, "subnormals of another exponent" },
    { "sums a=e4m3 b=e5m2", sums, "both factors of one type" },
    { "as an H200 kind=wgmma.bf16", as_gpu, "a zero that has an exponent" },
    { "as an H200 kind=wgmma.f16", as_gpu, "products of their own exponent" },
    { "as an H200 kind=wgmma.f16.f16", as_gpu, "a sum that is -0" },
    { "as an H200 kind=wgmma.tf32", as_gpu, "a zero that has an exponent" },
    { "as an H200 kind=wgmma.e4m3", as_gpu, "25 bits" },
    { "as an H200 kind=wgmma.e5m2", as_gpu, "25 bits" },
    { "as an H200 kind=wgmma.e4m3.e5m2", as_gpu, "one type of factors" },
    { "as an H200 kind=wgmma.e4m3.f16", as_gpu, "a half that is cut" },
    { "as an H200 kind=wgmma.e5m2.f16", as_gpu, "an old half as a float" },
    { "as an H200 kind=wgmma.s8", as_gpu, "bytes without a sign" },
    { "as an H200 kind=mma.bf16", as_gpu, "a sum that is rounded" },
    { "as an H200 kind=mma.f16", as_gpu, "a sum that is rounded" },
    { "as an H200 kind=mma.f16.f16", as_gpu, "a half that is cut" },
    { "as an H200 kind=mma.tf32", as_gpu, "a group of 16" },
    { "as an H200 kind=mma.e4m3", as_gpu, "one sum of 32" },
    { "as an H200 kind=mma.e5m2", as_gpu, "halves of the depth" },
    { "as an H200 kind=mma.bf16.k8", as_gpu, "a depth of 16" },
    { "as an H200 kind=mma.tf32.k4", as_gpu, "a depth of 8" },
    { "as an H200: places", places, "a swizzle by rows" },
    { "special values", special, "an integer that overflows" },
    { "product a=bf16 n=8", product, "the layout of mma.sync's 8 columns" },
    { "product a=bf16 n=64 old", product, "the old sum forgotten" },
    { "product a=bf16 n=256", product, "registers beyond 64" },
    { "product a=bf16 n=192 minus old", product, "the sign of A lost" },
    { "product a=bf16 n=32 swizzle=64", product, "rows of 128 bytes" },
    { "product a=bf16 n=32 swizzle=32", product, "a swizzle by rows" },
    { "product a=bf16 n=24 swizzle=0", product, "lead and stride swapped" },
    { "product a=bf16 n=128 ta=1 tb=1", product, "transposed as it is not" },
    { "product a=bf16 n=64 swizzle=64 tb=1", product, "64 columns an atom" },
    { "product a=f16 n=64 swizzle=32 ta=1", product, "the same of A" },
    { "product a=f16 n=40 swizzle=0 ta=1 tb=1", product,
      "lead and stride not swapped" },
    { "product a=bf16 n=64 registers tb=1", product, "A's rows 8 apart" },
    { "product a=f16 n=64 old", product, "halves read as bf16" },
    { "product a=f16 n=72 sum=half old", product, "pairs of sums swapped" },
    { "product a=tf32 n=64 swizzle=128 old", product, "a depth of 16" },
    { "product a=tf32 n=16 registers", product, "pairs in a register" },
    { "product a=e4m3 n=192 old", product, "16 numbers of 32" },
    { "product a=e4m3 b=e5m2 n=64", product, "both factors of one type" },
    { "product a=e5m2 n=64 sum=half", product, "fp32 sums" },
    { "product a=e5m2 b=e4m3 n=32 registers", product, "two in a register" },
    { "product a=s8 n=64 old", product, "sums as floats" },
    { "product a=u8 b=s8 n=96 swizzle=64", product, "bytes with a sign" },
    { "product a=s8 b=u8 n=32 registers", product, "the same of B" },
    { "wrong: no fence", wrong, "a fence that is not needed" },
    { "wrong: fence too early", wrong, "any fence is enough" },
    { "wrong: A after the fence", wrong, "a fence for sums only" },
    { "wrong: no wait", wrong, "sums that are there at once" },
    { "wrong: no commit", wrong, "a wait for all" },
    { "wrong: sum changed early", wrong, "only reads are looked at" },
    { "wrong: A overwritten", wrong, "A read at once" },
    { "wrong: buffer refilled", wrong, "operands read at the issue only" },
    { "wrong: three warps", wrong, "warps that are alone" },
    { "wrong: half a warp", wrong, "lanes that are absent" },
    { "wrong: descriptor of a lane", wrong, "lane 0 speaks for all" },
    { "wrong: descriptor of a warp", wrong, "a warp speaks for itself" },
    { "wrong: no proxy fence", wrong, "stores that wgmma sees at once" },
    { "wrong: registers of three warps", wrong, "a warp's own registers" },
    { "wrong: registers up by dec", wrong, "a number is a number" },
    { "wrong: registers of others", wrong, "registers out of nothing" },
    { "wrong: outside", wrong, "reads behind shared memory" },
    { "convert to e4m3", convert, "numbers below 2^-6 flushed" },
    { "convert to e5m2", convert, "infinities kept" },
    { "convert from e4m3", back, "NaN as 480" },
    { "convert from e5m2", back, "the other half first" },
    { "elect and transpose", around, "the highest lane" },
    { "wrong layout: swizzle", wrong_layout, "no swizzle" },
    { "wrong layout: stride", wrong_layout, "a stride that is computed" },
};

int main(void)
{
    return rows_run("simt_wgmma", rows, sizeof rows / sizeof *rows);
}
