/* Tangled from chapters/workshop/simt-hopper.nw, "Tensor maps".  Edit it there. */

#include "simt/executor/tensor_map.h"

#include <string.h>

static const uint64_t known = 0x50414d52534e4554;       /* TENSRMAP */

/* sizes of elements and boxes */
enum { TYPES_OF_MAPS = 13, HALF_TYPE = 6, MOST_BOX = 256 * 1024 };
static const uint8_t element[TYPES_OF_MAPS] = {
    1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4,
};

uint32_t tensor_map_element(const struct TensorMap *m)
{
    return m->type < TYPES_OF_MAPS ? element[m->type] : 1;
}

uint32_t tensor_map_pitch(const struct TensorMap *m)
{
    return m->swizzle ? 16u << m->swizzle
                      : m->box[0] * tensor_map_element(m);
}

uint32_t tensor_map_box_bytes(const struct TensorMap *m)
{
    uint32_t n = tensor_map_element(m) * m->box[0];
    for (int d = 1; d < m->rank; d++)
        n *= (uint32_t)(m->box[d] + m->step[d] - 1) / m->step[d];
    return n;
}

/* read a tensor map */
bool tensor_map_take(struct TensorMap *m, const unsigned char *bytes,
                     int rank, struct Error *e)
{
    memcpy(m, bytes, sizeof *m);
    if (m->known != known)
        return error_set(e, "the 128 bytes are no tensor map: "
                         "cuTensorMapEncodeTiled has not written them, or "
                         "has refused");
    if (m->rank != rank)
        return error_set(e, "the tensor map has %d dimensions, the "
                         "instruction %d", m->rank, rank);
    return true;
}

/* rules of a tensor map */
static const char *type_rule(const struct TensorMapWanted *w)
{
    bool is_float = w->type >= HALF_TYPE;
    if (w->type < 0 || w->type >= TYPES_OF_MAPS)
        return "the data type is none of 0 to 12";
    if (w->rank < 1 || w->rank > MAX_RANK)
        return "the rank is not from 1 to 5";
    if (w->interleave)
        return "only CU_TENSOR_MAP_INTERLEAVE_NONE is known here";
    if (w->swizzle < 0 || w->swizzle > 3)
        return "the swizzle is none of NONE, 32B, 64B and 128B";
    if (w->promotion < 0 || w->promotion > 3)
        return "the L2 promotion is none of NONE, 64B, 128B and 256B";
    if (w->fill < 0 || w->fill > 1)
        return "the fill is neither NONE nor NAN_REQUEST_ZERO_FMA";
    if (w->fill && !is_float)
        return "a fill with NaN needs a floating-point type";
    if (!w->size || !w->stride || !w->box || !w->step)
        return "the sizes, strides, box or steps are NULL: the strides must"
               " not be, even of one dimension";
    if (!w->address || w->address % 16)
        return "the global address is not a multiple of 16";
    return NULL;
}

static const char *size_rule(const struct TensorMapWanted *w, uint32_t d)
{
    if (!w->size[d] || w->size[d] > (uint64_t)1 << 32)
        return "a size is not from 1 to 2^32";
    if (!w->box[d] || w->box[d] > 256)
        return "a box is not from 1 to 256 elements along a dimension";
    if (!w->step[d] || w->step[d] > 8)
        return "an element stride is not from 1 to 8";
    if (d && (w->stride[d - 1] % 16 || w->stride[d - 1] >> 40))
        return "a stride is not a multiple of 16 below 2^40 bytes";
    return NULL;
}

static const char *row_rule(const struct TensorMapWanted *w)
{
    uint32_t bytes = w->box[0] * element[w->type];
    if (bytes % 16)
        return "a row of the box is not a multiple of 16 bytes";
    if (w->swizzle && bytes > 16u << w->swizzle)
        return "a row of the box is longer than the swizzle";
    for (uint32_t d = 1; d < w->rank && bytes < MOST_BOX; d++)
        bytes *= (w->box[d] + w->step[d] - 1) / w->step[d];
    if (bytes >= MOST_BOX)
        return "a box of 256 KiB or more";
    return NULL;
}

/* encode a tensor map */
static const char *broken_rule(const struct TensorMapWanted *w)
{
    const char *rule = type_rule(w);
    for (uint32_t d = 0; !rule && d < w->rank; d++)
        rule = size_rule(w, d);
    return rule ? rule : row_rule(w);
}

bool tensor_map_encode(struct TensorMap *m, const struct TensorMapWanted *w,
                       struct Error *e)
{
    const char *rule = broken_rule(w);
    if (rule)
        return error_set(e, "cuTensorMapEncodeTiled: %s", rule);
    *m = (struct TensorMap){ .known = known, .address = w->address,
        .rank = (uint8_t)w->rank, .type = (uint8_t)w->type,
        .swizzle = (uint8_t)w->swizzle, .nan = (uint8_t)w->fill };
    for (uint32_t d = 0; d < w->rank; d++) {
        m->last[d] = (uint32_t)(w->size[d] - 1);
        m->stride[d] = d ? w->stride[d - 1] : element[w->type];
        m->box[d] = (uint16_t)w->box[d];
        m->step[d] = (uint8_t)w->step[d];
    }
    return true;
}
