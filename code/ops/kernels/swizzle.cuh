/* Tangled from chapters/workshop/attention-plumbing.nw, "The places of chunks".  Edit it there. */

/* swizzle.cuh: tiles of shared memory of which a column of 16-byte chunks
 * touches all banks.
 *
 * A tile is bf16 [rows][64], at a multiple of 1,024 bytes.  A row is 128
 * bytes, as many as the banks are wide, or eight chunks of eight numbers;
 * chunk c of row r is at place c ^ r % 8. */
#ifndef OPS_KERNELS_SWIZZLE_CUH
#define OPS_KERNELS_SWIZZLE_CUH

#include "ops/kernels/ptx.cuh"

enum {
    SWIZZLE_COLS = 64,          /* numbers of a row */
    SWIZZLE_ROW = 128,          /* bytes of a row   */
    SWIZZLE_CHUNK = 16,         /* bytes of a chunk */
};
static_assert(SWIZZLE_ROW == SWIZZLE_COLS * 2 && SWIZZLE_ROW == 32 * 4
              && SWIZZLE_ROW == 8 * SWIZZLE_CHUNK,
              "a row is 64 bf16, 32 banks of 4 bytes, 8 chunks");

/* find the place of a chunk */
/* Where chunk c begins: bytes from the beginning of its row r; of both
 * numbers only the last three bits count. */
DEVICE_INLINE uint32_t swizzled_chunk(int r, int c)
{
    return (c ^ r) % 8 * SWIZZLE_CHUNK;
}

/* The same from the beginning of the tile. */
DEVICE_INLINE uint32_t swizzled(int r, int c)
{
    return r * SWIZZLE_ROW + swizzled_chunk(r, c);
}

/* find another chunk of the same row */
/* From the place of a chunk c to that of c + d of the same row; c and d
 * have no bit in common. */
DEVICE_INLINE uint32_t swizzled_along(uint32_t at, int d)
{
    return at ^ d * SWIZZLE_CHUNK;
}

#endif
