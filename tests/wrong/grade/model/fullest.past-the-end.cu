// says: past the end of
__global__ void fullest(int *most, int *change, const int *size,
                        const int *from, const int *to, int n, int steps)
{
    for (int i = 0; i < n; i++) {
        change[from[i]] += size[i];
        change[to[i] + 1] -= size[i];
    }
    int alive = 0;
    most[0] = most[1] = 0;
    for (int s = 0; s < steps; s++) {
        alive += change[s];
        if (alive > most[0]) {
            most[0] = alive;
            most[1] = s;
        }
    }
}
