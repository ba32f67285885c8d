/* Tangled from chapters/workshop/simt-wgmma.nw, "The instruction".  Edit it there. */

#include "simt/executor/wgmma.h"

#include <stdio.h>
#include <string.h>

static const struct Kind {
    const char *sum, *a, *b;
    enum TensorType a_type, b_type;
} kinds[] = {
    { "f32", "bf16", "bf16", TENSOR_BF16, TENSOR_BF16 },
    { "f32", "f16",  "f16",  TENSOR_F16,  TENSOR_F16 },
    { "f16", "f16",  "f16",  TENSOR_F16,  TENSOR_F16 },
    { "f32", "tf32", "tf32", TENSOR_TF32, TENSOR_TF32 },
    { "f32", "e4m3", "e4m3", TENSOR_E4M3, TENSOR_E4M3 },
    { "f32", "e4m3", "e5m2", TENSOR_E4M3, TENSOR_E5M2 },
    { "f32", "e5m2", "e4m3", TENSOR_E5M2, TENSOR_E4M3 },
    { "f32", "e5m2", "e5m2", TENSOR_E5M2, TENSOR_E5M2 },
    { "f16", "e4m3", "e4m3", TENSOR_E4M3, TENSOR_E4M3 },
    { "f16", "e4m3", "e5m2", TENSOR_E4M3, TENSOR_E5M2 },
    { "f16", "e5m2", "e4m3", TENSOR_E5M2, TENSOR_E4M3 },
    { "f16", "e5m2", "e5m2", TENSOR_E5M2, TENSOR_E5M2 },
    { "s32", "s8",   "s8",   TENSOR_S8,   TENSOR_S8 },
    { "s32", "s8",   "u8",   TENSOR_S8,   TENSOR_U8 },
    { "s32", "u8",   "s8",   TENSOR_U8,   TENSOR_S8 },
    { "s32", "u8",   "u8",   TENSOR_U8,   TENSOR_U8 },
};

/* read the opcode of a wgmma */
static bool shape_is_there(const struct Wgmma *g)
{
    bool even = !g->integers || g->n <= 24 || g->n % 16 == 0;
    return g->n >= 8 && g->n <= 256 && g->n % 8 == 0 && even &&
           g->k == 32 / tensor_bytes(g->a);
}

bool wgmma_named(struct Wgmma *g, const char *op)
{
    char sum[8], a[8], b[8], rest[16] = "";
    if (sscanf(op, "wgmma.mma_async.sync.aligned.m64n%dk%d.%7[^.].%7[^.]."
               "%7[^.]%15s", &g->n, &g->k, sum, a, b, rest) < 5)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct Kind *k = &kinds[i];
        if (strcmp(k->sum, sum) || strcmp(k->a, a) || strcmp(k->b, b))
            continue;
        g->a = k->a_type;
        g->b = k->b_type;
        g->half_sum = !strcmp(sum, "f16");
        g->integers = !strcmp(sum, "s32");
        g->saturate = g->integers && !strcmp(rest, ".satfinite");
        g->sums = g->n / (g->half_sum ? 4 : 2);
        return shape_is_there(g) && (!*rest || g->saturate);
    }
    return false;
}
