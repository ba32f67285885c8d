/* Tangled from chapters/course/tensor-cores-solutions.nw, "Who holds this sum?".  Edit it there. */

// tensor-cores/holder: who holds this sum?
//
// A warpgroup of 128 threads has computed a tile of 64 rows with wgmma,
// and each thread holds some of its sums in registers.  Of the 64 rows,
// warp w has the rows 16 w to 16 w + 15.  In these and in each eight
// columns, lane 4 g + t (t < 4) holds four sums, in this order: row g,
// columns 2 t and 2 t + 1, then row g + 8 and the same two columns.  So
// its sums 0 to 3 are in columns 0 to 7, its sums 4 to 7 in columns 8 to
// 15, and so on.
//
// For row m and column n, write to thread[m * columns + n] which of the
// 128 threads holds the sum, and to place[m * columns + n] the number of
// the sum among those of that thread.  `columns` need not be a multiple of
// 8.  The grid has a thread for each of the 64 * columns sums, in blocks
// of 128.  The start knows neither.

__global__ void holder(int *thread, int *place, int columns)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < 64 * columns) {
        thread[i] = i % 128;
        place[i] = i / 128;
    }
}
