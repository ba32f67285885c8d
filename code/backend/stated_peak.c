/* Tangled from chapters/workshop/timing-operators.nw, "The peak of a machine".  Edit it there. */

/* stated_peak.c: what the makers of GPUs say that these can do. */
#include "backend/stated_peak.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* what the makers of GPUs state */
/* TFLOP/s, dense, sums in fp32 */
static const struct Peak { const char *gpu; double fp32, tf32, bf16; }
    stated[] = {
    { "B200",      75,   1125,  2250 },
    { "H200",      66.9,  494.7, 989.4 },
    { "GH200",     66.9,  494.7, 989.4 },
    { "H100 PCIe", 51.2,  378,   756 },
    { "H100 NVL",  60,    417.5, 835 },
    { "H100",      66.9,  494.7, 989.4 },
    { "A100",      19.5,  156,   312 },
    { "L40S",      91.6,  183,   362 },
    { "L4",        30.3,   60.5, 121 },
    { "A10",       31.2,   62.5, 125 },
    { "RTX 4090",  82.6,   82.6, 165.2 },
    { "RTX 3090",  35.6,   35.6,  71.2 },
};

/* is this the GPU of a row? */
static bool is_named(const char *gpu, const char *row)
{
    const char *at = strstr(gpu, row);
    const char *rest = at ? at + strlen(row) : "";
    return at && (at == gpu || at[-1] == ' ') && !strstr(rest, " MIG ")
           && (*rest == '\0' || *rest == '-'
               || (*rest == ' ' && isdigit((unsigned char)rest[1])));
}

/* stated_peak */
double stated_peak(const char *gpu, const char *precision,
                   const char **row)
{
    const char what = precision[0];         /* fp32, tf32, bf16 */
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++)
        if (is_named(gpu, stated[i].gpu)) {
            const struct Peak *p = &stated[i];
            *row = p->gpu;
            return 1e12 * (what == 'f' ? p->fp32
                           : what == 't' ? p->tf32 : p->bf16);
        }
    return 0;
}
