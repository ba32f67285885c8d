// says: cache lines fetched +13806 .*over
__device__ int slot_of(int pair, int slots)
{
    return (pair * 0x9e3779b9u >> 12) & (slots - 1);
}

__global__ void look_up(int *rank, const int *query, int queries,
                        const int *pair, int merges, int *space, int slots)
{
    int *key = space, *value = space + slots;   // rank + 1; 0: empty
    for (int r = 0; r < merges; r++) {
        int i = slot_of(pair[r], slots);
        while (value[i])
            i = (i + 1) & (slots - 1);
        key[i] = pair[r];
        value[i] = r + 1;
    }
    for (int q = 0; q < queries; q++) {
        int i = slot_of(query[q], slots);
        while (value[i] && key[i] != query[q])
            i = (i + 1) & (slots - 1);
        rank[q] = value[i] - 1;
    }
}
