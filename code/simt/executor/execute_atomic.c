/* Tangled from chapters/workshop/ptx.nw, "The rest of the executor".  Edit it there. */

#include "simt/executor/execute.h"
#include "simt/executor/device_math.h"
#include "simt/executor/lanes.h"

#include <math.h>
#include <string.h>

/* new value of an integer */
#define NEW_INTEGER(name, U, S)                                         \
    static U name(int op, bool sign, U old, U b, U c)                   \
    {                                                                   \
        switch (op) {                                                   \
        case OP_ADD:  return old + b;                                   \
        case OP_AND:  return old & b;                                   \
        case OP_OR:   return old | b;                                   \
        case OP_XOR:  return old ^ b;                                   \
        case OP_EXCH: return b;                                         \
        case OP_CAS:  return old == b ? c : old;                        \
        case OP_INC:  return old >= b ? 0 : old + 1;                    \
        case OP_DEC:  return old == 0 || old > b ? b : old - 1;         \
        case OP_MIN:  return (sign ? (S)b < (S)old : b < old) ? b : old;\
        default:      return (sign ? (S)b > (S)old : b > old) ? b : old;\
        }                                                               \
    }
NEW_INTEGER(new_word, uint32_t, int32_t)
NEW_INTEGER(new_long, uint64_t, int64_t)
NEW_INTEGER(new_short, uint16_t, int16_t)

/* new value of a float */
static double new_number(int op, double old, double b)
{
    return op == OP_ADD ? old + b : op == OP_EXCH ? b :
           op == OP_MIN ? fmin(old, b) : fmax(old, b);
}

/* A sum in double, rounded once to a narrower format, is the sum rounded
 * once. */
static uint16_t new_half(int op, bool brain, uint16_t old, uint16_t b)
{
    if (op == OP_EXCH)
        return b;
    return brain ? bf16_from_double(new_number(op, float_from_bf16(old),
                                               float_from_bf16(b)))
                 : half_from_double(new_number(op, float_from_half(old),
                                               float_from_half(b)));
}

static uint32_t new_float(int op, uint32_t old, uint32_t b)
{
    float x, y;
    memcpy(&x, &old, 4);
    memcpy(&y, &b, 4);
    x = op == OP_ADD ? x + y : (float)new_number(op, x, y);
    x = op == OP_EXCH || x == x ? x : __builtin_nanf("0x3fffff");
    memcpy(&old, &x, 4);
    return old;
}

static uint64_t new_double(int op, uint64_t old, uint64_t b)
{
    double x, y;
    memcpy(&x, &old, 8);
    memcpy(&y, &b, 8);
    x = new_number(op, x, y);
    memcpy(&old, &x, 8);
    return old;
}

/* new value of what an atomic changes */
static uint64_t new_value(const struct Instruction *i, uint64_t old,
                          uint64_t b, uint64_t c)
{
    bool brain = i->type == BF16 || i->type == BF16X2;
    bool sign = i->type == S32 || i->type == S64;
    switch (i->type) {
    case F32:
        return new_float(i->op, (uint32_t)old, (uint32_t)b);
    case F64:
        return new_double(i->op, old, b);
    case F16: case BF16:
        return new_half(i->op, brain, (uint16_t)old, (uint16_t)b);
    case F16X2: case BF16X2:
        return new_half(i->op, brain, (uint16_t)old, (uint16_t)b) |
               (uint64_t)new_half(i->op, brain, (uint16_t)(old >> 16),
                                  (uint16_t)(b >> 16)) << 16;
    default:
        return i->size == 8 ? new_long(i->op, sign, old, b, c) :
               i->size == 4 ? new_word(i->op, sign, (uint32_t)old,
                                       (uint32_t)b, (uint32_t)c) :
               new_short(i->op, sign, (uint16_t)old, (uint16_t)b,
                         (uint16_t)c);
    }
}

/* one lane after the other */
static uint64_t get(const struct Warp *w, uint32_t unit, int l, int size)
{
    return size == 8 ? REGISTER(w, unit, const slot8)[l]
                     : w->file[unit + (unsigned)l];
}

/* The order of a warp's atomics is that of its lanes, the order of warps
 * and blocks that in which they run: always the same. */
void atomic_lanes(struct Warp *w, const struct Instruction *i,
                  const struct Access *a, unsigned char *base)
{
    int first = __builtin_ctz(a->lanes);
    for (uint32_t m = a->lanes; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        unsigned char *p = (unsigned char *)((uintptr_t)base +
                                             (uintptr_t)a->address[l]);
        uint64_t old = 0, value;
        memcpy(&old, p, (size_t)i->size);
        value = new_value(i, old, get(w, i->b[0], l, i->size),
                          i->op != OP_CAS ? 0 :
                          get(w, i->c[0], l, i->size));
        memcpy(p, &value, (size_t)i->size);
        if (i->size == 8)
            REGISTER(w, i->d[0], slot8)[l] = old;
        else
            w->file[i->d[0] + (unsigned)l] = (uint32_t)old;
    }
    if (i->access == ACCESS_ATOM)
        warp_looked(w, a->address[first], get(w, i->d[0], first, i->size));
}

/* combine bytes in memory */
void combine_bytes(enum Op op, enum Type type, unsigned char *to,
                   const unsigned char *from, size_t bytes)
{
    struct Instruction i = { .op = op, .type = (int)type,
                             .size = type_bytes(type) };
    size_t n = (size_t)i.size;
    for (size_t k = 0; k + n <= bytes; k += n) {
        uint64_t old = 0, b = 0;
        memcpy(&old, to + k, n);
        memcpy(&b, from + k, n);
        old = new_value(&i, old, b, 0);
        memcpy(to + k, &old, n);
    }
}
