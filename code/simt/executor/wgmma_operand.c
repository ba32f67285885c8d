/* Tangled from chapters/workshop/simt-wgmma.nw, "Where an operand lies".  Edit it there. */

#include "simt/executor/wgmma.h"

#include <string.h>

struct Operands operands_of(uint64_t d, bool transposed)
{
    static const int width[] = { 16, 128, 64, 32 };
    return (struct Operands){
        .start  = (uint32_t)(d & 0x3fff) * 16,
        .lead   = (uint32_t)(d >> 16 & 0x3fff) * 16,
        .stride = (uint32_t)(d >> 32 & 0x3fff) * 16,
        .base   = (int)(d >> 49 & 7),
        .width  = width[d >> 62],
        .transposed = transposed,
    };
}

/* find 16 bytes of an operand */
static uint32_t plain_offset(const struct Operands *o, int at, int k,
                             int size)
{
    uint32_t w = (uint32_t)o->width, per = w / 16;
    if (!o->transposed) {
        uint32_t row = (uint32_t)at, chunk = (uint32_t)(k * size) / 16;
        return row % 8 * w + row / 8 * o->stride
             + chunk * (w == 16 ? o->lead : 16);
    }
    uint32_t step = (uint32_t)k, chunk = (uint32_t)at / 8;
    if (w == 16)
        return chunk * o->stride + step % 8 * 16 + step / 8 * o->lead;
    return chunk % per * 16 + chunk / per * o->lead
         + step % 8 * w + step / 8 * o->stride;
}

uint32_t operand_chunk(const struct Operands *o, int at, int k, int size)
{
    uint32_t to = o->start + plain_offset(o, at, k, size);
    uint32_t mask = (uint32_t)o->width / 16 - 1;
    uint32_t row = (to >> 7) - (uint32_t)o->base;
    return to ^ (row & mask) << 4;
}

/* read an operand of wgmma */
static const unsigned char *chunk(const struct Operands *o, int at, int k,
                                  int size, const unsigned char *shared,
                                  size_t bytes, uint32_t *outside)
{
    uint32_t to = operand_chunk(o, at, k, size);
    if ((size_t)to + 16 <= bytes)
        return shared + to;
    *outside = to;
    return NULL;
}

bool operand_read(unsigned char (*rows)[32], const struct Operands *o,
                  int from, int n, int size, const unsigned char *shared,
                  size_t bytes, uint32_t *outside)
{
    for (int r = 0; r < n; r += o->transposed ? 8 : 1)
        for (int k = 0; k < 32 / size; k += o->transposed ? 1 : 16 / size) {
            const unsigned char *x = chunk(o, from + r, k, size, shared,
                                           bytes, outside);
            if (!x)
                return false;
            if (!o->transposed)
                memcpy(rows[r] + k * size, x, 16);
            else
                for (int i = 0; i < 8; i++)
                    memcpy(rows[r + i] + 2 * k, x + 2 * i, 2);
        }
    return true;
}
