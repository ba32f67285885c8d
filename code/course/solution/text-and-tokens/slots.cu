/* Tangled from chapters/course/text-and-tokens-solutions.nw, "Slow: two lines for a lookup".  Edit it there. */

__device__ int slot_of(int pair, int slots)
{
    return (pair * 0x9e3779b9u >> 12) & (slots - 1);
}

__global__ void look_up(int *rank, const int *query, int queries,
                        const int *pair, int merges, int *space, int slots)
{
    struct Slot { int key, value; } *slot = (Slot *)space;
    for (int r = 0; r < merges; r++) {
        int i = slot_of(pair[r], slots);
        while (slot[i].value)
            i = (i + 1) & (slots - 1);
        slot[i].key = pair[r];
        slot[i].value = r + 1;
    }
    for (int q = 0; q < queries; q++) {
        int i = slot_of(query[q], slots);
        while (slot[i].value && slot[i].key != query[q])
            i = (i + 1) & (slots - 1);
        rank[q] = slot[i].value - 1;
    }
}
