/* Tangled from chapters/workshop/simt-wgmma.nw, "Sums to compare with a GPU's".  Edit it there. */

#include "bench/tensor_cases.h"

const char *const tensor_classes[TENSOR_CLASSES] = {
    "any", "near", "wide", "cancelling", "small", "special",
};

const struct TensorKind tensor_kinds[TENSOR_KINDS] = {
    { "wgmma.bf16",      TENSOR_BF16, TENSOR_BF16, 16, true, false },
    { "wgmma.f16",       TENSOR_F16,  TENSOR_F16,  16, true, false },
    { "wgmma.f16.f16",   TENSOR_F16,  TENSOR_F16,  16, true, true },
    { "wgmma.tf32",      TENSOR_TF32, TENSOR_TF32, 8,  true, false },
    { "wgmma.e4m3",      TENSOR_E4M3, TENSOR_E4M3, 32, true, false },
    { "wgmma.e5m2",      TENSOR_E5M2, TENSOR_E5M2, 32, true, false },
    { "wgmma.e4m3.e5m2", TENSOR_E4M3, TENSOR_E5M2, 32, true, false },
    { "wgmma.e4m3.f16",  TENSOR_E4M3, TENSOR_E4M3, 32, true, true },
    { "wgmma.e5m2.f16",  TENSOR_E5M2, TENSOR_E5M2, 32, true, true },
    { "wgmma.s8",        TENSOR_S8,   TENSOR_S8,   32, true, false },
    { "mma.bf16",        TENSOR_BF16, TENSOR_BF16, 16, false, false },
    { "mma.f16",         TENSOR_F16,  TENSOR_F16,  16, false, false },
    { "mma.f16.f16",     TENSOR_F16,  TENSOR_F16,  16, false, true },
    { "mma.tf32",        TENSOR_TF32, TENSOR_TF32, 8,  false, false },
    { "mma.e4m3",        TENSOR_E4M3, TENSOR_E4M3, 32, false, false },
    { "mma.e5m2",        TENSOR_E5M2, TENSOR_E5M2, 32, false, false },
    { "mma.bf16.k8",     TENSOR_BF16, TENSOR_BF16, 8,  false, false },
    { "mma.tf32.k4",     TENSOR_TF32, TENSOR_TF32, 4,  false, false },
};

/* random bits for tensor sums */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* low <= x <= high */
static int between(uint64_t *state, int low, int high)
{
    uint64_t range = (uint64_t)(high - low) + 1;
    return low + (int)((draw(state) >> 32) * range >> 32);
}

uint64_t tensor_hash(uint64_t hash, const uint32_t *x, int n)
{
    for (int i = 0; i < n; i++) {
        hash = (hash ^ x[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* a number of a class */
enum Class { ANY, NEAR, WIDER, CANCELLING, SMALL, SPECIALS };

struct Format { int bits, last; bool ieee; };   /* of fraction; field */

static struct Format format_of(enum TensorType t)
{
    switch (t) {
    case TENSOR_F16:  return (struct Format){ 10, 31, true };
    case TENSOR_BF16: return (struct Format){ 7, 255, true };
    case TENSOR_TF32: return (struct Format){ 10, 255, true };
    case TENSOR_E4M3: return (struct Format){ 3, 15, false };
    default:          return (struct Format){ 2, 31, true };
    }
}

/* The exponent field of a number: `wide` how far from 1 a class goes. */
static int field_of(uint64_t *s, struct Format f, enum Class class)
{
    int bias = f.last / 2, far = bias - 1 < 12 ? bias - 1 : 12;
    int most = f.last - f.ieee;
    switch (class) {
    case ANY:   return between(s, 0, most);
    case WIDER: return between(s, bias - far, bias + far);
    case SMALL: return between(s, 0, 3) == 0 ? 0 : f.last == 255
                       ? between(s, 50, 74) : between(s, 0, 3);
    default:    return between(s, bias - 2, bias + 1);
    }
}

static uint32_t number_of(uint64_t *s, struct Format f, enum Class class)
{
    uint32_t ones = (1u << f.bits) - 1;
    uint32_t sign = (uint32_t)between(s, 0, 1), field, fraction;
    field = (uint32_t)field_of(s, f, class);
    fraction = (uint32_t)draw(s) & ones;
    if (class == SMALL && between(s, 0, 7) == 0)
        field = fraction = 0;
    if (class == SPECIALS && between(s, 0, 15) == 0)
        switch (between(s, 0, 5)) {
        case 0: field = (uint32_t)f.last, fraction = 0; break;
        case 1: field = (uint32_t)f.last, fraction = ones; break;
        case 2: field = fraction = 0; break;
        default: field = (uint32_t)(f.last - f.ieee); break;
        }
    else if (!f.ieee && field == (uint32_t)f.last && fraction == ones)
        fraction = 0;
    return (sign * ((uint32_t)f.last + 1) + field) << f.bits | fraction;
}

static uint32_t bits_of(uint64_t *s, enum TensorType t, enum Class class)
{
    if (t >= TENSOR_S8)
        return (uint32_t)draw(s);
    /* tf32: 13 bits below that nobody reads */
    return t == TENSOR_TF32
        ? number_of(s, format_of(t), class) << 13 | (draw(s) & 0x1fff)
        : number_of(s, format_of(t), class);
}

/* a tile of a class */
static int size_of(enum TensorType t)
{
    return t == TENSOR_TF32 ? 4 : t <= TENSOR_BF16 ? 2 : 1;
}

static void put(unsigned char *to, int size, uint32_t x)
{
    for (int i = 0; i < size; i++)
        to[i] = (unsigned char)(x >> 8 * i);
}

static void fill_row(unsigned char *row, uint64_t *s, enum TensorType t,
                     int k, enum Class class, bool minus)
{
    int size = size_of(t), half = k / 2;
    for (int q = 0; q < k; q++)
        put(row + q * size, size, bits_of(s, t, class));
    if (class != CANCELLING || t >= TENSOR_S8)
        return;
    for (int q = 0; q < half * size; q++)
        row[half * size + q] = row[q];
    for (int q = half; minus && q < k; q++)
        row[(q + 1) * size - 1] ^= 0x80;
    for (int q = half; !minus && q < k; q++)
        if (between(s, 0, 7) == 0)
            row[q * size + (t == TENSOR_TF32 ? 2 : 0)] ^= 1;
}

static uint32_t old_of(uint64_t *s, const struct TensorKind *k,
                       enum Class class)
{
    struct Format f = { 23, 255, true };
    if (k->a >= TENSOR_S8)
        return class == ANY ? (uint32_t)draw(s) & 0x7fffffff
                            : (uint32_t)between(s, -9999, 9999);
    if (between(s, 0, 15) == 0)
        return k->half_sum ? (uint32_t)between(s, 0, 1) << 15
                           : (uint32_t)between(s, 0, 1) << 31;
    if (k->half_sum)
        f = (struct Format){ 10, 31, true };
    return number_of(s, f, class == CANCELLING ? SMALL : class);
}

void tensor_tile(struct TensorTile *t, int kind, int operands, int number)
{
    const struct TensorKind *k = &tensor_kinds[kind];
    uint64_t s = (uint64_t)((kind * TENSOR_CLASSES + operands) * 1000 +
                            number) << 20;
    enum Class class = (enum Class)operands;
    for (int i = 0; i < 64; i++) {
        for (int q = 0; q < 32; q++)
            t->a[i][q] = t->b[i][q] = 0;
        fill_row(t->a[i], &s, k->a, k->k, class, true);
        fill_row(t->b[i], &s, k->b, k->k, class, false);
        for (int j = 0; j < 64; j++)
            t->c[i][j] = old_of(&s, k, class);
    }
}

/* places at random */
static uint64_t place(uint64_t *s)
{
    uint64_t mode = (uint64_t)between(s, 0, 3);
    uint64_t start = (uint64_t)between(s, 0, 2047);
    uint64_t lead = (uint64_t)between(s, 1, 127);
    uint64_t stride = (uint64_t)between(s, 1, 127);
    uint64_t base = between(s, 0, 1) ? (uint64_t)between(s, 0, 7) : 0;
    if (between(s, 0, 1))               /* as kernels have them */
        start &= ~(uint64_t)63, lead &= ~(uint64_t)7, stride = 64;
    return start | lead << 16 | stride << 32 | base << 49 | mode << 62;
}

struct TensorPlaces tensor_places(int number)
{
    uint64_t s = (uint64_t)(number + 1) << 40;
    struct TensorPlaces p;
    p.a = place(&s);
    p.b = place(&s);
    p.turn_a = between(&s, 0, 1);
    p.turn_b = between(&s, 0, 1);
    return p;
}

void tensor_memory(uint16_t *memory)
{
    static const uint16_t of[] = { 0, 0x3f80, 0x4000, 0x4040, 0x4080,
                                   0xbf80, 0xc000, 0xc040 };
    uint64_t s = 5;
    for (int i = 0; i < PLACES_BYTES / 2; i++)
        memory[i] = of[draw(&s) >> 61];
}
