// says: instructions .*over
__global__ void place(int *offset, const int *size, const int *from,
                      const int *to, int n)
{
    for (int i = 0; i < n; i++) {
        int at = 0;
        for (int k = 0; k < i; k++)
            if (from[k] <= to[i] && from[i] <= to[k] &&
                at < offset[k] + size[k] && offset[k] < at + size[i]) {
                at++;
                k = -1;             // begin again
            }
        offset[i] = at;
    }
}
