/* Tangled from chapters/course/text-and-tokens-solutions.nw, "Slow: two lines for a lookup".  Edit it there. */

// text-and-tokens/slots: slow code
//
// pair[r], two ids in one int, is the pair of rank r, for 0 <= r < merges;
// no pair occurs twice.  rank[q] is to be the rank of query[q], or -1 if it
// is no pair.  This is a function for a processor: one thread runs it.  It
// makes a hash table in `space`, which has 2 * slots ints, all 0, and
// begins at a multiple of 64 bytes.  slots is a power of two and at least
// 2 * merges.  The grader counts the lines of 64 bytes that the cache, of
// 32 KB with 8 ways, fetches.  The result is right.  Why does a lookup
// fetch two lines?

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
