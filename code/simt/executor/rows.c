/* Tangled from chapters/workshop/ptx.nw, "Thirty-two lanes at a time".  Edit it there. */

#include "simt/executor/rows.h"

#include <string.h>

/* a bit for each lane */
#define BITS4(k) 1u << (k), 2u << (k), 4u << (k), 8u << (k)
const uint32_t lane_bit[LANES] = {
    BITS4(0), BITS4(4), BITS4(8), BITS4(12), BITS4(16), BITS4(20),
    BITS4(24), BITS4(28),
};

int wide_lanes(void)
{
#ifdef __x86_64__
    return !simt_options.plain && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
#else
    return 0;
#endif
}

/* find a row by its name */
const struct Row *row_named(const char *name)
{
    static const struct Row *const tables[] = {
        integer_rows, float_rows, half_rows, convert_rows };
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct Row *r = tables[t]; r->name; r++)
            if (r->name[0] == name[0] && !strcmp(r->name, name))
                return r;
    return NULL;
}

const struct CompareRow *compare_named(const char *name)
{
    static const struct CompareRow *const tables[] = {
        integer_compares, float_compares };
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct CompareRow *r = tables[t]; r->name; r++)
            if (r->name[0] == name[0] && !strcmp(r->name, name))
                return r;
    return NULL;
}
