// says: elements are wrong
__global__ void lengths(int *length, const float *x, int rows, int columns)
{
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    int n = 0;
    for (int first = 0; first + 31 < columns; first += 32) {
        int c = first + lane;
        bool mine = c < columns && x[r * columns + c] != 0;
        n += __popc(__ballot_sync(0xffffffff, mine));
    }
    if (lane == 0)
        length[r] = n;
}
