// says: more than 4000000 instructions
__device__ int slot_of(int pair, int slots)
{
    return (pair * 0x9e3779b9u >> 12) & (slots - 1);
}

__global__ void look_up(int *rank, const int *query, int queries,
                        const int *pair, int merges, int *space, int slots)
{
    for (int q = 0; q < queries; q++) {
        int r = 0;
        while (r < merges && pair[r] != query[q])
            r++;
        rank[q] = r < merges ? r : -1;
    }
}
