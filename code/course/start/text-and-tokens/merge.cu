/* Tangled from chapters/course/text-and-tokens-solutions.nw, "A merge by 256 threads".  Edit it there. */

// text-and-tokens/merge: a merge by 256 threads
//
// Row b of token has 256 places, and its first length[b] hold the tokens
// of a piece.  Wherever the pair (left, right) occurs, both tokens become
// the one token `made`, from left to right: with left = right = 7, the
// tokens 7 7 7 become made 7.  The new tokens are to be written to the
// first places of row b of out, and -1 to its other places.  The grid has
// a block of 256 threads for each row.  The kernel is right, but one thread
// does the work.  Let all 256 do it.

__global__ void merge(int *out, const int *token, const int *length,
                      int left, int right, int made)
{
    int n = length[blockIdx.x], k = 0;
    token += 256 * blockIdx.x;
    out += 256 * blockIdx.x;
    if (threadIdx.x > 0)
        return;
    for (int i = 0; i < n; i++) {
        bool pair = i + 1 < n && token[i] == left && token[i + 1] == right;
        out[k++] = pair ? made : token[i];
        i += pair;
    }
    while (k < 256)
        out[k++] = -1;
}
