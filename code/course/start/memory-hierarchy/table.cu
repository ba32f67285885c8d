/* Tangled from chapters/course/memory-hierarchy-solutions.nw, "A table in shared memory".  Edit it there. */

// memory-hierarchy/table: a table in shared memory
//
// y[i] = table[x[i]], where x has bytes and the table 256 floats.  A block
// has 256 threads and computes 2,048 elements, 256 at a time; the grid has
// ceil(n / 2048) blocks.  The kernel is right.  The lanes of a warp ask
// for up to 32 different sectors of the table.  Read each sector of it
// once in a block.

__global__ void look_up(float *y, const unsigned char *x,
                        const float *table, int n)
{
    int first = blockIdx.x * 2048 + threadIdx.x;
    for (int i = first; i < first + 2048 && i < n; i += 256)
        y[i] = table[x[i]];
}
