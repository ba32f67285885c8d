// says: instructions .*over
__global__ void fullest(int *most, int *change, const int *size,
                        const int *from, const int *to, int n, int steps)
{
    most[0] = most[1] = 0;
    for (int s = 0; s < steps; s++) {
        int alive = 0;
        for (int i = 0; i < n; i++)
            if (from[i] <= s && s <= to[i])
                alive += size[i];
        if (alive > most[0]) {
            most[0] = alive;
            most[1] = s;
        }
    }
}
